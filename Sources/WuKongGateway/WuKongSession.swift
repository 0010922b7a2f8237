import Accounts
import Broker
import ChatModel
import Diagnostics
import Execution
import Store
import Transport
import WuKongTranslation
import WuKongWire

/// One connection of a WuKongIM client, from its first byte to its end. Confined to its reactor.
///
/// ```
/// waiting --sign in--> signingIn --let in--> opening --registered--> active --end--> closed
/// ```
/// Until the session is active nothing but a sign-in is taken; what a client sends early waits, and the socket is not
/// read further.
final class WuKongSession: ConnectionHandler {
    private enum Phase {
        case waiting
        case signingIn(ConnectParameters)
        case opening(ConnectParameters)
        case active
        case closed
    }

    let connection: Connection
    unowned let gateway: WuKongGateway
    /// `nil` until the first bytes tell.
    @exclusivity(unchecked) private(set) var codec: (any SessionCodec)?
    private var phase = Phase.waiting
    /// Its number in the gateway; 0 until it has one.
    var handle: UInt64 = 0
    @exclusivity(unchecked) private(set) var identity: Identity?
    private(set) var sessionID: SessionID?
    /// Messages that wait for their outcome.
    private var unanswered = 0

    // For `WuKongSession+Delivery`.
    @exclusivity(unchecked) var feed = SessionFeed(catchesUp: false)
    @exclusivity(unchecked) var pending = PendingDeliveries()
    var hasAcknowledged = false

    /// - Parameter opening: a WebSocket's encoding is told by its first message.
    init(connection: Connection, gateway: WuKongGateway, opening: Opening) {
        self.connection = connection
        self.gateway = gateway
        switch opening {
        case .jsonStream: self.codec = JSONCodec(session: self)
        case .binaryStream: self.codec = BinaryCodec(session: self)
        case .webSocket: break
        }
    }

    // MARK: From the connection

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        if self.codec == nil, let first = bytes.first(where: { !Self.isWhiteSpace($0) }) {
            self.codec =
                Self.isBinary(first, kind) ? BinaryCodec(session: self) : JSONCodec(session: self)
        }
        self.codec?.received(bytes, as: kind)
    }

    /// A WebSocket's encoding is told by its first byte, whatever frame it comes in. Source: WuKongIM server; all that is
    /// not `{` is binary there, but who sends other text meant JSON and gets an answer here.
    private static func isBinary(_ first: UInt8, _ kind: InboundKind) -> Bool {
        kind == .text ? 0x10...0x1F ~= first : first != UInt8(ascii: "{")
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    func refusesMessage(beginning start: UnsafeRawBufferPointer, as kind: InboundKind) {
        if self.isActive { self.codec?.refuseTooLong(beginning: start) }
    }

    func outboxRose() { self.feed.outboxRose() }

    func goingAway() { self.close(.serviceRestart, "the server restarts") }

    func ended(_ reason: ConnectionEnd) {
        if let sessionID = self.sessionID {
            self.gateway.house.broker.closed(sessionID, Self.endReason(reason))
            self.sessionID = nil
        }
        if self.handle != 0 { self.gateway.forget(self) }
        self.phase = .closed
    }

    private static func endReason(_ reason: ConnectionEnd) -> SessionEndReason {
        switch reason {
        case .peerClosed, .closed: .closedByPeer
        case .idle, .timedOut: .idle
        case .stalled: .stalled
        case .drained: .serverStopping
        case .aborted: .failed("aborted")
        case .protocolError(let code): .failed("protocol error \(code.rawValue)")
        case .failed(let code): .failed("errno \(code)")
        }
    }

    // MARK: For the codec

    /// Nobody has tried to sign in.
    var isWaiting: Bool { if case .waiting = self.phase { true } else { false } }

    var isActive: Bool { if case .active = self.phase { true } else { false } }

    var isClosed: Bool { if case .closed = self.phase { true } else { false } }

    func signIn(_ parameters: ConnectParameters) {
        guard let user = Translation.userName(parameters.uid) else {
            return self.reject(.authFail, "the uid must be 1 to 64 characters and not hold @, # or &", parameters)
        }
        guard let deviceClass = Translation.deviceClass(parameters.deviceFlag) else {
            return self.reject(.authFail, "deviceFlag must be 0 (app), 1 (web) or 2 (desktop)", parameters)
        }
        self.phase = .signingIn(parameters)
        self.connection.pauseReading()
        self.connection.holdSignInDeadline()
        let request = SignInRequest(
            user: user, credentials: .token(parameters.token), requestedClass: deviceClass,
            address: self.connection.peer.text, throttleKey: self.connection.peer.throttleKey,
            isEncrypted: self.connection.isEncrypted, origin: Self.origin(self.connection.peer.scope))
        let later = self.gateway.later(on: self.connection.id)
        self.gateway.house.authenticator.authenticate(request) { result in later { $0.signedIn(result) } }
    }

    /// Hands a message to the broker.
    ///
    /// - Parameter ticket: the codec's mark, for `SessionCodec.answer`.
    /// - Returns: why it was not handed on; then there is no answer to come.
    func publish(_ message: ClientMessage, ticket: UInt64) -> WuKongReason? {
        guard let sessionID = self.sessionID else { return .systemError }
        guard let address = Translation.address(channelID: message.channelID, type: message.channelType) else {
            return Translation.channelType(message.channelType) == nil ? .notSupportChannelType : .channelIDError
        }
        let topicBytes = message.content.topic?.utf8.count ?? 0
        guard topicBytes <= Translation.maximumTopicBytes else { return .notAllowSend }
        guard self.unanswered < self.gateway.house.settings.unansweredMessages else { return .rateLimit }
        self.unanswered += 1
        self.gateway.publish(
            PublishRequest(
                session: sessionID, ticket: ticket, address: address, clientToken: message.clientToken,
                content: message.content))
        return nil
    }

    func close(_ code: WebSocketCloseCode, _ reason: String) {
        self.phase = .closed
        self.connection.close(code: code, reason: reason)
    }

    // MARK: Signing in

    private static func origin(_ scope: PeerAddress.Scope) -> SignInOrigin {
        switch scope {
        case .loopback: .loopback
        case .privateNetwork: .privateNetwork
        case .publicNetwork: .publicNetwork
        }
    }

    private func signedIn(_ result: SignInResult) {
        guard case .signingIn(let parameters) = self.phase else { return }
        switch result {
        case .signedIn(let identity): self.register(identity, parameters)
        case .refused(let refusal): self.rejected(refusal, parameters)
        }
    }

    private func register(_ identity: Identity, _ parameters: ConnectParameters) {
        self.identity = identity
        self.phase = .opening(parameters)
        let deviceID = String(decoding: parameters.deviceID.utf8.prefix(128), as: UTF8.self)
        self.gateway.register(
            self,
            as: SessionDescription(
                id: SessionID(rawValue: 0), user: identity.user, userName: identity.name,
                deviceClass: identity.deviceClass, deviceLevel: identity.level,
                deviceID: deviceID.isEmpty ? "connection-\(self.connection.id.rawValue)" : deviceID,
                protocolName: self.codec?.protocolName ?? "wukong",
                address: "\(self.connection.peer.text):\(self.connection.peer.port)",
                isEncrypted: self.connection.isEncrypted, openedAtMilliseconds: 0))
    }

    private func rejected(_ refusal: SignInRefusal, _ parameters: ConnectParameters) {
        switch refusal {
        case .wrongCredentials, .expired: self.reject(.authFail, "uid and token do not belong together", parameters)
        case .disabled: self.reject(.ban, "this person may not sign in", parameters)
        case .plainNotAllowed:
            self.reject(.authFail, "tokens are not taken over an unencrypted connection from here", parameters)
        case .throttled(let seconds):
            self.reject(.rateLimit, "too many failed sign-ins: wait \(seconds) seconds", parameters)
        case .busy, .unavailable: self.close(.tryAgainLater, "the server is busy")
        }
    }

    /// Says no. No SDK tries again after it.
    func reject(_ reason: WuKongReason, _ text: String, _ parameters: ConnectParameters) {
        self.gateway.house.log.warning(
            "sign-in refused",
            [
                "user": .name(parameters.uid), "device_flag": .number(Int64(parameters.deviceFlag)),
                "address": .text(self.connection.peer.text), "reason": .text(text),
            ])
        self.codec?.refuseSignIn(reason, text)
        self.close(.normal, "sign-in refused")
    }

    // MARK: From the broker

    func opened(_ session: SessionID) {
        guard case .opening(let parameters) = self.phase, let identity = self.identity, let codec = self.codec else {
            return self.gateway.house.broker.closed(session, .closedByPeer)
        }
        self.sessionID = session
        guard self.gateway.house.authenticator.isStillValid(identity) else {
            return self.close(.tryAgainLater, "the account changed while signing in")
        }
        self.phase = .active
        self.connection.authenticated()
        self.connection.idleDeadlineSeconds = self.gateway.house.settings.idleSeconds
        let now = self.gateway.reactor.clock.wallMilliseconds()
        codec.signedIn(timeDifference: parameters.clientTimestamp.map { now &- $0 } ?? 0)
        self.feed = SessionFeed(catchesUp: codec.sendsMissedMessages && self.gateway.house.settings.catchesUp)
        self.perform(self.feed.firstAction)
        codec.resume()
        self.connection.resumeReading()
    }

    func published(_ ticket: UInt64, _ outcome: PublishOutcome) {
        self.unanswered -= 1
        guard case .accepted(let message, let conversation, let sequence, _, _, _) = outcome else {
            self.codec?.answer(ticket, PublishReceipt(reason: Translation.reason(outcome)))
            return
        }
        if sequence > 0 { self.noteOwn(conversation, sequence: sequence) }
        self.codec?.answer(
            ticket, PublishReceipt(reason: .success, messageID: message.rawValue, sequence: sequence))
    }

    func endedByBroker(_ reason: SessionEndReason) {
        self.sessionID = nil
        switch reason {
        case .takenOver: self.kick(.connectKick, "signed in on another device")
        case .signedOut: self.kick(.connectKick, "the token was revoked or replaced: sign in again")
        case .kickedByOperator(let text): self.kick(.connectKick, text)
        case .disabled: self.kick(.ban, "this person may not sign in")
        case .tooManyRequests: self.close(.tryAgainLater, "too many refused messages")
        case .sameDevice: self.close(.normal, "the same device signed in again")
        case .serverStopping: self.close(.serviceRestart, "the server restarts")
        case .closedByPeer, .left, .idle, .stalled, .failed: self.close(.normal, "session ended")
        }
    }

    /// Every SDK takes a disconnect as final and does not come back by itself.
    private func kick(_ reason: WuKongReason, _ text: String) {
        self.codec?.disconnect(reason, text)
        self.close(.normal, text)
    }
}
