import ChatModel
import Execution
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

@testable import LeanCloudGateway

/// How long somebody is in a room.
struct RoomTests {
    private let clock = ManualClock()
    private let server: TestServer
    private let rooms: [ConversationID]

    init() throws {
        let clock = self.clock
        self.server = try TestServer {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
            $0.store.listeners = 2
        }
        try self.server.add("host", "Tom", "Jerry")
        let host = try self.server.id("host")
        self.rooms = try self.server.write { transaction throws(StoreError) in
            try ["one", "two"].map { name throws(StoreError) in
                try transaction.conversations.createChannel(.room, ChannelName(name)!, creator: host)
            }
        }
    }

    private func people(in room: Int) throws -> Set<UserID> {
        let id = self.rooms[room]
        return Set(
            try self.server.server.store.readAndWait { transaction throws(StoreError) in
                try transaction.conversations.listenerIDs(of: id)
            })
    }

    private func visit(_ room: Int, _ name: String) throws {
        let (id, user) = (self.rooms[room], try self.server.id(name))
        try self.server.write { transaction throws(StoreError) in try transaction.conversations.visit(id, by: user) }
    }

    /// Has the server's tick come, and what it writes.
    private func pass(minutes: Int64, _ client: LeanCloudClient) throws {
        // Nobody is idle for long.
        for _ in 0..<minutes {
            self.clock.advance(milliseconds: 60_000)
            try client.settle()
        }
        try client.settle()
        try self.server.write { _ in }
    }

    private func isOnline(_ name: String, by client: LeanCloudClient) throws -> Bool {
        let answer = try client.request(.session, .query) { command in
            var message = SessionCommand()
            message.sessionPeerIds = [name]
            command.sessionMessage = message
        }
        return answer.sessionMessage?.onlineSessionPeerIds.isEmpty == false
    }

    private func cid(of room: Int) throws -> String {
        let id = self.rooms[room]
        return try self.server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.conversations.one(id)?.objectID.text ?? ""
        }
    }

    private func enter(_ room: Int, _ name: String, _ client: LeanCloudClient) throws -> GenericCommand {
        let cid = try self.cid(of: room)
        return try client.conv(.add) { body in
            body.cid = cid
            body.m = [name]
        }
    }

    @Test("after a restart visitors are out in 30 minutes, unless they come back")
    func restart() throws {
        try self.visit(0, "Tom")
        try self.visit(0, "Jerry")
        try self.server.restart()
        let (tom, jerry) = (try self.server.id("Tom"), try self.server.id("Jerry"))
        let client = try self.server.leanCloud("Tom")
        try self.pass(minutes: 29, client)
        #expect(try self.people(in: 0) == [tom, jerry])
        try self.pass(minutes: 3, client)
        #expect(try self.people(in: 0) == [tom])
        // A server that stops waits for its clients, by a clock that stands still here.
        client.drop()
        self.server.stop()
        #expect(try self.server.findings().isEmpty)
    }

    @Test(
        "whose connection breaks is in the room for half an hour, and hears it again when they come back before",
        arguments: [28, 33] as [Int64])
    func disconnect(_ minutes: Int64) throws {
        let room = self.rooms[0]
        let cid = try self.server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.conversations.one(room)?.objectID.text ?? ""
        }
        let (tom, jerry) = (try self.server.leanCloud("Tom"), try self.server.leanCloud("Jerry"))
        for (name, client) in [("Tom", tom), ("Jerry", jerry)] {
            let answer = try client.conv(.add) { body in
                body.cid = cid
                body.m = [name]
            }
            #expect(answer.op == .added)
        }
        jerry.drop()
        try waitUntil { try !self.isOnline("Jerry", by: tom) }
        try self.pass(minutes: minutes, tom)
        let isBack = minutes < 30
        #expect(try self.people(in: 0).contains(try self.server.id("Jerry")) == isBack)
        let again = try self.server.leanCloud("Jerry")
        #expect(try tom.say("hello", in: cid).code == nil)
        if isBack {
            #expect(try again.nextMessage().msg == "hello")
        } else {
            try again.settleChanges()
            #expect(try again.messagesWaiting().isEmpty)
        }
        // A server that stops waits for its clients, by a clock that stands still here.
        for client in [tom, again] { client.drop() }
        self.server.stop()
        #expect(try self.server.findings().isEmpty)
    }

    @Test("who is blocked from a room does not come in and is not heard there, until they are let in again")
    func blocked() throws {
        let (room, id) = (self.rooms[1], try self.server.id("Tom"))
        let tom = try self.server.leanCloud("Tom")
        #expect(try self.enter(0, "Tom", tom).op == .added)
        try self.server.write { transaction throws(StoreError) in
            try transaction.conversations.addListed([id], in: room, .denied)
        }
        #expect(LeanCloudClient.error(try self.enter(1, "Tom", tom)) == "4548 BLOCKED_BY_CONV")
        #expect(try tom.say("hello", in: try self.cid(of: 1)).code == 4548)
        #expect(try self.people(in: 0) == [id])
        #expect(try self.people(in: 1) == [])
        try self.server.write { transaction throws(StoreError) in
            try transaction.conversations.removeListed([id], in: room, .denied)
        }
        #expect(try self.enter(1, "Tom", tom).op == .added)
        #expect(try self.people(in: 0) == [])
        #expect(try self.people(in: 1) == [id])
        tom.drop()
        self.server.stop()
    }

    @Test("who finds a room full stays in the one they were in, and is out of that one in time")
    func full() throws {
        let (host, jerry, id) = (try self.server.id("host"), try self.server.id("Jerry"), try self.server.id("Tom"))
        let full = self.rooms[1]
        try self.server.write { transaction throws(StoreError) in
            _ = try transaction.conversations.addListeners([host, jerry], to: full)
        }
        let (tom, other) = (try self.server.leanCloud("Tom"), try self.server.leanCloud("Jerry"))
        #expect(try self.enter(0, "Tom", tom).op == .added)
        #expect(LeanCloudClient.error(try self.enter(1, "Tom", tom)) == "4301 CONVERSATION_API_FAILED")
        #expect(try self.people(in: 0) == [id])
        tom.drop()
        try waitUntil { try !self.isOnline("Tom", by: other) }
        try self.pass(minutes: 33, other)
        #expect(try self.people(in: 0) == [])
        other.drop()
        self.server.stop()
    }

    @Test("only rooms are visited")
    func groups() throws {
        let group = try self.server.group("staff", ["Tom"])
        let user = try self.server.id("Jerry")
        #expect(throws: StoreError.self) {
            try self.server.write { transaction throws(StoreError) in
                try transaction.conversations.visit(group, by: user)
            }
        }
    }

    @Test("whom an app has put into a room stays there, with sessions or without")
    func listeners() throws {
        let (id, user) = (self.rooms[0], try self.server.id("Jerry"))
        try self.server.write { transaction throws(StoreError) in
            try transaction.conversations.addListeners([user], to: id)
            try transaction.conversations.visit(id, by: user)
        }
        try self.server.restart()
        let client = try self.server.leanCloud("Tom")
        try self.pass(minutes: 32, client)
        #expect(try self.people(in: 0) == [user])
    }

    // MARK: Which session is where

    private func hooks() -> LeanCloudRooms {
        LeanCloudRooms(
            store: self.server.server.store, rejoinSeconds: 1800, clock: self.clock.clock, log: .silent)
    }

    @Test("a session is in one room; its person stays where another of their sessions is")
    func oneRoom() throws {
        let (hooks, tom) = (self.hooks(), try self.server.id("Tom"))
        #expect(hooks.enter(self.rooms[0], session: 1, of: tom).isEmpty)
        #expect(hooks.enter(self.rooms[0], session: 2, of: tom).isEmpty)
        #expect(hooks.enter(self.rooms[1], session: 1, of: tom).isEmpty)
        #expect(hooks.enter(self.rooms[1], session: 2, of: tom) == [self.rooms[0]])
        #expect(hooks.enter(self.rooms[1], session: 2, of: tom).isEmpty)
    }

    @Test("who comes back is where their last session was, and goes on from there")
    func returning() throws {
        let (hooks, tom) = (self.hooks(), try self.server.id("Tom"))
        _ = hooks.enter(self.rooms[0], session: 1, of: tom)
        hooks.ended(session: 1, of: tom)
        hooks.began(session: 2, of: tom)
        #expect(hooks.enter(self.rooms[1], session: 2, of: tom) == [self.rooms[0]])
        hooks.leave(self.rooms[1], tom)
        #expect(hooks.enter(self.rooms[0], session: 2, of: tom).isEmpty)
    }
}
