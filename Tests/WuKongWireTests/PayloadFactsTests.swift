import ByteCodec
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
            (#"{"mention":{"all":1.0}}"#, true), (#"{"mention":{"all":[1]}}"#, false), (#"{"mention":{}}"#, false),
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
        "what no reader takes for an object has none, and no fault",
        arguments: [
            "", "hello", "[1]", "1", "null", #"[{"type":99}]"#, #""{\"type\":99}""#, "x{}", "茶{}", "/", "# tea",
        ])
    func opaque(_ text: String) {
        #expect(Self.facts(text) == PayloadFacts())
    }

    @Test(
        "what began as an object and is not exactly one has a fault and no facts",
        arguments: [
            #"{"type":1"#, #"{"type":1}x"#, #"{"type":1}{"#, #"{"type":1,"type":2}"#, #"{"type":1,"typ\u0065":99}"#,
            #"{"type":1,"a":{"b":1,"b":2}}"#, #"{"mention":{"all":1,"uids":["u1"]},}"#,
            #"{"mention":{"uids":["u1"}}"#, "{\"a\":\"\u{1}\"}", #"{'type':99}"#, #"{type:99}"#, #"{"type":0x63}"#,
            #"{"type":+99}"#, #"{"type":099}"#, #"{"type":99,"a":NaN}"#, #"{"type":99;"a":1}"#,
            "\u{FEFF}{\"type\":99}", "/**/{\"type\":99}", "// a\n{\"type\":99}", "# a\n{\"type\":99}", "\0{}",
        ])
    func faults(_ text: String) {
        let facts = Self.facts(text)
        guard case .notOneObject = facts.fault else { return #expect(Bool(false), "\(text) has no fault") }
        #expect(!facts.isJSONObject && facts.contentType == 0 && !facts.mentionsAll && facts.mentionedUIDs.isEmpty)
    }

    /// An object in bytes that are not UTF-8: a bad byte, UTF-16 in both orders and with its mark, UTF-32.
    private static let otherWidths: [[UInt8]] = {
        let object = Array(#"{"type":99}"#.utf8)
        let bad: [UInt8] = Array(#"{"type":99,"a":""#.utf8) + [0xFF, 0x22, 0x7D]
        let little: [UInt8] = object.flatMap { [$0, 0] as [UInt8] }
        let big: [UInt8] = object.flatMap { [0, $0] as [UInt8] }
        let wide: [UInt8] = object.flatMap { [0, 0, 0, $0] as [UInt8] }
        let mark: [UInt8] = [0xFF, 0xFE]
        return [bad, little, big, mark + little, wide]
    }()

    @Test("an object that is not UTF-8 has a fault, whatever the width of its characters", arguments: otherWidths)
    func widths(_ payload: [UInt8]) {
        #expect(PayloadFacts(of: payload).fault != nil)
    }

    @Test("an object too deep to stand inside a frame has a fault")
    func deep() {
        func nested(_ levels: Int) -> String {
            String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        }
        #expect(Self.facts(nested(30)).isJSONObject)
        #expect(Self.facts(nested(31)).fault == .notOneObject(JSONError(.tooDeep(limit: 30), at: 150)))
        #expect(Self.facts(#"{"type":99,"a":\#(nested(100_000))}"#).fault != nil)
    }

    @Test(
        "a type that some SDK reads as 99 makes a command",
        arguments: [
            "99", "99.0", "9.9e1", "990e-1", "0.99E+2", "99.00000000000000000001", "99.5", "99.999999", "\"99\"",
            "\"99.0\"", "\"99.7\"", "\" 99\"", "\"99d\"", "\"99f \"", "\"9.9e1\"", "\"+99\"", "\"099\"", "\"99abc\"",
            "\"4294967395\"", "\"-4294967197\"", "\"\\u0039\\u0039\"", "\"0x63\"", "\"\\t99\"",
        ])
    func commands(_ type: String) {
        let facts = Self.facts(#"{"cmd":"messageRevoke","type":\#(type)}"#)
        #expect(facts.isCommand && facts.contentType == 99 && facts.fault == nil)
    }

    @Test(
        "a type that none of them reads as 99 makes none",
        arguments: [
            ("98", 98), ("100", 100), ("-99", -99), ("1.0", 1), ("10e-1", 1), ("1.5", 0), ("98.99", 0), ("990", 990),
            ("\"text\"", 0), ("\"1\"", 0), ("\"-99\"", 0), ("\"199\"", 0), ("\"9 9\"", 0), ("\"a99\"", 0), ("\"\"", 0),
            ("null", 0), ("true", 0), ("2147483647", 2_147_483_647), ("\"９９\"", 0),
        ])
    func noCommands(_ type: String, _ contentType: Int) {
        let facts = Self.facts(#"{"type":\#(type)}"#)
        #expect(!facts.isCommand && facts.contentType == contentType && facts.isJSONObject)
    }

    @Test(
        "a type that each SDK reads in its own way has a fault",
        arguments: ["2147483648", "4294967395", "99999999999999999999", "1e10", "1e300", "[99]", "{}", "[]"])
    func unclearTypes(_ type: String) {
        #expect(Self.facts(#"{"type":\#(type)}"#).fault == .unclearType)
    }

    @Test("half a surrogate pair in a text is passed over, and the rest is read")
    func loneSurrogates() {
        let cut = Self.facts(#"{"content":"tea\ud83c","type":1,"a":"\udf75\ud83c\udf75"}"#)
        #expect(cut.fault == nil && !cut.isJSONObject && cut.contentType == 1)
        #expect(Self.facts(#"{"content":"\ud83c","type":9.9e1}"#).isCommand)
        #expect(Self.facts(#"{"content":"\ud83c","type":1,"type":99}"#).fault != nil)
        let many = String(repeating: #"\ud83c"#, count: 17)
        #expect(Self.facts(#"{"content":"\#(many)"}"#).fault != nil)
    }

    @Test("both forms of the JSON encoding tell the mentions")
    func parameters() throws {
        let send = try #require(
            try decodeSend(
                """
                {"id":"1","method":"send","params":{"channelId":"c","channelType":2,\
                "payload":{"type":1,"mention":{"all":1,"uids":["u1"]}}}}
                """))
        #expect(send.facts.mentionsAll && send.facts.mentionedUIDs == ["u1"] && send.facts.contentType == 1)
    }
}
