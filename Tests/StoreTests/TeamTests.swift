import ChatModel
import Glibc
import Testing

@testable import Store

/// A team of a form, with an owner, a manager (in an advanced one), two members, and somebody outside.
struct TeamFixture {
    let fixture: Fixture
    let id: ConversationID
    let people: [MemberRole: UserID]
    let other: UserID
    let outsider: UserID

    init(
        _ form: TeamForm = .advanced, _ modes: TeamModesPatch = TeamModesPatch(), limit: Int? = nil,
        change: (inout StoreOptions) -> Void = { _ in }
    ) throws {
        let fixture = try Fixture(change: change)
        let owner = try fixture.user("escalus")
        let manager = try fixture.user("mercutio")
        let member = try fixture.user("romeo")
        let other = try fixture.user("juliet")
        let outsider = try fixture.user("tybalt")
        let id = try fixture.store.writeAndWait { store throws(StoreError) in
            let id = try store.teams.create(
                ChannelName("verona")!,
                NewTeam(
                    form: form, title: "Verona", owner: owner, members: [manager, member, other], memberLimit: limit,
                    modes: modes))
            if form == .advanced { _ = try store.conversations.setRoles([manager], .manager, in: id, by: Actor(owner)) }
            return id
        }
        self.fixture = fixture
        self.id = id
        self.people = [.owner: owner, .manager: manager, .member: member]
        self.other = other
        self.outsider = outsider
    }

    var owner: UserID { self.people[.owner]! }
    var manager: UserID { self.people[.manager]! }
    var member: UserID { self.people[.member]! }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction, ConversationID) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let id = self.id
        return try self.fixture.store.writeAndWait { store throws(StoreError) in try body(store, id) }
    }

    func refusal<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction, ConversationID) throws(StoreError) -> Value
    ) -> ActionRefusal? {
        do throws(StoreError) {
            try self.write(body)
            return nil
        } catch {
            guard case .refused(let refusal) = error else {
                Issue.record("\(error)")
                return nil
            }
            return refusal
        }
    }

    func team() throws -> Team {
        let (id, now) = (self.id, self.fixture.clock.clock.wallMilliseconds())
        return try #require(
            try self.fixture.store.readAndWait { store throws(StoreError) in try store.teams.one(id, at: now) })
    }

    func roles() throws -> [UserID: MemberRole] {
        let id = self.id
        let members = try self.fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.members(of: id)
        }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.user, $0.role) })
    }

    func requests(waiting: Bool = false) throws -> [TeamRequest] {
        let (id, now) = (self.id, self.fixture.clock.clock.wallMilliseconds())
        return try self.fixture.store.readAndWait { store throws(StoreError) in
            var query = TeamRequestQuery()
            query.team = id
            query.onlyWaiting = waiting
            return try store.teams.requests(query, at: now)
        }
    }

    func isSound() throws -> [VerifyFinding] { try self.fixture.verified().findings }
}

@Suite("Teams in the store")
struct TeamTests {
    /// Every action of a team as a change of the store, tried by somebody; what the rules say is what the store says.
    static let tries:
        [(TeamAction, @Sendable (WriteTransaction, ConversationID, Actor, TeamFixture) throws(StoreError) -> Void)] = [
            (
                .updateInfo,
                { store, id, actor, _ throws(StoreError) in
                    var patch = ChannelPatch()
                    patch.title = "Mantua"
                    try store.conversations.updateInfo(of: id, patch, by: actor)
                }
            ),
            (
                .updateAttributes,
                { store, id, actor, _ throws(StoreError) in
                    var patch = ChannelPatch()
                    patch.attributesMergePatch = Array(#"{"a":1}"#.utf8)
                    try store.conversations.updateInfo(of: id, patch, by: actor)
                }
            ),
            (
                .setIntroduction,
                { store, id, actor, _ throws(StoreError) in
                    _ = try store.teams.setIntroduction(of: id, "fair", by: actor)
                }
            ),
            (
                .announce,
                { store, id, actor, _ throws(StoreError) in _ = try store.teams.announce(in: id, "tonight", by: actor) }
            ),
            (
                .announce,
                { store, id, actor, _ throws(StoreError) in
                    var patch = ChannelPatch()
                    patch.notice = "tonight"
                    try store.conversations.updateInfo(of: id, patch, by: actor)
                }
            ),
            (
                .changeLists,
                { store, id, actor, team throws(StoreError) in
                    try store.conversations.addListed([team.other], in: id, .denied, by: actor)
                }
            ),
            (
                .setMode(.join),
                { store, id, actor, _ throws(StoreError) in
                    var patch = TeamModesPatch()
                    patch.join = .closed
                    _ = try store.teams.setModes(of: id, patch, by: actor)
                }
            ),
            (
                .setMode(.mute),
                { store, id, actor, _ throws(StoreError) in
                    var patch = TeamModesPatch()
                    patch.mute = .everyone
                    _ = try store.teams.setModes(of: id, patch, by: actor)
                }
            ),
            (
                .setMode(.mute),
                { store, id, actor, _ throws(StoreError) in
                    var patch = ChannelPatch()
                    patch.setFlags = .membersMuted
                    try store.conversations.updateInfo(of: id, patch, by: actor)
                }
            ),
            (
                .setMode(.invite),
                { store, id, actor, _ throws(StoreError) in
                    var patch = ChannelPatch()
                    patch.clearedFlags = .invitationsNeedConsent
                    try store.conversations.updateInfo(of: id, patch, by: actor)
                }
            ),
            (
                .setMemberLimit,
                { store, id, actor, _ throws(StoreError) in try store.teams.setMemberLimit(of: id, 50, by: actor) }
            ),
            (
                .invite,
                { store, id, actor, team throws(StoreError) in
                    _ = try store.teams.invite([team.outsider], to: id, by: actor)
                }
            ),
            (
                .remove(.member),
                { store, id, actor, team throws(StoreError) in
                    try store.conversations.removeMembers([team.other], from: id, by: actor)
                }
            ),
            (
                .remove(.owner),
                { store, id, actor, team throws(StoreError) in
                    try store.conversations.removeMembers([team.owner], from: id, by: actor)
                }
            ),
            (
                .removeEveryone,
                { store, id, actor, _ throws(StoreError) in
                    try store.conversations.removeAllMembers(from: id, by: actor)
                }
            ),
            (.leave, { store, id, actor, _ throws(StoreError) in try store.conversations.leave(id, actor.user) }),
            (
                .transferOwnership,
                { store, id, actor, team throws(StoreError) in
                    try store.conversations.transferOwner(to: team.other, in: id, by: actor)
                }
            ),
            (
                .changeRole(.member),
                { store, id, actor, team throws(StoreError) in
                    try store.conversations.setRoles([team.other], .manager, in: id, by: actor)
                }
            ),
            (
                .mute(.member),
                { store, id, actor, team throws(StoreError) in
                    try store.conversations.setMemberMuted(team.other, untilMilliseconds: .max, in: id, by: actor)
                }
            ),
            (
                .mute(.owner),
                { store, id, actor, team throws(StoreError) in
                    try store.conversations.setMemberMuted(team.owner, untilMilliseconds: .max, in: id, by: actor)
                }
            ),
            (
                .rename(nil),
                { store, id, actor, _ throws(StoreError) in
                    try store.conversations.setNickname(of: actor.user, "R", in: id, by: actor)
                }
            ),
            (
                .rename(.member),
                { store, id, actor, team throws(StoreError) in
                    try store.conversations.setNickname(of: team.other, "J", in: id, by: actor)
                }
            ),
            (.dismiss, { store, id, actor, _ throws(StoreError) in try store.conversations.disband(id, by: actor) }),
        ]

    @Test("the store lets people do what the rules let them, in both forms", arguments: TeamForm.allCases)
    func rights(_ form: TeamForm) throws {
        var asked = 0
        for (action, body) in Self.tries {
            let fresh = try TeamFixture(form)
            // A refused change leaves everything as it was: who may comes last, and alone has a team of their own.
            for role in [nil, MemberRole.member, .manager, .owner] where form == .advanced || role != .manager {
                let team = role == nil || role == .member ? fresh : try TeamFixture(form)
                let user = role.map { team.people[$0]! } ?? team.outsider
                let isInside = try team.roles()[user] != nil
                let before = try team.team()
                let facts = before.facts(.user, role: isInside ? role : nil)
                let due = teamRefusal(action, facts)?.action
                let said = team.refusal { store, id throws(StoreError) in try body(store, id, Actor(user), team) }
                #expect(said == due, "\(action) by \(role as Any)")
                if due != nil { #expect(try team.team() == before) }
                asked += 1
            }
        }
        #expect(asked == Self.tries.count * (form == .advanced ? 4 : 3))
    }

    @Test("a new advanced team is what the standard says, a normal one has no roles, a group of an app is as ever")
    func making() throws {
        let team = try TeamFixture().team()
        #expect(team.settings == .advanced && team.conversation.flags.inviteMode == .managers)
        #expect(team.card.title == "Verona" && team.conversation.memberCount == 4)
        let normal = try TeamFixture(.normal)
        #expect(try normal.team().settings == .normal)
        #expect(Set(try normal.roles().values) == [.owner, .member])
        #expect(
            normal.refusal { store, id throws(StoreError) in
                try store.conversations.setRoles([normal.member], .manager, in: id, by: .operator)
            } == .notApplicable)
        let (owner, romeo) = (normal.owner, normal.member)
        let mantua = try normal.fixture.group("mantua", owner: owner, [romeo])
        let settings = try normal.fixture.store.readAndWait { store throws(StoreError) in
            try store.teams.one(mantua, at: 0)?.settings
        }
        #expect(settings == .open)
        #expect(try normal.isSound() == [])
    }

    @Test("modes are stored, told once, and survive a restart")
    func modes() throws {
        let team = try TeamFixture()
        let manager = team.manager
        let happened = try team.write { store, id throws(StoreError) in
            var patch = TeamModesPatch()
            patch.join = .approval
            patch.invite = .everyone
            patch.mute = .everyone
            return try store.teams.setModes(of: id, patch, by: Actor(manager))
        }
        #expect(happened == 2, "one line about the modes, one about who may write")
        let again = try team.write { store, id throws(StoreError) in
            var patch = TeamModesPatch()
            patch.mute = .everyone
            return try store.teams.setModes(of: id, patch, by: Actor(manager))
        }
        #expect(again == 0)
        #expect(team.fixture.send("no", from: team.owner, to: .id(team.id)).refusal == .membersMuted)
        #expect(team.fixture.send("yes", from: .system, to: .id(team.id), authority: .operator).accepted != nil)
        let reopened = try team.fixture.reopened()
        let (id, member) = (team.id, team.member)
        let after = try #require(
            try reopened.store.readAndWait { store throws(StoreError) in try store.teams.one(id, at: 0) })
        #expect(after.settings.join == .approval && after.conversation.flags.muteMode == .everyone)
        // The writer has read the modes again, too.
        let invitation = try reopened.store.writeAndWait { store throws(StoreError) in
            try store.teams.invite([team.outsider], to: id, by: Actor(member))
        }
        #expect(invitation.asked == [team.outsider])
    }

    @Test("the owner hands over and leaves in one step, and is asked to hand over before leaving alone")
    func transfer() throws {
        let team = try TeamFixture()
        let (owner, member) = (team.owner, team.member)
        #expect(
            team.refusal { store, id throws(StoreError) in try store.conversations.leave(id, owner) }
                == .ownerMustTransfer)
        #expect(
            team.refusal { store, id throws(StoreError) in
                try store.conversations.transferOwner(to: team.outsider, in: id, andLeaves: true, by: Actor(owner))
            } == .noSuchUser)
        #expect(try team.roles()[owner] == .owner)
        let change = try team.write { store, id throws(StoreError) in
            try store.conversations.transferOwner(to: member, in: id, andLeaves: true, by: Actor(owner))
        }
        #expect(change.newOwner == member)
        #expect(try team.roles()[member] == .owner)
        #expect(try team.roles()[owner] == nil)
        #expect(try team.isSound() == [])
    }

    @Test("the owner of a normal team leaves, and who came first follows")
    func leaving() throws {
        let team = try TeamFixture(.normal)
        let owner = team.owner
        let change = try team.write { store, id throws(StoreError) in try store.conversations.leave(id, owner) }
        #expect(change.newOwner == team.manager)
        #expect(try team.isSound() == [])
    }

    @Test("the newest announcement is shown, the others are kept, an empty one takes it away")
    func announcements() throws {
        let team = try TeamFixture()
        let (owner, manager, id) = (team.owner, team.manager, team.id)
        try team.write { store, id throws(StoreError) in
            _ = try store.teams.announce(in: id, title: "Feast", "tonight", by: Actor(owner))
            _ = try store.teams.announce(in: id, "tomorrow", by: Actor(manager))
        }
        let shown = try #require(try team.team().announcement)
        #expect(shown.body == "tomorrow" && shown.authorName == UserName("mercutio") && shown.title == nil)
        #expect(try team.team().card.notice == "tomorrow")
        let all = try team.fixture.store.readAndWait { store throws(StoreError) in
            try store.teams.announcements(of: id, limit: 10)
        }
        #expect(all.map(\.body) == ["tomorrow", "tonight"] && all.last?.title == "Feast")
        let older = try team.fixture.store.readAndWait { store throws(StoreError) in
            try store.teams.announcements(of: id, before: all[0].number)
        }
        #expect(older == [all[1]])
        try team.write { store, id throws(StoreError) in
            let taken = try store.teams.announce(in: id, "", by: Actor(owner))
            #expect(taken)
            let again = try store.teams.announce(in: id, "", by: Actor(owner))
            #expect(!again)
        }
        #expect(try team.team().announcement == nil)
        #expect(try team.team().card.notice == nil)
        #expect(throws: StoreError.self) {
            try team.write { store, id throws(StoreError) in
                try store.teams.announce(
                    in: id, String(repeating: "x", count: TeamBounds.announcementBytes + 1), by: .operator)
            }
        }
    }

    @Test("of many announcements the newest hundred are kept")
    func manyAnnouncements() throws {
        let team = try TeamFixture()
        try team.write { store, id throws(StoreError) in
            for number in 0...TeamBounds.announcements {
                _ = try store.teams.announce(in: id, "\(number)", by: .operator)
            }
        }
        let id = team.id
        let all = try team.fixture.store.readAndWait { store throws(StoreError) in
            try store.teams.announcements(of: id, limit: 1_000)
        }
        #expect(all.count == TeamBounds.announcements && all.last?.body == "1")
    }

    @Test("nobody passes the limit of a team, which is within the server's and never below who is there")
    func limit() throws {
        let team = try TeamFixture(limit: 4) { $0.groupMembers = 10 }
        #expect(
            team.refusal { store, id throws(StoreError) in
                try store.conversations.addMembers([team.outsider], to: id)
            } == .tooMany(limit: 4))
        for limit in [1, 3, 11] {
            #expect(throws: StoreError.self) {
                try team.write { store, id throws(StoreError) in
                    try store.teams.setMemberLimit(of: id, limit, by: .operator)
                }
            }
        }
        try team.write { store, id throws(StoreError) in
            let changed = try store.teams.setMemberLimit(of: id, nil, by: .operator)
            let again = try store.teams.setMemberLimit(of: id, nil, by: .operator)
            #expect(changed && !again)
            try store.conversations.addMembers([team.outsider], to: id)
        }
        #expect(try team.roles().count == 5)
        #expect(try team.isSound() == [])
    }

    static let wrong = [
        "DELETE FROM team", "UPDATE team SET form = 7", "UPDATE team SET form = 0", "UPDATE team SET member_limit = 1",
        "UPDATE conversation SET flags = 72", "UPDATE team_request SET state = 9",
        "UPDATE team_request SET inviter_id = NULL", "UPDATE team_request SET person_id = 3",
        "UPDATE team_request SET answered_at = 5",
    ]

    @Test("verify finds", arguments: Self.wrong)
    func verify(_ statement: String) throws {
        let team = try TeamFixture()
        let owner = team.owner
        try team.write { store, id throws(StoreError) in
            _ = try store.teams.invite([team.outsider], to: id, by: Actor(owner))
        }
        let fixture = team.fixture
        fixture.store.close()
        let connection = try Connection(
            path: DataFolder.databasePath(in: fixture.folder.data), role: .writer(synchronous: "OFF"))
        try connection.script(statement)
        let findings = try fixture.verify(fixture.folder).findings
        #expect(findings.contains { $0.kind == .team }, "\(findings)")
    }
}

@Suite("A database of version 8")
struct SchemaTeamsTests {
    @Test("its groups stay what they were, and what they were told is their first announcement")
    func migrated() throws {
        let folder = TemporaryFolder()
        try makeOldFolder(folder)
        let fixture = try Fixture(folder)
        let (verona, mantua) = (ConversationID(rawValue: 1), ConversationID(rawValue: 2))
        let romeo = UserID(rawValue: 1)
        let team = try #require(
            try fixture.store.readAndWait { store throws(StoreError) in try store.teams.one(verona, at: 0) })
        #expect(team.settings == .open && team.conversation.flags.inviteMode == .everyone)
        #expect(team.announcement?.body == "tonight" && team.announcement?.author == .system)
        #expect(team.card.notice == "tonight" && team.owner == romeo)
        let community = try fixture.store.readAndWait { store throws(StoreError) in
            let team = try store.teams.one(mantua, at: 0)
            return (team, try store.conversations.card(of: mantua)?.notice)
        }
        #expect(community.0 == nil && community.1 == "a plague")
        let left = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.leave(verona, romeo)
        }
        #expect(left.newOwner == UserID(rawValue: 2))
        #expect(try fixture.verified().findings == [])
    }

    private func makeOldFolder(_ folder: TemporaryFolder) throws {
        mkdir(folder.data, 0o700)
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
        try connection.makeDatabase(ofVersion: 8)
        try connection.script(
            """
            INSERT INTO user (id, name, created_at) VALUES (1, 'romeo', 1), (2, 'juliet', 1);
            INSERT INTO conversation (id, kind, change, active_at, created_at, creator_id, member_count, channel, notice)
            VALUES (1, 2, 5, 9, 1, 1, 2, 'verona', 'tonight'), (2, 7, 5, 9, 1, 1, 0, 'mantua', 'a plague');
            INSERT INTO member (conversation_id, user_id, role, read_sequence, read_countable, joined_sequence, change)
            VALUES (1, 1, 2, 0, 0, 0, 5), (1, 2, 0, 0, 0, 0, 5);
            """)
    }
}
