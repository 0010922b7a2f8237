import ByteCodec
import ChatModel
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// Who is shown what of a message, at LeanCloud's gateway.
@Suite("Who sees what at LeanCloud's door") struct VisibilityTests {
    private static let placeholder = typed("这是群定向消息，仅部分群成员可见")

    /// The text of the newest message in the row of the only conversation.
    private func newest(_ client: LeanCloudClient) throws -> String? {
        try client.rows(nil) { $0.flag = 2 }.first?["msg"]?.string
    }

    private func add(_ rules: [FilterRule], to server: TestServer) throws {
        for rule in rules {
            try server.write { transaction throws(StoreError) in _ = try transaction.moderation.addFilterRule(rule) }
        }
        server.server.store.reloadFilter { _ in }
        // What is written later is done later.
        try server.write { _ throws(StoreError) in }
    }

    @Test(
        "a message for some is theirs and the sender's devices'; the others have the words for it everywhere",
        arguments: ["onlyVisibleTo", "OnlyVisiableForPartClientIds"])
    func restricted(_ key: String) throws {
        let server = try TestServer()
        let cid = try server.groupID("verona", ["romeo", "juliet", "tybalt", "benvolio", "paris"])
        let romeo = try server.client("romeo")
        let phone = try server.client("romeo")
        let juliet = try server.client("juliet")
        let tybalt = try server.client("tybalt")
        let benvolio = try server.connect("benvolio")
        let secret = #"{"_lctype":7,"_lctext":"at the balcony","_lcattrs":{"\#(key)":["juliet"]}}"#
        let ack = try romeo.say(secret, in: cid)
        #expect(try juliet.nextMessage().msg == secret)
        #expect(try phone.nextMessage().msg == secret)
        let shown = try tybalt.nextMessage()
        #expect(shown.msg == Self.placeholder && shown.id == ack.uid && shown.fromPeerId == "romeo")
        #expect(try benvolio.receive().text == "这是群定向消息，仅部分群成员可见", "WuKongIM's clients too")
        #expect(try juliet.history(cid).map(\.data) == [secret])
        #expect(try tybalt.history(cid).map(\.data) == [Self.placeholder])
        #expect(try tybalt.history(cid) { $0.lctype = 7 }.isEmpty, "nor is its kind told")
        #expect(try self.newest(juliet) == secret)
        #expect(try self.newest(tybalt) == Self.placeholder)
        // An edit is for the same people, whatever it says itself.
        let changed = #"{"_lctype":7,"_lctext":"in the garden"}"#
        #expect(try romeo.change(cid, ack.uid, at: ack.t) { $0.data = changed }.op == .modified)
        #expect(try juliet.nextPatch().data == changed)
        #expect(try tybalt.history(cid).map(\.data) == [Self.placeholder])
        try tybalt.settle()
        #expect(!tybalt.waiting.contains { $0.cmd == .patch })
        let back = try server.leanCloud("tybalt") { $0.lastPatchTime = (ack.t ?? 0) - 1 }
        try romeo.say(typed("to all"), in: cid)
        #expect(try back.nextMessage().msg == typed("to all"))
        #expect(!back.waiting.contains { $0.cmd == .patch }, "nor when they come back")
        // It counts for whom it is.
        for (name, count) in [("paris", 1), ("juliet", 2)] {
            let told = try server.client(name).wait(.unread).unreadMessage?.convs.first
            #expect(told?.unread == Int32(count) && told?.data == typed("to all"), "\(name)")
        }
        let old = try server.leanCloud("tybalt", .init(.binary, .pushesMissedMessages))
        #expect(try old.nextMessage().msg == Self.placeholder)
        // That it is gone is for everybody.
        #expect(try romeo.change(cid, ack.uid, at: ack.t) { $0.recall = true }.op == .modified)
        for client in [juliet, tybalt] { #expect(try client.nextPatch().recall == true) }
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("between two people the list has no effect, and stays in the message")
    func direct() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.client("romeo")
        let juliet = try server.client("juliet")
        let body = #"{"_lctype":-1,"_lctext":"hello","_lcattrs":{"OnlyVisiableForPartClientIds":["romeo"]}}"#
        try romeo.say(body, in: cid)
        #expect(try juliet.nextMessage().msg == body)
        #expect(try juliet.history(cid).map(\.data) == [body])
    }

    @Test("rules hold live, for edits, in the history, in rows and for what waits, also for words of an app's kinds")
    func rules() throws {
        let server = try TestServer()
        let cid = try server.groupID("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try server.client("romeo")
        let juliet = try server.client("juliet")
        let tybalt = try server.client("tybalt")
        let (girl, foe) = (try server.id("juliet"), try server.id("tybalt"))
        try self.add(
            [
                FilterRule(receiver: girl, sender: foe, action: .drop),
                FilterRule(word: "sword", action: .replace(text: "flower", kind: .text)),
                FilterRule(word: "dagger", action: .replace(text: "leaf", kind: MessageKind(rawValue: 700))),
            ], to: server)
        let link = #"{"_lctype":502,"_lcattrs":{"url":"u","title":"a sword"}}"#
        try romeo.say(link, in: cid)
        #expect(try juliet.nextMessage().msg == typed("flower"))
        try tybalt.say(typed("war"), in: cid)
        let ack = try romeo.say(typed("peace"), in: cid)
        #expect(try juliet.nextMessage().msg == typed("peace"), "she was not told of the other")
        #expect(try romeo.change(cid, ack.uid, at: ack.t) { $0.data = typed("a dagger") }.op == .modified)
        let leaf = #"{"_lctype":700,"_lctext":"leaf"}"#
        #expect(try juliet.nextPatch().data == leaf)
        try tybalt.say(typed("war"), in: cid)
        #expect(try juliet.history(cid).map(\.data) == [typed("flower"), leaf])
        #expect(
            try romeo.history(cid).map(\.data) == [link, typed("war"), typed("a dagger"), typed("war")],
            "who said it sees what they said")
        #expect(try self.newest(juliet) == leaf)
        let tablet = try server.client("juliet")
        let told = try tablet.wait(.unread).unreadMessage?.convs.first
        #expect(told?.unread == 2 && told?.data == leaf)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("the history of a conversation that is not there is refused as sending to it is")
    func gone() throws {
        let server = try TestServer()
        let romeo = try server.client("romeo")
        let cid = "551260efe4b01608686c3e0f"
        let answer = try romeo.request(.logs) { command in
            var logs = LogsCommand()
            logs.cid = cid
            command.logsMessage = logs
        }
        #expect(answer.errorMessage?.code == 4401 && answer.errorMessage?.reason == "INVALID_MESSAGING_TARGET")
        #expect(try romeo.say("hello?", in: cid).code == 4401)
    }
}
