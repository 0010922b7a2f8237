import ChatModel
import Testing

@testable import Store

@Suite("Listeners")
struct ListenerTests {
    private func make(_ kind: ConversationKind, _ fixture: Fixture, _ members: [UserID] = []) throws -> ConversationID {
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.createChannel(kind, ChannelName("ball")!, creator: .system, members: members)
        }
    }

    private func change(
        _ fixture: Fixture, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> MembershipChange
    ) throws -> MembershipChange {
        try fixture.store.writeAndWait(body)
    }

    @Test("a room takes messages from its listeners, and they are who gets them")
    func room() throws {
        var fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let room = try self.make(.room, fixture)
        #expect(fixture.send("?", from: romeo, to: .id(room)).refusal == .notMember)
        let joined = try self.change(fixture) { store throws(StoreError) in
            try store.conversations.addListeners([romeo, juliet, romeo], to: room)
        }
        #expect(joined.users == [romeo, juliet] && joined.members == [romeo, juliet] && joined.revision == 0)
        #expect(fixture.send("1", from: romeo, to: .id(room)).accepted?.members == [romeo, juliet])
        fixture = try fixture.reopened()
        #expect(Set(fixture.send("2", from: juliet, to: .id(room)).accepted?.members ?? []) == [romeo, juliet])
        let left = try self.change(fixture) { store throws(StoreError) in
            try store.conversations.removeListeners([romeo, .system], from: room)
        }
        #expect(left.users == [romeo] && left.members == [juliet])
        #expect(fixture.send("3", from: romeo, to: .id(room)).refusal == .notMember)
        #expect(fixture.send("4", from: romeo, to: .id(room), authority: .application).accepted?.members == [juliet])
        #expect(try fixture.verified().findings == [])
    }

    @Test("a room keeps nothing for anybody: no members, no unread, no line in a list, nothing to catch up with")
    func roomKeepsNothing() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let room = try self.make(.room, fixture)
        _ = try self.change(fixture) { store throws(StoreError) in
            try store.conversations.setListeners([romeo, juliet], of: room)
        }
        fixture.send("1", from: romeo, to: .id(room))
        let seen = try fixture.store.readAndWait { store throws(StoreError) in
            (
                members: try store.conversations.members(of: room).count,
                unread: try store.inbox.unread(of: juliet).count,
                recent: try store.inbox.recent(of: juliet, limit: 10).count,
                missed: try store.conversations.undelivered(of: juliet, class: .app).count,
                history: try store.messages.latest(in: room, limit: 10, as: .member(juliet)).count,
                listeners: try store.conversations.listeners(of: room).map(\.name.text),
                count: try store.conversations.listenerCount(of: room)
            )
        }
        #expect(seen.members == 0 && seen.unread == 0 && seen.recent == 0 && seen.missed == 0)
        #expect(seen.history == 1 && seen.listeners == ["romeo", "juliet"] && seen.count == 2)
    }

    @Test("only listed kinds are counted, listed and caught up with", arguments: ConversationKind.allCases)
    func listedKinds(_ kind: ConversationKind) throws {
        guard kind.hasMemberList else { return }
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let id = try self.make(kind, fixture, [romeo, juliet])
        #expect(fixture.send("1", from: romeo, to: .id(id)).accepted != nil)
        let lines = try fixture.store.readAndWait { store throws(StoreError) in
            [
                try store.inbox.unread(of: juliet).count, try store.inbox.badges(of: juliet).count,
                try store.inbox.recent(of: juliet, limit: 10).count,
                try store.conversations.undelivered(of: juliet, class: .app).count,
            ]
        }
        #expect(lines == Array(repeating: kind.isListed ? 1 : 0, count: 4))
        #expect(try fixture.verified().findings == [])
    }

    @Test("the array of receivers stays the same one until somebody comes or goes")
    func sharedReceivers() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let room = try self.make(.room, fixture)
        _ = try self.change(fixture) { store throws(StoreError) in
            try store.conversations.addListeners([romeo, juliet], to: room)
        }
        func storage(_ body: String) throws -> (UnsafePointer<UserID>?, [UserID]) {
            let members = try #require(fixture.send(body, from: romeo, to: .id(room)).accepted?.members)
            return (members.withUnsafeBufferPointer { $0.baseAddress }, members)
        }
        let (first, second) = (try storage("1"), try storage("2"))
        #expect(first.0 == second.0)
        _ = try self.change(fixture) { store throws(StoreError) in
            try store.conversations.removeListeners([juliet], from: room)
        }
        #expect(try storage("3").0 != first.0)
    }

    @Test("in a group a listener gets what is said, may not send, and is told once when they are a member too")
    func temporarySubscriber() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let nurse = try fixture.user("nurse")
        let verona = try fixture.group("verona", owner: romeo)
        _ = try self.change(fixture) { store throws(StoreError) in
            try store.conversations.addListeners([juliet, nurse], to: verona)
        }
        #expect(fixture.send("1", from: romeo, to: .id(verona)).accepted?.members == [romeo, juliet, nurse])
        #expect(fixture.send("2", from: juliet, to: .id(verona)).refusal == .notMember)
        let joined = try self.change(fixture) { store throws(StoreError) in
            try store.conversations.addMembers([juliet], to: verona)
        }
        #expect(joined.members == [romeo, juliet, nurse])
        #expect(fixture.send("3", from: juliet, to: .id(verona)).accepted?.members == [romeo, juliet, nurse])
        let left = try self.change(fixture) { store throws(StoreError) in
            try store.conversations.removeMembers([juliet], from: verona)
        }
        #expect(left.members == [romeo, juliet, nurse])
        let silent = try self.change(fixture) { store throws(StoreError) in
            try store.conversations.setListeners([], of: verona)
        }
        #expect(Set(silent.users) == [juliet, nurse] && silent.members == [romeo])
        #expect(try fixture.verified().findings == [])
    }

    @Test("there is a most of listeners, and a direct conversation has none")
    func bounds() throws {
        let fixture = try Fixture { $0.listeners = 1 }
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let room = try self.make(.room, fixture)
        #expect(throws: StoreError.invalid("a conversation has at most 1 listeners, not 2")) {
            try self.change(fixture) { store throws(StoreError) in
                try store.conversations.addListeners([romeo, juliet], to: room)
            }
        }
        #expect(throws: StoreError.invalid("nobody else listens to a direct conversation")) {
            try self.change(fixture) { store throws(StoreError) in
                try store.conversations.addListeners([.system], to: try store.conversations.ensureDirect(romeo, juliet))
            }
        }
    }
}
