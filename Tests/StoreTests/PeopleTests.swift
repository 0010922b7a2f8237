import ChatModel
import Testing

@testable import Store

@Suite("Profiles, friends and friend requests")
struct PeopleTests {
    private func profile(_ fixture: Fixture, _ user: UserID) throws -> Profile {
        let found = try fixture.store.readAndWait { store throws(StoreError) in try store.people.profile(of: user) }
        return try #require(found)
    }

    private func patch(_ fixture: Fixture, _ user: UserID, _ patch: ProfilePatch) throws {
        try fixture.store.writeAndWait { store throws(StoreError) in try store.people.setProfile(of: user, patch) }
    }

    @discardableResult
    private func ask(_ fixture: Fixture, _ other: UserID, by asker: UserID, token: String = "t") throws -> FriendRequest
    {
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.friends.ask(other, by: asker, text: "hello", token: token)
        }
    }

    private func accept(_ fixture: Fixture, _ asker: UserID, by user: UserID) throws {
        try fixture.store.writeAndWait { store throws(StoreError) in try store.friends.accept(asker, by: user) }
    }

    private func friends(_ fixture: Fixture, _ owner: UserID, after change: Int64 = 0) throws -> [Friend] {
        try fixture.store.readAndWait { store throws(StoreError) in
            try store.friends.page(of: owner, after: change, limit: 1_000)
        }
    }

    // MARK: Profiles

    @Test("a profile is merged member by member, and its change number rises")
    func merging() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        try self.patch(
            fixture, romeo,
            ProfilePatch(
                displayName: "Romeo", avatar: "file/romeo.png", attributes: Array(#"{"sex":1,"city":"Verona"}"#.utf8)))
        let first = try self.profile(fixture, romeo)
        try self.patch(fixture, romeo, ProfilePatch(avatar: "", attributes: Array(#"{"city":null,"age":16}"#.utf8)))
        let second = try self.profile(fixture, romeo)
        #expect(first.displayName == "Romeo" && first.avatar == "file/romeo.png" && first.change > 0)
        #expect(second.displayName == "Romeo" && second.avatar == nil && second.change > first.change)
        #expect(second.attributes == Array(#"{"sex":1,"age":16}"#.utf8))
        try self.patch(fixture, romeo, ProfilePatch(attributes: Array(#"{"sex":null,"age":null}"#.utf8)))
        #expect(try self.profile(fixture, romeo).attributes == nil)
    }

    @Test("settings are kept apart from the profile")
    func settings() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        try self.patch(fixture, romeo, ProfilePatch(settings: Array(#"{"voice_on":0}"#.utf8)))
        #expect(try self.profile(fixture, romeo).attributes == nil)
        let settings = try fixture.store.readAndWait { store throws(StoreError) in try store.people.settings(of: romeo)
        }
        #expect(settings == Array(#"{"voice_on":0}"#.utf8))
    }

    @Test(
        "what is no profile changes nothing",
        arguments: [
            ProfilePatch(displayName: "kept out", attributes: Array("[1]".utf8)),
            ProfilePatch(displayName: "kept out", attributes: Array("{".utf8)),
            ProfilePatch(displayName: "kept out", settings: Array("1".utf8)),
            ProfilePatch(displayName: String(repeating: "x", count: PeopleLimits.nameScalars + 1)),
            ProfilePatch(displayName: "kept out", avatar: String(repeating: "x", count: PeopleLimits.avatarBytes + 1)),
            ProfilePatch(
                displayName: "kept out",
                attributes: Array(#"{"a":"\#(String(repeating: "x", count: PeopleLimits.profileBytes))"}"#.utf8)),
        ])
    func invalid(_ patch: ProfilePatch) throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        #expect(throws: StoreError.self) { try self.patch(fixture, romeo, patch) }
        let profile = try self.profile(fixture, romeo)
        #expect(profile.displayName == nil && profile.change == 0)
        #expect(try fixture.verified().isClean)
    }

    @Test("two patches that fit one by one do not fit together")
    func grown() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let half = String(repeating: "x", count: PeopleLimits.profileBytes / 2)
        try self.patch(fixture, romeo, ProfilePatch(attributes: Array(#"{"a":"\#(half)"}"#.utf8)))
        #expect(throws: StoreError.self) {
            try self.patch(fixture, romeo, ProfilePatch(attributes: Array(#"{"b":"\#(half)"}"#.utf8)))
        }
    }

    @Test("a system account is one until it is taken back; the first of all stays")
    func system() throws {
        let fixture = try Fixture()
        let robot = try fixture.user("robot")
        for isSystem in [true, false] {
            let changed = try fixture.store.writeAndWait { store throws(StoreError) in
                [
                    try store.people.setSystemAccount(robot, isSystem),
                    try store.people.setSystemAccount(robot, isSystem),
                ]
            }
            #expect(changed == [true, false])
            #expect(try self.profile(fixture, robot).isSystem == isSystem)
        }
        #expect(throws: StoreError.invalid("the system's own user cannot be changed")) {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.people.setSystemAccount(.system, false)
            }
        }
    }

    // MARK: Friends

    @Test("an accepted request stands in both lists with one change number, and in neither after its end")
    func friendship() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        try self.ask(fixture, juliet, by: romeo)
        try self.accept(fixture, romeo, by: juliet)
        let (his, hers) = (try self.friends(fixture, romeo), try self.friends(fixture, juliet))
        #expect(his.map(\.name.text) == ["juliet"] && hers.map(\.name.text) == ["romeo"])
        #expect(his[0].change == hers[0].change && !his[0].isRemoved)

        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.friends.setRemark(juliet, of: romeo, "the sun")
        }
        let remarked = try self.friends(fixture, romeo, after: his[0].change)
        #expect(remarked.map(\.remark) == ["the sun"])
        #expect(try self.friends(fixture, juliet, after: hers[0].change) == [])

        try fixture.store.writeAndWait { store throws(StoreError) in try store.friends.remove(romeo, of: juliet) }
        for (user, change) in [(romeo, remarked[0].change), (juliet, hers[0].change)] {
            let left = try self.friends(fixture, user, after: change)
            #expect(left.map(\.isRemoved) == [true] && left[0].remark == nil)
            #expect(try fixture.store.readAndWait { store throws(StoreError) in try store.friends.ids(of: user) } == [])
        }
        #expect(throws: StoreError.refused(.alreadyGone)) {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.friends.remove(romeo, of: juliet)
            }
        }
        #expect(throws: StoreError.refused(.noSuchUser)) {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.friends.setRemark(juliet, of: romeo, "the moon")
            }
        }
        #expect(try fixture.verified().isClean)
    }

    @Test("friends are synced page by page, without a gap")
    func pages() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let others = try (0..<5).map { try fixture.user("friend\($0)") }
        for other in others {
            try fixture.store.writeAndWait { store throws(StoreError) in try store.friends.make(romeo, other) }
        }
        let first = try fixture.store.readAndWait { store throws(StoreError) in
            try store.friends.page(of: romeo, after: 0, limit: 2)
        }
        let rest = try self.friends(fixture, romeo, after: first.last?.change ?? 0)
        #expect((first + rest).map(\.user) == others)
    }

    @Test("asking twice leaves one request, with the newer key; accepting ends those of both directions")
    func renewal() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        try self.ask(fixture, juliet, by: romeo, token: "old")
        try self.ask(fixture, juliet, by: romeo, token: "new")
        try self.ask(fixture, romeo, by: juliet, token: "hers")
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            (
                old: try store.friends.request(to: juliet, token: "old"),
                new: try store.friends.request(to: juliet, token: "new"),
                elsewhere: try store.friends.request(to: romeo, token: "new"),
                waiting: try store.friends.waitingRequests(to: juliet)
            )
        }
        #expect(found.old == nil && found.elsewhere == nil && found.waiting == 1)
        #expect(found.new?.askerName.text == "romeo" && found.new?.otherName.text == "juliet")
        try self.accept(fixture, romeo, by: juliet)
        let waiting = try fixture.store.readAndWait { store throws(StoreError) in
            [try store.friends.waitingRequests(to: juliet), try store.friends.waitingRequests(to: romeo)]
        }
        #expect(waiting == [0, 0])
        #expect(throws: StoreError.refused(.alreadyGone)) { try self.accept(fixture, romeo, by: juliet) }
    }

    @Test("a refused request can neither be accepted nor refused again; a discarded one leaves the list")
    func dismissal() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        try self.ask(fixture, juliet, by: romeo)
        let dismiss = { @Sendable (state: FriendRequestState) throws in
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.friends.dismissRequest(from: romeo, by: juliet, as: state)
            }
        }
        let list = { @Sendable () throws in
            try fixture.store.readAndWait { store throws(StoreError) in
                try store.friends.requests(to: juliet, limit: 10).map(\.state)
            }
        }
        try dismiss(.refused)
        #expect(try list() == [.refused])
        #expect(throws: StoreError.refused(.alreadyGone)) { try dismiss(.refused) }
        #expect(throws: StoreError.refused(.alreadyGone)) { try self.accept(fixture, romeo, by: juliet) }
        try dismiss(.discarded)
        #expect(try list() == [])
    }

    @Test("who is blocked cannot ask")
    func blocked() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.setListed(owner: juliet, .blocked, romeo, true)
        }
        #expect(throws: StoreError.refused(.notApplicable)) { try self.ask(fixture, juliet, by: romeo) }
        let listed = try fixture.store.readAndWait { store throws(StoreError) in
            [
                try store.people.isListed(romeo, by: juliet, on: .blocked),
                try store.people.isListed(juliet, by: romeo, on: .blocked),
                try store.people.isListed(romeo, by: juliet, on: .allowed),
            ]
        }
        #expect(listed == [true, false, false])
    }

    struct Rule: Sendable {
        var refusal: ActionRefusal?
        var facts = FriendRequestFacts()

        init(_ refusal: ActionRefusal?, _ change: (inout FriendRequestFacts) -> Void) {
            self.refusal = refusal
            change(&self.facts)
        }
    }

    @Test(
        "what decides about a friend request",
        arguments: [
            Rule(nil) { _ in },
            Rule(.notApplicable) { $0.isToSelf = true },
            Rule(.notApplicable) { $0.areFriends = true },
            Rule(.notApplicable) { $0.concernsSystem = true },
            Rule(.noSuchUser) { $0.otherIsDisabled = true },
            Rule(.notApplicable) { $0.askerIsBlocked = true },
            Rule(nil) { $0.othersWaiting = PeopleLimits.waitingRequests - 1 },
            Rule(.tooMany(limit: PeopleLimits.waitingRequests)) { $0.othersWaiting = PeopleLimits.waitingRequests },
            Rule(.tooMany(limit: PeopleLimits.waitingRequests)) { $0.askersWaiting = PeopleLimits.waitingRequests },
            Rule(nil) {
                $0.othersWaiting = PeopleLimits.waitingRequests
                $0.isRenewal = true
            },
            Rule(.tooMany(limit: PeopleLimits.friends)) { $0.askersFriends = PeopleLimits.friends },
        ])
    func rules(_ rule: Rule) {
        #expect(friendRequestRefusal(rule.facts) == rule.refusal)
    }

    @Test(
        "only what waits is accepted, and only while both have room",
        arguments: [
            (.waiting, 0, nil), (.waiting, 4_999, nil), (.waiting, 5_000, .tooMany(limit: 5_000)),
            (.accepted, 0, .alreadyGone), (.refused, 0, .alreadyGone), (.discarded, 0, .alreadyGone),
            (nil, 0, .alreadyGone),
        ] as [(FriendRequestState?, Int, ActionRefusal?)])
    func acceptRules(_ state: FriendRequestState?, _ friends: Int, _ refusal: ActionRefusal?) {
        #expect(friendAcceptRefusal(state: state, friends: friends) == refusal)
    }

    @Test(
        "verify finds planted damage",
        arguments: [
            "UPDATE user SET attributes = 'x' WHERE id = 1", "UPDATE user SET settings = '[]' WHERE id = 1",
            "DELETE FROM friend WHERE owner_id = 1", "UPDATE friend SET is_removed = 1 WHERE owner_id = 1",
            "UPDATE friend_request SET state = 7", "DELETE FROM secret",
            "UPDATE device_token SET bare_hash = x'00'",
        ])
    func damage(_ sql: String) throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        try self.ask(fixture, juliet, by: romeo)
        try self.accept(fixture, romeo, by: juliet)
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.issueToken(
                hash: [1, 2, 3], bareHash: Array(repeating: 7, count: 32), user: romeo, class: .app, level: .primary,
                expiresAtMilliseconds: nil)
        }
        #expect(try fixture.verify(try fixture.copied()).isClean)
        fixture.store.close()
        try Connection(path: DataFolder.databasePath(in: fixture.folder.data), role: .writer(synchronous: "FULL"))
            .script(sql)
        let report = try fixture.verify(fixture.folder)
        #expect(Set(report.findings.map(\.kind)) == [.people], "\(report.findings)")
    }
}
