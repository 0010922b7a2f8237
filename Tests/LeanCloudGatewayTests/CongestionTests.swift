import ChatModel
import Execution
import LeanCloudWire
import Store
import TeahouseTesting
import Testing
import Transport

/// Clients that do not read while much is sent to them.
struct CongestionTests {
    private let clock = ManualClock()
    private let server: TestServer
    private let cid: String
    private let romeo: LeanCloudClient
    private let juliet: LeanCloudClient

    init() throws {
        let clock = self.clock
        self.server = try TestServer {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
            $0.transportLimits.outboxBytes = .init(name: "outbox", unit: "bytes", maximum: 65_536)
            $0.transportLimits.outboxLowWaterBytes = 16_384
            $0.transportLimits.outboxCeilingBytes = 1 << 20
        }
        self.cid = try self.server.groupID("tea", ["romeo", "juliet", "sloth"])
        self.romeo = try self.server.leanCloud("romeo")
        self.juliet = try self.server.leanCloud("juliet")
    }

    /// Somebody for whom the kernel keeps little.
    private func sloth(_ version: LeanCloudSubprotocol.Version = .countsMissedMessages) throws -> LeanCloudClient {
        let client = try self.server.leanCloudSocket(.init(.binary, version), receiveBufferBytes: 16 * 1024)
        try client.open("sloth", token: try self.server.token("sloth", .app))
        return client
    }

    /// Far more than the buffers of both sides hold; who reads has got it when this returns.
    private func flood() throws -> [AckCommand] {
        let body = String(repeating: "x", count: 4_800)
        var acks: [AckCommand] = []
        for batch in 0..<50 {
            for index in 0..<20 {
                var command = GenericCommand()
                command.cmd = .direct
                command.i = -1
                var direct = DirectCommand()
                direct.cid = self.cid
                direct.msg = "\(batch) \(index) \(body)"
                command.directMessage = direct
                try self.romeo.send(command)
            }
            for _ in 0..<20 {
                let ack = try #require(try self.romeo.wait(.ack).ackMessage)
                #expect(ack.code == nil)
                acks.append(ack)
            }
            for ack in acks.suffix(20) { #expect(try self.juliet.nextMessage().id == ack.uid) }
        }
        return acks
    }

    /// A server that stops waits for its clients, by a clock that stands still here.
    private func end(_ others: LeanCloudClient...) throws {
        for client in [self.romeo, self.juliet] + others { client.drop() }
        self.server.stop()
        #expect(try self.server.findings() == [])
    }

    private func isOnline(_ name: String) throws -> Bool {
        let answer = try self.romeo.request(.session, .query) { command in
            var message = SessionCommand()
            message.sessionPeerIds = [name]
            command.sessionMessage = message
        }
        return answer.sessionMessage?.onlineSessionPeerIds == [name]
    }

    /// The whole history, read page by page back from the newest.
    private func history(_ client: LeanCloudClient) throws -> [String?] {
        var ids: [String?] = []
        var first: LogItem?
        while true {
            let page = try client.history(self.cid) { logs in
                logs.limit = 100
                logs.mid = first?.msgId
                logs.t = first?.timestamp
            }
            guard let oldest = page.first else { return ids }
            ids = page.map(\.msgId) + ids
            first = oldest
        }
    }

    @Test("who does not read holds up nobody; when they read again they are told what waits, and nothing is lost")
    func drained() throws {
        let sloth = try self.sloth()
        let acks = try self.flood()
        #expect(try self.isOnline("sloth"))
        // While nothing gets through messages are changed, too.
        let edited = try #require(acks.first)
        #expect(try self.romeo.change(self.cid, edited.uid, at: edited.t) { $0.data = "changed" }.op == .modified)
        var live: [String?] = []
        var unread: UnreadTuple?
        while unread == nil {
            let command = try #require(try sloth.next(), "the server closed")
            if let message = command.directMessage { live.append(message.id) }
            unread = command.unreadMessage?.convs.first
        }
        #expect(live.count < acks.count, "more than the buffers hold was sent")
        #expect(live == acks.prefix(live.count).map(\.uid), "what came live came in order")
        #expect(unread?.cid == self.cid)
        #expect(unread?.unread == 100, "LeanCloud counts no further")
        #expect(unread?.mid == acks.last?.uid)
        let patch = try sloth.nextPatch()
        #expect(patch.mid == edited.uid && patch.data == "changed")
        #expect(try self.history(sloth) == acks.map(\.uid))
        // It is as if nothing had been.
        let ack = try self.romeo.say("after", in: self.cid)
        #expect(try sloth.nextMessage().id == ack.uid)
        #expect(try sloth.messagesWaiting().isEmpty)
        try self.end(sloth)
    }

    @Test("who reads nothing for 30 seconds is closed, and what waited is unread when they come back")
    func closed() throws {
        let sloth = try self.sloth()
        let acks = try self.flood()
        self.clock.advance(milliseconds: 29_000)
        for _ in 0..<2 { #expect(try self.isOnline("sloth")) }
        self.clock.advance(milliseconds: 2_000)
        while try self.isOnline("sloth") { self.clock.advance(milliseconds: 1_000) }
        var live: [String?] = []
        while let command = try sloth.next() {
            if let message = command.directMessage { live.append(message.id) }
        }
        #expect(live.count < acks.count)
        #expect(live == acks.prefix(live.count).map(\.uid))
        let again = try self.server.leanCloud("sloth")
        let told = try #require(try again.wait(.unread).unreadMessage?.convs.first)
        #expect(told.cid == self.cid && told.unread == 100 && told.mid == acks.last?.uid)
        #expect(try self.history(again) == acks.map(\.uid))
        try self.end(again)
    }

    @Test("who gets missed messages pushed gets the newest when they read again, and is told that there are more")
    func pushed() throws {
        let sloth = try self.sloth(.pushesMissedMessages)
        let acks = try self.flood()
        var messages: [DirectCommand] = []
        while messages.last?.id != acks.last?.uid {
            let command = try #require(try sloth.next(), "the server closed")
            if let message = command.directMessage { messages.append(message) }
        }
        let pushed = messages.filter { $0.offline == true }
        #expect(pushed.map(\.id) == acks.suffix(20).map(\.uid))
        #expect(pushed.allSatisfy { $0.hasMore == true })
        let live = messages.filter { $0.offline != true }
        #expect(live.map(\.id) == acks.prefix(live.count).map(\.uid))
        let ack = try self.romeo.say("after", in: self.cid)
        #expect(try sloth.nextMessage().id == ack.uid)
        try self.end(sloth)
    }
}
