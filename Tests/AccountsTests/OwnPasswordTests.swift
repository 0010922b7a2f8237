import ChatModel
import Execution
import Glibc
import Store
import Testing

@testable import Accounts

@Suite("A person's own password")
struct OwnPasswordTests {
    private typealias Outcome = Result<Set<DeviceClass>, OwnPasswordError>

    private let newPassword = "a rose by any other"

    private func begin(
        _ fixture: Fixture, _ current: String, to password: String, keepingOnly device: String? = nil,
        origin: SignInOrigin = .privateNetwork, encrypted: Bool = true
    ) -> ConditionLock<Outcome?> {
        let answer = ConditionLock<Outcome?>(nil)
        let proof = SignInRequest(
            user: romeo, credentials: .password(current), requestedClass: .app, address: "192.168.1.7",
            throttleKey: "192.168.1.7", isEncrypted: encrypted, origin: origin)
        fixture.accounts.changeOwnPassword(proof, to: password, keepingOnly: device) { result in
            answer.change { $0 = result }
        }
        return answer
    }

    private func wait(_ answer: ConditionLock<Outcome?>) -> Outcome {
        answer.wait(until: { $0 != nil }, then: { $0! })
    }

    @Test("the present password gives a new one, and every device stays signed in")
    func change() throws {
        let fixture = try Fixture()
        try fixture.add(romeo, password: goodPassword)
        let token = try fixture.issue(romeo)
        #expect(self.wait(self.begin(fixture, goodPassword, to: self.newPassword)) == .success([]))
        #expect(fixture.signIn(romeo, .password(goodPassword)) == .refused(.wrongCredentials))
        #expect(fixture.signIn(romeo, .password(self.newPassword)).identity != nil)
        #expect(fixture.signIn(romeo, .token(token)).identity != nil)
        #expect(!fixture.log.contains(self.newPassword) && !fixture.log.contains(goodPassword))
    }

    @Test("with one device to keep, every other token ends with the change")
    func endingOthers() throws {
        let fixture = try Fixture()
        try fixture.add(romeo, password: goodPassword)
        let (own, other) = (try fixture.issue(romeo), try fixture.issue(romeo, class: .web))
        let identity = try #require(fixture.signIn(romeo, .token(own)).identity)
        let device = try #require(Accounts.deviceID(ofToken: own, of: identity))
        let answer = self.begin(fixture, goodPassword, to: self.newPassword, keepingOnly: device)
        #expect(self.wait(answer) == .success([.web]))
        #expect(fixture.signIn(romeo, .token(own)).identity != nil)
        #expect(fixture.signIn(romeo, .token(other), class: .web) == .refused(.wrongCredentials))
    }

    @Test("a wrong present password changes nothing, and slows down as a sign-in does")
    func wrong() throws {
        let fixture = try Fixture()
        try fixture.add(romeo, password: goodPassword)
        let token = try fixture.issue(romeo)
        for _ in 1...5 {
            #expect(
                self.wait(self.begin(fixture, "wrong", to: self.newPassword)) == .failure(.proof(.wrongCredentials)))
        }
        guard case .failure(.proof(.throttled)) = self.wait(self.begin(fixture, goodPassword, to: self.newPassword))
        else {
            Issue.record("the sixth try was not slowed down")
            return
        }
        #expect(fixture.signIn(romeo, .password(goodPassword)).pauseSeconds != nil)
        #expect(fixture.signIn(romeo, .token(token)).identity != nil)
        #expect(fixture.signIn(romeo, .password(goodPassword), address: "192.168.1.8").identity != nil)
    }

    @Test("a weak password, one over a plain connection and an account without one are refused")
    func refusals() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        #expect(self.wait(self.begin(fixture, "any", to: self.newPassword)) == .failure(.proof(.wrongCredentials)))
        _ = try fixture.accounts.wait { fixture.accounts.setPassword(of: romeo, to: goodPassword, then: $0) }
        let weak = self.wait(self.begin(fixture, goodPassword, to: "short"))
        #expect(weak == .failure(.change(.password(.tooShort(minimum: 10)))))
        let plain = self.wait(self.begin(fixture, goodPassword, to: self.newPassword, encrypted: false))
        #expect(plain == .failure(.proof(.plainNotAllowed)))
        #expect(fixture.signIn(romeo, .password(goodPassword)).identity != nil)
    }

    @Test("a password that somebody else set after the proof is not replaced")
    func race() throws {
        let fixture = try Fixture()
        let user = try fixture.add(romeo, password: goodPassword)
        let (gate, isHeld) = (ConditionLock(false), ConditionLock(false))
        fixture.store.write(
            { transaction throws(StoreError) in
                isHeld.change { $0 = true }
                gate.wait(until: { $0 }, then: { _ in })
                try transaction.people.setPasswordHash(user, nil)
            }, then: { (_: Result<Void, StoreError>) in })
        isHeld.wait(until: { $0 }, then: { _ in })
        let proofs = fixture.accounts.authenticator.metrics.signedIn
        let before = proofs.current
        let answer = self.begin(fixture, goodPassword, to: self.newPassword)
        let end = Clock.system.now().advanced(bySeconds: 60)
        while proofs.current == before, Clock.system.now() < end { sched_yield() }
        #expect(proofs.current == before + 1)
        gate.change { $0 = true }
        #expect(self.wait(answer) == .failure(.change(.store(.refused(.changedMeanwhile)))))
        #expect(fixture.signIn(romeo, .password(self.newPassword)) == .refused(.wrongCredentials))
    }
}
