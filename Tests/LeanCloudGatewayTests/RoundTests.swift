import Execution
import LeanCloudWire
import TeahouseTesting
import Testing

/// What comes while a client is still being told what it missed.
struct RoundTests {
    /// Occupies the store's only reader of pages until `release`; sign-ins have a thread of their own.
    private final class Pause {
        private let isOver = ConditionLock(false)

        init(_ server: TestServer) {
            let isHeld = ConditionLock(false)
            server.server.store.read { [isOver] _ in
                isHeld.change { $0 = true }
                isOver.wait(until: { $0 }, then: { _ in })
            } then: { _ in
            }
            isHeld.wait(until: { $0 }, then: { _ in })
        }

        func release() { self.isOver.change { $0 = true } }

        deinit { self.release() }
    }

    @Test("a message that comes while the missed ones are looked for comes live, and is not counted besides")
    func news() throws {
        let server = try TestServer { $0.store.readers = 1 }
        let (one, other) = (try server.directID("romeo", "juliet"), try server.directID("mercutio", "juliet"))
        let (romeo, mercutio) = (try server.client("romeo"), try server.client("mercutio"))
        // The broker knows both conversations from then on.
        try romeo.say(typed("read"), in: one)
        let before = try server.client("juliet")
        try before.read(one)
        try before.settleChanges()
        try mercutio.say(typed("before"), in: other)
        let juliet = try server.leanCloudSocket()
        let token = try server.token("juliet", .app)

        // What was missed is looked up behind the pause.
        let pause = Pause(server)
        try juliet.sendOpen("juliet", token: token, appID: server.leanCloudAppID)
        _ = try juliet.wait(.session, .opened)
        let ack = try romeo.say(typed("now"), in: one)
        #expect(try romeo.change(one, ack.uid, at: ack.t) { $0.data = typed("now!") }.op == .modified)
        try mercutio.say(typed("after"), in: other)
        try juliet.settle()
        #expect(juliet.waiting.isEmpty)
        // The look sees all of it.
        try server.server.store.drainAndWait()
        pause.release()

        let unread = try juliet.wait(.unread).unreadMessage?.convs
        #expect(unread?.map(\.cid) == [other] && unread?.first?.unread == 2)
        #expect(unread?.first?.data == typed("after"), "what is counted is not sent besides")
        #expect(try juliet.nextMessage().msg == typed("now"))
        #expect(try juliet.nextPatch().data == typed("now!"), "it does not overtake what it changes")
        try juliet.settle()
        #expect(juliet.waiting.isEmpty)
    }

    @Test("what comes after the look for missed messages does not make those older that were missed")
    func afterTheLook() throws {
        let server = try TestServer { settings in
            settings.store.readers = 1
            settings.store.appliesOnlyWhenAsked = true
        }
        let other = try server.directID("mercutio", "juliet")
        let mercutio = try server.client("mercutio")
        try mercutio.say(typed("before"), in: other)
        let juliet = try server.leanCloudSocket()
        let token = try server.token("juliet", .app)
        let pause = Pause(server)
        try juliet.sendOpen("juliet", token: token, appID: server.leanCloudAppID)
        _ = try juliet.wait(.session, .opened)
        // Acknowledged from the log: the look, which was asked for before, does not see it.
        try mercutio.say(typed("after"), in: other)
        pause.release()

        let unread = try juliet.wait(.unread).unreadMessage?.convs
        #expect(unread?.map(\.cid) == [other] && unread?.first?.unread == 1)
        #expect(unread?.first?.data == typed("before"))
        #expect(try juliet.nextMessage().msg == typed("after"))
    }
}

extension LeanCloudClient {
    /// Asks for a session and waits for nothing.
    fileprivate func sendOpen(_ name: String, token: String, appID: String) throws {
        try self.send(
            GenericCommand { command in
                command.cmd = .session
                command.op = .open
                command.appId = appID
                command.peerId = name
                command.sessionMessage = SessionCommand { message in
                    message.s = token
                    message.configBitmap = ConfigBitmap(rawValue: Dialect.swift.introduction.features)
                }
            })
    }
}
