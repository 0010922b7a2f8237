import Execution
import Glibc

/// The ways out.
extension Connection {
    func close(code: WebSocketCloseCode, reason: String, end: ConnectionEnd) {
        guard self.end == nil, self.stage != .ended else { return }
        if self.stage == .webSocket {
            self.sendCloseFrame(code, reason: reason)
            self.awaitsPeerClose = true
        }
        self.finishSending(end)
    }

    /// The peer broke the WebSocket protocol: tell it why, and read no further.
    func fail(_ error: WebSocketError) {
        guard self.end == nil else { return }
        self.reactor.log.debug(
            "websocket_refused", ["peer": .name(self.peer.text), "reason": .text(error.reason)])
        self.sendCloseFrame(error.code, reason: error.reason)
        self.finishSending(.protocolError(error.code))
    }

    private func sendCloseFrame(_ code: WebSocketCloseCode, reason: String) {
        let payload = WebSocketFrame.closePayload(code, reason: reason)
        self.outbox.appendFrameHeader(.close, payloadCount: payload.count)
        self.outbox.append(payload)
    }

    /// Answers the peer's close frame.
    func peerSentClose(_ code: WebSocketCloseCode?) {
        self.peerHasSaidGoodbye = true
        if self.stage == .closing {
            self.awaitsPeerClose = false
            self.markDirty()
            return
        }
        if let code {
            self.sendCloseFrame(code, reason: "")
        } else {
            self.outbox.appendFrameHeader(.close, payloadCount: 0)
        }
        self.finishSending(.peerClosed(code))
    }

    /// Nothing more is added to the outbox; when it is empty, our direction is shut.
    func finishSending(_ end: ConnectionEnd) {
        guard self.stage < .closing else { return }
        // What waits is bounded on a WebSocket or stream, so is the time for it; a response may be long.
        self.setPhaseDeadline(seconds: self.stage == .http ? nil : 2 * self.reactor.limits.stallSeconds)
        self.stage = .closing
        self.isPaused = false
        self.leave(end)
        self.markDirty()
    }

    /// The handler hears of the end when the events of this turn have been handled.
    private func leave(_ end: ConnectionEnd) {
        guard self.end == nil else { return }
        self.end = end
        self.leavePreAuth()
        self.leaveHandshake()
        self.reactor.departed.append(self)
    }

    func drop(_ end: ConnectionEnd) {
        guard self.stage != .ended else { return }
        self.stage = .ended
        self.leave(end)
        self.reactor.disposable.append(self)
    }

    func leavePreAuth() {
        guard self.holdsPreAuthPlace else { return }
        self.holdsPreAuthPlace = false
        // Else another connection has the place already.
        guard self.reactor.unauthenticated.leave(self.id, from: self.peer.address) else { return }
        self.reactor.limits.preAuthConnections.giveBack()
    }

    func leaveHandshake() {
        guard self.holdsHandshakePlace else { return }
        self.holdsHandshakePlace = false
        guard self.reactor.handshaking.leave(self.id, from: self.peer.address) else { return }
        self.reactor.limits.tlsHandshakes.giveBack()
    }

    /// Something of this connection is being worked on: it did not fail to come.
    var isWaitingForUs: Bool {
        if self.isAuthenticated || self.isSignInHeld { return true }
        return self.http?.state.isWaitingForUs ?? false
    }

    /// Another connection gets the place of this one, on which nobody has signed in.
    func giveWay() {
        switch self.stage {
        case .webSocket, .stream: self.close(code: .tryAgainLater, reason: "too many connections wait for signing in")
        case .http: self.finishSending(.closed(.tryAgainLater))
        case .peeking, .tlsHandshake, .opening: self.drop(.aborted)
        case .closing, .lingering, .ended: break
        }
    }

    /// The outbox of a closing connection is empty: say goodbye on the lower layers.
    func shutOwnDirection() {
        self.tls?.sayGoodbye()
        shutdown(self.descriptor, Int32(SHUT_WR))
        self.stage = .lingering
        self.input.removeAll()
        self.setPhaseDeadline(seconds: self.reactor.limits.closingSeconds)
        // Both have said all: no need to wait for the peer's end of TCP as well.
        if self.peerHasFinished || self.peerHasSaidGoodbye { self.drop(.aborted) }
    }

    /// The server goes down: say goodbye in the dialect's words, then in the protocol's.
    func goAway() {
        switch self.stage {
        case .webSocket, .stream:
            self.handler?.goingAway()
            self.close(code: .serviceRestart, reason: "the server restarts", end: .drained)
        case .http where self.http?.isAnswering == true:
            self.http?.closesAfterAnswer = true
        case .http: self.finishSending(.drained)
        case .closing, .lingering, .ended: break
        case .peeking, .tlsHandshake, .opening: self.drop(.drained)
        }
    }
}

extension Connection.Stage: Comparable {
    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Time.
extension Connection {
    func setPhaseDeadline(seconds: Int?) {
        guard let seconds else {
            self.phaseDeadline = .max
            return
        }
        self.phaseDeadline = self.reactor.now.nanoseconds + Int64(seconds) * 1_000_000_000
        self.reactor.wake(self, at: self.phaseDeadline)
    }

    private var stallDeadline: Int64 {
        guard self.isBlocked, self.stage >= .http, self.stage < .lingering else { return .max }
        let since = self.isCongested ? min(self.roseAt, self.lastProgress) : self.lastProgress
        return since + Int64(self.reactor.limits.stallSeconds) * 1_000_000_000
    }

    /// Ends what is overdue.
    ///
    /// - Returns: when to look again.
    func checkDeadlines(now: Int64) -> Int64 {
        if self.phaseDeadline <= now { self.phaseExpired() }
        if self.stallDeadline <= now { self.drop(.stalled) }
        if self.idleDeadline <= now, self.end == nil {
            self.handler?.expiring(.idle)
            self.close(code: .goingAway, reason: "idle", end: .idle)
        }
        guard self.stage != .ended else { return .max }
        let idle = self.end == nil ? self.idleDeadline : .max
        return min(self.phaseDeadline, self.stallDeadline, idle)
    }

    private func phaseExpired() {
        self.phaseDeadline = .max
        switch self.stage {
        case .http: self.requestExpired()
        case .webSocket:
            self.handler?.expiring(.timedOut)
            self.close(code: .policyViolation, reason: "nobody signed in", end: .timedOut)
        case .stream: self.finishSending(.timedOut)
        case .peeking, .tlsHandshake, .opening: self.drop(.timedOut)
        case .closing, .lingering: self.drop(.aborted)
        case .ended: break
        }
    }
}
