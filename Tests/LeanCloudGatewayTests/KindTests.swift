import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Kinds of apps' own that the operator has registered, on their way.
struct KindTests {
    @Test("where the kind wants it, the server says whether two people speak or more; a resend gets the first answer")
    func conversationType() throws {
        let server = try TestServer()
        let entry = MessageKindEntry(
            kind: MessageKind(rawValue: 1), name: "card", requiredFields: ["clientId", "conversationType"],
            degrade: "please upgrade", typeTitle: "Card", summary: "a card")
        try server.write { transaction throws(StoreError) in try transaction.moderation.setMessageKind(entry) }
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let body = #"{"_lctype":1,"_lcattrs":{"clientId":"ann"}}"#
        let pair = try tom.start(["Jerry"]) { $0.unique = true }
        let ack = try tom.say(body, in: pair) { $0.dt = "once" }
        #expect(try jerry.nextMessage().msg == #"{"_lctype":1,"_lcattrs":{"conversationType":0,"clientId":"ann"}}"#)
        #expect(try tom.say(body, in: pair) { $0.dt = "once" }.uid == ack.uid)
        let group = try tom.start(["Jerry", "Spike"])
        try tom.say(body, in: group)
        #expect(try jerry.nextMessage().msg == #"{"_lctype":1,"_lcattrs":{"conversationType":1,"clientId":"ann"}}"#)
        try server.write { transaction throws(StoreError) in
            try transaction.moderation.removeMessageKind(MessageKind(rawValue: 1))
        }
        try tom.say(body, in: group)
        #expect(try jerry.nextMessage().msg == body)
    }
}
