import ChatModel
import Testing

@testable import Store

@Suite("People and their sign-in tokens")
struct UserTests {
    @Test("the system exists from the start and cannot be disabled")
    func system() throws {
        let fixture = try Fixture()
        let system = try fixture.store.readAndWait { store throws(StoreError) in try store.people.user(.system) }
        #expect(system?.name.text == "____system")
        #expect(throws: StoreError.self) {
            try fixture.store.writeAndWait { store throws(StoreError) in try store.people.setDisabled(.system, true) }
        }
        #expect(throws: StoreError.exists("user ____system")) { try fixture.user("____system") }
    }

    @Test("names are equal only byte by byte")
    func namesAreBytes() throws {
        let fixture = try Fixture()
        let composed = try fixture.user("caf\u{E9}")
        let decomposed = try fixture.user("cafe\u{301}")
        let upper = try fixture.user("CAF\u{C9}")
        #expect(Set([composed, decomposed, upper]).count == 3)
        #expect(throws: StoreError.exists("user caf\u{E9}")) { try fixture.user("caf\u{E9}") }
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            try store.people.user(named: UserName("cafe\u{301}")!)
        }
        #expect(found?.id == decomposed)
    }

    @Test("everything of a person comes back, the password hash only when asked for")
    func roundTrip() throws {
        let fixture = try Fixture()
        let id = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.createUser(
                UserName("romeo")!, role: .administrator, displayName: "Romeo Montague", passwordHash: "$argon2id$x",
                externalID: "ext-1")
        }
        let user = try fixture.store.readAndWait { store throws(StoreError) in try store.people.user(id) }
        #expect(
            user
                == User(
                    id: id, name: UserName("romeo")!, externalID: "ext-1", displayName: "Romeo Montague",
                    role: .administrator, hasPassword: true,
                    createdAtMilliseconds: fixture.clock.clock.wallMilliseconds()))
        #expect(
            try fixture.store.readAndWait { store throws(StoreError) in try store.people.passwordHash(of: id) }
                == "$argon2id$x")
        #expect(throws: StoreError.exists("a user with the external id ext-1")) {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.people.createUser(UserName("other")!, externalID: "ext-1")
            }
        }
    }

    @Test("ensuring a person makes them once")
    func ensure() throws {
        let fixture = try Fixture()
        let first = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.ensureUser(UserName("romeo")!).id
        }
        let second = try fixture.store.writeAndWait { store throws(StoreError) in
            let ensured = try store.people.ensureUser(UserName("romeo")!)
            return ensured.isNew ? nil : ensured.id
        }
        #expect(second == first)
    }

    @Test("people are listed page by page, without the system")
    func pages() throws {
        let fixture = try Fixture()
        let ids = try (0..<5).map { try fixture.user("user\($0)") }
        let pages = try fixture.store.readAndWait { store throws(StoreError) in
            [try store.people.users(limit: 3), try store.people.users(after: ids[2], limit: 3)].map { $0.map(\.id) }
        }
        #expect(pages == [Array(ids[..<3]), Array(ids[3...])])
        #expect(throws: StoreError.invalid("a page has 1 to 1000 entries, not 0")) {
            try fixture.store.readAndWait { store throws(StoreError) in try store.people.users(limit: 0).count }
        }
    }

    @Test("a change that throws leaves nothing behind, and what stands beside it stays")
    func savepoint() throws {
        let fixture = try Fixture()
        #expect(throws: StoreError.invalid("no")) {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.people.createUser(UserName("ghost")!)
                throw StoreError.invalid("no")
            }
        }
        let ghost = try fixture.store.readAndWait { store throws(StoreError) in
            try store.people.user(named: UserName("ghost")!)
        }
        #expect(ghost == nil)
        #expect(fixture.send("boo", from: .system, to: direct("ghost")).refusal == .noSuchUser)
        _ = try fixture.user("ghost")
    }

    @Test("a token is found by its hash with everything about it, until it is revoked")
    func tokens() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.issueToken(
                hash: [1], user: romeo, class: .app, level: .primary, expiresAtMilliseconds: nil)
            try store.people.issueToken(
                hash: [2], user: romeo, class: .web, level: .secondary, expiresAtMilliseconds: 77)
        }
        fixture.clock.advance(milliseconds: 1_000)
        try fixture.store.writeAndWait { store throws(StoreError) in try store.people.touchToken(hash: [2]) }
        func token(_ hash: [UInt8]) throws -> DeviceToken? {
            try fixture.store.readAndWait { store throws(StoreError) in try store.people.token(hash: hash) }
        }
        let web = try #require(try token([2]))
        #expect(web.user == romeo && web.deviceClass == .web && web.level == .secondary)
        #expect(web.expiresAtMilliseconds == 77 && !web.userIsDisabled)
        #expect(web.lastSeenAtMilliseconds == fixture.clock.clock.wallMilliseconds())
        let revoked = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.revokeTokens(of: romeo, class: .web)
        }
        #expect(revoked == 1)
        #expect(try token([2]) == nil)
        #expect(try token([1])?.level == .primary)
    }

    @Test("above the bound the token seen longest ago goes")
    func tokenBound() throws {
        let fixture = try Fixture { $0.tokensPerUser = 2 }
        let romeo = try fixture.user("romeo")
        for number in [UInt8(1), 2, 3] {
            fixture.clock.advance(milliseconds: 10)
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.people.touchToken(hash: [1])
                try store.people.issueToken(
                    hash: [number], user: romeo, class: .app, level: .primary, expiresAtMilliseconds: nil)
            }
        }
        let kept = try fixture.store.readAndWait { store throws(StoreError) in
            try [[1], [2], [3]].map { hash throws(StoreError) in try store.people.token(hash: hash) != nil }
        }
        #expect(kept == [true, false, true])
    }

    @Test("settings are kept, replaced and removed")
    func settings() throws {
        let fixture = try Fixture()
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.setSetting("motd", "hello")
            try store.setSetting("motd", "welcome")
            try store.setSetting("gone", "x")
            try store.setSetting("gone", nil)
        }
        #expect(
            try fixture.store.readAndWait { store throws(StoreError) in try store.settings() } == ["motd": "welcome"])
    }
}
