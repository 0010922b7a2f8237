import CommandLineKit
import Testing

@Suite("teahouse ctl word and kind") struct WordCommandTests {
    @Test("words are added, listed, tried, imported and removed")
    func words() throws {
        let fixture = try Fixture()
        #expect(fixture.ctl("word", "add", "外挂", "代练", "--action", "refuse").output == "words added or changed: 2\n")
        #expect(
            fixture.ctl("word", "add", "外挂", "--action", "refuse").output == "nothing to change: it is so already\n")
        #expect(fixture.ctl("word", "add", "damn", "--action", "mask").code == .done)
        #expect(
            fixture.ctl("word", "add", "x").code == .usage
                && fixture.ctl("word", "list", "--action", "x").code == .usage)
        #expect(fixture.ctl("word", "add", " ", "--action", "flag").code == .refused)
        #expect(fixture.ctl("word", "list", "--action", "mask").output.contains("damn"))
        #expect(!fixture.ctl("word", "list", "--action", "mask").output.contains("外挂"))
        #expect(fixture.ctl("word", "list", "--json").output.contains(#"{"word":"外挂","action":"refuse"}"#))
        #expect(fixture.ctl("word", "test", "Damn!").output.hasPrefix("would go out as: ****!\n"))
        #expect(fixture.ctl("word", "test", "卖外挂").output.hasPrefix("would be refused\n"))
        #expect(fixture.ctl("word", "test", "tea").output == "passes as it is\n")
        #expect(fixture.ctl("word", "test", "tea", "--json").output == "{\"hits\":[]}\n")
        #expect(fixture.ctl("word", "remove", "外挂", "DAMN", "no").output == "words removed: 2\n")
        #expect(fixture.ctl("word", "flagged").code == .done)
    }

    @Test("a kind is registered from a sample, changed in part, tried, switched off and removed")
    func kinds() throws {
        let fixture = try Fixture()
        #expect(fixture.ctl("kind", "set", "500", "--sample", "card").output == "kind 500 (card) set\n")
        #expect(fixture.ctl("kind", "set", "500", "--name", "vcard", "--required", "clientId,name").code == .done)
        let shown = fixture.ctl("kind", "show", "500").output
        for text in ["vcard", "clientId, name", "[Card] {name|clientId}"] { #expect(shown.contains(text), "\(shown)") }
        #expect(fixture.ctl("kind", "list").output.contains("vcard"))
        #expect(fixture.ctl("kind", "try", "500", #"{"clientId":"tom","name":"Tom"}"#).output.contains("[Card] Tom"))
        let tried = fixture.ctl("kind", "try", "500", #"{"clientId":"tom"}"#)
        #expect(tried.code == .refused && tried.error.contains("name is missing"))
        #expect(fixture.ctl("kind", "disable", "500").output == "kind 500 disabled\n")
        #expect(fixture.ctl("kind", "enable", "500", "--json").output.contains(#""disabled":false"#))
        #expect(fixture.ctl("kind", "set", "501", "--name", "x").error.contains("degrade is missing"))
        #expect(fixture.ctl("kind", "set", "2", "--sample", "gif").code == .refused)
        #expect(fixture.ctl("kind", "set", "x").code == .usage && fixture.ctl("kind", "show", "9").code == .notFound)
        // ChatKit's name card has the number 1.
        #expect(fixture.ctl("kind", "set", "1", "--sample", "card", "--name", "vcard").error.contains("vcard"))
        #expect(fixture.ctl("kind", "set", "1", "--sample", "card").code == .done)
        let inAttributes = #"{"_lctype":1,"_lcattrs":{"clientId":"tom","name":"Tom"}}"#
        #expect(fixture.ctl("kind", "try", "1", inAttributes).output.contains("[Card] Tom"))
        let nameless = #"{"_lctype":1,"_lcattrs":{"clientId":"tom"}}"#
        #expect(fixture.ctl("kind", "try", "1", nameless).output.contains("[Card] tom"))
        let missing = fixture.ctl("kind", "try", "1", #"{"_lctype":1,"_lcattrs":{"name":"Tom"}}"#)
        #expect(missing.code == .refused && missing.error.contains("clientId is missing"))
        let newer = fixture.ctl("kind", "try", "1", #"{"_lctype":1,"_lcattrs":{"clientId":"tom","version":2}}"#)
        #expect(newer.code == .refused && newer.output.contains("[Card]") == false)
        for sample in ["gif", "link", "title"] {
            #expect(fixture.ctl("kind", "set", "60\(sample.count)", "--sample", sample).code == .done)
        }
        #expect(fixture.ctl("kind", "remove", "500").output == "kind 500 removed\n")
        #expect(fixture.ctl("kind", "remove", "500").code == .notFound)
    }
}
