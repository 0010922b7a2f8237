import ByteCodec
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store
import Testing

struct ContentTests {
    private func direct(_ text: String, _ fill: (inout DirectCommand) -> Void = { _ in }) throws -> MessageContent {
        var direct = DirectCommand()
        direct.msg = text
        fill(&direct)
        return try #require(LeanCloudContent.content(of: direct))
    }

    @Test(
        "the kind is that of a typed message, and the bytes stay as they are",
        arguments: [
            (#"{"_lctype":-1,"_lctext":"a"}"#, -1, true), (#" {"_lctype": 7}"#, 7, true), (#"{"a":1}"#, 0, true),
            ("words", 0, false), ("", 0, false), (#"{"_lctype":99999999999}"#, 0, true), ("[1]", 0, false),
        ] as [(String, Int32, Bool)])
    func kinds(text: String, kind: Int32, isObject: Bool) throws {
        let content = try self.direct(text)
        #expect(content.kind.rawValue == kind)
        #expect(content.flags.contains(.bodyIsJSONObject) == isObject)
        #expect(content.flags.contains(.countsAsUnread))
        #expect(content.body == Array(text.utf8))
        #expect(content.wire == .leanCloud)
        #expect(content.envelope == nil)
        #expect(LeanCloudContent.body(of: content) == .text(text))
    }

    @Test("what a message carries beside its content is kept")
    func envelope() throws {
        let text = #"{"_lctype":-1,"_lcattrs":{"OnlyVisiableForPartClientIds":["b","b","c"]}}"#
        let content = try self.direct(text) { direct in
            direct.r = true
            direct.mentionAll = true
            direct.mentionPids = ["b", "b", ""]
            direct.pushData = "{}"
        }
        #expect(content.flags.contains(.receiptRequested))
        let envelope = try #require(content.envelope)
        #expect(envelope.mentionsAll)
        #expect(envelope.mentions.map(\.text) == ["b"])
        #expect(envelope.visibleTo?.map(\.text) == ["b", "c"])
        #expect(envelope.pushData == "{}")
        #expect(content.mentions == Mentions(all: true, users: envelope.mentions))
    }

    @Test(
        "whom a message is for stands in its attributes or beside them, in either spelling; the attributes win",
        arguments: [
            (#"{"_lctype":-1,"_lcattrs":{"onlyVisibleTo":["b"]}}"#, ["b"]),
            (#"{"_lctype":7,"OnlyVisiableForPartClientIds":["b","c"]}"#, ["b", "c"]),
            (#"{"what":"an object of the app's","onlyVisibleTo":["b"]}"#, ["b"]),
            (#"{"_lctype":7,"onlyVisibleTo":["b"],"_lcattrs":{"onlyVisibleTo":["c"]}}"#, ["c"]),
            (#"{"_lctype":7,"_lcattrs":{"onlyVisibleTo":[]}}"#, nil), (#"{"_lctype":7,"onlyVisibleTo":"b"}"#, nil),
            (#"{"_lctype":7,"onlyVisibleTo":[7]}"#, []),
        ] as [(String, [String]?)])
    func visible(text: String, names: [String]?) throws {
        #expect(try self.direct(text).envelope?.visibleTo?.map(\.text) == names)
    }

    @Test("every form that has no words of its own has a name in the house's language")
    func names() throws {
        for kind in [3, 7, 11, 12, 13, 14, 97, 99, 500, 1_000, 1_002, 9_989] as [Int32] {
            let content = MessageContent(
                kind: MessageKind(rawValue: kind), flags: .bodyIsJSONObject, wire: .wuKong, body: Array("{}".utf8))
            guard case .text(let text) = LeanCloudContent.body(of: content) else { continue }
            #expect(!text.contains("digest.") && !text.contains("\"_lctext\":\"\""), "\(kind): \(text)")
        }
    }

    @Test("what a rule of the operator's shows as a kind of the app's own is one here too")
    func standIn() {
        let content = MessageContent(
            kind: MessageKind(rawValue: 700), flags: [.standIn, .bodyIsJSONObject], wire: .native,
            body: Array(#"{"type":700,"content":"flower"}"#.utf8))
        #expect(LeanCloudContent.body(of: content) == .text(#"{"_lctype":700,"_lctext":"flower"}"#))
    }

    @Test("transient messages and last wills do not count and are not kept")
    func transient() throws {
        for content in [try self.direct("a") { $0.transient = true }, try self.direct("a") { $0.will = true }] {
            #expect(content.flags == .transient)
        }
    }

    @Test("bytes stay bytes; without content there is no message")
    func binary() throws {
        var direct = DirectCommand()
        #expect(LeanCloudContent.content(of: direct) == nil)
        direct.binaryMsg = [0xFF]
        let content = try #require(LeanCloudContent.content(of: direct))
        #expect(content.flags.contains(.binary))
        #expect(LeanCloudContent.body(of: content) == .binary([0xFF]))
    }

    @Test(
        "what others wrote becomes a typed message",
        arguments: [
            (MessageKind.text, #"{"type":1,"content":"hi"}"#, #"{"_lctype":-1,"_lctext":"hi"}"#),
            (
                .image, #"{"type":2,"url":"u","width":3,"height":4}"#,
                #"{"_lctype":-2,"_lcfile":{"url":"u","metaData":{"width":3,"height":4}}}"#
            ),
            (
                .audio, #"{"type":4,"url":"u","timeTrad":5}"#,
                #"{"_lctype":-3,"_lcfile":{"url":"u","metaData":{"duration":5.0}}}"#
            ),
            (
                .file, #"{"type":8,"url":"u","name":"a.txt","size":9}"#,
                #"{"_lctype":-6,"_lcfile":{"url":"u","metaData":{"name":"a.txt","format":"txt","size":9}}}"#
            ),
            (
                .location, #"{"type":6,"lat":1.5,"lng":2,"title":"here"}"#,
                #"{"_lctype":-5,"_lctext":"here","_lcloc":{"latitude":1.5,"longitude":2.0}}"#
            ),
            (
                MessageKind(rawValue: 1_002), #"{"type":1002,"content":"{0} came","extra":[{"name":"Tom"}]}"#,
                #"{"_lctype":-1,"_lctext":"Tom came"}"#
            ),
            (MessageKind(rawValue: 12), #"{"type":12,"url":"u"}"#, #"{"_lctype":-1,"_lctext":"[表情]"}"#),
            (MessageKind(rawValue: 7), #"{"type":7,"name":"Tom"}"#, #"{"_lctype":-1,"_lctext":"[名片] Tom"}"#),
            (MessageKind(rawValue: 500), #"{"type":500,"content":"8"}"#, #"{"_lctype":-1,"_lctext":"8"}"#),
            (MessageKind(rawValue: 500), #"{"type":500}"#, #"{"_lctype":-1,"_lctext":"[未知消息]"}"#),
            (MessageKind(rawValue: 1_005), #"{"type":1005}"#, #"{"_lctype":-1,"_lctext":"[群信息更新]"}"#),
            (
                MessageKind(rawValue: 3), #"{"type":3,"url":"u","width":7}"#,
                #"{"_lctype":-2,"_lcfile":{"url":"u","metaData":{"width":7,"height":100}}}"#
            ),
        ] as [(MessageKind, String, String)])
    func others(kind: MessageKind, payload: String, expected: String) throws {
        let content = MessageContent(
            kind: kind, flags: [.countsAsUnread, .bodyIsJSONObject], wire: .wuKong, body: Array(payload.utf8))
        guard case .text(let text) = LeanCloudContent.body(of: content) else {
            Issue.record("no text")
            return
        }
        #expect(try JSONValue(parsing: text) == JSONValue(parsing: expected))
    }

    @Test("what was withdrawn is a recalled message, whoever wrote it")
    func withdrawn() {
        for wire in [WireFormat.leanCloud, .wuKong, .native] {
            let content = MessageContent(kind: .text, flags: .withdrawn, wire: wire, body: [])
            #expect(LeanCloudContent.body(of: content) == .text(#"{"_lctype":-127}"#))
        }
    }

    @Test("who is called by name in WuKongIM's payload is called by name here")
    func mentions() {
        let payload = #"{"type":1,"content":"a","mention":{"all":1,"uids":["b"]}}"#
        let content = MessageContent(kind: .text, flags: .bodyIsJSONObject, wire: .wuKong, body: Array(payload.utf8))
        let mentions = LeanCloudContent.mentions(of: content)
        #expect(mentions.all)
        #expect(mentions.users.map(\.text) == ["b"])
    }

    @Test("the texts that people read are shown to the word list, and nothing else of a body changes")
    func bodies() throws {
        func rewritten(_ text: String) throws -> String? {
            LeanCloudBodies().rewriting(try self.direct(text)) { $0.contains("damn") ? "*" : nil }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try rewritten("damn") == "*")
        #expect(
            try rewritten(#"{ "_lctype":-1,"_lctext" : "damn","x":"damn"}"#)
                == #"{ "_lctype":-1,"_lctext" : "*","x":"damn"}"#)
        #expect(
            try rewritten(#"{"_lctype":2,"_lcattrs":{"degrade":"damn","k":"damn"}}"#)
                == #"{"_lctype":2,"_lcattrs":{"degrade":"*","k":"damn"}}"#)
        #expect(
            try rewritten(
                #"{"_lctype":502,"_lcattrs":{"title":"damn","subTitle":"damn","url":"damn","x":{"title":"damn"}}}"#)
                == #"{"_lctype":502,"_lcattrs":{"title":"*","subTitle":"*","url":"damn","x":{"title":"damn"}}}"#)
        #expect(
            try rewritten(#"{"_lctype":-6,"_lcfile":{"url":"damn","name":"damn","metaData":{"name":"damn"}}}"#)
                == #"{"_lctype":-6,"_lcfile":{"url":"damn","name":"*","metaData":{"name":"*"}}}"#)
        #expect(try rewritten(#"{"_lctype":-1,"_lctext":"fine"}"#) == nil)
        var binary = DirectCommand()
        binary.binaryMsg = Array("damn".utf8)
        let content = try #require(LeanCloudContent.content(of: binary))
        #expect(LeanCloudBodies().rewriting(content) { _ in "*" } == nil)
    }

    @Test("what is asked of the history, in every SDK's way")
    func queries() {
        var command = LogsCommand()
        #expect(LeanCloudContent.query(command).limit == 20)
        command.l = 5_000
        #expect(LeanCloudContent.query(command).limit == 1_000)
        command.limit = 0
        #expect(LeanCloudContent.query(command).limit == 0)
        command.lctype = -127
        #expect(LeanCloudContent.query(command).onlyWithdrawn)
        command.lctype = -1
        #expect(LeanCloudContent.query(command).kind == .text)
        command.t = 0
        #expect(LeanCloudContent.query(command).start.atMilliseconds == nil)
    }
}
