import ChatModel
import Execution
import Glibc
import Store
import Testing

@testable import Accounts

@Suite("A token alone finds its person")
struct PersonByTokenTests {
    private func find(
        _ house: House, _ token: String, address: String = "192.168.1.7", origin: SignInOrigin = .privateNetwork,
        encrypted: Bool = true
    ) -> PersonByToken {
        let answer = ConditionLock<PersonByToken?>(nil)
        house.accounts.authenticator.findPerson(
            TokenHolder(
                token: token, address: address, throttleKey: address, isEncrypted: encrypted, origin: origin)
        ) { found in answer.change { $0 = found } }
        return answer.wait(until: { $0 != nil }, then: { $0! })
    }

    private func register(_ house: House, _ token: String, _ name: UserName, _ deviceClass: DeviceClass) throws {
        _ = try house.accounts.wait {
            house.accounts.registerToken(token, for: name, class: deviceClass, level: .primary, then: $0)
        }
    }

    @Test("issued, registered and imported tokens are found, with their class and level")
    func found() throws {
        let house = try House()
        let id = try house.add(romeo, role: .administrator)
        let issued = try #require(self.find(house, try house.issue(romeo, class: .web)).identity)
        #expect(issued.user == id && issued.name == romeo && issued.role == .administrator)
        #expect(issued.deviceClass == .web && issued.level == .secondary)
        try self.register(house, "chosen by an app", juliet, .app)
        #expect(self.find(house, "chosen by an app").identity?.level == .primary)
        let tybalt = try #require(UserName("tybalt"))
        let imported = try house.accounts.wait {
            house.accounts.importUser(tybalt, classes: [.web, .desktop], then: $0)
        }
        let identity = self.find(house, imported.token.text).identity
        #expect(identity?.name == tybalt && identity?.deviceClass == .web)
        #expect(self.find(house, "nobody's") == .refused(.wrongCredentials))
        #expect(self.find(house, "") == .refused(.wrongCredentials))
    }

    @Test("a text that two people were given finds neither, until one of them has another")
    func shared() throws {
        let house = try House()
        try self.register(house, "the same", romeo, .app)
        try self.register(house, "the same", juliet, .app)
        #expect(self.find(house, "the same") == .sharedToken)
        #expect(house.log.contains("shared_token"))
        try self.register(house, "another", juliet, .app)
        #expect(self.find(house, "the same").identity?.name == romeo)
    }

    @Test("a disabled person, an ended token and a lifetime that is over are refused, remembered or not")
    func ended() throws {
        let house = try House()
        try house.add(romeo)
        let token = try house.issue(romeo, seconds: 30)
        #expect(self.find(house, token).identity != nil)
        _ = try house.accounts.wait { house.accounts.setDisabled(romeo, true, then: $0) }
        #expect(self.find(house, token) == .refused(.disabled))
        _ = try house.accounts.wait { house.accounts.setDisabled(romeo, false, then: $0) }
        #expect(self.find(house, token).identity != nil)
        house.hands.advance(milliseconds: 61_000)
        #expect(self.find(house, token) == .refused(.wrongCredentials))
        let other = try house.issue(romeo)
        #expect(self.find(house, other).identity != nil)
        _ = try house.accounts.wait { house.accounts.revokeTokens(of: romeo, then: $0) }
        #expect(self.find(house, other) == .refused(.wrongCredentials))
    }

    @Test("plain tokens are taken where sign-ins take them")
    func plain() throws {
        let house = try House { $0.takesPlainTokens = false }
        try house.add(romeo)
        let token = try house.issue(romeo)
        #expect(self.find(house, token, encrypted: false) == .refused(.plainNotAllowed))
        #expect(self.find(house, token, origin: .loopback, encrypted: false).identity != nil)
    }

    @Test("an address that guesses has to wait; what it showed before goes on working")
    func throttled() throws {
        let house = try House()
        try house.add(romeo)
        let (known, unknown) = (try house.issue(romeo), try house.issue(romeo))
        #expect(self.find(house, known).identity != nil)
        for number in 0..<30 { #expect(self.find(house, "guess \(number)") == .refused(.wrongCredentials)) }
        guard case .refused(.throttled) = self.find(house, unknown) else {
            Issue.record("a token was looked up from an address that guesses")
            return
        }
        #expect(self.find(house, known).identity != nil)
        #expect(self.find(house, unknown, address: "192.168.1.8").identity != nil)
        #expect(house.signIn(romeo, .token(unknown)).identity != nil)
        house.hands.advance(milliseconds: 61_000)
        #expect(self.find(house, unknown).identity != nil)
    }

    @Test("a token from before such hashes were kept is found after its next sign-in")
    func older() throws {
        let house = try House()
        try house.add(romeo)
        let token = try house.issue(romeo)
        let hash = try #require(SignInToken(token)).hash(for: romeo, class: .app)
        try house.store.writeAndWait { store throws(StoreError) in
            let user = try store.reading.user(named: romeo)!.id
            try store.issueToken(
                hash: hash, user: user, class: .app, level: .secondary, expiresAtMilliseconds: nil)
        }
        #expect(self.find(house, token) == .refused(.wrongCredentials))
        #expect(house.signIn(romeo, .token(token)).identity != nil)
        // The note is written by then: writes are done in order.
        try house.store.writeAndWait { _ throws(StoreError) in }
        #expect(self.find(house, token).identity?.name == romeo)
    }
}

extension PersonByToken {
    var identity: Identity? {
        guard case .found(let identity) = self else { return nil }
        return identity
    }
}
