import ChatModel
import Execution
import Store
import Testing

@testable import Accounts

@Suite("How an app's clients sign in") struct AppSignInTests {
    private func fixture(_ change: (inout AccountsOptions) -> Void = { _ in }) throws -> Fixture {
        let fixture = try Fixture(change)
        try fixture.accounts.app.open()
        return fixture
    }

    private func signed(_ fixture: Fixture, _ name: UserName = romeo, nonce: String = "n") throws -> Credentials {
        .signature(try fixture.signature(.open(client: name.text), nonce: nonce))
    }

    private func user(_ fixture: Fixture, _ name: UserName) throws -> User? {
        try fixture.store.readAndWait { transaction throws(StoreError) in try transaction.people.user(named: name) }
    }

    @Test("a signature signs in with the device that was named, once where that is set, and adds who is not known")
    func signature() throws {
        let fixture = try self.fixture { $0.app.signaturesAreForOneUse = true }
        let credentials = try self.signed(fixture)
        let identity = try #require(fixture.signIn(romeo, credentials, class: .web).identity)
        #expect(identity.name == romeo && identity.deviceClass == .web && identity.level == .secondary)
        #expect(try self.user(fixture, romeo)?.id == identity.user)
        #expect(fixture.signIn(romeo, credentials) == .refused(.expired))
        #expect(try fixture.signIn(romeo, self.signed(fixture, nonce: "2")).identity?.user == identity.user)
        #expect(try fixture.signIn(romeo, self.signed(fixture, juliet)) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .none) == .refused(.wrongCredentials))
        #expect(try self.user(fixture, juliet) == nil)
        #expect(fixture.log.contains("user_added_at_sign_in"))
    }

    @Test("a signature that an app has kept signs in again, until the person is signed out everywhere")
    func keptSignature() throws {
        let fixture = try self.fixture()
        let kept = try self.signed(fixture)
        for _ in 0..<3 { #expect(fixture.signIn(romeo, kept).identity != nil) }
        fixture.hands.advance(milliseconds: 1_000)
        _ = try fixture.accounts.wait { fixture.accounts.revokeSessionTokens(of: romeo, then: $0) }
        #expect(fixture.signIn(romeo, kept) == .refused(.expired))
        #expect(fixture.log.contains("revoked_signature"))
        // One that was not shown before may be new, whatever another server's clock has written into it.
        let early = fixture.hands.clock.wallMilliseconds() - 60_000
        let fresh = try fixture.signature(.open(client: "romeo"), time: early, nonce: "fresh")
        for _ in 0..<2 { #expect(fixture.signIn(romeo, .signature(fresh)).identity != nil) }
    }

    @Test("where people are not added, who is not known stays out")
    func noNewUsers() throws {
        let fixture = try self.fixture { $0.app.createsUsers = false }
        #expect(try fixture.signIn(romeo, self.signed(fixture)) == .refused(.wrongCredentials))
        #expect(try self.user(fixture, romeo) == nil)
        let id = try fixture.add(romeo, role: .administrator)
        let identity = try fixture.signIn(romeo, self.signed(fixture, nonce: "2")).identity
        #expect(identity?.user == id && identity?.role == .administrator)
        var policy = AppPolicy()
        policy.signIn = .open
        policy.createsUsers = false
        fixture.accounts.app.apply(policy)
        #expect(fixture.signIn(juliet, .none) == .refused(.wrongCredentials))
    }

    @Test("where everybody is believed nothing is asked for, and nobody gets an administrator's rights")
    func open() throws {
        let fixture = try self.fixture { $0.app.signIn = .open }
        try fixture.add(romeo, role: .administrator)
        #expect(fixture.signIn(romeo, .none).identity?.role == .member)
        let wrong = ActionSignature(signature: "00", timestamp: 1, nonce: "n")
        #expect(fixture.signIn(juliet, .signature(wrong)).identity?.name == juliet)
    }

    @Test("where device tokens are wanted a signature will not do, and device tokens sign in everywhere")
    func token() throws {
        let fixture = try self.fixture { $0.app.signIn = .token }
        try fixture.add(romeo)
        let token = try fixture.issue(romeo)
        #expect(try fixture.signIn(romeo, self.signed(fixture)) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .none) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .token(token)).identity?.name == romeo)
        fixture.accounts.app.apply(AppPolicy())
        #expect(fixture.signIn(romeo, .token(token)).identity?.name == romeo)
    }

    @Test("an old signature is told from a wrong one, and slows nobody down")
    func expired() throws {
        let fixture = try self.fixture()
        let now = fixture.hands.clock.wallMilliseconds()
        let old = try fixture.signature(.open(client: "romeo"), time: now - 21_601_000)
        for _ in 0..<20 { #expect(fixture.signIn(romeo, .signature(old)) == .refused(.expired)) }
        #expect(try fixture.signIn(romeo, self.signed(fixture)).identity != nil)
        #expect(fixture.log.contains("expired_signature"))
    }

    @Test("wrong signatures and session tokens slow the pair down, and keep out neither the owner nor who is elsewhere")
    func throttled() throws {
        let fixture = try self.fixture()
        let wrong = Credentials.signature(ActionSignature(signature: "00", timestamp: 1, nonce: "n"))
        for _ in 0..<5 { #expect(fixture.signIn(romeo, wrong) == .refused(.wrongCredentials)) }
        #expect(fixture.signIn(romeo, wrong).pauseSeconds != nil)
        #expect(fixture.signIn(romeo, .sessionToken("x")).pauseSeconds != nil)
        // Nobody guesses a right one.
        let identity = try #require(try fixture.signIn(romeo, self.signed(fixture)).identity)
        let session = try #require(fixture.accounts.app.issueSessionToken(SessionClaims(identity), of: identity)?.text)
        #expect(fixture.signIn(romeo, wrong).pauseSeconds != nil)
        #expect(fixture.signIn(romeo, .sessionToken(session)).identity?.user == identity.user)
        #expect(try fixture.signIn(romeo, self.signed(fixture), address: "192.168.1.8").identity != nil)
        try fixture.add(juliet)
        let token = try fixture.issue(juliet)
        #expect(fixture.signIn(juliet, .token(token)).identity != nil)
    }

    @Test("who shows nothing guesses nothing, and is never told to wait")
    func nothingShown() throws {
        let fixture = try self.fixture()
        for _ in 0..<20 { #expect(fixture.signIn(romeo, .none) == .refused(.wrongCredentials)) }
        #expect(fixture.log.contains("no_signature"))
    }

    @Test("without TLS signatures are taken from where tokens are")
    func plain() throws {
        let fixture = try self.fixture()
        #expect(try fixture.signIn(romeo, self.signed(fixture), encrypted: false).identity != nil)
        #expect(
            try fixture.signIn(romeo, self.signed(fixture, nonce: "2"), origin: .publicNetwork, encrypted: false)
                == .refused(.plainNotAllowed))
        let strict = try self.fixture { options in
            options.takesPlainTokens = false
            options.app.signIn = .open
        }
        #expect(strict.signIn(romeo, .none, encrypted: false) == .refused(.plainNotAllowed))
        #expect(strict.signIn(romeo, .none, origin: .loopback, encrypted: false).identity != nil)
    }

    @Test("disabled and deleted people, and the server's own user, stay out")
    func stayOut() throws {
        let fixture = try self.fixture()
        try fixture.add(romeo)
        try fixture.add(juliet)
        _ = try fixture.accounts.wait { fixture.accounts.setDisabled(romeo, true, then: $0) }
        try fixture.delete(juliet)
        #expect(try fixture.signIn(romeo, self.signed(fixture)) == .refused(.disabled))
        #expect(try fixture.signIn(juliet, self.signed(fixture, juliet)) == .refused(.disabled))
        #expect(try fixture.signIn(systemUserName, self.signed(fixture, systemUserName)) == .refused(.wrongCredentials))
        fixture.accounts.app.apply(AppPolicy().with { $0.signIn = .open })
        #expect(fixture.signIn(systemUserName, .none) == .refused(.wrongCredentials))
        #expect(fixture.signIn(juliet, .none) == .refused(.disabled))
    }

    @Test("where LeanCloud's clients are not served nothing of theirs signs in")
    func closed() throws {
        let fixture = try Fixture { $0.app.signIn = .open }
        #expect(fixture.signIn(romeo, .none) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .sessionToken("x")) == .refused(.wrongCredentials))
    }

    @Test("hundreds at once are all let in")
    func many() throws {
        let fixture = try self.fixture { $0.app.signIn = .open }
        let signedIn = ConditionLock(0)
        for number in 0..<600 {
            fixture.start(UserName("u\(number % 300)")!, .none) { result in
                if result.identity != nil { signedIn.change { $0 += 1 } }
            }
        }
        signedIn.wait(until: { $0 == 600 }, then: { _ in })
    }
}

@Suite("Session tokens") struct SessionTokenTests {
    private func fixture(_ change: (inout AccountsOptions) -> Void = { _ in }) throws -> Fixture {
        let fixture = try Fixture(change)
        try fixture.accounts.app.open()
        return fixture
    }

    private func enter(_ fixture: Fixture, _ name: UserName = romeo, nonce: String = "n") throws -> Identity {
        let signature = try fixture.signature(.open(client: name.text), nonce: nonce)
        return try #require(fixture.signIn(name, .signature(signature)).identity)
    }

    private func issue(_ fixture: Fixture, to identity: Identity) throws -> String {
        try #require(fixture.accounts.app.issueSessionToken(SessionClaims(identity), of: identity)).text
    }

    @Test("a token brings back who and which device, for its two days")
    func life() throws {
        let fixture = try self.fixture()
        let app = fixture.accounts.app
        let identity = try self.enter(fixture)
        let claims = SessionClaims(identity, tag: "Mobile", deviceID: "device-1")
        let issued = try #require(app.issueSessionToken(claims, of: identity))
        #expect(
            issued.lifetimeSeconds == 172_800 && issued.text.utf8.count <= 512 && "\(issued)" == "(a session token)")
        guard case .valid(let read) = app.readSessionToken(issued.text, for: romeo) else {
            Issue.record("not valid")
            return
        }
        #expect(read.user == identity.user && read.name == romeo && read.tag == "Mobile" && read.deviceID == "device-1")
        #expect(read.issuedAtMilliseconds == fixture.hands.clock.wallMilliseconds())
        #expect(app.readSessionToken(issued.text, for: nil) == .valid(read))
        #expect(app.readSessionToken(issued.text, for: juliet) == .wrong)
        let again = try #require(fixture.signIn(romeo, .sessionToken(issued.text), class: .web).identity)
        #expect(again.user == identity.user && again.deviceClass == .web)
        #expect(fixture.signIn(juliet, .sessionToken(issued.text)) == .refused(.wrongCredentials))
        fixture.hands.advance(milliseconds: 172_800_000 - 1)
        #expect(fixture.signIn(romeo, .sessionToken(issued.text)).identity != nil)
        fixture.hands.advance(milliseconds: 1)
        for _ in 0..<20 { #expect(fixture.signIn(romeo, .sessionToken(issued.text)) == .refused(.expired)) }
    }

    @Test("a changed text, or one of another server, is none")
    func forged() throws {
        let fixture = try self.fixture()
        let identity = try self.enter(fixture)
        let text = try self.issue(fixture, to: identity)
        var bytes = Array(text.utf8)
        for index in bytes.indices {
            let kept = bytes[index]
            bytes[index] = kept == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(fixture.accounts.app.readSessionToken(String(decoding: bytes, as: UTF8.self), for: romeo) == .wrong)
            bytes[index] = kept
        }
        for wrong in ["", "x", text + "A", String(text.dropLast()), String(repeating: "A", count: 100_000)] {
            #expect(fixture.accounts.app.readSessionToken(wrong, for: romeo) == .wrong)
        }
        let other = try self.fixture()
        #expect(other.accounts.app.readSessionToken(text, for: romeo) == .wrong)
        for _ in 0..<5 { #expect(other.signIn(romeo, .sessionToken(text)) == .refused(.wrongCredentials)) }
        #expect(other.signIn(romeo, .sessionToken(text)).pauseSeconds != nil)
    }

    @Test("the longest names, tags and devices fit, and what is longer is compared by its hash")
    func sizes() throws {
        let fixture = try self.fixture()
        let name = try #require(UserName(String(repeating: "\u{1F375}", count: 64)))
        var identity = try self.enter(fixture, name)
        identity.user = UserID(rawValue: .max)
        let long = String(repeating: "x", count: 400)
        let claims = SessionClaims(
            identity, tag: String(repeating: "t", count: 28), deviceID: String(repeating: "d", count: 36))
        let issued = try #require(fixture.accounts.app.issueSessionToken(claims, of: identity))
        #expect(issued.text.utf8.count <= 512)
        guard case .valid(let read) = fixture.accounts.app.readSessionToken(issued.text, for: name) else {
            Issue.record("not valid")
            return
        }
        #expect(read.tag?.utf8.count == 28 && read.deviceID?.utf8.count == 36)
        let marked = SessionClaims(identity, tag: long, deviceID: long)
        #expect(marked.tag == SessionClaims.tagMark(long) && marked.tag != SessionClaims.tagMark(long + "x"))
        #expect(try #require(marked.deviceID).utf8.count == 23)
    }

    @Test("tokens are taken back with rights, for good, and new ones count", arguments: Loss.allCases)
    func revoked(_ loss: Loss) throws {
        let fixture = try self.fixture()
        let identity = try self.enter(fixture)
        let other = try self.issue(fixture, to: try self.enter(fixture, juliet))
        let text = try self.issue(fixture, to: identity)
        try loss.happen(in: fixture)
        #expect(fixture.accounts.app.readSessionToken(text, for: romeo) == .expired)
        #expect(fixture.signIn(romeo, .sessionToken(text)) == .refused(.expired))
        // A session that is still there for a moment gets no new one.
        #expect(fixture.accounts.app.issueSessionToken(SessionClaims(identity), of: identity) == nil)
        let restarted = fixture.anotherAuthenticator()
        try restarted.open()
        #expect(restarted.readSessionToken(text, for: romeo) == .expired)
        guard case .valid = restarted.readSessionToken(other, for: juliet) else {
            Issue.record("another person's token was taken back too")
            return
        }
        guard loss != .disabled, loss != .deleted else { return }
        let later = try self.issue(fixture, to: try self.enter(fixture, nonce: "2"))
        guard case .valid = fixture.accounts.app.readSessionToken(later, for: romeo) else {
            Issue.record("the new one does not count")
            return
        }
    }

    enum Loss: CaseIterable {
        case disabled
        case deleted
        case password
        case tokens
        case thrownOut
        case role
        case appToken

        func happen(in fixture: Fixture) throws {
            let accounts = fixture.accounts
            switch self {
            case .disabled: _ = try accounts.wait { accounts.setDisabled(romeo, true, then: $0) }
            case .deleted: try fixture.delete(romeo)
            case .password: _ = try accounts.wait { accounts.setPassword(of: romeo, to: goodPassword, then: $0) }
            case .tokens: _ = try accounts.wait { accounts.revokeTokens(of: romeo, then: $0) }
            case .thrownOut: _ = try accounts.wait { accounts.revokeSessionTokens(of: romeo, then: $0) }
            case .role: _ = try accounts.wait { accounts.edit(romeo, role: .administrator, then: $0) }
            case .appToken:
                for token in ["first", "second"] {
                    _ = try accounts.wait {
                        accounts.registerToken(token, for: romeo, class: .app, level: .secondary, then: $0)
                    }
                }
            }
        }
    }

    @Test("a token of a time when everybody was believed proves nothing later")
    func openDoorCloses() throws {
        let fixture = try self.fixture { $0.app.signIn = .open }
        let identity = try #require(fixture.signIn(romeo, .none).identity)
        let text = try self.issue(fixture, to: identity)
        #expect(fixture.signIn(romeo, .sessionToken(text)).identity != nil)
        fixture.accounts.app.apply(AppPolicy())
        #expect(fixture.signIn(romeo, .sessionToken(text)) == .refused(.expired))
        let proven = try self.issue(fixture, to: try self.enter(fixture))
        fixture.accounts.app.apply(AppPolicy().with { $0.signIn = .token })
        #expect(fixture.signIn(romeo, .sessionToken(proven)).identity != nil)
    }

    @Test("nobody gets a token for somebody else")
    func strange() throws {
        let fixture = try self.fixture()
        let (one, other) = (try self.enter(fixture), try self.enter(fixture, juliet))
        #expect(fixture.accounts.app.issueSessionToken(SessionClaims(one), of: other) == nil)
    }
}

@Suite("Passwords that were imported from LeanCloud") struct ImportedPasswordTests {
    private static let salt = "h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2"
    private static let hash = "tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug=="

    @Test("the published example fits, and nothing else does")
    func vector() throws {
        let imported = try #require(ImportedPassword(salt: Self.salt, hash: Self.hash))
        #expect(imported.fits("password") && !imported.fits("Password") && !imported.fits(""))
        #expect(imported.stored == "leancloud$\(Self.salt)$\(Self.hash)")
        #expect(ImportedPassword(stored: imported.stored) == imported)
        let strange = try #require(ImportedPassword(salt: "a$b$", hash: Self.hash))
        #expect(ImportedPassword(stored: strange.stored) == strange)
        for wrong in [
            "", "leancloud$", "leancloud$a", "leancloud$a$AAAA", "$argon2id$v=19$x$y", "LeanCloud$a$\(Self.hash)",
        ] {
            #expect(ImportedPassword(stored: wrong) == nil, "\(wrong)")
        }
        #expect(ImportedPassword(salt: String(repeating: "s", count: 257), hash: Self.hash) == nil)
    }

    @Test("the first right password signs in and is kept as argon2id, a wrong one changes nothing")
    func replaced() throws {
        let fixture = try Fixture()
        let id = try fixture.add(romeo)
        let imported = try #require(ImportedPassword(salt: Self.salt, hash: Self.hash)).stored
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.people.setPasswordHash(id, imported)
        }
        let hash = {
            try fixture.store.readAndWait { store throws(StoreError) in try store.people.passwordHash(of: id) }
        }
        #expect(fixture.signIn(romeo, .password("passw0rd")) == .refused(.wrongCredentials))
        #expect(try hash() == imported)
        #expect(fixture.signIn(romeo, .password("password")).identity?.user == id)
        // Renewed before the next change.
        try fixture.store.writeAndWait { _ throws(StoreError) in }
        #expect(try #require(try hash()).hasPrefix("$argon2id$"))
        #expect(fixture.signIn(romeo, .password("password")).identity?.user == id)
    }
}

extension AppPolicy {
    func with(_ change: (inout AppPolicy) -> Void) -> AppPolicy {
        var policy = self
        change(&policy)
        return policy
    }
}

extension Fixture {
    func delete(_ name: UserName) throws {
        _ = try self.accounts.wait {
            self.accounts.delete(name, by: .server, then: $0)
        }
    }
}
