import ChatModel
import Execution
import Store
import Testing

@testable import Accounts

@Suite("Tokens")
struct SignInTokenTests {
    @Test("made here: recognisable, 256 random bits, safe in a URL, never the same")
    func random() {
        let tokens = (0..<100).map { _ in SignInToken.random().text }
        #expect(Set(tokens).count == 100)
        for token in tokens {
            #expect(token.hasPrefix("tea_"))
            #expect(token.utf8.count == 4 + 43)
            #expect(
                token.utf8.dropFirst(4).allSatisfy { byte in
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                })
        }
    }

    @Test("chosen by an app: 1 to 256 bytes", arguments: [(0, false), (1, true), (256, true), (257, false)])
    func lengths(_ bytes: Int, _ isGood: Bool) {
        #expect((SignInToken(String(repeating: "x", count: bytes)) != nil) == isGood)
    }

    @Test("the stored hash depends on the person, the class and the token")
    func hashes() throws {
        let token = try #require(SignInToken("same text"))
        let other = try #require(SignInToken("same texT"))
        let hashes = [
            token.hash(for: romeo, class: .app), token.hash(for: juliet, class: .app),
            token.hash(for: romeo, class: .web), other.hash(for: romeo, class: .app),
        ]
        #expect(Set(hashes).count == 4)
        #expect(hashes.allSatisfy { $0.count == 32 })
        #expect(token.hash(for: romeo, class: .app) == hashes[0])
    }

    @Test("a token has no printable form")
    func unprintable() throws {
        let token = SignInToken.random()
        var dumped = ""
        dump(token, to: &dumped)
        dump(Credentials.token(token.text), to: &dumped)
        dump(Credentials.password(goodPassword), to: &dumped)
        let printed = "\(token) \(Credentials.token(token.text)) \(Credentials.password(goodPassword)) \(dumped)"
        #expect(!printed.contains(token.text))
        #expect(!printed.contains(goodPassword))
    }

    @Test("signs in with what the token was issued for")
    func signsIn() throws {
        let fixture = try Fixture()
        let id = try fixture.add(romeo, role: .administrator)
        let token = try fixture.issue(romeo, class: .web)
        let identity = try #require(fixture.signIn(romeo, .token(token), class: .web).identity)
        #expect(identity.user == id)
        #expect(identity.name == romeo)
        #expect(identity.role == .administrator)
        #expect(identity.deviceClass == .web)
        #expect(identity.level == .secondary)
        #expect(fixture.accounts.authenticator.isStillValid(identity))
        #expect(fixture.accounts.authenticator.metrics.signedIn.current == 1)
    }

    @Test("only the hash is in the store")
    func storesHash() throws {
        let fixture = try Fixture()
        let id = try fixture.add(romeo)
        let token = try #require(SignInToken(try fixture.issue(romeo)))
        let hash = token.hash(for: romeo, class: .app)
        let found = try fixture.store.readAndWait { store throws(StoreError) in try store.people.token(hash: hash) }
        #expect(found?.user == id)
        #expect(
            try fixture.store.readAndWait { store throws(StoreError) in
                try store.people.token(hash: Array(token.text.utf8))
            }
                == nil)
    }

    @Test(
        "without a class asked for, a token of any usual class will do", arguments: [DeviceClass.app, .web, .desktop])
    func anyClass(_ deviceClass: DeviceClass) throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        let token = try fixture.issue(romeo, class: deviceClass)
        #expect(fixture.signIn(romeo, .token(token), class: nil).identity?.deviceClass == deviceClass)
    }

    @Test("a token of another class is wrong, and the log says so")
    func wrongClass() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        let token = try fixture.issue(romeo, class: .app)
        #expect(fixture.signIn(romeo, .token(token), class: .web) == .refused(.wrongCredentials))
        #expect(fixture.log.contains("reason=wrong_device_class"))
        #expect(fixture.log.contains("issued for a device of class app"))
    }

    @Test("another's token, an unknown user, an unknown token and an empty one get the same answer")
    func wrong() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        try fixture.add(juliet)
        let token = try fixture.issue(romeo)
        let nobody = try #require(UserName("nobody"))
        #expect(fixture.signIn(juliet, .token(token)) == .refused(.wrongCredentials))
        #expect(fixture.signIn(nobody, .token(token)) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .token(token + "x")) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .token("")) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .token(String(repeating: "x", count: 1 << 20))) == .refused(.wrongCredentials))
        #expect(fixture.log.contains("reason=unknown_user"))
        #expect(fixture.log.contains("reason=unknown_token"))
        #expect(fixture.log.contains("reason=malformed_token"))
    }

    @Test("lives as long as it was given, and a clock set wrong by a year does not end it")
    func expires() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        let token = try fixture.issue(romeo, seconds: 600)
        fixture.hands.advance(milliseconds: 599_999)
        #expect(fixture.signIn(romeo, .token(token)).identity != nil)
        let right = fixture.hands.clock.wallMilliseconds()
        fixture.hands.setWall(milliseconds: right + 31_536_000_000)
        #expect(fixture.signIn(romeo, .token(token)).identity != nil)
        fixture.hands.setWall(milliseconds: right + 1)
        #expect(fixture.signIn(romeo, .token(token)) == .refused(.wrongCredentials))
        #expect(fixture.log.contains("reason=expired_token"))
    }

    @Test("two people, and two devices of one, may have the same token from their app")
    func sharedText() throws {
        let fixture = try Fixture()
        for (name, deviceClass) in [(romeo, DeviceClass.app), (romeo, .web), (juliet, .app)] {
            _ = try fixture.accounts.wait {
                fixture.accounts.registerToken("12345", for: name, class: deviceClass, level: .primary, then: $0)
            }
        }
        #expect(fixture.signIn(romeo, .token("12345"), class: .app).identity?.level == .primary)
        #expect(fixture.signIn(romeo, .token("12345"), class: .web).identity?.name == romeo)
        #expect(fixture.signIn(juliet, .token("12345"), class: .app).identity?.name == juliet)
        #expect(fixture.signIn(juliet, .token("12345"), class: .web) == .refused(.wrongCredentials))
    }

    @Test("a token from an app adds its user and replaces the one of the same class only")
    func replaces() throws {
        let fixture = try Fixture()
        let register = { (text: String, deviceClass: DeviceClass) throws in
            try fixture.accounts.wait {
                fixture.accounts.registerToken(text, for: romeo, class: deviceClass, level: .primary, then: $0)
            }
        }
        #expect(try register("one", .app).revokedTokens == 0)
        #expect(try register("web", .web).revokedTokens == 0)
        #expect(try register("one", .app).revokedTokens == 0)
        let sessions = try register("two", .app)
        #expect(sessions.revokedTokens == 1)
        #expect(sessions.deviceClass == .app)
        #expect(fixture.signIn(romeo, .token("one")) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .token("two")).identity != nil)
        #expect(fixture.signIn(romeo, .token("web"), class: .web).identity != nil)
        #expect(throws: AccountsError.badToken) { try register("", .app) }
    }

    @Test("thousands at once all get in, from one address, whatever failed there")
    func stampede() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        for number in 0..<40 { _ = fixture.signIn(UserName("nobody\(number)")!, .token("wrong")) }
        #expect(fixture.signIn(juliet, .token("wrong")).pauseSeconds != nil)
        let token = try fixture.issue(romeo)
        let results = ConditionLock([SignInResult]())
        for _ in 0..<5_000 {
            fixture.start(romeo, .token(token)) { result in results.change { $0.append(result) } }
        }
        let all = results.wait(until: { $0.count == 5_000 }, then: { $0 })
        #expect(all.allSatisfy { $0.identity != nil })
    }

    @Test("one more than may wait is told that the server is busy")
    func busy() throws {
        let fixture = try Fixture { $0.queuedTokenSignIns = 8 }
        try fixture.add(romeo)
        let token = try fixture.issue(romeo)
        let gate = ConditionLock(false)
        let held = ConditionLock(0)
        // Both readers, and the thread that takes sign-ins alone.
        for _ in 0..<3 {
            fixture.store.read(
                as: .signIn,
                { _ in
                    held.change { $0 += 1 }
                    gate.wait(until: { $0 }, then: { _ in })
                }, then: { _ in })
        }
        held.wait(until: { $0 == 3 }, then: { _ in })
        let results = ConditionLock([SignInResult]())
        for _ in 0..<11 { fixture.start(romeo, .token(token)) { result in results.change { $0.append(result) } } }
        #expect(results.read { $0 } == [.refused(.busy)])
        gate.change { $0 = true }
        let all = results.wait(until: { $0.count == 11 }, then: { $0 })
        #expect(all.dropFirst().allSatisfy { $0.identity != nil })
    }

    @Test("wrong tokens are slowed down, a new token ends the pause")
    func throttled() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        for _ in 0..<5 { #expect(fixture.signIn(romeo, .token("wrong")) == .refused(.wrongCredentials)) }
        #expect(fixture.signIn(romeo, .token("wrong")).pauseSeconds == 2)
        let token = try fixture.issue(romeo)
        #expect(fixture.signIn(romeo, .token(token)).identity != nil)
    }

    @Test("use is noted once an hour")
    func touches() throws {
        let fixture = try Fixture()
        let id = try fixture.add(romeo)
        let token = try fixture.issue(romeo)
        let issued = fixture.hands.clock.wallMilliseconds()
        let lastSeen = { () throws in
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.reading.people.tokens(of: id).first?.lastSeenAtMilliseconds
            }
        }
        fixture.hands.advance(milliseconds: 3_599_999)
        _ = fixture.signIn(romeo, .token(token))
        #expect(try lastSeen() == issued)
        fixture.hands.advance(milliseconds: 1)
        _ = fixture.signIn(romeo, .token(token))
        #expect(try lastSeen() == issued + 3_600_000)
    }
}
