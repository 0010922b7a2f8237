import Accounts
import Broker
import ChatModel
import Diagnostics
import Execution
import Store
import Transport
import WuKongWire

/// One connection of a WuKongIM client: carries out between socket, codec and broker what its session decides. Confined
/// to its reactor.
final class WuKongConnection: ConnectionHandler {
    let connection: Connection
    private unowned let gateway: WuKongGateway
    @exclusivity(unchecked) var session: WuKongSession
    /// `nil` until the first bytes tell.
    @exclusivity(unchecked) private var codec: (any SessionCodec)?
    /// Frames that came while signing in. Bounded: the socket is not read meanwhile.
    private var early: [[UInt8]] = []
    /// Its number in the gateway; 0 until it has one.
    private var handle: UInt64 = 0

    /// - Parameter opening: a WebSocket's encoding is told by its first message.
    init(connection: Connection, gateway: WuKongGateway, opening: Opening) {
        self.connection = connection
        self.gateway = gateway
        self.session = WuKongSession(settings: gateway.settings)
        switch opening {
        case .jsonStream: self.codec = gateway.makeCodec(isBinary: false)
        case .binaryStream: self.codec = gateway.makeCodec(isBinary: true)
        case .webSocket: break
        }
    }

    // MARK: From the connection

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        if self.codec == nil, let first = bytes.first(where: { !Self.isWhiteSpace($0) }) {
            self.codec = self.gateway.makeCodec(isBinary: Self.isBinary(first, kind))
        }
        guard let codec = self.codec else { return }
        codec.read(bytes, as: kind, isActive: self.session.isActive) { piece in self.takePiece(piece, codec) }
        if self.session.isWaiting {
            self.session.holds(codec.heldBytes, into: &self.gateway.output)
            self.performActions()
        }
    }

    /// A WebSocket's encoding is told by its first byte, whatever frame it comes in. Source: WuKongIM server; all that is
    /// not `{` is binary there, but who sends other text meant JSON and gets an answer here.
    private static func isBinary(_ first: UInt8, _ kind: InboundKind) -> Bool {
        kind == .text ? 0x10...0x1F ~= first : first != UInt8(ascii: "{")
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    private func takePiece(_ piece: InboundPiece, _ codec: any SessionCodec) {
        switch piece {
        case .frame(let bytes): self.takeFrame(bytes, codec)
        case .decoded(let frame): self.takeDecoded(frame)
        }
    }

    private func takeFrame(_ bytes: UnsafeRawBufferPointer, _ codec: any SessionCodec) {
        switch self.session.readiness {
        case .takes: self.takeDecoded(codec.decode(bytes))
        case .waits: self.early.append(Array(bytes))
        case .isOver: break
        }
    }

    private func takeDecoded(_ frame: ClientFrame) {
        let gateway = self.gateway
        self.session.received(frame, into: &gateway.output)
        gateway.performActions(of: self)
    }

    func refusesMessage(beginning start: UnsafeRawBufferPointer, as kind: InboundKind) {
        guard self.session.isActive, let frame = self.codec?.decodeTooLong(beginning: start) else { return }
        self.takeDecoded(frame)
    }

    func outboxRose() { self.session.outboxRose() }

    func outboxDrained() {
        self.session.outboxDrained(at: self.gateway.reactor.now, into: &self.gateway.output)
        self.performActions()
    }

    /// Tries a read that failed again.
    func retryIfWaiting() {
        if self.session.isWaitingForRoom && self.connection.outboxBytes == 0 { self.outboxDrained() }
    }

    func goingAway() {
        self.session.goingAway(into: &self.gateway.output)
        self.performActions()
    }

    func ended(_ reason: ConnectionEnd) {
        self.session.ended(reason, into: &self.gateway.output)
        self.performActions()
        if self.handle != 0 { self.gateway.forget(self, self.handle) }
    }

    // MARK: From the broker

    func registered(_ id: SessionID) {
        guard let codec = self.codec, let identity = self.session.identity else {
            return self.gateway.broker.closed(id, .closedByPeer)
        }
        self.session.registered(
            id, isStillValid: self.gateway.authenticator.isStillValid(identity),
            sendsMissedMessages: codec.sendsMissedMessages,
            wallMilliseconds: self.gateway.wallMilliseconds(), into: &self.gateway.output)
        self.performActions()
        guard self.session.isActive else { return }
        let early = self.early
        self.early = []
        for frame in early { frame.withUnsafeBytes { self.takeFrame($0, codec) } }
        self.connection.resumeReading()
    }

    func published(_ ticket: UInt64, _ outcome: PublishOutcome) {
        self.session.published(ticket, outcome, into: &self.gateway.output)
        self.performActions()
    }

    func endedByBroker(_ reason: SessionEndReason) {
        self.session.endedByBroker(reason, into: &self.gateway.output)
        self.performActions()
    }

    /// Sends a live message, if the session wants it now; the gateway's frames have been told of it, and end it.
    func offer(_ delivery: Delivery, at now: Instant) {
        if self.session.offer(delivery, at: now) { self.send(delivery, isRepeat: false) }
    }

    /// Sends an event; the gateway's events have been told of it. Who does not read fast enough goes without.
    func offer(_ event: StreamEvent) {
        guard self.session.isActive, !self.connection.isCongested else { return }
        self.codec?.send(event, from: &self.gateway.events, to: self.connection)
    }

    /// Sends again what was not acknowledged in time.
    func redeliver(at now: Instant) {
        for delivery in self.session.takeOverdue(at: now) { self.sendAlone(delivery, isRepeat: true) }
    }

    private func sendAlone(_ delivery: Delivery, isRepeat: Bool) {
        self.gateway.frames.beginDelivery(delivery)
        self.send(delivery, isRepeat: isRepeat)
        self.gateway.frames.end()
    }

    private func send(_ delivery: Delivery, isRepeat: Bool) {
        self.codec?.send(
            isOwn: self.session.isOwn(delivery), isRepeat: isRepeat, from: &self.gateway.frames, to: self.connection)
    }

    // MARK: Actions

    /// Carries out what the session has just asked for.
    private func performActions() { self.gateway.performActions(of: self) }

    /// Carries out one step. Nothing in it calls the session back.
    func perform(_ action: SessionAction, _ gateway: WuKongGateway) {
        switch action {
        case .reply(let reply): self.send(reply, gateway)
        case .deliver(let deliveries): for delivery in deliveries { self.sendAlone(delivery, isRepeat: false) }
        case .authenticate(let user, let token, let deviceClass): self.authenticate(user, token, deviceClass)
        case .register(let identity, let deviceID): self.register(identity, deviceID)
        case .activate:
            self.connection.authenticated()
            self.connection.idleDeadlineSeconds = self.session.settings.idleSeconds
        case .leave(let id, let reason): gateway.broker.closed(id, reason)
        case .noteAcknowledging: gateway.noteAcknowledging(self)
        case .acknowledgeCommand(let id, let sequence):
            gateway.broker.acknowledgeCommand(from: id, sequence: sequence)
        case .readRanges(let identity, let positions, let only): self.readRanges(identity, positions, only)
        case .readPage(let identity, let range): self.readPage(identity, range)
        case .logRefusal(let parameters, let reason): self.logRefusal(parameters, reason)
        case .logBroken(let reason):
            gateway.log.debug(
                "binary stream broken", ["peer": .name(self.connection.peer.text), "reason": .text(reason)])
        case .close(let code, let reason): self.connection.close(code: code, reason: reason)
        }
    }

    private func send(_ reply: ServerReply, _ gateway: WuKongGateway) {
        switch self.codec?.frame(for: reply, with: &gateway.writers) {
        case .text(let bytes): self.connection.sendText(bytes)
        case .binary(let bytes): self.connection.sendBinary(bytes)
        case nil: break
        }
    }

    private func logRefusal(_ parameters: ConnectParameters, _ reason: String) {
        self.gateway.log.warning(
            "sign-in refused",
            [
                "user": .name(parameters.uid), "device_flag": .number(Int64(parameters.deviceFlag)),
                "address": .text(self.connection.peer.text), "reason": .text(reason),
            ])
    }

    // MARK: Signing in

    private func authenticate(_ user: UserName, _ token: String, _ deviceClass: DeviceClass) {
        let peer = self.connection.peer
        self.connection.pauseReading()
        self.connection.holdSignInDeadline()
        let request = SignInRequest(
            user: user, credentials: .token(token), requestedClass: deviceClass, address: peer.text,
            throttleKey: peer.throttleKey, isEncrypted: self.connection.isEncrypted,
            origin: Self.origin(peer.scope), gateway: .wuKong)
        let later = self.gateway.later(on: self.connection.id)
        self.gateway.authenticator.authenticate(request) { result in later { $0.authenticated(result) } }
    }

    private static func origin(_ scope: PeerAddress.Scope) -> SignInOrigin {
        switch scope {
        case .loopback: .loopback
        case .privateNetwork: .privateNetwork
        case .publicNetwork: .publicNetwork
        }
    }

    private func authenticated(_ result: SignInResult) {
        self.session.authenticated(result, into: &self.gateway.output)
        self.performActions()
    }

    private func register(_ identity: Identity, _ deviceID: String) {
        let description = SessionDescription(
            id: SessionID(rawValue: 0), user: identity.user, userName: identity.name,
            deviceClass: identity.deviceClass, deviceLevel: identity.level,
            deviceID: deviceID.isEmpty ? "connection-\(self.connection.id.rawValue)" : deviceID,
            protocolName: self.codec?.protocolName ?? "wukong",
            address: "\(self.connection.peer.text):\(self.connection.peer.port)",
            isEncrypted: self.connection.isEncrypted, openedAtMilliseconds: 0)
        self.handle = self.gateway.register(self, as: description)
    }

    // MARK: Catching up

    private func readRanges(_ identity: Identity, _ positions: [ConversationID: Int64], _ only: Bool) {
        let later = self.gateway.later(on: self.connection.id)
        self.gateway.broker.missedRanges(
            user: identity.user, deviceClass: identity.deviceClass, positions: positions, only: only,
            limit: self.session.settings.catchUpMessages
        ) { result in later { connection in connection.received(ranges: result) } }
    }

    private func received(ranges: [MissedRange]?) {
        self.session.received(ranges: ranges, at: self.gateway.reactor.now, into: &self.gateway.output)
        self.performActions()
    }

    private func readPage(_ identity: Identity, _ range: MissedRange) {
        let later = self.gateway.later(on: self.connection.id)
        self.gateway.broker.missedMessages(range, user: identity.user) { result in
            later { connection in connection.received(page: result) }
        }
    }

    private func received(page: MissedPage?) {
        self.session.received(page: page, at: self.gateway.reactor.now, into: &self.gateway.output)
        self.performActions()
    }
}
