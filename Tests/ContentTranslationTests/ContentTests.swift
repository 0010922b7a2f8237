import ByteCodec
import ChatModel
import ContentTranslation
import LeanCloudTranslation
import Testing
import WuKongTranslation
import WuKongWire

/// Contents between the protocols: what one wrote, as another reads it.
struct ContentTests {
    private static func wuKong(_ body: String) -> MessageContent {
        Translation.content(payload: Array(body.utf8), header: .init(), setting: [], topic: nil, expire: 0)
    }

    private static func leanCloud(_ body: String, mentions: [String] = []) -> MessageContent {
        LeanCloudContent.content(.text(body), mentions: mentions)
    }

    private static func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

    // MARK: Every kind, in both directions

    @Test(
        "what LeanCloud's apps wrote becomes a payload of WuKongIM's",
        arguments: [
            (#"{"_lctype":-1,"_lctext":"hi"}"#, #"{"type":1,"content":"hi"}"#),
            (#"{"_lctype":-1}"#, #"{"type":1,"content":""}"#),
            (
                #"{"_lctype":-2,"_lctext":"c","_lcfile":{"url":"u","metaData":{"name":"a.png","size":9,"width":3,"height":4}}}"#,
                #"{"type":2,"url":"u","name":"a.png","size":9,"width":3,"height":4,"content":"c"}"#
            ),
            (
                #"{"_lctype":-3,"_lcfile":{"url":"u","metaData":{"duration":5.6}}}"#,
                #"{"type":4,"timeTrad":6,"url":"u"}"#
            ),
            (#"{"_lctype":-3}"#, #"{"type":4,"url":""}"#),
            (
                #"{"_lctype":-4,"_lcfile":{"url":"u","metaData":{"duration":1e9}}}"#,
                #"{"type":5,"second":86399,"url":"u"}"#
            ),
            (
                #"{"_lctype":-5,"_lctext":"here","_lcloc":{"latitude":1.5,"longitude":2}}"#,
                #"{"type":6,"lat":1.5,"lng":2.0,"title":"here","address":""}"#
            ),
            (#"{"_lctype":-5}"#, #"{"type":6,"title":"","address":""}"#),
            (
                #"{"_lctype":-6,"_lcfile":{"url":"u","name":"a.txt","size":7}}"#,
                #"{"type":8,"url":"u","name":"a.txt","size":7}"#
            ),
            (#"{"_lctype":-127}"#, #"{"type":1006}"#), (#"{"_lctype":-101}"#, #"{"type":97}"#),
            (#"{"_lctype":7}"#, #"{"type":97}"#), (#"{"_lctype":99999999999}"#, #"{"type":97}"#),
            (#"{"_lctype":7,"_lcattrs":{"degrade":"d","summary":"s"}}"#, #"{"type":1,"content":"d"}"#),
            (#"{"_lctype":7,"_lctext":"t","_lcattrs":{"degrade":"","summary":"s"}}"#, #"{"type":1,"content":"s"}"#),
            (#"{"_lctype":7,"_lctext":"t","_lcattrs":{"typeTitle":"T"}}"#, #"{"type":1,"content":"t"}"#),
            (#"{"_lctype":7,"_lcattrs":{"typeTitle":"T"}}"#, #"{"type":1,"content":"[T]"}"#),
            ("plain", #"{"type":1,"content":"plain"}"#), ("", #"{"type":1,"content":""}"#),
            (#"{"a":1}"#, #"{"type":1,"content":"{\"a\":1}"}"#), ("[1]", #"{"type":1,"content":"[1]"}"#),
        ])
    func toWuKong(body: String, payload: String) throws {
        let shown = Translation.shown(Self.leanCloud(body))
        #expect(try JSONValue(parsing: shown.body) == JSONValue(parsing: payload))
        #expect(shown.wire == .wuKong && shown.flags.contains(.bodyIsJSONObject))
        #expect(shown.kind == Self.wuKong(payload).kind)
    }

    @Test(
        "what WuKongIM's apps wrote becomes a typed message",
        arguments: [
            (#"{"type":1,"content":"hi"}"#, #"{"_lctype":-1,"_lctext":"hi"}"#),
            (#"{"type":1}"#, #"{"_lctype":-1,"_lctext":""}"#),
            (
                #"{"type":2,"url":"u","width":3,"height":4,"content":"c"}"#,
                #"{"_lctype":-2,"_lctext":"c","_lcfile":{"url":"u","metaData":{"width":3,"height":4}}}"#
            ),
            (
                #"{"type":3,"url":"u"}"#,
                #"{"_lctype":-2,"_lcfile":{"url":"u","metaData":{"width":100,"height":100}}}"#
            ),
            (
                #"{"type":4,"url":"u","timeTrad":5}"#,
                #"{"_lctype":-3,"_lcfile":{"url":"u","metaData":{"duration":5.0}}}"#
            ),
            (
                #"{"type":5,"url":"u","second":5.5}"#,
                #"{"_lctype":-4,"_lcfile":{"url":"u","metaData":{"duration":5.5}}}"#
            ),
            (
                #"{"type":6,"lat":1,"lng":2,"address":"a"}"#,
                #"{"_lctype":-5,"_lctext":"a","_lcloc":{"latitude":1.0,"longitude":2.0}}"#
            ),
            (#"{"type":6,"lat":1,"title":"t"}"#, #"{"_lctype":-1,"_lctext":"[位置] t"}"#),
            (#"{"type":7,"name":"Tom"}"#, #"{"_lctype":-1,"_lctext":"[名片] Tom"}"#),
            (
                #"{"type":8,"url":"u","name":"a.txt"}"#,
                #"{"_lctype":-6,"_lcfile":{"url":"u","metaData":{"name":"a.txt","format":"txt"}}}"#
            ),
            (#"{"type":11,"msgs":[]}"#, #"{"_lctype":-1,"_lctext":"[聊天记录]"}"#),
            (#"{"type":12,"url":"u"}"#, #"{"_lctype":-1,"_lctext":"[表情]"}"#),
            (#"{"type":14,"content":"r"}"#, #"{"_lctype":-1,"_lctext":"r"}"#),
            (#"{"type":14}"#, #"{"_lctype":-1,"_lctext":"[图文]"}"#),
            (#"{"type":97}"#, #"{"_lctype":-1,"_lctext":"[未知消息]"}"#),
            (#"{"type":99,"cmd":"typing"}"#, #"{"_lctype":-1,"_lctext":"[指令] typing"}"#),
            (#"{"type":500,"content":"c"}"#, #"{"_lctype":-1,"_lctext":"c"}"#),
            (#"{"type":500}"#, #"{"_lctype":-1,"_lctext":"[未知消息]"}"#),
            (#"{"type":1005}"#, #"{"_lctype":-1,"_lctext":"[群信息更新]"}"#),
            (#"{"type":1006}"#, #"{"_lctype":-127}"#),
            (#"{"type":2000,"content":"{0}!","extra":[{"uid":"b"}]}"#, #"{"_lctype":-1,"_lctext":"b!"}"#),
            (#"{"type":9989,"second":3}"#, #"{"_lctype":-1,"_lctext":"[网络通话]"}"#),
            ("no object", #"{"_lctype":-1,"_lctext":"[未知消息]"}"#),
        ])
    func toLeanCloud(payload: String, body: String) throws {
        guard case .text(let text) = LeanCloudContent.body(of: Self.wuKong(payload)) else {
            Issue.record("no text")
            return
        }
        #expect(try JSONValue(parsing: text) == JSONValue(parsing: body))
    }

    @Test(
        "a content of any form has a payload",
        arguments: [
            (#"{"type":14,"content":"r"}"#, #"{"type":1,"content":"r"}"#),
            (#"{"type":3,"url":"u","width":7}"#, #"{"type":3,"url":"u","width":7}"#),
            (#"{"type":12,"url":"u"}"#, #"{"type":3,"url":"u"}"#),
            (#"{"type":7,"uid":"t","name":"Tom"}"#, #"{"type":7,"uid":"t","name":"Tom"}"#),
            (#"{"type":9989,"second":3}"#, #"{"type":9989,"second":3}"#),
            (
                #"{"type":1002,"content":"{0} came","extra":[{"uid":"t","name":"Tom"}]}"#,
                #"{"type":1005,"content":"{0} came","extra":[{"name":"Tom"}]}"#
            ),
            (#"{"type":98}"#, #"{"type":97}"#), (#"{"type":99,"cmd":"c","content":"c"}"#, #"{"type":97}"#),
            (#"{"type":500,"content":"c"}"#, #"{"type":1,"content":"c"}"#),
            (
                #"{"type":11,"users":[{"uid":"t","name":"Tom"}],"msgs":[{"from_uid":"t","timestamp":5,"payload":{"type":1,"content":"a"}},{"payload":7}]}"#,
                #"{"type":11,"users":[{"uid":"t","name":"Tom"}],"msgs":[{"from_uid":"t","timestamp":5,"payload":{"type":1,"content":"a"}}]}"#
            ),
            (
                #"{"type":1,"content":"y","reply":{"message_id":"7","from_uid":"t","from_name":"Tom","payload":{"type":8,"name":"f"}},"mention":{"all":true,"uids":["b",""]}}"#,
                #"{"type":1,"content":"y","reply":{"message_id":"7","from_uid":"t","from_name":"Tom","payload":{"type":1,"content":"f"}},"mention":{"all":1,"uids":["b"]}}"#
            ),
        ])
    func written(payload: String, expected: String) throws {
        let body = WuKongContentCodec.encode(Content(of: Self.wuKong(payload))).body
        #expect(try JSONValue(parsing: body) == JSONValue(parsing: expected))
    }

    @Test(
        "a typed message that is read and written again says the same",
        arguments: [
            #"{"_lctype":-1,"_lctext":"hi"}"#, #"{"_lctype":-127}"#,
            #"{"_lctype":-2,"_lctext":"c","_lcfile":{"url":"u","metaData":{"name":"a.png","format":"png","width":3,"height":4,"size":9}}}"#,
            #"{"_lctype":-3,"_lcfile":{"url":"u","metaData":{"duration":6.0}}}"#,
            #"{"_lctype":-4,"_lcfile":{"url":"u","metaData":{"duration":6.0}}}"#,
            #"{"_lctype":-5,"_lctext":"here","_lcloc":{"latitude":1.5,"longitude":2.0}}"#,
            #"{"_lctype":-6,"_lcfile":{"url":"u","metaData":{"name":"a","size":9}}}"#,
        ])
    func readAgain(body: String) throws {
        let text = LeanCloudContentCodec.encode(Content(of: Self.leanCloud(body)))
        #expect(try JSONValue(parsing: text) == JSONValue(parsing: body))
    }

    @Test("clients of the protocol that a message came from get its bytes")
    func sameWire() {
        let odd = #"{ "type":1,"content" : "a","mention":{"all":1}, "x":1.50}"#
        for wire in [WireFormat.wuKong, .native] {
            var content = Self.wuKong(odd)
            content.wire = wire
            #expect(Translation.shown(content) == content)
            #expect(Translation.payload(of: content) == Array(odd.utf8))
        }
        let typed = #"{ "_lctype":-1,"_lctext" : "a", "x":1.50}"#
        #expect(LeanCloudContent.body(of: Self.leanCloud(typed)) == .text(typed))
    }

    @Test("a stand-in of an app's own kind keeps its number everywhere")
    func standIn() throws {
        var content = Self.wuKong(#"{"type":700,"content":"flower"}"#)
        content.wire = .native
        content.flags.insert(.standIn)
        #expect(LeanCloudContent.body(of: content) == .text(#"{"_lctype":700,"_lctext":"flower"}"#))
        let (kind, body) = WuKongContentCodec.encode(Content(of: content))
        #expect(kind.rawValue == 700 && Self.text(body) == #"{"type":700,"content":"flower"}"#)
        #expect(MessageSketch(of: content).form == .custom)
    }

    // MARK: What the neutral form keeps

    @Test("who is called by name is called in the other protocol too, also in a message for some")
    func mentions() throws {
        let body = #"{"type":1,"content":"a","mention":{"uids":["b"]},"onlyVisibleTo":["b","c"]}"#
        var stored = Self.wuKong(body)
        stored.mentions = .none
        #expect(stored.envelope?.visibleTo?.count == 2)
        #expect(LeanCloudContent.mentions(of: stored).users.map(\.text) == ["b"])
        let shown = Translation.shown(Self.leanCloud(#"{"_lctype":-1,"_lctext":"a"}"#, mentions: ["b"]))
        #expect(Self.text(shown.body) == #"{"type":1,"content":"a","mention":{"uids":["b"]}}"#)
    }

    @Test("long texts of every kind reach the other protocol whole, and lists up to their bound")
    func longTexts() throws {
        let long = String(repeating: "茶", count: 300_000)
        for type in [1, 14, 500] {
            let content = Self.wuKong(#"{"type":\#(type),"content":"\#(long)"}"#)
            #expect(LeanCloudContent.body(of: content) == .text(#"{"_lctype":-1,"_lctext":"\#(long)"}"#))
            #expect(MessageSketch(of: content).words.utf8.count <= MessageSketch.maximumWordBytes)
        }
        let custom = Self.leanCloud(#"{"_lctype":7,"_lctext":"\#(long)"}"#)
        #expect(Self.text(Translation.shown(custom).body) == #"{"type":1,"content":"\#(long)"}"#)
    }

    @Test("an edit that changes the kind is read by what it says now")
    func editedKind() {
        var content = Self.leanCloud(#"{"_lctype":-1,"_lctext":"now a text"}"#)
        content.kind = MessageKind(rawValue: 7)
        let sketch = MessageSketch(of: content)
        #expect(sketch.form == .text && sketch.words == "now a text")
    }

    @Test("the length of a text is that of what people read, not of a member beside it")
    func countedText() {
        let content = Self.leanCloud(#"{"_lctype":-1,"_lctext":"four","content":""}"#)
        #expect(Content.readableCharacters(of: content) == 4)
    }

    @Test("what several messages say inside one is kept, to a depth and a number")
    func forwarded() throws {
        let one = #"{"from_uid":"t","timestamp":5,"payload":{"type":1,"content":"a"}}"#
        let many =
            #"{"type":11,"users":[{"uid":"t","name":"Tom"}],"msgs":[\#((0..<150).map { _ in one }.joined(separator: ","))]}"#
        guard case .forwarded(let messages) = Content(of: Self.wuKong(many)).form else {
            Issue.record("not forwarded")
            return
        }
        #expect(messages.count == Content.maximumForwarded)
        #expect(
            messages.first
                == ForwardedContent(
                    sender: "t", senderName: "Tom", sentAtSeconds: 5, content: Content(.text, text: "a")))
        var deep = #"{"type":1,"content":"a"}"#
        for _ in 0..<8 { deep = #"{"type":11,"msgs":[{"payload":\#(deep)}]}"# }
        var (content, levels) = (Content(of: Self.wuKong(deep)), 0)
        while case .forwarded(let inner) = content.form, let next = inner.first {
            (content, levels) = (next.content, levels + 1)
        }
        #expect(levels == Content.maximumForwardedDepth && content.form == .unreadable)
    }

    // MARK: Hostile values

    @Test("values of a wrong type or out of range are absent")
    func outOfRange() {
        let picture = #"{"type":2,"url":7,"name":[],"size":-1,"width":-1,"height":1e300,"content":{}}"#
        #expect(Content(of: Self.wuKong(picture)) == Content(.picture(FileContent())))
        let voice = #"{"type":4,"timeTrad":1e300,"size":9223372036854775808,"width":2147483648}"#
        #expect(Content(of: Self.wuKong(voice)) == Content(.voice(FileContent())))
        let place = Content(of: Self.wuKong(#"{"type":6,"lat":"1","lng":null,"title":1}"#))
        #expect(place == Content(.place(PlaceContent())))
        #expect(PlaceContent(latitude: .nan, longitude: .infinity) == PlaceContent())
        #expect(FileContent(seconds: .nan).seconds == nil && CallContent(seconds: -1).seconds == nil)
        let file = #"{"_lctype":-2,"_lcfile":{"url":7,"metaData":{"width":-1,"size":"x","height":1e300}}}"#
        #expect(Content(of: Self.leanCloud(file)) == Content(.picture(FileContent())))
        let audio = #"{"_lctype":-3,"_lcfile":{"metaData":{"duration":-1e300}}}"#
        #expect(Content(of: Self.leanCloud(audio)) == Content(.voice(FileContent(seconds: 0))))
    }

    private static let hostile = [
        "null", "true", "-1", "9223372036854775807", "-9223372036854775808", "1e308", "-0.5", "\"\"", "\"{0}{1}{\"",
        "\"{99999999999999999999}\"", "[]", "[[[[1]]]]", "[{}]", "{}", #"{"type":99}"#,
        #"{"uids":[1,"","b"],"all":"x"}"#, #"[{"payload":{"type":99,"cmd":"x"},"from_uid":1,"timestamp":-1}]"#,
        #"{"payload":{"type":99,"reply":{"payload":{}}},"message_id":"x"}"#,
        #"{"url":1,"metaData":{"duration":1e308,"width":"w"}}"#, #"{"latitude":1e308,"longitude":"x"}"#,
    ]

    @Test("whatever a payload holds, each protocol writes something that its readers take", arguments: hostile)
    func hostilePayloads(value: String) throws {
        let types = ["1", "2", "3", "4", "5", "6", "7", "8", "11", "12", "14", "97", "98", "99", "500", "1002", "1006"]
        let keys = [
            "content", "url", "name", "size", "width", "height", "timeTrad", "second", "lat", "lng", "title", "address",
            "uid", "users", "msgs", "extra", "cmd", "reply", "mention", "version",
        ]
        for type in types + ["2000", "9989", "-5", "1e300", "\"x\""] {
            let members = keys.map { "\"\($0)\":\(value)" }.joined(separator: ",")
            try self.check(Self.wuKong(#"{"type":\#(type),\#(members)}"#))
        }
        try self.check(Self.wuKong(value))
    }

    @Test("whatever a typed message holds, each protocol writes something that its readers take", arguments: hostile)
    func hostileTyped(value: String) throws {
        for type in ["-1", "-2", "-3", "-4", "-5", "-6", "-101", "-127", "0", "7", "99999999999", "1e300", "\"x\""] {
            let members = ["_lctext", "_lcattrs", "_lcfile", "_lcloc", "content", "version", "timestamp"]
                .map { "\"\($0)\":\(value)" }.joined(separator: ",")
            try self.check(Self.leanCloud(#"{"_lctype":\#(type),\#(members)}"#))
        }
        try self.check(Self.leanCloud(value))
    }

    /// Reads the content by every reader, and what each writes by its own protocol.
    private func check(_ message: MessageContent) throws {
        let content = Content(of: message)
        #expect(content.words.utf8.count <= MessageSketch.maximumWordBytes)
        let kinds = MessageKinds([
            MessageKindEntry(
                kind: message.kind, name: "n", requiredFields: ["content"], degrade: "d", typeTitle: "t", summary: "s",
                digest: "{content|_lctext|size}")
        ])
        #expect(MessageSketch(of: message, kinds: kinds).words == content.words)
        let (kind, body) = WuKongContentCodec.encode(content)
        let facts = PayloadFacts(of: body)
        #expect(facts.isJSONObject && facts.fault == nil && !facts.isCommand, "\(Self.text(body))")
        #expect(Translation.kind(contentType: facts.contentType) == kind)
        let typed = try JSONValue(parsing: LeanCloudContentCodec.encode(content))
        #expect(typed["_lctype"]?.integer != nil)
    }

    @Test("more people and deeper objects than are taken, and bytes that are no text")
    func bounds() {
        let uids = (0..<600).map { "\"u\($0)\"" }.joined(separator: ",")
        var content = Self.wuKong(#"{"type":1,"content":"a","mention":{"uids":[\#(uids)]}}"#)
        content.mentions = .none
        #expect(Content(of: content).mentions.users.count == Content.maximumMentions)
        let deep = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
        var plain = Self.wuKong("x")
        plain.body = Array(#"{"type":2,"url":\#(deep)}"#.utf8)
        plain.flags.insert(.bodyIsJSONObject)
        plain.kind = .image
        #expect(Content(of: plain) == Content(.unreadable))
        plain.kind = MessageKind(rawValue: 500)
        #expect(MessageSketch(of: plain).form == .custom)
        let bytes = MessageContent(kind: .text, flags: .binary, wire: .leanCloud, body: [0xFF, 0xFE])
        #expect(Content(of: bytes) == Content(.unreadable))
        #expect(Self.text(Translation.shown(bytes).body) == #"{"type":97}"#)
        var torn = MessageContent(kind: .text, flags: [], wire: .leanCloud, body: [0x7B, 0xFF, 0xFE])
        #expect(Content(of: torn).form == .text)
        torn.wire = .wuKong
        #expect(Content(of: torn).form == .text)
    }
}
