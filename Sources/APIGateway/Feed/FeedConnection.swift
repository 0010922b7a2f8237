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
        /// A token is awaited.
        case silent
        /// A token is being looked up.
        case asked
        case signedIn(FeedSession)
        case over
    }

    /// A client that says nothing for so long is gone; it sends a ping now and then.
    private static let idleSeconds = 60
    /// People whose presence one connection follows at most.
    private static let maximumWatched = 500
    /// People who were not followed before that count as one more request.
    private static let watchedPerRequest = 10
    /// The same of people who were: how they stand is known here, and said again.
    private static let knownPerRequest = 100

    private let connection: Connection
    private unowned let gateway: FeedGateway
    /// Request of the opening, until somebody is signed in.
    private var request: HTTPRequest?
    private var phase = Phase.silent
    private var transfers: TransferWatch?
    private let presenceNumber: Int
    /// People whose presence the client follows, and what it was told last.
    private var watched: [UserName: Bool?] = [:]

    init(_ connection: Connection, _ request: HTTPRequest, gateway: FeedGateway) {
        self.connection = connection
        self.request = request
        self.gateway = gateway
        self.presenceNumber = gateway.context.presence.number()
    }

    private var context: FeedContext { self.gateway.context }

    // MARK: From the client

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        if case .over = self.phase { return }
        guard kind == .text else { return self.end(.unsupportedData, "frames are JSON texts") }
        guard let frame = try? JSONValue(parsing: bytes), let members = frame.object else {
            return self.end(.policyViolation, "the frame is no JSON object")
        }
        do throws(APIFailure) {
            switch self.phase {
            case .silent: try self.signIn(members)
            case .asked: throw APIFailure(409, "wait for hello")
            case .signedIn(let session): try self.perform(members, session)
            case .over: break
            }
        } catch {
            self.send(Self.problem(error))
        }
    }

    private func perform(_ members: [JSONValue.Member], _ session: FeedSession) throws(APIFailure) {
        if let failure = self.context.api.takeFromPerson(session.identity) { throw failure }
        guard members.count == 1, let member = members.first else { throw Self.unknownFrame }
        switch member.name {
        case "ping":
            guard let number = member.value.integer else { throw .bad("ping is a whole number") }
            self.send(.object([JSONValue.Member("pong", .integer(number))]))
        case "watch": try self.watch(try Self.names(member.value), session)
        case "typing":
            guard let text = member.value.string, let number = Int64(text), number > 0, String(number) == text else {
                throw .bad("typing is the id of a conversation")
            }
            self.context.api.services.broker.publishTyping(
                in: ConversationID(rawValue: number), by: session.identity.user, session.identity.name)
        default: throw Self.unknownFrame
        }
    }

    private static let unknownFrame = APIFailure.bad("a frame has one of ping, watch, typing")

    private static func names(_ value: JSONValue) throws(APIFailure) -> Set<UserName> {
        guard let list = value.array, list.count <= Self.maximumWatched else {
            throw .bad("watch is a list of at most \(Self.maximumWatched) names")
        }
        var names: Set<UserName> = []
        for entry in list {
            guard let name = entry.string.flatMap(UserName.init) else {
                throw .bad("watch has something that is no name")
            }
            names.insert(name)
        }
        return names
    }

    /// Follows these people instead of those that were followed before, and tells of each how they stand now.
    ///
    /// - Throws: 429 when more people are new among them than the person may ask for.
    private func watch(_ names: Set<UserName>, _ session: FeedSession) throws(APIFailure) {
        // Who is followed already is known here; the broker's thread, which is everybody's, is asked for the others only.
        let known = self.watched.filter { $0.value != nil && names.contains($0.key) }
        let asked = names.subtracting(known.keys)
        for _ in 0..<asked.count / Self.watchedPerRequest + known.count / Self.knownPerRequest {
            if let failure = self.context.api.takeFromPerson(session.identity) { throw failure }
        }
        let presence = self.context.presence
        presence.unfollow(Set(self.watched.keys).subtracting(known.keys), by: self.presenceNumber)
        self.watched = known
        for (name, isOnline) in known { if let isOnline { self.tell(name, isOnline) } }
        guard !asked.isEmpty else { return }
        for name in asked { self.watched.updateValue(nil, forKey: name) }
        let later = self.gateway.later(session)
        presence.follow(asked, by: self.presenceNumber) { news in
            later { session in
                guard let connection = session.listener as? FeedConnection else { return }
                for (name, isOnline) in news { connection.presenceChanged(name, isOnline) }
            }
        }
    }

    private func presenceChanged(_ name: UserName, _ isOnline: Bool) {
        guard let last = self.watched[name], last != isOnline else { return }
        self.watched[name] = isOnline
        self.tell(name, isOnline)
    }

    /// A state that cannot be told now is asked for when the client watches again.
    private func tell(_ name: UserName, _ isOnline: Bool) {
        if self.connection.isCongested {
            self.watched.updateValue(nil, forKey: name)
        } else {
            self.connection.sendText(NativeNotices.online(name, isOnline))
        }
    }

    // MARK: Signing in

    private func signIn(_ members: [JSONValue.Member]) throws(APIFailure) {
        guard let request = self.request else { return }
        var token: String?
        var start = FeedStart.snapshot
        for member in members {
            switch (member.name, member.value) {
            case ("token", .string(let text)): token = text
            case ("after", .string(let text)): start = FeedCursor(text).map { .after($0) } ?? .unknown
            default: throw .bad("the first frame is {\"token\":\"...\",\"after\":\"...\"}")
            }
        }
        self.phase = .asked
        self.connection.holdSignInDeadline()
        let (later, begin) = (self.gateway.later(on: self.connection.id), start)
        self.context.api.prove(request, token: token) { result in later { $0.proved(result, begin) } }
    }

    private func proved(_ result: Result<APICaller, APIFailure>, _ start: FeedStart) {
        guard case .asked = self.phase, self.connection.isOpen else { return }
        switch result {
        case .failure(let failure): self.refuse(failure)
        case .success(.person(let identity)): self.listen(identity, from: start)
        case .success: self.refuse(APIFailure(403, "the manager's token stands for no person"))
        }
    }

    private func refuse(_ failure: APIFailure) {
        self.send(Self.problem(failure))
        self.end(failure.status == 503 || failure.status == 429 ? .tryAgainLater : .policyViolation, failure.message)
    }

    private func listen(_ identity: Identity, from start: FeedStart) {
        guard self.context.listeners.enter(identity.user) else {
            return self.refuse(
                APIFailure(429, "\(identity.name) listens \(ListenerCounts.perPerson) times already"))
        }
        let language = self.request?.headers["accept-language"]
        self.request = nil
        let session = FeedSession(identity, from: start, language: language, listener: self, gateway: self.gateway)
        self.phase = .signedIn(session)
        self.connection.authenticated()
        self.connection.idleDeadlineSeconds = Self.idleSeconds
        let later = self.gateway.later(session)
        self.transfers = self.context.transfers.watch(owner: identity.user) { views in
            later { ($0.listener as? FeedConnection)?.moved(views) }
        }
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
        guard case .signedIn(let session) = self.phase else { return }
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

    func outboxRose() { if case .signedIn(let session) = self.phase { session.outboxRose() } }

    func outboxDrained() { if case .signedIn(let session) = self.phase { session.outboxDrained() } }

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
        if case .signedIn(let session) = self.phase {
            session.leave(reason)
            self.context.presence.unfollow(Set(self.watched.keys), by: self.presenceNumber)
            self.watched = [:]
            self.transfers?.end()
            self.transfers = nil
            self.context.listeners.leave(session.identity.user)
        }
        self.phase = .over
        self.request = nil
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
