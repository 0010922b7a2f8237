import Testing
import WuKongWire

@Suite("Facts of a payload")
struct PayloadFactsTests {
    private static func facts(_ text: String) -> PayloadFacts { PayloadFacts(of: Array(text.utf8)) }

    @Test("an object has a content type")
    func object() {
        let facts = Self.facts(#" {"content":"hello","type":1} "#)
        #expect(facts.isJSONObject && facts.contentType == 1 && !facts.mentionsAll && facts.mentionedUIDs.isEmpty)
    }

    @Test(
        "everybody is mentioned by 1 or true",
        arguments: [
            (#"{"mention":{"all":1}}"#, true), (#"{"mention":{"all":true}}"#, true),
            (#"{"type":1,"mention":{"uids":["a"],"all":1}}"#, true), (#"{"mention":{"all":0}}"#, false),
            (#"{"mention":{"all":2}}"#, false), (#"{"mention":{"all":false}}"#, false),
            (#"{"mention":{"all":"1"}}"#, false), (#"{"mention":{"all":null}}"#, false),
            (#"{"mention":{"all":1.0}}"#, false), (#"{"mention":{"all":[1]}}"#, false), (#"{"mention":{}}"#, false),
            (#"{"mention":1}"#, false), (#"{"mention":null}"#, false), (#"{"all":1}"#, false),
            (#"{"a":{"mention":{"all":1}}}"#, false),
        ])
    func mentionsAll(_ text: String, _ isMentioned: Bool) {
        let facts = Self.facts(text)
        #expect(facts.isJSONObject)
        #expect(facts.mentionsAll == isMentioned)
    }

    @Test(
        "the strings among the UIDs are mentioned",
        arguments: [
            (#"{"mention":{"uids":["u1","u2"]}}"#, ["u1", "u2"]), (#"{"mention":{"uids":[]}}"#, []),
            (#"{"mention":{"uids":["u1",7,null,{"a":["x"]},["y"],"u\u0032"]}}"#, ["u1", "u2"]),
            (#"{"mention":{"uids":"u1"}}"#, []), (#"{"mention":{"uids":null}}"#, []), (#"{"uids":["u1"]}"#, []),
            (#"{"mention":["u1"]}"#, []), (#"{"mention":{"all":1,"uids":["茶"],"more":[1]},"type":1}"#, ["茶"]),
        ])
    func mentionedUIDs(_ text: String, _ uids: [String]) {
        let facts = Self.facts(text)
        #expect(facts.isJSONObject)
        #expect(facts.mentionedUIDs == uids)
    }

    @Test("the number of mentions is bounded")
    func bound() {
        let uids = (0..<PayloadFacts.maximumMentions + 1).map { "\"u\($0)\"" }.joined(separator: ",")
        let facts = Self.facts(#"{"mention":{"uids":[\#(uids)]},"type":3}"#)
        #expect(facts.mentionedUIDs.count == 500)
        #expect(facts.mentionedUIDs.last == "u499")
        #expect(facts.isJSONObject && facts.contentType == 3)
    }

    @Test(
        "what is no JSON object has none, also when it began as one",
        arguments: [
            "", "hello", "[1]", "1", #"{"type":1"#, #"{"type":1}x"#, #"{"type":1,"type":2}"#,
            #"{"mention":{"all":1,"uids":["u1"]},}"#, #"{"mention":{"uids":["u1"}}"#, "{\"a\":\"\u{1}\"}",
        ])
    func none(_ text: String) {
        #expect(Self.facts(text) == PayloadFacts())
    }

    @Test("both forms of the JSON encoding tell the mentions")
    func parameters() throws {
        let send = try #require(
            try decodeSend(
                """
                {"id":"1","method":"send","params":{"channelId":"c","channelType":2,\
                "payload":{"type":1,"mention":{"all":1,"uids":["u1"]}}}}
                """))
        #expect(send.mentionsAll && send.mentionedUIDs == ["u1"] && send.contentType == 1)
    }
}
