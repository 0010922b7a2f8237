import CommandLineKit
import Testing

@Suite("teahouse ctl word and kind") struct WordCommandTests {
    @Test("words are added, listed, tried, imported and removed")
    func words() throws {
        let house = try House()
        #expect(house.ctl("word", "add", "外挂", "代练", "--action", "refuse").output == "words added or changed: 2\n")
        #expect(
            house.ctl("word", "add", "外挂", "--action", "refuse").output == "nothing to change: it is so already\n")
        #expect(house.ctl("word", "add", "damn", "--action", "mask").code == .done)
        #expect(
            house.ctl("word", "add", "x").code == .usage && house.ctl("word", "list", "--action", "x").code == .usage)
        #expect(house.ctl("word", "add", " ", "--action", "flag").code == .refused)
        #expect(house.ctl("word", "list", "--action", "mask").output.contains("damn"))
        #expect(!house.ctl("word", "list", "--action", "mask").output.contains("外挂"))
        #expect(house.ctl("word", "list", "--json").output.contains(#"{"word":"外挂","action":"refuse"}"#))
        #expect(house.ctl("word", "test", "Damn!").output.hasPrefix("would go out as: ****!\n"))
        #expect(house.ctl("word", "test", "卖外挂").output.hasPrefix("would be refused\n"))
        #expect(house.ctl("word", "test", "tea").output == "passes as it is\n")
        #expect(house.ctl("word", "test", "tea", "--json").output == "{\"hits\":[]}\n")
        #expect(house.ctl("word", "remove", "外挂", "DAMN", "no").output == "words removed: 2\n")
        #expect(house.ctl("word", "flagged").code == .done)
    }

    @Test("a kind is registered from a sample, changed in part, tried, switched off and removed")
    func kinds() throws {
        let house = try House()
        #expect(house.ctl("kind", "set", "500", "--sample", "card").output == "kind 500 (card) set\n")
        #expect(house.ctl("kind", "set", "500", "--name", "vcard", "--required", "clientId,name").code == .done)
        let shown = house.ctl("kind", "show", "500").output
        for text in ["vcard", "clientId, name", "[Card] {name|clientId}"] { #expect(shown.contains(text), "\(shown)") }
        #expect(house.ctl("kind", "list").output.contains("vcard"))
        #expect(house.ctl("kind", "try", "500", #"{"clientId":"tom","name":"Tom"}"#).output.contains("[Card] Tom"))
        let tried = house.ctl("kind", "try", "500", #"{"clientId":"tom"}"#)
        #expect(tried.code == .refused && tried.error.contains("name is missing"))
        #expect(house.ctl("kind", "disable", "500").output == "kind 500 disabled\n")
        #expect(house.ctl("kind", "enable", "500", "--json").output.contains(#""disabled":false"#))
        #expect(house.ctl("kind", "set", "501", "--name", "x").error.contains("degrade is missing"))
        #expect(house.ctl("kind", "set", "2", "--sample", "gif").code == .refused)
        #expect(house.ctl("kind", "set", "x").code == .usage && house.ctl("kind", "show", "9").code == .refused)
        // ChatKit's name card has the number 1.
        #expect(house.ctl("kind", "set", "1", "--sample", "card", "--name", "vcard").error.contains("vcard"))
        #expect(house.ctl("kind", "set", "1", "--sample", "card").code == .done)
        let inAttributes = #"{"_lctype":1,"_lcattrs":{"clientId":"tom","name":"Tom"}}"#
        #expect(house.ctl("kind", "try", "1", inAttributes).output.contains("[Card] Tom"))
        let nameless = #"{"_lctype":1,"_lcattrs":{"clientId":"tom"}}"#
        #expect(house.ctl("kind", "try", "1", nameless).output.contains("[Card] tom"))
        let missing = house.ctl("kind", "try", "1", #"{"_lctype":1,"_lcattrs":{"name":"Tom"}}"#)
        #expect(missing.code == .refused && missing.error.contains("clientId is missing"))
        let newer = house.ctl("kind", "try", "1", #"{"_lctype":1,"_lcattrs":{"clientId":"tom","version":2}}"#)
        #expect(newer.code == .refused && newer.output.contains("[Card]") == false)
        for sample in ["gif", "link", "title"] {
            #expect(house.ctl("kind", "set", "60\(sample.count)", "--sample", sample).code == .done)
        }
        #expect(house.ctl("kind", "remove", "500").output == "kind 500 removed\n")
        #expect(house.ctl("kind", "remove", "500").code == .refused)
    }
}
