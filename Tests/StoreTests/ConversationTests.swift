import ChatModel
import Testing

@testable import Store

@Suite("Conversations and their members")
struct ConversationTests {
    @Test("the creator is the owner, named once however often")
    func creation() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet, romeo, juliet])
        let members = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.members(of: verona)
        }
        #expect(members.map(\.name.text) == ["romeo", "juliet"])
        #expect(members.map(\.role) == [.owner, .member])
        let conversation = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.one(.channel(.group, ChannelName("verona")!), seenBy: juliet)
        }
        #expect(conversation?.id == verona && conversation?.memberCount == 2)
        #expect(throws: StoreError.exists("conversation verona")) { try fixture.group("verona", owner: juliet) }
    }

    @Test("the same name in another kind is another conversation")
    func nameIsPerKind() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let group = try fixture.group("verona", owner: romeo)
        let room = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.createChannel(.room, ChannelName("verona")!, creator: romeo)
        }
        #expect(group != room)
        #expect(
            try fixture.store.readAndWait { store throws(StoreError) in try store.conversations.members(of: room) }
                == [])
    }

    @Test("adding and removing says what changed, raises the revision, and holds for the next message")
    func membership() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let nurse = try fixture.user("nurse")
        let verona = try fixture.group("verona", owner: romeo)
        let added = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.addMembers([juliet, romeo, nurse], to: verona)
        }
        #expect(added == MembershipChange(users: [juliet, nurse], members: [romeo, juliet, nurse], revision: 1))
        #expect(fixture.send("hi", from: juliet, to: .id(verona)).accepted?.members == [romeo, juliet, nurse])
        let removed = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.removeMembers([juliet, juliet, .system], from: verona)
        }
        #expect(removed == MembershipChange(users: [juliet], members: [romeo, nurse], revision: 2))
        #expect(fixture.send("hi", from: juliet, to: .id(verona)).refusal == .notMember)
        #expect(try fixture.verified().findings == [])
    }

    @Test("a member limit is held, at creation and later")
    func memberLimit() throws {
        let fixture = try Fixture { $0.groupMembers = 2 }
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let nurse = try fixture.user("nurse")
        let refusal = StoreError.invalid("a conversation has at most 2 members, not 3")
        #expect(throws: refusal) { try fixture.group("big", owner: romeo, [juliet, nurse]) }
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        #expect(throws: refusal) {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.conversations.addMembers([nurse], to: verona)
            }
        }
    }

    @Test("what was said before someone joined is history, not unread")
    func joiningLate() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo)
        fixture.send("early", from: romeo, to: .id(verona))
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.addMembers([juliet], to: verona)
        }
        #expect(try fixture.unread(juliet) == [:])
        fixture.send("late", from: romeo, to: .id(verona))
        #expect(try fixture.unread(juliet) == [verona: 1])
        let seen = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.latest(in: verona, limit: 10, as: .member(juliet)).count
        }
        #expect(seen == 2)
        #expect(try fixture.verified().findings == [])
    }

    @Test("a change number tells which conversations had a message, a change or a reading")
    func changedSince() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        let mantua = try fixture.group("mantua", owner: romeo, [juliet])
        func changed(_ since: Int64) throws -> [ConversationOfMember] {
            try fixture.store.readAndWait { store throws(StoreError) in
                try store.conversations.changed(of: juliet, since: since)
            }
        }
        let start = try #require(try changed(0).map(\.change).max())
        #expect(try changed(start).isEmpty)
        fixture.send("hi", from: romeo, to: .id(mantua))
        let afterMessage = try changed(start)
        #expect(afterMessage.map(\.conversation.id) == [mantua] && afterMessage.first?.unread == 1)
        let message = try #require(afterMessage.first?.change)
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.setTitle("Verona", of: verona)
        }
        #expect(try changed(message).map(\.conversation.title) == ["Verona"])
        let title = try #require(try changed(message).first?.change)
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.inbox.markRead(juliet, in: mantua, upTo: 1)
        }
        #expect(try changed(title).map(\.unread) == [0])
        let forRomeo = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.changed(of: romeo, since: title).count
        }
        #expect(forRomeo == 0)
    }

    @Test("a direct conversation shows the other one's name to each")
    func peerName() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        fixture.send("hi", from: juliet, to: direct("romeo"))
        let names = try fixture.store.readAndWait { store throws(StoreError) in
            [try store.conversations.page(of: romeo), try store.conversations.page(of: juliet)].map {
                $0[0].peerName?.text
            }
        }
        #expect(names == ["juliet", "romeo"])
    }

    @Test("what the writer forgets for want of memory it finds again")
    func cacheBounds() throws {
        let fixture = try Fixture { options in
            options.cachedUsers = 4
            options.cachedConversations = 4
            options.cachedMembers = 8
        }
        let people = try (0..<12).map { try fixture.user("user\($0)") }
        for round in 1...2 {
            for (number, person) in people.enumerated() {
                let sent = fixture.send("r\(round)", from: person, to: direct("user\((number + 1) % 12)"))
                #expect(sent.accepted?.message.sequence == Int64(round))
            }
        }
        let metrics = fixture.store.metrics
        #expect(metrics.cachedUsers <= 6 && metrics.cachedConversations <= 5)
        #expect(try fixture.verified().findings == [])
    }
}
