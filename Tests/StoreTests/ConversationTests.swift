import ChatModel
import Testing

@testable import Store

@Suite("Conversations and their members")
struct ConversationTests {
    @Test("the creator is the owner, named once however often")
    func creation() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let verona = try house.group("verona", owner: romeo, [juliet, romeo, juliet])
        let members = try house.store.readAndWait { store throws(StoreError) in try store.members(of: verona) }
        #expect(members.map(\.name.text) == ["romeo", "juliet"])
        #expect(members.map(\.role) == [.owner, .member])
        let conversation = try house.store.readAndWait { store throws(StoreError) in
            try store.conversation(.channel(.group, ChannelName("verona")!), seenBy: juliet)
        }
        #expect(conversation?.id == verona && conversation?.memberCount == 2)
        #expect(throws: StoreError.exists("conversation verona")) { try house.group("verona", owner: juliet) }
    }

    @Test("the same name in another kind is another conversation")
    func nameIsPerKind() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let group = try house.group("verona", owner: romeo)
        let room = try house.store.writeAndWait { store throws(StoreError) in
            try store.createChannel(.room, ChannelName("verona")!, creator: romeo)
        }
        #expect(group != room)
        #expect(try house.store.readAndWait { store throws(StoreError) in try store.members(of: room) } == [])
    }

    @Test("adding and removing says what changed, raises the revision, and holds for the next message")
    func membership() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let nurse = try house.user("nurse")
        let verona = try house.group("verona", owner: romeo)
        let added = try house.store.writeAndWait { store throws(StoreError) in
            try store.addMembers([juliet, romeo, nurse], to: verona)
        }
        #expect(added == MembershipChange(users: [juliet, nurse], members: [romeo, juliet, nurse], revision: 1))
        #expect(house.send("hi", from: juliet, to: .id(verona)).accepted?.members == [romeo, juliet, nurse])
        let removed = try house.store.writeAndWait { store throws(StoreError) in
            try store.removeMembers([juliet, juliet, .system], from: verona)
        }
        #expect(removed == MembershipChange(users: [juliet], members: [romeo, nurse], revision: 2))
        #expect(house.send("hi", from: juliet, to: .id(verona)).refusal == .notMember)
        #expect(try house.verified().findings == [])
    }

    @Test("a member limit is held, at creation and later")
    func memberLimit() throws {
        let house = try House { $0.groupMembers = 2 }
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let nurse = try house.user("nurse")
        let refusal = StoreError.invalid("a conversation has at most 2 members, not 3")
        #expect(throws: refusal) { try house.group("big", owner: romeo, [juliet, nurse]) }
        let verona = try house.group("verona", owner: romeo, [juliet])
        #expect(throws: refusal) {
            try house.store.writeAndWait { store throws(StoreError) in try store.addMembers([nurse], to: verona) }
        }
    }

    @Test("what was said before someone joined is history, not unread")
    func joiningLate() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let verona = try house.group("verona", owner: romeo)
        house.send("early", from: romeo, to: .id(verona))
        try house.store.writeAndWait { store throws(StoreError) in try store.addMembers([juliet], to: verona) }
        #expect(try house.unread(juliet) == [:])
        house.send("late", from: romeo, to: .id(verona))
        #expect(try house.unread(juliet) == [verona: 1])
        let seen = try house.store.readAndWait { store throws(StoreError) in
            try store.latestMessages(in: verona, limit: 10, as: .member(juliet)).count
        }
        #expect(seen == 2)
        #expect(try house.verified().findings == [])
    }

    @Test("a change number tells which conversations had a message, a change or a reading")
    func changedSince() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let verona = try house.group("verona", owner: romeo, [juliet])
        let mantua = try house.group("mantua", owner: romeo, [juliet])
        func changed(_ since: Int64) throws -> [ConversationOfMember] {
            try house.store.readAndWait { store throws(StoreError) in
                try store.conversationsChanged(of: juliet, since: since)
            }
        }
        let start = try #require(try changed(0).map(\.change).max())
        #expect(try changed(start).isEmpty)
        house.send("hi", from: romeo, to: .id(mantua))
        let afterMessage = try changed(start)
        #expect(afterMessage.map(\.conversation.id) == [mantua] && afterMessage.first?.unread == 1)
        let message = try #require(afterMessage.first?.change)
        try house.store.writeAndWait { store throws(StoreError) in try store.setTitle("Verona", of: verona) }
        #expect(try changed(message).map(\.conversation.title) == ["Verona"])
        let title = try #require(try changed(message).first?.change)
        try house.store.writeAndWait { store throws(StoreError) in try store.markRead(juliet, in: mantua, upTo: 1) }
        #expect(try changed(title).map(\.unread) == [0])
        let forRomeo = try house.store.readAndWait { store throws(StoreError) in
            try store.conversationsChanged(of: romeo, since: title).count
        }
        #expect(forRomeo == 0)
    }

    @Test("a direct conversation shows the other one's name to each")
    func peerName() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        house.send("hi", from: juliet, to: direct("romeo"))
        let names = try house.store.readAndWait { store throws(StoreError) in
            [try store.conversations(of: romeo), try store.conversations(of: juliet)].map { $0[0].peerName?.text }
        }
        #expect(names == ["juliet", "romeo"])
    }

    @Test("what the writer forgets for want of memory it finds again")
    func cacheBounds() throws {
        let house = try House { options in
            options.cachedUsers = 4
            options.cachedConversations = 4
            options.cachedMembers = 8
        }
        let people = try (0..<12).map { try house.user("user\($0)") }
        for round in 1...2 {
            for (number, person) in people.enumerated() {
                let sent = house.send("r\(round)", from: person, to: direct("user\((number + 1) % 12)"))
                #expect(sent.accepted?.message.sequence == Int64(round))
            }
        }
        let figures = house.store.figures
        #expect(figures.cachedUsers <= 6 && figures.cachedConversations <= 5)
        #expect(try house.verified().findings == [])
    }
}
