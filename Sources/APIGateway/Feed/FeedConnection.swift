import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import Transfers
import Transport

/// One WebSocket of a native client. Confined to its reactor.
///
/// The client's first frame is `{"token":...,"after":...}`; the answer is `{"hello":...}`, then events follow in order.
final class FeedConnection: ConnectionHandler, FeedListener {
    private enum Phase {
        /// A token is awaited. The request is the one of the opening.
        case silent(HTTPRequest)
        /// A token is being looked up.
        case asked(HTTPRequest)
        case signedIn(FeedSession, TransferWatch)
        case over
    }

    /// A client that says nothing for so long is gone; it sends a ping now and then.
    private static let idleSeconds = 60

    private let connection: Connection
    var connectionID: ConnectionID { self.connection.id }
    private unowned let gateway: FeedGateway
    private let context: FeedContext
    private var phase: Phase
    private let presenceNumber: Int
    private var watched = WatchedPeople()

    init(_ connection: Connection, _ request: HTTPRequest, gateway: FeedGateway) {
        self.connection = connection
        self.gateway = gateway
        self.context = gateway.context
        self.phase = .silent(request)
        self.presenceNumber = self.context.presence.number()
    }

    // MARK: From the client

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        if case .over = self.phase { return }
        guard kind == .text else { return self.end(.unsupportedData, "frames are JSON texts") }
        guard let frame = try? JSONValue(parsing: bytes), let members = frame.object else {
            return self.end(.policyViolation, "the frame is no JSON object")
        }
        do throws(APIFailure) {
            switch self.phase {
            case .silent(let request): self.signIn(try FeedSignIn(members), request)
            case .asked: throw APIFailure(409, "wait for hello")
            case .signedIn(let session, _): try self.perform(members, session)
            case .over: break
            }
        } catch {
            self.send(Self.problem(error))
        }
    }

    private func perform(_ members: [JSONValue.Member], _ session: FeedSession) throws(APIFailure) {
        if let failure = self.context.api.takeFromPerson(session.identity) { throw failure }
        switch try FeedRequest(members) {
        case .ping(let number): self.send(.object([JSONValue.Member("pong", .integer(number))]))
        case .watch(let names): try self.watch(names, session)
        case .typing(let conversation):
            self.context.broker.publishTyping(in: conversation, by: session.identity.user, session.identity.name)
        }
    }

    /// Follows these people instead of those that were followed before, and tells of each how they stand now.
    ///
    /// - Throws: 429 when more people are new among them than the person may ask for.
    private func watch(_ names: Set<UserName>, _ session: FeedSession) throws(APIFailure) {
        for _ in 0..<self.watched.requests(for: names) {
            if let failure = self.context.api.takeFromPerson(session.identity) { throw failure }
        }
        let presence = self.context.presence
        let change = self.watched.watch(names)
        presence.unfollow(change.dropped, by: self.presenceNumber)
        for (name, isOnline) in change.known { self.tell(name, isOnline) }
        guard !change.asked.isEmpty else { return }
        guard self.context.profiles.showsOnlyAcquainted else { return self.follow(change.asked, session) }
        let (asked, later) = (change.asked, self.gateway.later(session))
        self.context.profiles.visible(asked, to: session.identity.user) { visible in
            later { session in
                guard let connection = session.listener as? FeedConnection else { return }
                connection.follow(visible, of: asked, session)
            }
        }
    }

    /// Follows who may be known of the people that were asked about, as far as they are watched still; the others are told
    /// to be offline, and looked up again when the client watches them again.
    private func follow(_ visible: Set<UserName>, of asked: Set<UserName>, _ session: FeedSession) {
        let watched = asked.intersection(self.watched.names)
        for name in watched.subtracting(visible) { self.tell(name, false) }
        self.follow(watched.intersection(visible), session)
    }

    private func follow(_ names: Set<UserName>, _ session: FeedSession) {
        guard !names.isEmpty else { return }
        let later = self.gateway.later(session)
        self.context.presence.follow(names, by: self.presenceNumber) { news in
            later { session in
                guard let connection = session.listener as? FeedConnection else { return }
                for (name, isOnline) in news { connection.presenceChanged(name, isOnline) }
            }
        }
    }

    private func presenceChanged(_ name: UserName, _ isOnline: Bool) {
        if self.watched.change(name, isOnline) { self.tell(name, isOnline) }
    }

    /// A state that cannot be told now is asked for when the client watches again.
    private func tell(_ name: UserName, _ isOnline: Bool) {
        if self.connection.isCongested {
            self.watched.forget(name)
        } else {
            self.connection.sendText(NativeNotices.online(name, isOnline))
        }
    }

    // MARK: Signing in

    private func signIn(_ signIn: FeedSignIn, _ request: HTTPRequest) {
        self.phase = .asked(request)
        self.connection.holdSignInDeadline()
        let later = self.gateway.later(on: self.connection.id)
        self.context.api.prove(request, token: signIn.token) { result in later { $0.proved(result, signIn.start) } }
    }

    private func proved(_ result: Result<APICaller, APIFailure>, _ start: FeedStart) {
        guard case .asked(let request) = self.phase, self.connection.isOpen else { return }
        switch result {
        case .failure(let failure): self.refuse(failure)
        case .success(.person(let identity)):
            self.listen(identity, from: start, language: request.headers["accept-language"])
        case .success: self.refuse(APIFailure(403, "the manager's token stands for no person"))
        }
    }

    private func refuse(_ failure: APIFailure) {
        self.send(Self.problem(failure))
        self.end(failure.status == 503 || failure.status == 429 ? .tryAgainLater : .policyViolation, failure.message)
    }

    private func listen(_ identity: Identity, from start: FeedStart, language: String?) {
        guard self.context.listeners.enter(identity.user) else {
            return self.refuse(
                APIFailure(429, "\(identity.name) listens \(ListenerCounts.perPerson) times already"))
        }
        let session = FeedSession(identity, from: start, language: language, listener: self, gateway: self.gateway)
        let later = self.gateway.later(session)
        let transfers = self.context.transfers.watch(owner: identity.user) { views in
            later { ($0.listener as? FeedConnection)?.moved(views) }
        }
        self.phase = .signedIn(session, transfers)
        self.connection.authenticated()
        self.connection.idleDeadlineSeconds = Self.idleSeconds
        session.register(
            deviceID: "native-\(self.connection.id.rawValue)",
            address: "\(self.connection.peer.text):\(self.connection.peer.port)",
            isEncrypted: self.connection.isEncrypted, as: "native-websocket")
    }

    // MARK: To the client

    func feedBegan(at cursor: FeedCursor, _ user: [UInt8], isGap: Bool) {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.key("hello")
        writer.beginObject()
        writer.key("cursor")
        writer.string(cursor.text)
        writer.key("user")
        writer.raw(user)
        writer.key("idleSeconds")
        writer.integer(Int64(Self.idleSeconds))
        writer.endObject()
        writer.endObject()
        self.connection.sendText(writer.bytes)
        if isGap { self.connection.sendText(NativeNotices.gapOfAll) }
    }

    func feedSent(_ frames: [FeedFrame], isGap: Bool) {
        for frame in frames { self.connection.sendText(frame.json) }
        if isGap { self.connection.sendText(NativeNotices.gapOfAll) }
    }

    func feedRested() {}

    func feedSaid(_ json: [UInt8]) { if !self.connection.isCongested { self.connection.sendText(json) } }

    private func moved(_ views: [TransferView]) {
        guard case .signedIn(let session, _) = self.phase else { return }
        for view in views { session.say(NativeNotices.transfer(view.json.serialized())) }
    }

    private func send(_ frame: JSONValue) { self.connection.sendText(frame.serialized()) }

    private static func problem(_ failure: APIFailure) -> JSONValue {
        .object([
            JSONValue.Member("type", .string("problem")), JSONValue.Member("status", .integer(Int64(failure.status))),
            JSONValue.Member("detail", .string(failure.message)),
        ])
    }

    // MARK: Flow

    func outboxRose() { if case .signedIn(let session, _) = self.phase { session.outboxRose() } }

    func outboxDrained() { if case .signedIn(let session, _) = self.phase { session.outboxDrained() } }

    var measure: SessionMeasure {
        let reactor = self.gateway.reactor
        return SessionMeasure(
            activeAtMilliseconds: reactor.clock.wallMilliseconds()
                - reactor.clock.now().milliseconds(since: self.connection.lastReceivedAt),
            queuedBytes: self.connection.outboxBytes, unacknowledged: 0)
    }

    // MARK: The end

    /// The reason of the close frame is the word of the session's end, such as `taken-over` or `signed-out`.
    func feedEnded(_ reason: SessionEndReason) {
        self.end(reason == .serverStopping ? .serviceRestart : .policyViolation, reason.name)
    }

    private func end(_ code: WebSocketCloseCode, _ text: String) {
        self.leave(.closedByPeer)
        self.connection.close(code: code, reason: text)
    }

    func ended(_ reason: ConnectionEnd) { self.leave(Self.endReason(reason)) }

    private func leave(_ reason: SessionEndReason) {
        defer { self.phase = .over }
        guard case .signedIn(let session, let transfers) = self.phase else { return }
        session.leave(reason)
        self.context.presence.unfollow(self.watched.end(), by: self.presenceNumber)
        transfers.end()
        self.context.listeners.leave(session.identity.user)
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
}
