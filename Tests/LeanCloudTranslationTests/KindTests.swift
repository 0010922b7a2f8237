import ChatModel
import ContentTranslation
import LeanCloudTranslation
import Testing

@Suite("LeanCloud's bodies of registered kinds") struct KindTests {
    private static let card = MessageKindEntry(
        kind: MessageKind(rawValue: 1), name: "card", version: 2, requiredFields: ["clientId", "conversationType"],
        degrade: "please upgrade", typeTitle: "Card", summary: "a card", digest: "[Card] {name}")

    private static func content(_ body: String, kind: Int32 = 1) -> MessageContent {
        MessageContent(
            kind: MessageKind(rawValue: kind), flags: .bodyIsJSONObject, wire: .leanCloud, body: Array(body.utf8))
    }

    private static func completed(_ body: String, _ kind: ConversationKind) -> String? {
        LeanCloudBodies.completed(Self.content(body), as: Self.card, in: kind).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("the server says whether two people speak or more, and every other byte stays")
    func conversationType() {
        #expect(
            Self.completed(#"{ "_lctype":1,"_lcattrs": {"clientId":"t"}}"#, .direct)
                == #"{ "_lctype":1,"_lcattrs": {"conversationType":0,"clientId":"t"}}"#)
        #expect(
            Self.completed(#"{"_lctype":1,"_lcattrs":{}}"#, .group)
                == #"{"_lctype":1,"_lcattrs":{"conversationType":1}}"#)
        #expect(
            Self.completed(#"{"_lctype":1}"#, .group) == #"{"_lcattrs":{"conversationType":1},"_lctype":1}"#)
        #expect(Self.completed(#"{"_lctype":1,"_lcattrs":{"conversationType":0}}"#, .group) == nil)
        #expect(Self.completed(#"{"_lctype":1,"conversationType":0}"#, .group) == nil)
        var plain = Self.card
        plain.requiredFields = ["clientId"]
        let content = Self.content(#"{"_lctype":1}"#)
        #expect(LeanCloudBodies.completed(content, as: plain, in: .group) == nil)
        var other = content
        other.wire = .wuKong
        #expect(LeanCloudBodies.completed(other, as: Self.card, in: .group) == nil)
    }

    @Test(
        "fields are looked for in the body and in its attributes; a newer version cannot be read",
        arguments: [
            (#"{"_lctype":1,"clientId":"t"}"#, nil), (#"{"_lctype":1,"_lcattrs":{"clientId":"t"}}"#, nil),
            (#"{"_lctype":1,"_lcattrs":{"clientId":null}}"#, .missing("clientId")),
            (#"{"_lctype":1,"clientId":"t","_lcattrs":{"version":3}}"#, .newerVersion(3)),
            (#"{"_lctype":1,"clientId":"t","_lcattrs":{"version":2}}"#, nil),
        ] as [(String, KindProblem?)])
    func problems(_ body: String, _ problem: KindProblem?) {
        #expect(LeanCloudBodies().problem(of: Self.content(body), as: Self.card) == problem)
    }

    @Test(
        "lists show the digest with fields of the attributes; the sender's own words stand in place of the registered")
    func lines() {
        let kinds = MessageKinds([Self.card])
        let read = MessageSketch(
            of: Self.content(#"{"_lctype":1,"_lcattrs":{"clientId":"t","name":"Tom","summary":"Tom's card"}}"#),
            kinds: kinds)
        #expect(read.line == "[Card] Tom" && read.summary == "Tom's card")
        let newer = MessageSketch(
            of: Self.content(#"{"_lctype":1,"clientId":"t","version":3,"_lcattrs":{"degrade":"too new"}}"#),
            kinds: kinds)
        #expect(newer.line == "too new" && newer.summary == nil)
        let bare = MessageSketch(of: Self.content(#"{"_lctype":1}"#), kinds: kinds)
        #expect(bare.line == "please upgrade")
        var titled = Self.card
        titled.digest = ""
        let sketch = MessageSketch(
            of: Self.content(#"{"_lctype":1,"clientId":"t","_lcattrs":{"typeTitle":"名片"}}"#),
            kinds: MessageKinds([titled]))
        #expect(sketch.line == "[名片]")
    }
}
