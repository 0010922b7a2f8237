import ChatModel
import Testing

@testable import Store

@Suite("People and their sign-in tokens")
struct UserTests {
    @Test("the system exists from the start and cannot be disabled")
    func system() throws {
        let house = try House()
        let system = try house.store.readAndWait { store throws(StoreError) in try store.user(.system) }
        #expect(system?.name.text == "____system")
        #expect(throws: StoreError.self) {
            try house.store.writeAndWait { store throws(StoreError) in try store.setDisabled(.system, true) }
        }
        #expect(throws: StoreError.exists("user ____system")) { try house.user("____system") }
    }

    @Test("names are equal only byte by byte")
    func namesAreBytes() throws {
        let house = try House()
        let composed = try house.user("caf\u{E9}")
        let decomposed = try house.user("cafe\u{301}")
        let upper = try house.user("CAF\u{C9}")
        #expect(Set([composed, decomposed, upper]).count == 3)
        #expect(throws: StoreError.exists("user caf\u{E9}")) { try house.user("caf\u{E9}") }
        let found = try house.store.readAndWait { store throws(StoreError) in
            try store.user(named: UserName("cafe\u{301}")!)
        }
        #expect(found?.id == decomposed)
    }

    @Test("everything of a person comes back, the password hash only when asked for")
    func roundTrip() throws {
        let house = try House()
        let id = try house.store.writeAndWait { store throws(StoreError) in
            try store.createUser(
                UserName("romeo")!, role: .administrator, displayName: "Romeo Montague", passwordHash: "$argon2id$x",
                externalID: "ext-1")
        }
        let user = try house.store.readAndWait { store throws(StoreError) in try store.user(id) }
        #expect(
            user
                == User(
                    id: id, name: UserName("romeo")!, externalID: "ext-1", displayName: "Romeo Montague",
                    role: .administrator, hasPassword: true,
                    createdAtMilliseconds: house.clock.clock.wallMilliseconds()))
        #expect(
            try house.store.readAndWait { store throws(StoreError) in try store.passwordHash(of: id) } == "$argon2id$x")
        #expect(throws: StoreError.exists("a user with the external id ext-1")) {
            try house.store.writeAndWait { store throws(StoreError) in
                try store.createUser(UserName("other")!, externalID: "ext-1")
            }
        }
    }

    @Test("ensuring a person makes them once")
    func ensure() throws {
        let house = try House()
        let first = try house.store.writeAndWait { store throws(StoreError) in
            try store.ensureUser(UserName("romeo")!).id
        }
        let second = try house.store.writeAndWait { store throws(StoreError) in
            let ensured = try store.ensureUser(UserName("romeo")!)
            return ensured.isNew ? nil : ensured.id
        }
        #expect(second == first)
    }

    @Test("people are listed page by page, without the system")
    func pages() throws {
        let house = try House()
        let ids = try (0..<5).map { try house.user("user\($0)") }
        let pages = try house.store.readAndWait { store throws(StoreError) in
            [try store.users(limit: 3), try store.users(after: ids[2], limit: 3)].map { $0.map(\.id) }
        }
        #expect(pages == [Array(ids[..<3]), Array(ids[3...])])
        #expect(throws: StoreError.invalid("a page has 1 to 1000 entries, not 0")) {
            try house.store.readAndWait { store throws(StoreError) in try store.users(limit: 0).count }
        }
    }

    @Test("a change that throws leaves nothing behind, and what stands beside it stays")
    func savepoint() throws {
        let house = try House()
        #expect(throws: StoreError.invalid("no")) {
            try house.store.writeAndWait { store throws(StoreError) in
                try store.createUser(UserName("ghost")!)
                throw StoreError.invalid("no")
            }
        }
        let ghost = try house.store.readAndWait { store throws(StoreError) in
            try store.user(named: UserName("ghost")!)
        }
        #expect(ghost == nil)
        #expect(house.send("boo", from: .system, to: direct("ghost")).refusal == .noSuchUser)
        _ = try house.user("ghost")
    }

    @Test("a token is found by its hash with everything about it, until it is revoked")
    func tokens() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        try house.store.writeAndWait { store throws(StoreError) in
            try store.issueToken(hash: [1], user: romeo, class: .app, level: .primary, expiresAtMilliseconds: nil)
            try store.issueToken(hash: [2], user: romeo, class: .web, level: .secondary, expiresAtMilliseconds: 77)
        }
        house.clock.advance(milliseconds: 1_000)
        try house.store.writeAndWait { store throws(StoreError) in try store.touchToken(hash: [2]) }
        func token(_ hash: [UInt8]) throws -> DeviceToken? {
            try house.store.readAndWait { store throws(StoreError) in try store.token(hash: hash) }
        }
        let web = try #require(try token([2]))
        #expect(web.user == romeo && web.deviceClass == .web && web.level == .secondary)
        #expect(web.expiresAtMilliseconds == 77 && !web.userIsDisabled)
        #expect(web.lastSeenAtMilliseconds == house.clock.clock.wallMilliseconds())
        let revoked = try house.store.writeAndWait { store throws(StoreError) in
            try store.revokeTokens(of: romeo, class: .web)
        }
        #expect(revoked == 1)
        #expect(try token([2]) == nil)
        #expect(try token([1])?.level == .primary)
    }

    @Test("above the bound the token seen longest ago goes")
    func tokenBound() throws {
        let house = try House { $0.tokensPerUser = 2 }
        let romeo = try house.user("romeo")
        for number in [UInt8(1), 2, 3] {
            house.clock.advance(milliseconds: 10)
            try house.store.writeAndWait { store throws(StoreError) in
                try store.touchToken(hash: [1])
                try store.issueToken(
                    hash: [number], user: romeo, class: .app, level: .primary, expiresAtMilliseconds: nil)
            }
        }
        let kept = try house.store.readAndWait { store throws(StoreError) in
            try [[1], [2], [3]].map { hash throws(StoreError) in try store.token(hash: hash) != nil }
        }
        #expect(kept == [true, false, true])
    }

    @Test("settings are kept, replaced and removed")
    func settings() throws {
        let house = try House()
        try house.store.writeAndWait { store throws(StoreError) in
            try store.setSetting("motd", "hello")
            try store.setSetting("motd", "welcome")
            try store.setSetting("gone", "x")
            try store.setSetting("gone", nil)
        }
        #expect(
            try house.store.readAndWait { store throws(StoreError) in try store.settings() } == ["motd": "welcome"])
    }
}
