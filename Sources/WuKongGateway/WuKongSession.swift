import Accounts
import Broker
import ChatModel
import Execution
import Transport
import WuKongTranslation
import WuKongWire

/// The life of one session, in either encoding: events in, actions out. It knows neither socket nor broker; its owner
/// carries out what it adds to a `SessionOutput`. Confined to its reactor.
///
/// ```
/// waiting --connect--> signingIn --let in--> opening --registered--> active --end--> closed
/// ```
/// Until the session is active it takes nothing but a sign-in; what a client sends early waits with the owner.
struct WuKongSession {
    private enum Phase {
        /// Nobody has tried to sign in.
        case waiting
        case signingIn(SignIn)
        case opening(SignIn)
        case active
        case closed
    }

    /// A sign-in that is not answered yet.
    private struct SignIn {
        var id: WuKongRequestID?
        var parameters: ConnectParameters
    }

    /// The use that the session has for a frame.
    enum Readiness: Hashable {
        /// It takes it now.
        case takes
        /// It takes it when it is active.
        case waits
        /// None: it is over.
        case isOver
    }

    /// Bytes of an incomplete frame that somebody who has not signed in may leave.
    static let preAuthBytes = 16 * 1024
    /// Bytes of a device id that are kept.
    private static let deviceIDBytes = 128

    let settings: WuKongSettings
    private var phase = Phase.waiting
    /// The person; `nil` until they are let in.
    private(set) var identity: Identity?
    private(set) var id: SessionID?
    /// Messages that wait for their outcome.
    private var unanswered = 0

    // For `WuKongSession+Delivery`.
    var feed = SessionFeed(catchesUp: false)
    var pending = PendingDeliveries()
    var hasAcknowledged = false

    init(settings: WuKongSettings) { self.settings = settings }

    var isWaiting: Bool { if case .waiting = self.phase { true } else { false } }

    var isActive: Bool { if case .active = self.phase { true } else { false } }

    var readiness: Readiness {
        switch self.phase {
        case .waiting, .active: .takes
        case .signingIn, .opening: .waits
        case .closed: .isOver
        }
    }

    // MARK: From the client

    mutating func received(_ frame: ClientFrame, into output: inout SessionOutput) {
        switch self.phase {
        case .waiting: self.receivedBeforeSignIn(frame, &output)
        case .signingIn, .opening: self.receivedEarly(frame, &output)
        case .active: self.receivedActive(frame, &output)
        case .closed: break
        }
    }

    private mutating func receivedBeforeSignIn(_ frame: ClientFrame, _ output: inout SessionOutput) {
        switch frame {
        case .connect(let id, let parameters, let fault):
            self.signIn(SignIn(id: id, parameters: parameters), fault, &output)
        case .malformed(let id, let text, _): self.refuseBytes(id, text, closes: true, &output)
        case .broken(let text): self.breakOff(text, &output)
        case .invalid(let error):
            self.refuse(error, &output)
            self.close(.policyViolation, "sign in first", &output)
        case .send, .unusableSend, .acknowledge, .ping, .disconnect, .unsupported:
            self.close(.policyViolation, "sign in first", &output)
        }
    }

    /// Frames wait with the owner while somebody signs in; what is no frame ends the attempt.
    private mutating func receivedEarly(_ frame: ClientFrame, _ output: inout SessionOutput) {
        switch frame {
        case .malformed(let id, let text, _): self.refuseBytes(id, text, closes: true, &output)
        case .broken(let text): self.breakOff(text, &output)
        case .connect, .send, .unusableSend, .acknowledge, .ping, .disconnect, .unsupported, .invalid: break
        }
    }

    private mutating func receivedActive(_ frame: ClientFrame, _ output: inout SessionOutput) {
        switch frame {
        case .acknowledge(let message, let syncOnce): self.acknowledge(message, syncOnce: syncOnce, &output)
        case .send(let message, let ticket): self.publish(message, ticket, &output)
        case .unusableSend(let reason, let ticket):
            output.reply(.sent(PublishReceipt(reason: reason), ticket: ticket))
        case .ping(let id): output.reply(.pong(id))
        case .disconnect(let id):
            if let id { output.reply(.pong(id)) }
            self.close(.normal, "signed out", &output)
        case .connect(let id?, _, _):
            output.reply(.refused(id, .invalidRequest, "this connection is signed in already"))
        case .connect(nil, _, _): self.close(.policyViolation, "this connection is signed in already", &output)
        case .unsupported(let id?, let text): output.reply(.refused(id, .methodNotFound, text))
        case .unsupported(nil, _): break
        case .invalid(let error): self.refuse(error, &output)
        case .malformed(let id, let text, let endsStream): self.refuseBytes(id, text, closes: endsStream, &output)
        case .broken(let text): self.breakOff(text, &output)
        }
    }

    /// Notes how much of an incomplete frame is held.
    mutating func holds(_ bytes: Int, into output: inout SessionOutput) {
        guard self.isWaiting, bytes > Self.preAuthBytes else { return }
        self.close(.messageTooBig, "sign in first", &output)
    }

    /// Refuses a request. A notification that is wrong gets no answer: the Python SDK gives up on one without an id.
    private func refuse(_ error: WuKongRequestError, _ output: inout SessionOutput) {
        if let id = error.id { output.reply(.refused(id, error.code, error.message)) }
    }

    private mutating func refuseBytes(
        _ id: WuKongRequestID?, _ text: String, closes: Bool, _ output: inout SessionOutput
    ) {
        output.reply(.refused(id, .parseError, text))
        if closes { self.close(.policyViolation, "not JSON", &output) }
    }

    private mutating func breakOff(_ text: String, _ output: inout SessionOutput) {
        output.actions.append(.logBroken(text))
        self.close(.protocolError, text, &output)
    }

    private mutating func close(_ code: WebSocketCloseCode, _ reason: String, _ output: inout SessionOutput) {
        self.phase = .closed
        output.actions.append(.close(code, reason))
    }

    // MARK: Messages

    private mutating func publish(_ message: ClientMessage, _ ticket: UInt64, _ output: inout SessionOutput) {
        guard let id = self.id else { return self.refuse(.systemError, ticket, &output) }
        guard let address = Translation.address(channelID: message.channelID, type: message.channelType) else {
            let isServed = Translation.channelType(message.channelType) != nil
            return self.refuse(isServed ? .channelIDError : .notSupportChannelType, ticket, &output)
        }
        let topicBytes = message.content.topic?.utf8.count ?? 0
        guard topicBytes <= Translation.maximumTopicBytes else { return self.refuse(.notAllowSend, ticket, &output) }
        guard self.unanswered < self.settings.unansweredMessages else {
            return self.refuse(.rateLimit, ticket, &output)
        }
        self.unanswered += 1
        output.publishes.append(
            PublishRequest(
                session: id, ticket: ticket, address: address, clientToken: message.clientToken,
                content: message.content))
    }

    private func refuse(_ reason: WuKongReason, _ ticket: UInt64, _ output: inout SessionOutput) {
        output.reply(.sent(PublishReceipt(reason: reason), ticket: ticket))
    }

    /// The outcome of a message that was published.
    mutating func published(_ ticket: UInt64, _ outcome: PublishOutcome, into output: inout SessionOutput) {
        self.unanswered -= 1
        guard case .accepted(let message, let conversation, let sequence, _, _, _) = outcome else {
            return self.refuse(Translation.reason(outcome), ticket, &output)
        }
        if sequence > 0 { self.noteOwn(conversation, sequence: sequence, &output) }
        let receipt = PublishReceipt(reason: .success, messageID: message.rawValue, sequence: sequence)
        output.reply(.sent(receipt, ticket: ticket))
    }

    // MARK: Signing in

    private mutating func signIn(_ signIn: SignIn, _ fault: ConnectFault?, _ output: inout SessionOutput) {
        if let fault { return self.reject(signIn, fault.reason, fault.text, &output) }
        guard let user = Translation.userName(signIn.parameters.uid) else {
            return self.reject(
                signIn, .authFail, "the uid must be 1 to 64 characters and not hold @, # or &", &output)
        }
        guard let deviceClass = Translation.deviceClass(signIn.parameters.deviceFlag) else {
            return self.reject(signIn, .authFail, "deviceFlag must be 0 (app), 1 (web) or 2 (desktop)", &output)
        }
        self.phase = .signingIn(signIn)
        output.actions.append(.authenticate(user, token: signIn.parameters.token, deviceClass))
    }

    /// The answer to `.authenticate`.
    mutating func authenticated(_ result: SignInResult, into output: inout SessionOutput) {
        guard case .signingIn(let signIn) = self.phase else { return }
        switch result {
        case .signedIn(let identity):
            self.identity = identity
            self.phase = .opening(signIn)
            let deviceID = String(decoding: signIn.parameters.deviceID.utf8.prefix(Self.deviceIDBytes), as: UTF8.self)
            output.actions.append(.register(identity, deviceID: deviceID))
        case .refused(let refusal): self.rejected(signIn, refusal, &output)
        }
    }

    private mutating func rejected(_ signIn: SignIn, _ refusal: SignInRefusal, _ output: inout SessionOutput) {
        switch refusal {
        case .wrongCredentials, .expired:
            self.reject(signIn, .authFail, "uid and token do not belong together", &output)
        case .disabled: self.reject(signIn, .ban, "this person may not sign in", &output)
        case .plainNotAllowed:
            self.reject(
                signIn, .authFail, "tokens are not taken over an unencrypted connection from here", &output)
        case .throttled(let seconds):
            self.reject(signIn, .rateLimit, "too many failed sign-ins: wait \(seconds) seconds", &output)
        case .busy, .unavailable: self.close(.tryAgainLater, "the server is busy", &output)
        }
    }

    /// Refuses a sign-in. No SDK tries again after it.
    private mutating func reject(
        _ signIn: SignIn, _ reason: WuKongReason, _ text: String, _ output: inout SessionOutput
    ) {
        output.actions.append(.logRefusal(signIn.parameters, text))
        output.reply(.connectRefused(signIn.id, reason, text))
        self.close(.normal, "sign-in refused", &output)
    }

    /// The broker has registered the session.
    ///
    /// - Parameters:
    ///   - isStillValid: whether the account is as it was when its token was looked at.
    ///   - sendsMissedMessages: see `SessionCodec`.
    ///   - wallMilliseconds: the server's clock, UTC.
    mutating func registered(
        _ id: SessionID, isStillValid: Bool, sendsMissedMessages: Bool, wallMilliseconds: Int64,
        into output: inout SessionOutput
    ) {
        guard case .opening(let signIn) = self.phase else {
            return output.actions.append(.leave(id, .closedByPeer))
        }
        self.id = id
        guard isStillValid else {
            return self.close(.tryAgainLater, "the account changed while signing in", &output)
        }
        self.phase = .active
        output.actions.append(.activate)
        let timeDifference = signIn.parameters.clientTimestamp.map { wallMilliseconds &- $0 } ?? 0
        output.reply(.connected(signIn.id, timeDifference: timeDifference))
        self.feed = SessionFeed(catchesUp: sendsMissedMessages && self.settings.catchesUp)
        let first = self.feed.firstAction
        self.perform(first, &output)
    }

    // MARK: Ends

    /// The server drains.
    mutating func goingAway(into output: inout SessionOutput) {
        self.close(.serviceRestart, "the server restarts", &output)
    }

    /// The broker has ended the session.
    mutating func endedByBroker(_ reason: SessionEndReason, into output: inout SessionOutput) {
        self.id = nil
        switch reason {
        case .takenOver: self.kick(.connectKick, "signed in on another device", &output)
        case .signedOut: self.kick(.connectKick, "the token was revoked or replaced: sign in again", &output)
        case .kickedByOperator(let text): self.kick(.connectKick, text, &output)
        case .disabled: self.kick(.ban, "this person may not sign in", &output)
        case .tooManyRequests: self.close(.tryAgainLater, "too many refused messages", &output)
        case .sameDevice: self.close(.normal, "the same device signed in again", &output)
        case .serverStopping: self.close(.serviceRestart, "the server restarts", &output)
        case .closedByPeer, .left, .idle, .stalled, .failed: self.close(.normal, "session ended", &output)
        }
    }

    /// Every SDK takes a disconnect as final and does not come back by itself.
    private mutating func kick(_ reason: WuKongReason, _ text: String, _ output: inout SessionOutput) {
        output.reply(.disconnect(reason, text))
        self.close(.normal, text, &output)
    }

    /// The connection is over.
    mutating func ended(_ end: ConnectionEnd, into output: inout SessionOutput) {
        if let id = self.id { output.actions.append(.leave(id, Self.endReason(end))) }
        self.id = nil
        self.phase = .closed
    }

    private static func endReason(_ end: ConnectionEnd) -> SessionEndReason {
        switch end {
        case .peerClosed, .closed: .closedByPeer
        case .idle, .timedOut: .idle
        case .stalled: .stalled
        case .drained: .serverStopping
        case .aborted: .failed("aborted")
        case .protocolError(let code): .failed("protocol error \(code.rawValue)")
        case .failed(let code): .failed("errno \(code)")
        }
    }
}
