import ChatModel
import Execution
import Glibc
import Store
import Testing

@testable import Accounts

@Suite("Accounts")
struct AccountsTests {
    struct SignInCase: Sendable, CustomStringConvertible {
        var origin: SignInOrigin
        var encrypted: Bool
        var takesPlain: Bool
        var token: Bool
        var password: Bool

        var description: String { "\(self.origin), encrypted \(self.encrypted), plain tokens \(self.takesPlain)" }
    }

    @Test(
        "what may pass without TLS",
        arguments: [
            SignInCase(origin: .loopback, encrypted: false, takesPlain: true, token: true, password: true),
            SignInCase(origin: .loopback, encrypted: false, takesPlain: false, token: true, password: true),
            SignInCase(origin: .privateNetwork, encrypted: false, takesPlain: true, token: true, password: false),
            SignInCase(origin: .privateNetwork, encrypted: false, takesPlain: false, token: false, password: false),
            SignInCase(origin: .publicNetwork, encrypted: false, takesPlain: true, token: false, password: false),
            SignInCase(origin: .publicNetwork, encrypted: true, takesPlain: false, token: true, password: true),
        ])
    func plain(_ attempt: SignInCase) throws {
        let fixture = try Fixture { $0.takesPlainTokens = attempt.takesPlain }
        try fixture.add(romeo, password: goodPassword)
        let token = try fixture.issue(romeo)
        let answers = [(Credentials.token(token), attempt.token), (.password(goodPassword), attempt.password)]
        for (credentials, isTaken) in answers {
            let result = fixture.signIn(romeo, credentials, origin: attempt.origin, encrypted: attempt.encrypted)
            #expect((result.identity != nil) == isTaken)
            if !isTaken { #expect(result == .refused(.plainNotAllowed)) }
        }
    }

    @Test(
        "passwords without TLS are taken from private networks when the operator says so, from public ones never",
        arguments: [(SignInOrigin.privateNetwork, true), (.publicNetwork, false), (.loopback, true)])
    func plainPasswords(_ origin: SignInOrigin, _ isTaken: Bool) throws {
        let fixture = try Fixture { $0.takesPlainPasswords = true }
        try fixture.add(romeo, password: goodPassword)
        let signIn = { fixture.signIn(romeo, .password(goodPassword), origin: origin, encrypted: false) }
        #expect((signIn().identity != nil) == isTaken)
        fixture.accounts.authenticator.setTakesPlainPasswords(false)
        #expect((signIn().identity != nil) == (origin == .loopback))
    }

    @Test("a disabled account is refused with the right credentials only, and comes back with its tokens")
    func disabled() throws {
        let fixture = try Fixture()
        let id = try fixture.add(romeo, password: goodPassword)
        let token = try fixture.issue(romeo)
        let before = try #require(fixture.signIn(romeo, .token(token)).identity)
        let sessions = try fixture.accounts.wait { fixture.accounts.setDisabled(romeo, true, then: $0) }
        #expect(sessions == SessionsToEnd(user: id, name: romeo, deviceClass: nil, revokedTokens: 0, revocation: 1))
        #expect(!fixture.accounts.authenticator.isStillValid(before))
        #expect(fixture.signIn(romeo, .token(token)) == .refused(.disabled))
        #expect(fixture.signIn(romeo, .password(goodPassword)) == .refused(.disabled))
        #expect(fixture.signIn(romeo, .password("not the password")) == .refused(.wrongCredentials))
        _ = try fixture.accounts.wait { fixture.accounts.setDisabled(romeo, false, then: $0) }
        let after = try #require(fixture.signIn(romeo, .token(token)).identity)
        #expect(fixture.accounts.authenticator.isStillValid(after))
        #expect(!fixture.accounts.authenticator.isStillValid(before))
    }

    @Test("revoking ends the tokens of a class, or all", arguments: [DeviceClass?.some(.app), nil])
    func revoke(_ deviceClass: DeviceClass?) throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        try fixture.add(juliet)
        let (app, web, hers) = (
            try fixture.issue(romeo), try fixture.issue(romeo, class: .web), try fixture.issue(juliet)
        )
        let bystander = try #require(fixture.signIn(juliet, .token(hers)).identity)
        let sessions = try fixture.accounts.wait {
            fixture.accounts.revokeTokens(of: romeo, class: deviceClass, then: $0)
        }
        #expect(sessions.revokedTokens == (deviceClass == nil ? 2 : 1))
        #expect(sessions.deviceClass == deviceClass)
        #expect(fixture.signIn(romeo, .token(app)) == .refused(.wrongCredentials))
        #expect((fixture.signIn(romeo, .token(web), class: .web).identity != nil) == (deviceClass != nil))
        #expect(fixture.signIn(juliet, .token(hers)).identity != nil)
        #expect(fixture.accounts.authenticator.isStillValid(bystander))
    }

    @Test("a new password ends every token and the old password")
    func passwordChange() throws {
        let fixture = try Fixture()
        try fixture.add(romeo, password: goodPassword)
        let token = try fixture.issue(romeo)
        let before = try #require(fixture.signIn(romeo, .token(token)).identity)
        let sessions = try fixture.accounts.wait {
            fixture.accounts.setPassword(of: romeo, to: "a rose by any other", then: $0)
        }
        #expect(sessions.revokedTokens == 1)
        #expect(!fixture.accounts.authenticator.isStillValid(before))
        #expect(fixture.signIn(romeo, .token(token)) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .password(goodPassword)) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .password("a rose by any other")).identity != nil)
    }

    @Test("a new role ends what was signed in with the old one")
    func role() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        let token = try fixture.issue(romeo)
        let before = try #require(fixture.signIn(romeo, .token(token)).identity)
        _ = try fixture.accounts.wait { fixture.accounts.edit(romeo, role: .administrator, then: $0) }
        #expect(!fixture.accounts.authenticator.isStillValid(before))
        #expect(fixture.signIn(romeo, .token(token)).identity?.role == .administrator)
    }

    @Test("an account that loses its token while the token is being read is not let in")
    func race() throws {
        let fixture = try Fixture()
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
        let answer = ConditionLock<SignInResult?>(nil)
        fixture.start(romeo, .token(token)) { result in answer.change { $0 = result } }
        _ = try fixture.accounts.wait { fixture.accounts.edit(romeo, role: .administrator, then: $0) }
        gate.change { $0 = true }
        #expect(answer.wait(until: { $0 != nil }, then: { $0! }) == .refused(.unavailable))
        #expect(fixture.signIn(romeo, .token(token)).identity != nil)
    }

    @Test("a stopped store says unavailable, to operators in words")
    func stopped() throws {
        let fixture = try Fixture()
        try fixture.add(romeo, password: goodPassword)
        let token = try fixture.issue(romeo)
        fixture.store.close()
        let results = [fixture.signIn(romeo, .token(token)), fixture.signIn(romeo, .password(goodPassword))]
        for result in results { #expect([.refused(.unavailable), .refused(.busy)].contains(result)) }
        #expect(throws: AccountsError.store(.unavailable)) { try fixture.issue(romeo) }
    }

    @Test("refusals of changes say what and why")
    func refusals() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        #expect(throws: AccountsError.userExists(romeo)) { try fixture.add(romeo) }
        #expect(throws: AccountsError.noSuchUser(juliet)) { try fixture.issue(juliet) }
        #expect(throws: AccountsError.systemUser) { try fixture.issue(systemUserName) }
        #expect(throws: AccountsError.systemUser) { try fixture.add(systemUserName) }
        #expect(throws: AccountsError.password(.tooCommon)) { try fixture.add(juliet, password: "password1234") }
        #expect(throws: AccountsError.noSuchUser(juliet)) {
            try fixture.accounts.wait { fixture.accounts.setPassword(of: juliet, to: goodPassword, then: $0) }
        }
        #expect("\(AccountsError.noSuchUser(juliet))".contains("juliet does not exist"))
    }

    @Test("no token, password or setup token is ever logged")
    func log() throws {
        let fixture = try Fixture()
        let path = try #require(try fixture.accounts.wait { fixture.accounts.openSetup(then: $0) })
        let setupToken = try #require(readLine(of: path))
        _ = try? fixture.accounts.wait {
            fixture.accounts.firstAdministrator(
                setupToken: "canary-setup", name: romeo, password: goodPassword, address: "here", then: $0)
        }
        _ = try fixture.accounts.wait {
            fixture.accounts.firstAdministrator(
                setupToken: setupToken, name: romeo, password: goodPassword, address: "here", then: $0)
        }
        let token = try fixture.issue(romeo)
        for credentials in [
            .token(token), .token("canary-token"), .password(goodPassword), .password("canary-password"),
        ] as [Credentials] {
            for address in ["10.0.0.1", "10.0.0.2"] {
                for _ in 0..<7 { _ = fixture.signIn(romeo, credentials, address: address) }
                _ = fixture.signIn(juliet, credentials, address: address)
                _ = fixture.signIn(romeo, credentials, class: .web, address: address, encrypted: false)
            }
        }
        _ = try? fixture.accounts.wait { fixture.accounts.setPassword(of: romeo, to: "password1234", then: $0) }
        _ = try fixture.accounts.wait { fixture.accounts.setPassword(of: romeo, to: "canary-password", then: $0) }
        #expect(fixture.log.contains("event=sign_in_throttled"))
        for secret in [token, setupToken, goodPassword, "password1234", "canary"] {
            #expect(!fixture.log.contains(secret))
        }
    }
}

/// The first line of a small file.
func readLine(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    guard fgets(&buffer, 256, file) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
