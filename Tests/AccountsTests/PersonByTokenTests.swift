import ChatModel
import Execution
import Glibc
import Store
import Testing

@testable import Accounts

@Suite("A token alone finds its person")
struct PersonByTokenTests {
    private func find(
        _ fixture: Fixture, _ token: String, address: String = "192.168.1.7", origin: SignInOrigin = .privateNetwork,
        encrypted: Bool = true
    ) -> PersonByToken {
        let answer = ConditionLock<PersonByToken?>(nil)
        fixture.accounts.authenticator.findPerson(
            TokenHolder(
                token: token, address: address, throttleKey: address, isEncrypted: encrypted, origin: origin)
        ) { found in answer.change { $0 = found } }
        return answer.wait(until: { $0 != nil }, then: { $0! })
    }

    private func register(_ fixture: Fixture, _ token: String, _ name: UserName, _ deviceClass: DeviceClass) throws {
        _ = try fixture.accounts.wait {
            fixture.accounts.registerToken(token, for: name, class: deviceClass, level: .primary, then: $0)
        }
    }

    @Test("issued, registered and imported tokens are found, with their class and level")
    func found() throws {
        let fixture = try Fixture()
        let id = try fixture.add(romeo, role: .administrator)
        let issued = try #require(self.find(fixture, try fixture.issue(romeo, class: .web)).identity)
        #expect(issued.user == id && issued.name == romeo && issued.role == .administrator)
        #expect(issued.deviceClass == .web && issued.level == .secondary)
        try self.register(fixture, "chosen by an app", juliet, .app)
        #expect(self.find(fixture, "chosen by an app").identity?.level == .primary)
        let tybalt = try #require(UserName("tybalt"))
        let imported = try fixture.accounts.wait {
            fixture.accounts.importUser(tybalt, classes: [.web, .desktop], then: $0)
        }
        let identity = self.find(fixture, imported.token.text).identity
        #expect(identity?.name == tybalt && identity?.deviceClass == .web)
        #expect(self.find(fixture, "nobody's") == .refused(.wrongCredentials))
        #expect(self.find(fixture, "") == .refused(.wrongCredentials))
    }

    @Test("a text that two people were given finds neither, until one of them has another")
    func shared() throws {
        let fixture = try Fixture()
        try self.register(fixture, "the same", romeo, .app)
        try self.register(fixture, "the same", juliet, .app)
        #expect(self.find(fixture, "the same") == .sharedToken)
        #expect(fixture.log.contains("shared_token"))
        try self.register(fixture, "another", juliet, .app)
        #expect(self.find(fixture, "the same").identity?.name == romeo)
    }

    @Test("a disabled person, an ended token and a lifetime that is over are refused, remembered or not")
    func ended() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        let token = try fixture.issue(romeo, seconds: 30)
        #expect(self.find(fixture, token).identity != nil)
        _ = try fixture.accounts.wait { fixture.accounts.setDisabled(romeo, true, then: $0) }
        #expect(self.find(fixture, token) == .refused(.disabled))
        _ = try fixture.accounts.wait { fixture.accounts.setDisabled(romeo, false, then: $0) }
        #expect(self.find(fixture, token).identity != nil)
        fixture.hands.advance(milliseconds: 61_000)
        #expect(self.find(fixture, token) == .refused(.wrongCredentials))
        let other = try fixture.issue(romeo)
        #expect(self.find(fixture, other).identity != nil)
        _ = try fixture.accounts.wait { fixture.accounts.revokeTokens(of: romeo, then: $0) }
        #expect(self.find(fixture, other) == .refused(.wrongCredentials))
    }

    @Test("plain tokens are taken where sign-ins take them")
    func plain() throws {
        let fixture = try Fixture { $0.takesPlainTokens = false }
        try fixture.add(romeo)
        let token = try fixture.issue(romeo)
        #expect(self.find(fixture, token, encrypted: false) == .refused(.plainNotAllowed))
        #expect(self.find(fixture, token, origin: .loopback, encrypted: false).identity != nil)
    }

    @Test("an address that guesses has to wait; what it showed before goes on working")
    func throttled() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        let (known, unknown) = (try fixture.issue(romeo), try fixture.issue(romeo))
        #expect(self.find(fixture, known).identity != nil)
        for number in 0..<30 { #expect(self.find(fixture, "guess \(number)") == .refused(.wrongCredentials)) }
        guard case .refused(.throttled) = self.find(fixture, unknown) else {
            Issue.record("a token was looked up from an address that guesses")
            return
        }
        #expect(self.find(fixture, known).identity != nil)
        #expect(self.find(fixture, unknown, address: "192.168.1.8").identity != nil)
        #expect(fixture.signIn(romeo, .token(unknown)).identity != nil)
        fixture.hands.advance(milliseconds: 61_000)
        #expect(self.find(fixture, unknown).identity != nil)
    }

    @Test("a token from before such hashes were kept is found after its next sign-in")
    func older() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        let token = try fixture.issue(romeo)
        let hash = try #require(SignInToken(token)).hash(for: romeo, class: .app)
        try fixture.store.writeAndWait { store throws(StoreError) in
            let user = try store.reading.people.user(named: romeo)!.id
            try store.people.issueToken(
                hash: hash, user: user, class: .app, level: .secondary, expiresAtMilliseconds: nil)
        }
        #expect(self.find(fixture, token) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .token(token)).identity != nil)
        // The note is written by then: writes are done in order.
        try fixture.store.writeAndWait { _ throws(StoreError) in }
        #expect(self.find(fixture, token).identity?.name == romeo)
    }
}

extension PersonByToken {
    var identity: Identity? {
        guard case .found(let identity) = self else { return nil }
        return identity
    }
}
