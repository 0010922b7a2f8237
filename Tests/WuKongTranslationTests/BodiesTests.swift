import ByteCodec
import ChatModel
import ContentTranslation
import Testing

@testable import WuKongTranslation

struct BodiesTests {
    private static func content(_ body: String, flags: MessageFlags = []) -> MessageContent {
        var content = Translation.content(
            payload: Array(body.utf8), header: .init(), setting: [], topic: nil, expire: 0)
        content.flags.formUnion(flags)
        return content
    }

    private static func rewritten(_ body: String, flags: MessageFlags = []) -> String? {
        WuKongBodies().rewriting(Self.content(body, flags: flags)) {
            $0.contains("bad") ? "\"*\"" : nil
        }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "texts that people read are changed, and every other byte of the body stays",
        arguments: [
            (#"{"type":1, "n":1.50,"content" : "bad" }"#, #"{"type":1, "n":1.50,"content" : "\"*\"" }"#),
            (#"{"content":"b\u0061d","id":18446744073709551615}"#, #"{"content":"\"*\"","id":18446744073709551615}"#),
            (#"{"title":"bad","name":"bad","url":"bad"}"#, #"{"title":"\"*\"","name":"\"*\"","url":"bad"}"#),
            (
                #"{"content":"a","reply":{"from_name":"x","payload":{"content":"bad"}}}"#,
                #"{"content":"a","reply":{"from_name":"x","payload":{"content":"\"*\""}}}"#
            ),
            (
                #"{"type":11,"msgs":[1,{"payload":{"content":"bad"}},{"payload":{"content":"ok"}}]}"#,
                #"{"type":11,"msgs":[1,{"payload":{"content":"\"*\""}},{"payload":{"content":"ok"}}]}"#
            ),
            ("bad and no JSON", "\"*\""), (#"{"content":"bad","content":"x"}"#, "\"*\""),
        ])
    func changed(body: String, result: String) {
        #expect(Self.rewritten(body) == result)
    }

    @Test("nothing to change is no change, and what is encrypted between devices is not read")
    func unchanged() {
        #expect(Self.rewritten(#"{"type":1,"content":"fine"}"#) == nil)
        #expect(Self.rewritten(#"{"url":"bad","content":7}"#) == nil)
        #expect(Self.rewritten("bad", flags: .endToEndEncrypted) == nil)
    }

    private static let entry = MessageKindEntry(
        kind: MessageKind(rawValue: 500), name: "gift", version: 2, requiredFields: ["amount", "title"], degrade: "old",
        typeTitle: "红包", summary: "s", digest: "[{title}] {amount}{none} {x")

    @Test(
        "a body of a registered kind is readable, or the reason has a name",
        arguments: [
            (#"{"type":500,"amount":1,"title":""}"#, nil), (#"{"amount":1,"title":"t","version":2}"#, nil),
            (#"{"amount":1,"title":"t","version":3}"#, .newerVersion(3)),
            (#"{"amount":null,"title":"t"}"#, .missing("amount")),
            (#"{"amount":1}"#, .missing("title")), ("x", .noObject),
        ] as [(String, KindProblem?)])
    func problems(body: String, problem: KindProblem?) {
        #expect(WuKongBodies().problem(of: Self.content(body), as: Self.entry) == problem)
    }

    @Test("lists show the digest, the title without one, and the degrade text for what cannot be read")
    func lines() {
        func line(_ body: String, _ change: (inout MessageKindEntry) -> Void = { _ in }) -> MessageSketch {
            var entry = Self.entry
            change(&entry)
            return MessageSketch(of: Self.content(body), kinds: MessageKinds([entry]))
        }
        let good = #"{"type":500,"amount":8,"title":"{amount}","content":"c"}"#
        #expect(line(good).line == "[{amount}] 8 {x" && line(good).summary == "s")
        #expect(line(good) { $0.digest = "" }.line == "[红包]")
        let either = "{none|content|title}, {content}"
        #expect(line(good) { $0.digest = either }.line == "c, c")
        #expect(line(#"{"type":500,"amount":8,"title":"t","content":""}"#) { $0.digest = either }.line == "t, ")
        #expect(line(good) { $0.isDisabled = true }.line == "old")
        #expect(line(#"{"type":500,"amount":8}"#).line == "old" && line(#"{"type":500}"#).summary == nil)
        #expect(line(#"{"type":500,"amount":8,"title":"t","version":9}"#).line == "old")
        #expect(line(#"{"type":501,"content":"c"}"#).line == nil && line(#"{"type":1,"content":"c"}"#).line == nil)
    }

    @Test("numbers of WuKongIM's own messages are taken")
    func taken() {
        for number: Int32 in [-1, 0, 1, 2, 8, 14, 98, 99, 1_000, 1_006, 2_000, 9_989] {
            #expect(!Translation.isFree(MessageKind(rawValue: number)), "\(number)")
        }
        for number: Int32 in [9, 15, 100, 500, 999, 2_001, .max] {
            #expect(Translation.isFree(MessageKind(rawValue: number)), "\(number)")
        }
    }
}
