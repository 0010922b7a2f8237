import Broker
import Testing
import Transport

@testable import WuKongGateway

struct SessionEndTests {
    @Test(
        "a session that the broker ends is told what is final and closed with the code that says the rest",
        arguments: [
            (
                .takenOver,
                ["disconnect connectKick: signed in on another device", "close 1000 signed in on another device"]
            ),
            (
                .signedOut,
                [
                    "disconnect connectKick: the token was revoked or replaced: sign in again",
                    "close 1000 the token was revoked or replaced: sign in again",
                ]
            ),
            (.kickedByOperator("go"), ["disconnect connectKick: go", "close 1000 go"]),
            (.disabled, ["disconnect ban: this person may not sign in", "close 1000 this person may not sign in"]),
            (.tooManyRequests, ["close 1013 too many refused messages"]),
            (.sameDevice, ["close 1000 the same device signed in again"]),
            (.serverStopping, ["close 1012 the server restarts"]),
            (.stalled, ["close 1000 session ended"]), (.failed("x"), ["close 1000 session ended"]),
        ] as [(SessionEndReason, [String])])
    func endedByBroker(_ reason: SessionEndReason, _ expected: [String]) {
        let probe = SessionProbe.active()
        let lines = probe.endedByBroker(reason)
        #expect(lines == expected)
        #expect(probe.session.readiness == .isOver)
        let end = probe.ended(.closed(.normal))
        #expect(end.isEmpty, "the broker knows already")
    }

    @Test("a session that was taken over while it was being registered leaves the new one alone")
    func takenOverEarly() {
        let probe = SessionProbe()
        _ = probe.receive(.connect(nil, connectParameters(), fault: nil))
        _ = probe.authenticated(.signedIn(romeo))
        let lines = probe.endedByBroker(.takenOver)
        #expect(lines.last == "close 1000 signed in on another device")
    }

    @Test("a server that drains closes with 1012, so that the SDK comes back")
    func goingAway() {
        let probe = SessionProbe.active()
        let lines = probe.goingAway()
        #expect(lines == ["close 1012 the server restarts"])
        let end = probe.ended(.drained)
        #expect(end == ["leave 5 server-stopping"])
    }

    @Test(
        "the broker is told why a connection ended",
        arguments: [
            (.peerClosed(nil), "closed-by-peer"), (.closed(.normal), "closed-by-peer"), (.idle, "idle"),
            (.timedOut, "idle"), (.stalled, "stalled"), (.drained, "server-stopping"), (.aborted, "failed"),
            (.protocolError(.protocolError), "failed"), (.failed(104), "failed"),
        ] as [(ConnectionEnd, String)])
    func ended(_ end: ConnectionEnd, _ name: String) {
        let probe = SessionProbe.active()
        let lines = probe.ended(end)
        #expect(lines == ["leave 5 \(name)"])
        let again = probe.ended(end)
        #expect(again.isEmpty)
    }

    @Test("the end of a connection on which nobody signed in concerns nobody")
    func nobody() {
        let lines = SessionProbe().ended(.timedOut)
        #expect(lines.isEmpty)
    }
}
