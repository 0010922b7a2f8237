import ChatModel
import Execution
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

@Suite("What clients know when they come back, where everything falls into one millisecond")
struct CursorTests {
    /// A clock that stands still.
    private let clock = ManualClock()
    private let server: TestServer
    private let cid: String

    init() throws {
        let clock = self.clock
        self.server = try TestServer {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
        }
        self.cid = try self.server.directID("romeo", "juliet")
    }

    /// A server that stops waits for its clients, by a clock that stands still here.
    private func end(_ clients: LeanCloudClient...) throws {
        for client in clients { client.drop() }
        self.server.stop()
        #expect(try self.server.findings() == [])
    }

    @Test("of two edits a client that knew the first hears of the second, and so does who made the first")
    func edits() throws {
        let (romeo, juliet) = (try self.server.leanCloud("romeo"), try self.server.leanCloud("juliet"))
        let (tablet, other) = (try self.server.leanCloud("romeo"), try self.server.directID("romeo", "mercutio"))
        let acks = try (0..<2).map { try romeo.say("\($0)", in: self.cid) }
        let elsewhere = try romeo.say("elsewhere", in: other)
        let first = try romeo.change(self.cid, acks[0].uid, at: acks[0].t) { $0.data = "first" }
        let told = try juliet.wait("a patch") { $0.cmd == .patch && $0.op == .modify }
        #expect(told.serverTs == nil, "it is no event")
        let known = try #require(told.patchMessage?.patches.first?.patchTimestamp)
        #expect(known == first.patchMessage?.lastPatchTime && known == told.patchMessage?.lastPatchTime)
        juliet.drop()
        romeo.drop()
        let second = try tablet.change(self.cid, acks[1].uid, at: acks[1].t) { $0.data = "second" }
        let third = try tablet.change(other, elsewhere.uid, at: elsewhere.t) { $0.recall = true }
        #expect(second.patchMessage?.lastPatchTime ?? 0 > known)
        let back = try self.server.leanCloud("juliet") { $0.lastPatchTime = known }
        #expect(try back.nextPatch().data == "second")
        let author = try self.server.leanCloud("romeo") { $0.lastPatchTime = known }
        let missed = try author.wait("patches") { $0.cmd == .patch && $0.op == .modify }.patchMessage
        #expect(missed?.patches.map(\.mid) == [acks[1].uid, elsewhere.uid])
        #expect(missed?.lastPatchTime == third.patchMessage?.lastPatchTime)
        for client in [back, author] {
            try client.settle()
            #expect(!client.waiting.contains { $0.cmd == .patch })
        }
        try self.end(tablet, back, author)
    }

    @Test("a client whose clock is ahead is told what was changed lately")
    func aheadOfTime() throws {
        let romeo = try self.server.leanCloud("romeo")
        let ack = try romeo.say("one", in: self.cid)
        _ = try romeo.change(self.cid, ack.uid, at: ack.t) { $0.data = "eins" }
        self.clock.advance(milliseconds: 60_000)
        let future = self.clock.clock.wallMilliseconds() + 120_000
        let juliet = try self.server.leanCloud("juliet") { $0.lastPatchTime = future }
        #expect(try juliet.nextPatch().data == "eins")
        try self.end(romeo, juliet)
    }

    @Test("more changes than one round takes all come, in their order")
    func manyPatches() throws {
        let romeo = try self.server.leanCloud("romeo")
        let acks = try (0..<30).map { try romeo.say("\($0)", in: self.cid) }
        // Together more than a round's 1 MiB.
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 50_000)
        let (address, author) = (ConversationAddress.object(ObjectID(self.cid)!), try self.server.id("romeo"))
        try self.server.write { transaction throws(StoreError) in
            let id = try transaction.reading.conversations.one(address, seenBy: author)!.id
            for sequence in 1...30 {
                try transaction.messages.edit(
                    MessagePlace(id, Int64(sequence)), newBody: body, isJSONObject: false, by: Actor(author))
            }
        }
        let juliet = try self.server.leanCloud("juliet") { $0.lastPatchTime = 1 }
        var seen: [String?] = []
        while seen.count < acks.count {
            let command = try juliet.wait("patches") { $0.cmd == .patch && $0.op == .modify }
            seen += command.patchMessage?.patches.map(\.mid) ?? []
        }
        #expect(seen == acks.map(\.uid))
        try self.end(romeo, juliet)
    }

    @Test("of two conversations read on another device, who knew of the first hears of the second")
    func reads() throws {
        let other = try self.server.directID("juliet", "mercutio")
        let (romeo, mercutio) = (try self.server.leanCloud("romeo"), try self.server.leanCloud("mercutio"))
        try romeo.say("one", in: self.cid)
        try mercutio.say("two", in: other)
        let (phone, tablet) = (try self.server.leanCloud("juliet"), try self.server.leanCloud("juliet"))
        for device in [phone, tablet] { #expect(try device.wait(.unread).unreadMessage?.convs.count == 2) }
        try tablet.read(self.cid)
        let told = try #require(try phone.wait(.unread).unreadMessage)
        #expect(told.convs.map(\.unread) == [0])
        phone.drop()
        try tablet.read(other)
        try tablet.settleChanges()
        let back = try self.server.leanCloud("juliet") { $0.lastUnreadNotifTime = told.notifTime }
        let unread = try #require(try back.wait(.unread).unreadMessage)
        #expect(unread.convs.first { $0.cid == other }?.unread == 0)
        try self.end(romeo, mercutio, tablet, back)
    }

    @Test("a time acknowledges one of several messages of its millisecond, for clients that get the others again")
    func acknowledgedByTime() throws {
        let pushes = LeanCloudSubprotocol(.binary, .pushesMissedMessages)
        let (romeo, juliet) = (try self.server.leanCloud("romeo"), try self.server.leanCloud("juliet", pushes))
        let acks = try (1...3).map { try romeo.say("\($0)", in: self.cid) }
        #expect(Set(acks.map(\.t)).count == 1)
        #expect(try juliet.nextMessage().msg == "1")
        try juliet.acknowledge { command in
            command.cid = self.cid
            command.fromts = acks[0].t
            command.tots = acks[0].t
        }
        try juliet.settle()
        juliet.drop()
        // What one client acknowledged is written before another one signs in.
        try self.waitForAcknowledged(1)
        let back = try self.server.leanCloud("juliet", pushes)
        #expect(try back.nextMessage().msg == "2")
        #expect(try back.nextMessage().msg == "3")
        try self.end(romeo, back)
    }

    private func waitForAcknowledged(_ sequence: Int64) throws {
        let user = try self.server.id("juliet")
        let address = ConversationAddress.object(try #require(ObjectID(self.cid)))
        for _ in 0..<100_000 {
            let first = try self.server.write { transaction throws(StoreError) -> Int64? in
                guard let id = try transaction.reading.conversations.one(address, seenBy: user)?.id else { return nil }
                return try transaction.reading.inbox.backlog(of: user, perConversation: 1_000, limit: 1)
                    .first { $0.conversation.id == id }?.messages.first?.message.sequence
            }
            if first ?? .max > sequence { return }
        }
        Issue.record("the acknowledgement was not written")
    }

    @Test("pushes that are no events carry the time of the last event, by which a client asks for the next")
    func events() throws {
        let (romeo, juliet) = (try self.server.leanCloud("romeo"), try self.server.leanCloud("juliet"))
        let group = try self.server.groupID("verona", ["romeo", "juliet"])
        let joined = try juliet.wait("a notice") { $0.notificationType == 1 }
        let heard = try #require(joined.serverTs)
        let ack = try romeo.say("one", in: group)
        _ = try romeo.change(group, ack.uid, at: ack.t) { $0.data = "eins" }
        let patch = try juliet.wait("a patch") { $0.cmd == .patch && $0.op == .modify }
        #expect(patch.serverTs ?? 0 >= heard)
        let last = try #require(patch.serverTs)
        let user = try self.server.id("juliet")
        let missed = try self.server.server.store.readAndWait { reading throws(StoreError) in
            try reading.feed.events(for: user, after: last)
        }
        #expect(missed.isEmpty, "everything was told")
        try self.end(romeo, juliet)
    }
}
