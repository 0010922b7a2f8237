import Accounts
import Broker
import Testing
import Transport
import WuKongWire

@testable import WuKongGateway

struct SessionSignInTests {
    @Test("who connects is authenticated, registered, active and told, in this order")
    func signIn() {
        let probe = SessionProbe()
        #expect(probe.session.readiness == .takes && probe.session.isWaiting)
        let asked = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        #expect(asked == ["authenticate romeo secret app"])
        #expect(probe.session.readiness == .waits)
        let letIn = probe.authenticated(.signedIn(romeo))
        #expect(letIn == ["register romeo on 'phone'"])
        #expect(probe.session.readiness == .waits)
        let registered = probe.registered()
        #expect(registered == ["activate", "connected 1 600"])
        #expect(probe.session.readiness == .takes && probe.session.isActive)
    }

    @Test("a session that catches up asks for what it missed after it is told")
    func catchesUp() {
        let probe = SessionProbe()
        _ = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        _ = probe.authenticated(.signedIn(romeo))
        let registered = probe.registered(sendsMissedMessages: true)
        #expect(registered == ["activate", "connected 1 600", "read ranges []"])
    }

    @Test("where the operator has catching up off, a session is live at once")
    func catchingUpOff() {
        let probe = SessionProbe { $0.catchesUp = false }
        _ = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        _ = probe.authenticated(.signedIn(romeo))
        let registered = probe.registered(sendsMissedMessages: true)
        #expect(registered == ["activate", "connected 1 600"])
    }

    @Test("a long device id is cut to 128 bytes")
    func deviceID() {
        let probe = SessionProbe()
        let parameters = connectParameters(deviceID: String(repeating: "d", count: 200))
        _ = probe.receive(.connect(nil, parameters, fault: nil))
        let letIn = probe.authenticated(.signedIn(romeo))
        #expect(letIn == ["register romeo on '\(String(repeating: "d", count: 128))'"])
    }

    @Test(
        "before a sign-in anything else closes the connection",
        arguments: [
            .send(clientMessage(), ticket: 1), .unusableSend(.payloadDecodeError, ticket: 1),
            .acknowledge(.init(rawValue: 1), syncOnce: true), .ping(requestID("2")), .ping(nil),
            .disconnect(requestID("2")), .disconnect(nil), .unsupported(requestID("2"), "no"),
        ] as [ClientFrame])
    func other(_ frame: ClientFrame) {
        let probe = SessionProbe()
        let lines = probe.receive(frame)
        #expect(lines == ["close 1008 sign in first"])
        #expect(probe.session.readiness == .isOver && probe.publishes.isEmpty)
        let afterwards = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        #expect(afterwards.isEmpty, "a closed session takes nothing")
    }

    @Test("before a sign-in a request that is none is refused by its id, and closes the connection")
    func invalid() {
        let error = WuKongRequestError(id: requestID("2"), code: .invalidParams, message: "uid is missing")
        let probe = SessionProbe()
        let lines = probe.receive(.invalid(error))
        #expect(lines == ["refused 2 -32602: uid is missing", "close 1008 sign in first"])
        let nameless = SessionProbe().receive(
            .invalid(WuKongRequestError(id: nil, code: .parseError, message: "no")))
        #expect(nameless == ["close 1008 sign in first"])
    }

    @Test("an incomplete frame of more than 16 KiB closes who has not tried to sign in, and nobody else")
    func held() {
        let probe = SessionProbe()
        let fits = probe.holds(WuKongSession.preAuthBytes)
        #expect(fits.isEmpty)
        let over = probe.holds(WuKongSession.preAuthBytes + 1)
        #expect(over == ["close 1009 sign in first"])
        let active = SessionProbe.active().holds(WuKongSession.preAuthBytes + 1)
        #expect(active.isEmpty)
    }

    @Test(
        "a refused sign-in is logged, told and closed with 1000",
        arguments: [
            (.wrongCredentials, "authFail: uid and token do not belong together"),
            (.expired, "authFail: uid and token do not belong together"),
            (.disabled, "ban: this person may not sign in"),
            (.plainNotAllowed, "authFail: tokens are not taken over an unencrypted connection from here"),
            (.throttled(retryAfterSeconds: 7), "rateLimit: too many failed sign-ins: wait 7 seconds"),
        ] as [(SignInRefusal, String)])
    func refused(_ refusal: SignInRefusal, _ told: String) {
        let probe = SessionProbe()
        _ = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        let lines = probe.authenticated(.refused(refusal))
        let text = told.split(separator: ": ", maxSplits: 1)[1]
        #expect(
            lines == [
                "log refusal of romeo: \(text)", "connect refused 1 \(told)", "close 1000 sign-in refused",
            ])
        #expect(probe.session.readiness == .isOver)
    }

    @Test(
        "when the server is busy the connection closes with 1013, so that the SDK comes back",
        arguments: [.busy, .unavailable] as [SignInRefusal])
    func busy(_ refusal: SignInRefusal) {
        let probe = SessionProbe()
        _ = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        let lines = probe.authenticated(.refused(refusal))
        #expect(lines == ["close 1013 the server is busy"])
    }

    @Test("a uid or device that cannot be, or a fault of the codec, is refused without asking anybody")
    func impossible() {
        let uid = SessionProbe().receive(.connect(nil, connectParameters("ro@meo"), fault: nil))
        #expect(uid[1] == "connect refused - authFail: the uid must be 1 to 64 characters and not hold @, # or &")
        let system = SessionProbe().receive(.connect(nil, connectParameters(deviceFlag: 99), fault: nil))
        #expect(system[1] == "connect refused - authFail: deviceFlag must be 0 (app), 1 (web) or 2 (desktop)")
        let fault = ConnectFault(reason: .clientKeyEmpty, text: "the client sent no key")
        let keyless = SessionProbe().receive(.connect(nil, connectParameters("ro@meo"), fault: fault))
        #expect(
            keyless == [
                "log refusal of ro@meo: the client sent no key",
                "connect refused - clientKeyEmpty: the client sent no key", "close 1000 sign-in refused",
            ])
    }

    @Test("frames that come while somebody signs in change nothing: the owner keeps them")
    func early() {
        let probe = SessionProbe()
        _ = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        let lines = probe.receive(.connect(requestID("2"), connectParameters("juliet"), fault: nil))
        #expect(lines.isEmpty && probe.session.readiness == .waits)
        let letIn = probe.authenticated(.signedIn(romeo))
        #expect(letIn == ["register romeo on 'phone'"])
    }

    @Test("bytes that are no frame end an attempt to sign in")
    func brokenEarly() {
        let probe = SessionProbe()
        _ = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        let lines = probe.receive(.malformed(nil, "no", endsStream: false))
        #expect(lines == ["refused - -32700: no", "close 1008 not JSON"])
        let late = probe.authenticated(.signedIn(romeo))
        #expect(late.isEmpty, "nobody is let in on a closed connection")
    }

    @Test("a connection that closed before the broker answered leaves again at once")
    func closedMeanwhile() {
        let probe = SessionProbe()
        _ = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        _ = probe.authenticated(.signedIn(romeo))
        _ = probe.receive(.broken("no"))
        let lines = probe.registered()
        #expect(lines == ["leave 5 closed-by-peer"])
    }

    @Test("an account that changed while signing in is sent away to try again, and its session ended")
    func changedMeanwhile() {
        let probe = SessionProbe()
        _ = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        _ = probe.authenticated(.signedIn(romeo))
        let lines = probe.registered(isStillValid: false)
        #expect(lines == ["close 1013 the account changed while signing in"])
        let end = probe.ended(.closed(.tryAgainLater))
        #expect(end == ["leave 5 closed-by-peer"])
    }

    @Test("a second connect is refused where the client can be told, and closes where it cannot")
    func twice() {
        let probe = SessionProbe.active()
        let told = probe.receive(.connect(requestID("2"), connectParameters("juliet"), fault: nil))
        #expect(told == ["refused 2 -32600: this connection is signed in already"])
        #expect(probe.session.isActive && probe.session.identity == romeo)
        let closed = probe.receive(.connect(nil, connectParameters("juliet"), fault: nil))
        #expect(closed == ["close 1008 this connection is signed in already"])
    }
}
