import ChatModel
import Execution
import Store
import Testing

@testable import Accounts

@Suite("Passwords")
struct PasswordTests {
    @Test(
        "a new password has to be hard to guess",
        arguments: [
            ("short", PasswordProblem.tooShort(minimum: 10)),
            ("", .tooShort(minimum: 10)),
            (String(repeating: "long ", count: 52), .tooLong),
            ("1234567890", .tooCommon),
            ("Password123", .tooCommon),
            ("aaaaaaaaaaaaaaaa", .tooCommon),
            ("Montague Romeo", .sameAsName),
            ("line one\nline two", .controlCharacter),
            ("zero\u{0}byte in it", .controlCharacter),
        ])
    func policy(_ password: String, _ problem: PasswordProblem) throws {
        let name = try #require(UserName("montague romeo"))
        #expect(PasswordPolicy().problem(with: password, for: name) == problem)
    }

    @Test(
        "words in any script are fine",
        arguments: [
            goodPassword, "云想衣裳花想容春风拂槛", String(repeating: "ab", count: 128),
        ])
    func accepted(_ password: String) {
        #expect(PasswordPolicy().problem(with: password, for: romeo) == nil)
    }

    @Test("the minimum is a setting, and common ones are refused below ten characters too")
    func minimum() {
        var policy = PasswordPolicy()
        policy.minimumCharacters = 6
        #expect(policy.problem(with: "montag", for: romeo) == nil)
        #expect(policy.problem(with: "qwerty", for: romeo) == .tooCommon)
    }

    @Test("the default hash is argon2id with 19 MiB and two passes")
    func parameters() throws {
        let fixture = try Fixture { $0.passwords = PasswordPolicy() }
        let id = try fixture.add(romeo, password: goodPassword)
        let hash = try fixture.store.readAndWait { store throws(StoreError) in try store.people.passwordHash(of: id) }
        #expect(try #require(hash).hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(fixture.signIn(romeo, .password(goodPassword)).identity != nil)
    }

    @Test("the right password signs in, beside other sessions")
    func right() throws {
        let fixture = try Fixture()
        let id = try fixture.add(romeo, password: goodPassword)
        let identity = try #require(fixture.signIn(romeo, .password(goodPassword), class: .web).identity)
        #expect(identity.user == id)
        #expect(identity.deviceClass == .web)
        #expect(identity.level == .secondary)
        #expect(fixture.signIn(romeo, .password(goodPassword), class: nil).identity?.deviceClass == .desktop)
    }

    @Test("a wrong, a missing and an overlong one, and an unknown user, get the same answer; the log tells them apart")
    func wrong() throws {
        let fixture = try Fixture()
        try fixture.add(romeo, password: goodPassword)
        try fixture.add(juliet)
        let nobody = try #require(UserName("nobody"))
        #expect(fixture.signIn(romeo, .password(goodPassword + " ")) == .refused(.wrongCredentials))
        #expect(fixture.signIn(juliet, .password(goodPassword)) == .refused(.wrongCredentials))
        #expect(fixture.signIn(nobody, .password(goodPassword)) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .password("")) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .password(String(repeating: "x", count: 1 << 20))) == .refused(.wrongCredentials))
        for reason in ["wrong_password", "no_password", "unknown_user", "malformed_password"] {
            #expect(fixture.log.contains("reason=\(reason)"))
        }
    }

    @Test("an unknown user costs a hash too")
    func decoy() throws {
        let fixture = try Fixture { $0.passwords.memoryBytes = 1 << 40 }
        // No machine has that much memory: a hash that is tried fails, so the password cannot be set ...
        #expect(throws: AccountsError.busy) { try fixture.add(romeo, password: goodPassword) }
        // ... and the decoy is well formed: with sane settings no password fits it, without an error on the way.
        let hasher = PasswordHasher(PasswordPolicy())
        defer { hasher.stop() }
        let verdict = ConditionLock<PasswordHasher.Verdict?>(nil)
        #expect(hasher.verify(goodPassword, against: nil) { answer in verdict.change { $0 = answer } })
        #expect(verdict.wait(until: { $0 != nil }, then: { $0!.isRight }) == false)
    }

    @Test("a hash made with weaker settings is renewed at the next sign-in")
    func rehash() throws {
        let weak = PasswordHasher(
            {
                var policy = PasswordPolicy(); policy.memoryBytes = 8_192; policy.passes = 1; return policy
            }())
        defer { weak.stop() }
        let made = ConditionLock<String?>(nil)
        #expect(weak.hash(goodPassword) { hash in made.change { $0 = hash } })
        let old = made.wait(until: { $0 != nil }, then: { $0! })
        let fixture = try Fixture { $0.passwords.memoryBytes = 16_384 }
        let id = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.createUser(romeo, passwordHash: old)
        }
        #expect(fixture.signIn(romeo, .password(goodPassword)).identity != nil)
        let new = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.reading.people.passwordHash(of: id)
        }
        #expect(try #require(new).contains("m=16,"))
        #expect(fixture.signIn(romeo, .password(goodPassword)).identity != nil)
    }

    @Test("many sign-ins at once: two hash, some wait, the rest is busy, nobody hangs")
    func many() throws {
        let fixture = try Fixture()
        try fixture.add(romeo, password: goodPassword)
        let gate = ConditionLock(false)
        let running = ConditionLock(0)
        for _ in 0..<2 {
            #expect(
                fixture.accounts.hasher.hash("x") { _ in
                    running.change { $0 += 1 }
                    gate.wait(until: { $0 }, then: { _ in })
                })
        }
        running.wait(until: { $0 == 2 }, then: { _ in })
        let results = ConditionLock([SignInResult]())
        for number in 0..<200 {
            fixture.start(romeo, .password(goodPassword), address: "10.0.0.\(number)") { result in
                results.change { $0.append(result) }
            }
        }
        let early = results.wait(until: { $0.count == 200 - 32 }, then: { $0 })
        #expect(early.allSatisfy { $0 == .refused(.busy) })
        gate.change { $0 = true }
        let all = results.wait(until: { $0.count == 200 }, then: { $0 })
        #expect(all.filter { $0.identity != nil }.count == 32)
    }

    @Test("guessing is slowed down for the guesser, the owner elsewhere gets in")
    func guessing() throws {
        let fixture = try Fixture()
        try fixture.add(romeo, password: goodPassword)
        for _ in 0..<5 { #expect(fixture.signIn(romeo, .password("a guess at it")) == .refused(.wrongCredentials)) }
        #expect(fixture.signIn(romeo, .password(goodPassword)).pauseSeconds == 2)
        #expect(fixture.signIn(romeo, .password(goodPassword), address: "192.168.1.8").identity != nil)
        fixture.hands.advance(milliseconds: 2_000)
        #expect(fixture.signIn(romeo, .password(goodPassword)).identity != nil)
        #expect(fixture.log.contains("event=sign_in_slowed_down"))
    }

    @Test("who guesses waits on, however often the owner signs in elsewhere and gets a token")
    func guessingOn() throws {
        let fixture = try Fixture()
        try fixture.add(romeo, password: goodPassword)
        for _ in 0..<5 { #expect(fixture.signIn(romeo, .password("a guess at it")) == .refused(.wrongCredentials)) }
        #expect(fixture.signIn(romeo, .password(goodPassword), address: "192.168.1.8").identity != nil)
        _ = try fixture.issue(romeo)
        #expect(fixture.signIn(romeo, .password("a guess at it")).pauseSeconds == 2)
    }

    @Test("one password tried on everybody is stopped at thirty a minute, and reported once")
    func spraying() throws {
        let fixture = try Fixture()
        for number in 0..<30 {
            #expect(fixture.signIn(UserName("user\(number)")!, .password(goodPassword)) == .refused(.wrongCredentials))
        }
        for number in 30..<60 {
            #expect(fixture.signIn(UserName("user\(number)")!, .password(goodPassword)).pauseSeconds == 60)
        }
        #expect(fixture.lines.withLock { $0.filter { $0.contains("event=sign_in_address_slowed_down") } }.count == 1)
    }

    @Test("a proxy on the same machine is not taken for one guesser")
    func loopback() throws {
        let fixture = try Fixture()
        for number in 0..<40 {
            let result = fixture.signIn(
                UserName("user\(number)")!, .password(goodPassword), address: "127.0.0.1", origin: .loopback)
            #expect(result == .refused(.wrongCredentials))
        }
    }
}
