import Accounts
import Broker
import ByteCodec
import ChatModel
import Diagnostics
import Execution
import Store
import Transport
import WuKongTranslation
import WuKongWire

/// One connection that speaks WuKongIM's JSON encoding. Confined to its reactor.
///
/// ```
/// waiting --connect--> signingIn --let in--> opening --registered--> active --end--> closed
/// ```
/// Until the session is active nothing but `connect` is taken; what a client sends early waits, and the socket is not
/// read further. Source for the encoding: WuKongIM JSON-RPC protocol, as spoken by the easy SDKs.
final class JSONSession: ConnectionHandler {
    private enum Phase {
        case waiting
        case signingIn(ConnectParameters, id: WuKongRequestID)
        case opening(ConnectParameters, id: WuKongRequestID)
        case active
        case closed
    }

    private let connection: Connection
    private unowned let gateway: WuKongGateway
    private var phase = Phase.waiting
    private var splitter: JSONStreamSplitter
    /// Objects that came while signing in.
    private var early: [[UInt8]] = []
    /// Its number in the gateway; 0 until it has one.
    var handle: UInt64 = 0
    private var identity: Identity?
    private var sessionID: SessionID?
    private var feed = SessionFeed(catchesUp: false)
    private var pending = PendingDeliveries()
    private var hasAcknowledged = false
    /// Ids of the requests whose messages wait for their outcome, by ticket.
    private var unanswered: [UInt64: (id: WuKongRequestID, header: WuKongHeader)] = [:]
    private var lastTicket: UInt64 = 0

    init(connection: Connection, gateway: WuKongGateway) {
        self.connection = connection
        self.gateway = gateway
        self.splitter = JSONStreamSplitter(maximumBytes: gateway.house.settings.frameBytes)
    }

    /// Bytes of an incomplete object that somebody who has not signed in may leave here.
    private static let preAuthBytes = 16 * 1024

    // MARK: From the connection

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        if kind == .text, case .active = self.phase, let id = CompactAcknowledgement.messageID(in: bytes) {
            return self.acknowledge(id)
        }
        do throws(JSONError) {
            try self.splitter.append(bytes) { object in self.take(object) }
            if kind != .stream, self.splitter.heldBytes > 0 {
                self.malformed("the message ends inside an object", kind)
            } else if case .waiting = self.phase, self.splitter.heldBytes > Self.preAuthBytes {
                self.close(.messageTooBig, "sign in first")
            }
        } catch {
            self.malformed("not a JSON object: \(error)", kind)
        }
    }

    /// A WebSocket message that is no JSON is answered and forgotten; in a stream nobody knows where the next object
    /// begins.
    private func malformed(_ text: String, _ kind: InboundKind) {
        self.refuse(nil, .parseError, text)
        self.splitter = JSONStreamSplitter(maximumBytes: self.gateway.house.settings.frameBytes)
        guard case .active = self.phase, kind != .stream else { return self.close(.policyViolation, "not JSON") }
    }

    func outboxRose() { self.feed.outboxRose() }

    func outboxDrained() {
        let (send, next) = self.feed.outboxDrained()
        self.send(send)
        self.perform(next)
    }

    func goingAway() { self.close(.serviceRestart, "the server restarts") }

    func ended(_ reason: ConnectionEnd) {
        if let sessionID = self.sessionID {
            self.gateway.house.broker.closed(sessionID, Self.endReason(reason))
            self.sessionID = nil
        }
        if self.handle != 0 { self.gateway.forget(self) }
        self.phase = .closed
        self.unanswered = [:]
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

    // MARK: Requests

    private func take(_ object: UnsafeRawBufferPointer) {
        switch self.phase {
        case .signingIn, .opening: self.early.append(Array(object))
        case .closed: break
        case .waiting, .active:
            do throws(WuKongRequestError) {
                self.handle(try WuKongRequest(decoding: object))
            } catch {
                // A notification that is wrong gets no answer: the Python SDK gives up on one without an id.
                if let id = error.id { self.refuse(id, error.code, error.message) }
                if case .waiting = self.phase { self.close(.policyViolation, "sign in first") }
            }
        }
    }

    private func handle(_ request: WuKongRequest) {
        switch (self.phase, request) {
        case (.waiting, .connect(let id, let parameters)): self.connect(id, parameters)
        case (.waiting, _): self.close(.policyViolation, "sign in first")
        case (_, .connect(let id, _)): self.refuse(id, .invalidRequest, "this connection is signed in already")
        case (_, .send(let id, let parameters)): self.publish(id, parameters)
        case (_, .receiveAcknowledge(let message)): self.acknowledge(message)
        case (_, .ping(let id)): self.reply { $0.pong(to: id) }
        case (_, .disconnect(let id)):
            if let id { self.reply { $0.pong(to: id) } }
            self.close(.normal, "signed out")
        case (_, .subscribe(let id)), (_, .unsubscribe(let id)):
            self.refuse(id, .methodNotFound, "subscriptions are not served: a member gets every message of a channel")
        case (_, .unknown(let id?, let method)): self.refuse(id, .methodNotFound, "there is no method \(method)")
        case (_, .unknown): break
        }
    }

    // MARK: Signing in

    private func connect(_ id: WuKongRequestID, _ parameters: ConnectParameters) {
        guard let user = Translation.userName(parameters.uid) else {
            return self.reject(
                id, .authFail, "the uid must be 1 to 64 characters and not hold @, # or &", parameters)
        }
        guard let deviceClass = Translation.deviceClass(parameters.deviceFlag) else {
            return self.reject(id, .authFail, "deviceFlag must be 0 (app), 1 (web) or 2 (desktop)", parameters)
        }
        self.phase = .signingIn(parameters, id: id)
        self.connection.pauseReading()
        let request = SignInRequest(
            user: user, credentials: .token(parameters.token), requestedClass: deviceClass,
            address: self.connection.peer.text, throttleKey: self.connection.peer.throttleKey,
            isEncrypted: self.connection.isEncrypted, origin: Self.origin(self.connection.peer.scope))
        let later = self.gateway.later(on: self.connection.id)
        self.gateway.house.authenticator.authenticate(request) { result in later { $0.signedIn(result) } }
    }

    private static func origin(_ scope: PeerAddress.Scope) -> SignInOrigin {
        switch scope {
        case .loopback: .loopback
        case .privateNetwork: .privateNetwork
        case .publicNetwork: .publicNetwork
        }
    }

    private func signedIn(_ result: SignInResult) {
        guard case .signingIn(let parameters, let id) = self.phase else { return }
        switch result {
        case .signedIn(let identity): self.register(identity, parameters, id)
        case .refused(let refusal): self.rejected(refusal, parameters, id)
        }
    }

    private func register(_ identity: Identity, _ parameters: ConnectParameters, _ id: WuKongRequestID) {
        self.identity = identity
        self.phase = .opening(parameters, id: id)
        let deviceID = String(decoding: parameters.deviceID.utf8.prefix(128), as: UTF8.self)
        self.gateway.register(
            self,
            as: SessionDescription(
                id: SessionID(rawValue: 0), user: identity.user, userName: identity.name,
                deviceClass: identity.deviceClass, deviceLevel: identity.level,
                deviceID: deviceID.isEmpty ? "connection-\(self.connection.id.rawValue)" : deviceID,
                protocolName: "wukong-json", address: "\(self.connection.peer.text):\(self.connection.peer.port)",
                isEncrypted: self.connection.isEncrypted, openedAtMilliseconds: 0))
    }

    private func rejected(_ refusal: SignInRefusal, _ parameters: ConnectParameters, _ id: WuKongRequestID) {
        switch refusal {
        case .wrongCredentials: self.reject(id, .authFail, "uid and token do not belong together", parameters)
        case .disabled: self.reject(id, .ban, "this person may not sign in", parameters)
        case .plainNotAllowed:
            self.reject(id, .authFail, "tokens are not taken over an unencrypted connection from here", parameters)
        case .throttled(let seconds):
            self.reject(id, .rateLimit, "too many failed sign-ins: wait \(seconds) seconds", parameters)
        case .busy, .unavailable: self.close(.tryAgainLater, "the server is busy")
        }
    }

    /// Says no in a way that both easy SDKs understand: as an error object, since one of them takes any result for a
    /// success. Neither tries again.
    private func reject(
        _ id: WuKongRequestID, _ reason: WuKongReason, _ text: String, _ parameters: ConnectParameters
    ) {
        self.gateway.house.log.warning(
            "sign-in refused",
            [
                "user": .name(parameters.uid), "device flag": .number(Int64(parameters.deviceFlag)),
                "address": .text(self.connection.peer.text), "reason": .text(text),
            ])
        self.reply { $0.connectFailure(id: id, reason: reason, message: text) }
        self.close(.normal, "sign-in refused")
    }

    func opened(_ session: SessionID) {
        guard case .opening(let parameters, let id) = self.phase, let identity = self.identity else {
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
        let difference = parameters.clientTimestamp.map { now &- $0 } ?? 0
        self.reply { $0.connectResult(id: id, timeDifference: difference, nodeID: 1) }
        self.feed = SessionFeed(catchesUp: self.gateway.house.settings.catchesUp)
        self.perform(self.feed.firstAction)
        let early = self.early
        self.early = []
        for object in early { object.withUnsafeBytes { self.take($0) } }
        self.connection.resumeReading()
    }

    // MARK: Sending

    private func publish(_ id: WuKongRequestID, _ parameters: SendParameters) {
        guard let sessionID = self.sessionID else { return }
        guard let address = Translation.address(channelID: parameters.channelID, type: parameters.channelType) else {
            let isServed = Translation.channelType(parameters.channelType) != nil
            return self.answer(id, parameters.header, isServed ? .channelIDError : .notSupportChannelType)
        }
        guard self.unanswered.count < self.gateway.house.settings.unansweredMessages else {
            return self.answer(id, parameters.header, .rateLimit)
        }
        self.lastTicket += 1
        self.unanswered[self.lastTicket] = (id, parameters.header)
        self.gateway.publish(
            PublishRequest(
                session: sessionID, ticket: self.lastTicket, address: address,
                clientToken: ClientToken(Array(parameters.clientMessageNumber.utf8)),
                content: MessageContent(
                    kind: Translation.kind(contentType: parameters.contentType),
                    flags: Translation.flags(
                        header: parameters.header, setting: parameters.setting,
                        payloadIsJSONObject: parameters.payloadIsJSONObject),
                    wire: .wuKong, body: parameters.payload, expireSeconds: parameters.expire,
                    topic: parameters.topic)))
    }

    func published(_ ticket: UInt64, _ outcome: PublishOutcome) {
        guard let (id, header) = self.unanswered.removeValue(forKey: ticket) else { return }
        switch outcome {
        case .accepted(let message, let conversation, let sequence, _):
            if sequence > 0, self.feed.published(conversation, sequence: sequence) {
                self.pending.has(conversation, sequence: sequence)
                self.noteAcknowledging()
            }
            self.reply {
                $0.sendResult(
                    id: id, messageID: message.rawValue, sequence: sequence, reason: .success, header: header)
            }
        case .refused, .rateLimited, .busy, .full: self.answer(id, header, Translation.reason(outcome))
        }
    }

    private func answer(_ id: WuKongRequestID, _ header: WuKongHeader, _ reason: WuKongReason) {
        self.reply { $0.sendResult(id: id, messageID: 0, sequence: 0, reason: reason, header: header) }
    }

    // MARK: Receiving

    /// A live message for this session.
    func offer(_ delivery: Delivery) {
        if self.feed.offer(delivery) { self.send(delivery, isRepeat: false) }
    }

    private func send(_ deliveries: [Delivery]) {
        for delivery in deliveries {
            self.gateway.frames.begin(delivery)
            self.send(delivery, isRepeat: false)
        }
    }

    private func send(_ delivery: Delivery, isRepeat: Bool) {
        guard let identity = self.identity else { return }
        let isOwn = delivery.message.sender == identity.user
        self.gateway.frames.send(isOwn: isOwn, isRepeat: isRepeat, to: self.connection)
        if delivery.isStored && !isRepeat {
            self.pending.sent(delivery, at: self.gateway.reactor.now)
        }
    }

    private func acknowledge(_ message: Int64) {
        self.pending.acknowledge(MessageID(rawValue: message))
        self.noteAcknowledging()
    }

    /// Has the gateway ask for `takeDelivered` with its next tick.
    private func noteAcknowledging() {
        guard !self.hasAcknowledged else { return }
        self.hasAcknowledged = true
        self.gateway.noteAcknowledging(self)
    }

    /// Sends again what was not acknowledged in time.
    func redeliver(at now: Instant) {
        guard case .active = self.phase, self.pending.count > 0 else { return }
        let settings = self.gateway.house.settings
        let due = self.pending.due(
            at: now, after: settings.redeliverySeconds * 1000, attempts: settings.redeliveryAttempts)
        for delivery in due {
            self.gateway.frames.begin(delivery)
            self.send(delivery, isRepeat: true)
        }
    }

    /// Adds how far this device class has each conversation.
    func takeDelivered(into marks: inout [DeliveredPosition]) {
        self.hasAcknowledged = false
        guard let identity = self.identity else { return }
        for (conversation, sequence) in self.pending.takeDelivered() {
            marks.append(
                DeliveredPosition(
                    user: identity.user, deviceClass: identity.deviceClass, conversation: conversation,
                    sequence: sequence))
        }
    }

    // MARK: Catching up

    private func perform(_ action: SessionFeed.Action) {
        guard let identity = self.identity else { return }
        let later = self.gateway.later(on: self.connection.id)
        switch action {
        case .none: break
        case .readRanges(let positions):
            self.gateway.house.broker.missedRanges(
                user: identity.user, deviceClass: identity.deviceClass, positions: positions,
                limit: self.gateway.house.settings.catchUpMessages
            ) { result in later { session in session.received(ranges: result) } }
        case .readPage(let range):
            self.gateway.house.broker.missedMessages(range, user: identity.user) { result in
                later { session in session.received(page: result) }
            }
        }
    }

    private func received(ranges: [MissedRange]?) {
        guard let ranges else { return self.perform(self.feed.readFailed()) }
        let (send, next) = self.feed.received(ranges: ranges)
        self.send(send)
        self.perform(next)
    }

    private func received(page: MissedPage?) {
        guard let page else { return self.perform(self.feed.readFailed()) }
        let (send, next) = self.feed.received(page: page.deliveries, isLast: page.isLast)
        self.send(send)
        self.perform(next)
    }

    /// A read that failed is tried again with the next tick.
    func retryIfWaiting() {
        if self.feed.isWaiting && self.connection.outboxBytes == 0 { self.outboxDrained() }
    }

    // MARK: Ending

    func endedByBroker(_ reason: SessionEndReason) {
        self.sessionID = nil
        switch reason {
        case .takenOver: self.kick(.connectKick, "signed in on another device")
        case .signedOut: self.kick(.connectKick, "signed out by the operator")
        case .kickedByOperator(let text): self.kick(.connectKick, text)
        case .disabled: self.kick(.ban, "this person may not sign in")
        case .tooManyRequests: self.close(.tryAgainLater, "too many refused messages")
        case .sameDevice: self.close(.normal, "the same device signed in again")
        case .serverStopping: self.close(.serviceRestart, "the server restarts")
        case .closedByPeer, .idle, .stalled, .failed: self.close(.normal, "session ended")
        }
    }

    /// Every SDK takes a disconnect as final and does not come back by itself.
    private func kick(_ reason: WuKongReason, _ text: String) {
        self.reply { $0.disconnect(reason: reason, text: text) }
        self.close(.normal, text)
    }

    private func close(_ code: WebSocketCloseCode, _ reason: String) {
        self.phase = .closed
        self.connection.close(code: code, reason: reason)
    }

    // MARK: Answers

    private func refuse(_ id: WuKongRequestID?, _ code: JSONRPCErrorCode, _ message: String) {
        self.reply { $0.error(id: id, code: code, message: message) }
    }

    private func reply(_ write: (inout WuKongJSONWriter) -> Void) {
        self.gateway.frames.reply(to: self.connection, write)
    }
}
