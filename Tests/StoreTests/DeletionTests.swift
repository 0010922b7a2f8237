import ChatModel
import Testing

@testable import Store

@Suite("Deleting an account")
struct DeletionTests {
    /// Why a change could not be made; `nil` when it could.
    private func problem<Value: Sendable>(
        _ fixture: Fixture, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) -> StoreError? {
        do throws(StoreError) {
            _ = try fixture.store.writeAndWait(body)
            return nil
        } catch {
            return error
        }
    }

    private func isGone<Value: Sendable>(
        _ fixture: Fixture, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) -> Bool {
        guard case .notFound = self.problem(fixture, body) else { return false }
        return true
    }

    /// That the account of romeo is over: nothing is done to it, sent to it, or sent by it.
    private func expectOver(
        _ fixture: Fixture, _ romeo: UserID, _ juliet: UserID, _ verona: ConversationID, _ talk: ConversationID
    ) {
        let name = UserName("romeo")!
        let taken = self.problem(fixture) { store throws(StoreError) in try store.people.createUser(name) }
        #expect(taken == .exists("user romeo"))
        #expect(self.isGone(fixture) { store throws(StoreError) in try store.people.ensureUser(name).id })
        #expect(self.isGone(fixture) { store throws(StoreError) in try store.people.setDisabled(romeo, false) })
        #expect(self.isGone(fixture) { store throws(StoreError) in try store.people.setPasswordHash(romeo, "h") })
        #expect(
            self.isGone(fixture) { store throws(StoreError) in
                try store.people.issueToken(
                    hash: [2], user: romeo, class: .app, level: .primary, expiresAtMilliseconds: nil)
            })
        #expect(
            self.isGone(fixture) { store throws(StoreError) in
                try store.conversations.addMembers([romeo], to: verona).users
            })
        #expect(
            self.isGone(fixture) { store throws(StoreError) in try store.friends.make(romeo, juliet).change })
        #expect(
            self.isGone(fixture) { store throws(StoreError) in
                try store.people.setListed(owner: juliet, .allowed, romeo, true)
            })
        #expect(
            self.isGone(fixture) { store throws(StoreError) in try store.conversations.ensureDirect(juliet, romeo) })
        #expect(self.isGone(fixture) { store throws(StoreError) in try store.people.deleteUser(romeo).user })
        #expect(fixture.send("x", from: juliet, to: direct("romeo")).refusal == .noSuchUser)
        #expect(fixture.send("x", from: juliet, to: .id(talk)).refusal == .noSuchUser)
        #expect(fixture.send("x", from: romeo, to: direct("juliet")).refusal == .noSuchUser)
        #expect(
            fixture.send("x", from: romeo, to: .id(verona), authority: .operator).refusal == .noSuchUser)
    }

    @Test("what a person said stays, everything else of them goes, and the folder is sound")
    func everything() throws {
        let fixture = try Fixture()
        let (romeo, juliet, tybalt) = (
            try fixture.user("romeo"), try fixture.user("juliet"), try fixture.user("tybalt")
        )
        let verona = try fixture.group("verona", owner: juliet, [romeo])
        _ = fixture.send("but soft", from: romeo, to: .id(verona))
        _ = fixture.send("o romeo", from: juliet, to: direct("romeo"))
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.setProfile(
                of: romeo, ProfilePatch(displayName: "Romeo", attributes: Array(#"{"a":1}"#.utf8)))
            try store.people.setExternalID(romeo, "7")
            try store.people.setPasswordHash(romeo, "hash")
            try store.people.setRole(romeo, .administrator)
            try store.people.issueToken(
                hash: [1], user: romeo, class: .app, level: .primary, expiresAtMilliseconds: nil)
            try store.friends.make(romeo, juliet)
            try store.friends.setRemark(romeo, of: juliet, "love")
            _ = try store.friends.ask(romeo, by: tybalt, text: "duel", token: "t")
            try store.people.setListed(owner: romeo, .blocked, tybalt, true)
            try store.people.setListed(owner: tybalt, .blocked, romeo, true)
            try store.people.setAllowlistOnly(romeo, true)
        }
        let deleted = try fixture.store.writeAndWait { store throws(StoreError) in try store.people.deleteUser(romeo) }
        #expect(deleted.revokedTokens == 1)
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            let requests = try store.friends.request(from: tybalt, to: romeo)?.state
            return (
                user: try store.people.user(romeo), tokens: try store.people.tokens(of: romeo).count,
                friends: try store.friends.ids(of: juliet) + store.friends.ids(of: romeo),
                told: try store.friends.one(romeo, of: juliet), request: requests,
                lists: try store.people.personalList(of: tybalt, .blocked)
                    + store.people.personalList(of: romeo, .blocked),
                profile: try store.people.profile(of: romeo), member: try store.conversations.member(romeo, in: verona)
            )
        }
        let user = try #require(found.user)
        #expect(user.deletedAtMilliseconds != nil && user.isDisabled && !user.hasPassword && user.role == .member)
        #expect(user.displayName == nil && user.externalID == nil && user.name == UserName("romeo"))
        #expect(found.profile?.attributes == nil && found.tokens == 0 && found.friends == [] && found.lists == [])
        #expect(found.told?.isRemoved == true && found.told?.remark == nil && found.request == .discarded)
        #expect(found.member == nil)
        #expect(try fixture.bodies(verona) == ["but soft"])
        #expect(try fixture.verified().findings == [])
    }

    @Test("nobody gets the name again, nothing can be done to the account, and nothing is sent to it or by it")
    func over() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: juliet)
        let talk = try #require(fixture.send("hist", from: juliet, to: direct("romeo")).accepted).message.conversation
        try fixture.store.writeAndWait { store throws(StoreError) in _ = try store.people.deleteUser(romeo) }
        self.expectOver(fixture, romeo, juliet, verona, talk)
        // Not only while the writer remembers them.
        let reopened = try fixture.reopened()
        self.expectOver(reopened, romeo, juliet, verona, talk)
        let system = self.problem(reopened) { store throws(StoreError) in try store.people.deleteUser(.system).user }
        #expect(system != nil)
    }

    @Test("nobody is deleted while one of their legal holds stands, and nothing of them is changed by the attempt")
    func held() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: juliet, [romeo])
        func hold(_ subject: HoldSubject) throws -> Int64 {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.holds.add(LegalHold(subject: subject, reason: "case 7", asker: "anna")).number
            }
        }
        func delete() -> StoreError? {
            self.problem(fixture) { store throws(StoreError) in try store.people.deleteUser(romeo).user }
        }
        func release(_ number: Int64) throws {
            try fixture.store.writeAndWait { store throws(StoreError) in _ = try store.holds.remove(number) }
        }
        let (first, second) = (try hold(.person(romeo)), try hold(.person(romeo)))
        #expect(delete() == .refused(.underHold))
        try release(first)
        #expect(delete() == .refused(.underHold))
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            (try store.people.user(romeo)?.deletedAtMilliseconds, try store.conversations.member(romeo, in: verona))
        }
        #expect(found.0 == nil && found.1 != nil)
        try release(second)
        // What they wrote stays in any case: a hold on the conversation or on somebody else keeps nobody's account.
        _ = (try hold(.conversation(verona)), try hold(.person(juliet)))
        #expect(delete() == nil)
        #expect(try fixture.verified().findings == [])
    }

    @Test("the oldest manager follows as owner, else the oldest member, and nobody left means that the team is over")
    func successors() throws {
        let team = try TeamFixture()
        var owners: [UserID?] = []
        for owner in [team.owner, team.manager, team.member, team.other] {
            try team.write { store, _ throws(StoreError) in _ = try store.people.deleteUser(owner) }
            owners.append(try team.roles().first { $0.value == .owner }?.key)
        }
        #expect(owners == [team.manager, team.member, team.other, nil])
        let left = try team.team().conversation
        #expect(left.flags.contains(.disbanded) && left.memberCount == 0)
        #expect(try team.isSound() == [])
    }

    @Test("what they asked of teams, and were asked, waits no more")
    func requests() throws {
        var modes = TeamModesPatch()
        modes.join = .approval
        let team = try TeamFixture(.advanced, modes)
        let (outsider, manager) = (team.outsider, team.manager)
        let stranger = try team.fixture.user("paris")
        try team.write { store, id throws(StoreError) in
            _ = try store.teams.apply(to: id, outsider)
            _ = try store.teams.invite([stranger], to: id, by: Actor(manager))
            _ = try store.people.deleteUser(outsider)
            _ = try store.people.deleteUser(manager)
        }
        #expect(try team.requests(waiting: true) == [])
        #expect(try team.isSound() == [])
    }

    @Test(
        "verify finds what is left of a deleted account",
        arguments: [
            "UPDATE user SET disabled = 0", "UPDATE user SET password_hash = 'h'", "UPDATE user SET role = 1",
            "UPDATE user SET display_name = 'R', sort_key = 'Rr/romeo'",
            """
            INSERT INTO device_token (token_hash, user_id, device_class, device_level, created_at, last_seen_at)
            SELECT x'01', id, 'app', 0, 1, 1 FROM user
            """, "INSERT INTO personal_list (owner_id, list, other_id) SELECT 0, 0, id FROM user",
        ])
    func planted(_ sql: String) throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        try fixture.store.writeAndWait { store throws(StoreError) in _ = try store.people.deleteUser(romeo) }
        fixture.store.close()
        try Connection(path: DataFolder.databasePath(in: fixture.folder.data), role: .writer(synchronous: "FULL"))
            .script(sql + " WHERE name = 'romeo'")
        #expect(try fixture.verify(fixture.folder).findings.map(\.kind) == [.people])
    }

    @Test("a page about a person counts and lists what is theirs")
    func details() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo)
        _ = try fixture.group("mantua", owner: juliet, [romeo])
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.friends.make(romeo, juliet)
            try store.conversations.disband(verona, by: .operator)
            try store.people.issueToken(
                hash: [9], user: romeo, class: .app, level: .primary, expiresAtMilliseconds: nil)
        }
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            (
                counts: try store.people.counts(of: romeo), friends: try store.friends.newest(of: romeo, limit: 5),
                teams: try store.people.teams(of: romeo, limit: 5).map(\.name.text),
                issued: try store.people.tokenIssueTimes(of: romeo)
            )
        }
        #expect(found.counts == (friends: 1, teams: 1, files: 0))
        #expect(found.friends.map(\.name) == [UserName("juliet")] && found.teams == ["mantua"])
        #expect(found.issued == [[9]: fixture.clock.clock.wallMilliseconds()])
    }
}
