import ChatModel
import Testing

@testable import Store

@Suite("Channels of a business server, and what people do to their groups")
struct ChannelTests {
    private typealias Body<Value> = @Sendable (WriteTransaction) throws(StoreError) -> Value

    private func card(_ fixture: Fixture, _ id: ConversationID) throws -> ConversationCard {
        let card = try fixture.store.readAndWait { store throws(StoreError) in try store.conversations.card(of: id) }
        return try #require(card)
    }

    private func conversation(_ fixture: Fixture, _ id: ConversationID) throws -> Conversation {
        let found = try fixture.store.readAndWait { store throws(StoreError) in try store.conversations.one(id) }
        return try #require(found)
    }

    private func members(_ fixture: Fixture, _ id: ConversationID) throws -> [UserID: MemberRole] {
        let members = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.members(of: id)
        }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.user, $0.role) })
    }

    @Test("a channel is made once and changed after that; nothing new is no change")
    func upsert() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let name = try #require(ChannelName("verona"))
        var patch = ChannelPatch()
        patch.title = "Verona"
        patch.logo = "/verona.png"
        patch.notice = "tonight"
        patch.setFlags = [.large]
        patch.attributesMergePatch = Array(#"{"a":1,"b":{"c":2,"d":3}}"#.utf8)
        patch.members = [romeo]
        patch.creator = juliet
        let made = try fixture.store.writeAndWait { [patch] store throws(StoreError) in
            try store.conversations.upsertChannel(.group, name, patch)
        }
        #expect(made.isNew)
        #expect(try self.members(fixture, made.id) == [juliet: .owner, romeo: .member])
        let before = try self.conversation(fixture, made.id)
        #expect(before.flags == .large && before.title == "Verona")
        let again = try fixture.store.writeAndWait { [patch] store throws(StoreError) in
            try store.conversations.upsertChannel(.group, name, patch)
        }
        #expect(again == (made.id, false))
        #expect(try self.conversation(fixture, made.id) == before)
        var change = ChannelPatch()
        change.title = ""
        change.clearedFlags = [.large]
        change.setFlags = [.membersMuted]
        change.attributesMergePatch = Array(#"{"a":null,"b":{"d":4}}"#.utf8)
        change.members = [romeo]
        change.resetsMembers = true
        _ = try fixture.store.writeAndWait { [change] store throws(StoreError) in
            try store.conversations.upsertChannel(.group, name, change)
        }
        let card = try self.card(fixture, made.id)
        #expect(card.title == nil && card.logo == "/verona.png" && card.notice == "tonight")
        #expect(card.attributes == Array(#"{"b":{"c":2,"d":4}}"#.utf8))
        #expect(try self.conversation(fixture, made.id).flags == .membersMuted)
        #expect(try self.members(fixture, made.id) == [romeo: .member])
        #expect(try fixture.verified().findings == [])
    }

    enum Field: CaseIterable {
        case title, logo, notice

        var bound: Int {
            switch self {
            case .title: 128
            case .logo: 1_024
            case .notice: 4_096
            }
        }

        func patch(_ count: Int) -> ChannelPatch {
            var patch = ChannelPatch()
            let text = String(repeating: "x", count: count)
            switch self {
            case .title: patch.title = text
            case .logo: patch.logo = text
            case .notice: patch.notice = text
            }
            return patch
        }
    }

    @Test("every text has its bound", arguments: Field.allCases)
    func bounds(_ field: Field) throws {
        let fixture = try Fixture()
        let verona = try fixture.group("verona", owner: try fixture.user("romeo"))
        func update(_ count: Int) throws {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.conversations.updateInfo(of: verona, field.patch(count), by: .operator)
            }
        }
        try update(field.bound)
        #expect(throws: StoreError.self) { try update(field.bound + 1) }
    }

    @Test("attributes that are no object, or too long, are refused", arguments: ["[]", "{", "7", ""])
    func attributes(_ text: String) throws {
        let fixture = try Fixture()
        let verona = try fixture.group("verona", owner: try fixture.user("romeo"))
        func set(_ text: String) throws {
            var patch = ChannelPatch()
            patch.attributesMergePatch = Array(text.utf8)
            try fixture.store.writeAndWait { [patch] store throws(StoreError) in
                try store.conversations.updateInfo(of: verona, patch, by: .operator)
            }
        }
        #expect(throws: StoreError.invalid("the attributes are no JSON object")) { try set(text) }
        try set(#"{"a":""# + String(repeating: "x", count: 16_384 - 8) + #""}"#)
        #expect(throws: StoreError.invalid("the attributes have at most 16384 bytes, not 16385")) {
            try set(#"{"a":""# + String(repeating: "x", count: 16_385 - 8) + #""}"#)
        }
    }

    @Test("a manager changes the card and mutes everyone, but neither bans nor lets others in by it")
    func managers() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let nurse = try fixture.user("nurse")
        let verona = try fixture.group("verona", owner: romeo, [juliet, nurse])
        func update(_ actor: UserID, _ change: (inout ChannelPatch) -> Void) throws {
            var patch = ChannelPatch()
            change(&patch)
            try fixture.store.writeAndWait { [patch] store throws(StoreError) in
                try store.conversations.updateInfo(of: verona, patch, by: Actor(actor))
            }
        }
        #expect(throws: StoreError.refused(.notManager)) { try update(juliet) { $0.title = "x" } }
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.setRoles([juliet], .manager, in: verona, by: Actor(romeo))
        }
        try update(juliet) { $0.setFlags = .membersMuted }
        #expect(throws: StoreError.refused(.notApplicable)) { try update(juliet) { $0.setFlags = .banned } }
        #expect(throws: StoreError.refused(.notApplicable)) { try update(juliet) { $0.members = [] } }
        #expect(fixture.send("no", from: nurse, to: .id(verona)).refusal == .membersMuted)
        #expect(fixture.send("yes", from: juliet, to: .id(verona)).accepted != nil)
        #expect(fixture.send("yes", from: romeo, to: .id(verona)).accepted != nil)
    }

    @Test("a muted member may not send until the time has come, also after a restart")
    func mutedMember() throws {
        var fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        let until = fixture.clock.clock.wallMilliseconds() + 1_000
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.setMemberMuted(juliet, untilMilliseconds: until, in: verona, by: Actor(romeo))
        }
        #expect(try fixture.member(juliet, in: verona).mutedUntilMilliseconds == until)
        #expect(fixture.send("no", from: juliet, to: .id(verona)).refusal == .muted)
        fixture = try fixture.reopened()
        #expect(fixture.send("no", from: juliet, to: .id(verona)).refusal == .muted)
        fixture.clock.advance(milliseconds: 1_000)
        #expect(fixture.send("yes", from: juliet, to: .id(verona)).accepted != nil)
        #expect(throws: StoreError.refused(.notManager)) {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.conversations.setMemberMuted(romeo, untilMilliseconds: .max, in: verona, by: Actor(juliet))
            }
        }
    }

    @Test("a member who is muted in a community may not write in its topics either")
    func mutedInCommunity() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let topic = try fixture.store.writeAndWait { store throws(StoreError) in
            let community = try store.conversations.createChannel(
                .community, ChannelName("verona")!, creator: romeo, members: [juliet])
            try store.conversations.setMemberMuted(juliet, untilMilliseconds: .max, in: community, by: Actor(romeo))
            return try store.conversations.createChannel(
                .communityTopic, ChannelName("verona@balls")!, creator: .system)
        }
        #expect(fixture.send("no", from: juliet, to: .id(topic)).refusal == .muted)
        #expect(fixture.send("yes", from: romeo, to: .id(topic)).accepted != nil)
    }

    @Test("who is refused for one person removes nobody")
    func removal() throws {
        let fixture = try Fixture()
        let people = try ["owner", "boss", "other", "guest"].map(fixture.user)
        let verona = try fixture.group("verona", owner: people[0], Array(people[1...]))
        func change(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> MembershipChange) throws
            -> MembershipChange
        {
            try fixture.store.writeAndWait(body)
        }
        _ = try change { store throws(StoreError) in
            try store.conversations.setRoles([people[1], people[2]], .manager, in: verona, by: Actor(people[0]))
        }
        #expect(throws: StoreError.refused(.notOwner)) {
            try change { store throws(StoreError) in
                try store.conversations.removeMembers([people[3], people[2]], from: verona, by: Actor(people[1]))
            }
        }
        #expect(try self.members(fixture, verona).count == 4)
        let gone = try change { store throws(StoreError) in
            try store.conversations.removeMembers([people[3]], from: verona, by: Actor(people[1]))
        }
        #expect(gone.users == [people[3]])
        let handed = try change { store throws(StoreError) in
            try store.conversations.transferOwner(to: people[2], in: verona, by: Actor(people[0]))
        }
        #expect(handed.newOwner == people[2])
        #expect(try self.members(fixture, verona) == [people[0]: .member, people[1]: .manager, people[2]: .owner])
        let left = try change { store throws(StoreError) in try store.conversations.leave(verona, people[2]) }
        #expect(left.newOwner == people[1])
        #expect(throws: StoreError.refused(.notMember)) {
            try change { store throws(StoreError) in try store.conversations.leave(verona, people[2]) }
        }
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.disband(verona, by: Actor(people[1]))
        }
        #expect(fixture.send("no", from: people[1], to: .id(verona)).refusal == .conversationDisbanded)
        #expect(throws: StoreError.refused(.disbanded)) {
            try change { store throws(StoreError) in
                try store.conversations.addMembers([people[3]], to: verona, by: Actor(people[1]))
            }
        }
        _ = try change { store throws(StoreError) in
            try store.conversations.removeAllMembers(from: verona, by: .application)
        }
        #expect(try self.members(fixture, verona).isEmpty)
        #expect(try fixture.verified().findings == [])
    }

    @Test("who owns a group is changed by handing it over only")
    func ownerRole() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        func roles(_ users: [UserID], _ role: MemberRole) throws {
            try fixture.store.writeAndWait { store throws(StoreError) in
                _ = try store.conversations.setRoles(users, role, in: verona, by: .application)
            }
        }
        #expect(throws: StoreError.refused(.notApplicable)) { try roles([juliet], .owner) }
        #expect(throws: StoreError.refused(.notApplicable)) { try roles([juliet, romeo], .manager) }
        #expect(throws: StoreError.refused(.noSuchUser)) { try roles([.system], .manager) }
        #expect(try self.members(fixture, verona) == [romeo: .owner, juliet: .member])
    }

    @Test("members changed and gone are told by revision, a page ends with a whole revision")
    func memberSync() throws {
        let fixture = try Fixture()
        let people = try (0..<6).map { try fixture.user("user\($0)") }
        let verona = try fixture.group("verona", owner: people[0], [people[1], people[2]])
        func sync(_ revision: Int64, _ limit: Int) throws -> [Member] {
            try fixture.store.readAndWait { store throws(StoreError) in
                try store.conversations.members(of: verona, after: revision, limit: limit)
            }
        }
        #expect(try sync(0, 1).map(\.user) == Array(people[..<3]))
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.addMembers([people[3], people[4], people[5]], to: verona)
            try store.conversations.setNickname(of: people[1], "Jule", in: verona, by: Actor(people[1]))
            try store.conversations.removeMembers([people[4]], from: verona)
        }
        #expect(try sync(0, 1).map(\.user) == [people[0], people[2], people[3], people[5]])
        let first = try sync(1, 1)
        #expect(first.map(\.user) == [people[1]] && first.first?.nickname == "Jule")
        let rest = try sync(2, 10)
        #expect(rest.map(\.user) == [people[4]] && rest.first?.isRemoved == true && rest.first?.revision == 3)
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.addMembers([people[4]], to: verona)
        }
        let back = try sync(3, 10)
        #expect(back.map(\.user) == [people[4]] && back.first?.isRemoved == false)
        #expect(try sync(4, 10).isEmpty)
        #expect(try fixture.verified().findings == [])
    }

    @Test("a visitor's conversation is made by the visitor, or for them")
    func visitors() throws {
        let fixture = try Fixture()
        let (visitor, staff) = (try fixture.user("visitor"), try fixture.user("staff"))
        let address = ConversationAddress.channel(.visitors, try #require(ChannelName("visitor")))
        #expect(fixture.send("?", from: staff, to: address).refusal == .noSuchConversation)
        #expect(fixture.send("…", from: visitor, to: address, flags: .transient).accepted?.members == [visitor])
        let sent = try #require(fixture.send("help", from: visitor, to: address).accepted)
        #expect(sent.message.sequence == 1 && sent.members == [visitor] && sent.kind == .visitors)
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.conversations.addMembers([staff], to: sent.message.conversation)
        }
        #expect(fixture.send("hello", from: staff, to: address).accepted?.members == [visitor, staff])
        #expect(try fixture.unread(visitor) == [sent.message.conversation: 1])
        #expect(try fixture.verified().findings == [])
    }

    @Test("an agent's conversation is made by either, and has its two people as members")
    func agents() throws {
        let fixture = try Fixture()
        let (romeo, agent) = (try fixture.user("romeo"), try fixture.user("agent"))
        let tybalt = try fixture.user("tybalt")
        let address = ConversationAddress.channel(.agent, try #require(ChannelName("romeo@agent")))
        #expect(fixture.send("?", from: tybalt, to: address).refusal == .noSuchConversation)
        let nobody = ConversationAddress.channel(.agent, try #require(ChannelName("romeo@nobody")))
        #expect(fixture.send("?", from: romeo, to: nobody).refusal == .noSuchConversation)
        #expect(fixture.send("hi", from: agent, to: address).accepted?.members == [romeo, agent])
        #expect(fixture.send("ho", from: romeo, to: address).accepted?.message.sequence == 2)
        #expect(fixture.send("?", from: tybalt, to: address).refusal == .notMember)
        #expect(try fixture.verified().findings == [])
    }

    @Test("a topic without members of its own is its community's")
    func topics() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let nurse = try fixture.user("nurse")
        let (community, topic) = try fixture.store.writeAndWait { store throws(StoreError) in
            (
                try store.conversations.createChannel(
                    .community, ChannelName("verona")!, creator: romeo, members: [juliet]),
                try store.conversations.createChannel(.communityTopic, ChannelName("verona@balls")!, creator: .system)
            )
        }
        let sent = try #require(fixture.send("1", from: juliet, to: .id(topic)).accepted)
        #expect(sent.members == [romeo, juliet])
        #expect(fixture.send("2", from: nurse, to: .id(topic)).refusal == .notMember)
        let read = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.latest(in: topic, limit: 1, as: .member(romeo)).count
        }
        #expect(read == 1)
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.conversations.addMembers([nurse], to: community)
        }
        #expect(fixture.send("3", from: nurse, to: .id(topic)).accepted?.members == [romeo, juliet, nurse])
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.conversations.addMembers([nurse], to: topic)
        }
        #expect(fixture.send("4", from: nurse, to: .id(topic)).accepted?.members == [nurse])
        #expect(fixture.send("5", from: romeo, to: .id(topic)).refusal == .notMember)
        #expect(try fixture.verified().findings == [])
    }

    @Test("a direct conversation can be there before its first message")
    func ensureDirect() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let ids = try fixture.store.writeAndWait { store throws(StoreError) in
            [try store.conversations.ensureDirect(romeo, juliet), try store.conversations.ensureDirect(juliet, romeo)]
        }
        #expect(ids[0] == ids[1])
        #expect(fixture.send("hi", from: romeo, to: direct("juliet")).accepted?.message.conversation == ids[0])
        #expect(try fixture.verified().findings == [])
    }

    @Test("a system account writes to any group, and is written to in spite of its lists")
    func systemAccount() throws {
        let fixture = try Fixture()
        let (romeo, robot) = (try fixture.user("romeo"), try fixture.user("robot"))
        let verona = try fixture.group("verona", owner: romeo)
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.setListed(owner: robot, .blocked, romeo, true)
            try store.people.setListed(owner: romeo, .blocked, robot, true)
            try store.connection.run("UPDATE user SET is_system = 1 WHERE id = ?", robot)
        }
        let again = try fixture.reopened()
        #expect(again.send("1", from: robot, to: .id(verona)).accepted != nil)
        #expect(again.send("2", from: romeo, to: direct("robot")).accepted != nil)
        #expect(again.send("3", from: robot, to: direct("romeo")).accepted != nil)
    }

    @Test("people on a group's lists are added, removed and read")
    func lists() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let nurse = try fixture.user("nurse")
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        func denied() throws -> [String] {
            try fixture.store.readAndWait { store throws(StoreError) in
                try store.conversations.list(.denied, of: verona).map(\.name.text)
            }
        }
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.addListed([juliet, nurse], in: verona, .denied, by: Actor(romeo))
        }
        #expect(try denied() == ["juliet", "nurse"])
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.removeListed([juliet], in: verona, .denied)
        }
        #expect(try denied() == ["nurse"])
        #expect(throws: StoreError.refused(.notManager)) {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.conversations.removeAllListed(in: verona, .denied, by: Actor(juliet))
            }
        }
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.removeAllListed(in: verona, .denied)
        }
        #expect(try denied() == [])
    }
}
