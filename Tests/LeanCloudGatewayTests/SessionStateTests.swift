import Accounts
import Broker
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store
import Testing

@testable import LeanCloudGateway

/// Sign-in and end of a client, without a socket.
struct SessionStateTests {
    private static let tom = Identity(
        user: UserID(rawValue: 3), name: UserName("Tom")!, role: .member, deviceClass: .app, level: .secondary, epoch: 0
    )

    private static func request(_ number: Int32 = 1) -> GenericCommand {
        var command = GenericCommand()
        command.cmd = .session
        command.op = .open
        command.i = number
        return command
    }

    private static func state(
        _ sdk: LeanCloudSDK = .other, _ change: (inout SessionCommand) -> Void = { _ in }
    ) -> SessionState {
        var introduction = SessionCommand()
        change(&introduction)
        return SessionState(Self.request(), introduction, sdk: sdk)
    }

    private static func active() -> SessionState {
        var state = Self.state()
        _ = state.authenticated(.signedIn(Self.tom), nil)
        _ = state.registered(isStillValid: true)
        return state
    }

    @Test("a client without a tag is registered, active and answered, in this order")
    func opens() {
        var state = Self.state()
        let letIn = state.authenticated(.signedIn(Self.tom), nil)
        #expect(letIn == [.register(Self.tom, tag: nil, isReconnect: false)])
        #expect(state.phase == .registering && state.identity == Self.tom)
        let registered = state.registered(isStillValid: true)
        #expect(registered == [.activate, .sendOpened(Self.request()), .begin(SessionCommand())])
        #expect(state.phase == .active)
        let again = state.registered(isStillValid: true)
        #expect(again.isEmpty)
    }

    @Test("a tag is claimed before the client is registered, and held with it")
    func tag() {
        var state = Self.state { $0.tag = "Mobile" }
        let letIn = state.authenticated(.signedIn(Self.tom), nil)
        let name = SessionClaims.tagMark("Mobile")
        #expect(letIn == [.claimTag(name, Self.tom.user, device: "?", insists: true)])
        #expect(state.phase == .signingIn)
        let twice = state.authenticated(.signedIn(Self.tom), nil)
        #expect(twice.isEmpty, "one answer is enough")
        let claimed = state.claimed(name, .success(.held(claim: 9)))
        let tag = SessionTag(name: name, claim: 9)
        #expect(claimed == [.register(Self.tom, tag: tag, isReconnect: false)] && state.tag == tag)
    }

    @Test("who comes back with a session token keeps its tag and device, and insists on nothing")
    func comesBack() {
        var state = Self.state {
            $0.st = "token"
            $0.r = true
        }
        #expect(state.shownToken == "token")
        guard case .sessionToken("token") = state.credentials(.signature) else {
            Issue.record("the session token is not shown")
            return
        }
        let claims = SessionClaims(Self.tom, tag: "PC", deviceID: "desk")
        let letIn = state.authenticated(.signedIn(Self.tom), claims)
        #expect(
            letIn == [.claimTag(claims.tag!, Self.tom.user, device: claims.deviceID!, insists: false)])
    }

    @Test("a tag that another device holds ends the attempt; every opening is told")
    func conflict() {
        var state = Self.state { $0.tag = "Mobile" }
        _ = state.openAgain(Self.request(2))
        _ = state.authenticated(.signedIn(Self.tom), nil)
        let steps = state.claimed("Mobile", .success(.conflict))
        #expect(
            steps == [
                .sendClosed(.sessionConflict, answering: Self.request(1)),
                .sendClosed(.sessionConflict, answering: Self.request(2)), .remove,
            ])
        #expect(state.phase == .over)
        let late = state.claimed("Mobile", .success(.held(claim: 1)))
        #expect(late.isEmpty)
    }

    @Test(
        "a refused proof is logged, told in LeanCloud's words and forgotten",
        arguments: [
            (.wrongCredentials, .signatureFailed), (.disabled, .invalidLogin.saying("this person may not sign in")),
            (.expired, .signatureFailed.saying("it was right once: sign in anew")),
            (.busy, .internalError.saying("the server is busy: try again")),
            (.throttled(retryAfterSeconds: 5), .signatureFailed.saying("too many failed sign-ins: wait 5 seconds")),
        ] as [(SignInRefusal, LeanCloudFault)])
    func refused(_ refusal: SignInRefusal, _ fault: LeanCloudFault) {
        var state = Self.state()
        let steps = state.authenticated(.refused(refusal), nil)
        #expect(steps == [.logRefusal(fault), .fail(Self.request(), fault), .remove] && state.phase == .over)
    }

    @Test(
        "a client that comes back by itself is put off while the server is busy, and told nothing",
        arguments: [.busy, .unavailable] as [SignInRefusal])
    func putOff(_ refusal: SignInRefusal) {
        var state = Self.state(.javaScript) { $0.r = true }
        let steps = state.authenticated(.refused(refusal), nil)
        #expect(steps == [.logDelay, .remove, .closeLater] && state.phase == .over)
    }

    @Test("a wrong session token stays wrong, however fast it is tried")
    func throttledToken() {
        var state = Self.state {
            $0.r = true
            $0.st = "token"
        }
        let steps = state.authenticated(.refused(.throttled(retryAfterSeconds: 5)), nil)
        #expect(steps.last == .remove && steps.count == 3)
    }

    @Test("the JavaScript SDK is told that its session is closed when it came back in vain")
    func released() {
        var unsigned = Self.state(.javaScript) { $0.r = true }
        let steps = unsigned.authenticated(.refused(.wrongCredentials), nil)
        let away = LeanCloudFault.sessionTokenExpired.saying("the session was away too long")
        #expect(
            steps == [
                .logRefusal(.signatureFailed), .fail(Self.request(), .signatureFailed),
                .sendClosed(away, answering: nil), .remove,
            ])
        var expired = Self.state(.javaScript) {
            $0.r = true
            $0.st = "token"
        }
        let asked = expired.authenticated(.refused(.wrongCredentials), nil)
        #expect(asked.count == 3, "after 4112 it opens again by itself")
        var first = Self.state(.javaScript)
        let plain = first.authenticated(.refused(.wrongCredentials), nil)
        #expect(plain.count == 3, "who opens for the first time hears the answer")
    }

    @Test("an account that changed while signing in leaves the broker before it is refused")
    func changedMeanwhile() {
        var state = Self.state()
        _ = state.authenticated(.signedIn(Self.tom), nil)
        let steps = state.registered(isStillValid: false)
        #expect(steps.first == .leave(.closedByPeer) && steps.last == .remove && state.phase == .over)
    }

    @Test(
        "a client that opens again is answered with the first, renewed when it is active, and refused when it is over")
    func opensAgain() {
        var state = Self.state()
        let waits = state.openAgain(Self.request(2))
        #expect(waits.isEmpty)
        _ = state.authenticated(.signedIn(Self.tom), nil)
        let registered = state.registered(isStillValid: true)
        #expect(registered[1...2] == [.sendOpened(Self.request(1)), .sendOpened(Self.request(2))])
        let renewed = state.openAgain(Self.request(3))
        #expect(renewed == [.renew(Self.request(3))])
        state.left()
        let over = state.openAgain(Self.request(4))
        #expect(over == [.fail(Self.request(4), .sessionRequired)])
    }

    @Test("at most 16 openings of a client wait")
    func tooManyOpenings() {
        var state = Self.state()
        for number in 2...Int32(SessionState.mostOpenings) { _ = state.openAgain(Self.request(number)) }
        let steps = state.openAgain(Self.request(17))
        #expect(steps == [.fail(Self.request(17), .appQuotaExceeded)])
    }

    @Test(
        "a session that the broker ends is told why; who is kept out also loses an unused socket",
        arguments: [
            (.takenOver, .sessionConflict, false), (.signedOut, .sessionTokenExpired, false),
            (.disabled, .kickedByApp.saying("this person may not sign in"), true),
            (.kickedByOperator("go"), .kickedByApp.saying("go"), true),
            (.tooManyRequests, .messageQuotaExceeded, true),
        ] as [(SessionEndReason, LeanCloudFault, Bool)])
    func endedByBroker(_ reason: SessionEndReason, _ fault: LeanCloudFault, _ closes: Bool) {
        var state = Self.active()
        let steps = state.endedByBroker(reason)
        let end: [SessionStep] = [.sendClosed(fault, answering: nil), .leave(reason), .remove]
        #expect(steps == end + (closes ? [.closeIfUnused(fault)] : []) && state.phase == .over)
    }

    @Test("taken over while it is registered, a session answers its openings with that")
    func takenOverEarly() {
        var state = Self.state()
        _ = state.authenticated(.signedIn(Self.tom), nil)
        let steps = state.endedByBroker(.takenOver)
        #expect(
            steps == [.sendClosed(.sessionConflict, answering: Self.request()), .leave(.takenOver), .remove])
        let late = state.registered(isStillValid: true)
        #expect(late.isEmpty && state.phase == .over)
    }

    @Test(
        "tags stand for device classes",
        arguments: [
            (nil, .app), ("Mobile", .app), ("default", .app), ("PC", .desktop), ("Web", .web), ("a b", .app),
        ] as [(String?, DeviceClass)])
    func classes(_ tag: String?, _ deviceClass: DeviceClass) {
        #expect(SessionState.deviceClass(tag: tag) == deviceClass)
    }
}
