import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import NativeAPI
import Transport

/// One request for events that waits until there are some. Confined to its reactor.
///
/// `GET /api/v1/events?after=CURSOR&wait=0...30` is answered with `{"items":[...],"cursor":"..."}`. Of one device one
/// request waits: a second one has the first answered.
final class FeedPoll: FeedListener {
    private enum Phase {
        /// The token is being looked up.
        case asked
        case waiting(FeedSession)
        /// It was answered, or the client has gone.
        case over
    }

    private let responder: HTTPResponder
    var connectionID: ConnectionID { self.responder.connectionID }
    private let language: String?
    private unowned let gateway: FeedGateway
    private let context: FeedContext
    private let question: FeedQuestion
    private var phase = Phase.asked

    private init(
        _ responder: HTTPResponder, _ language: String?, _ question: FeedQuestion, gateway: FeedGateway
    ) {
        self.responder = responder
        self.language = language
        self.question = question
        self.gateway = gateway
        self.context = gateway.context
    }

    /// Checks a request, and answers it now or later.
    static func begin(_ request: HTTPRequest, _ responder: HTTPResponder, gateway: FeedGateway) {
        let language = request.headers["accept-language"]
        do throws(APIFailure) {
            let question = try FeedQuestion(request.query)
            let poll = FeedPoll(responder, language, question, gateway: gateway)
            gateway.hold(poll, of: responder.connectionID)
            responder.whenEnded = { [weak poll] in poll?.clientLeft() }
            let later = gateway.laterPoll(of: responder.connectionID)
            let device = APIContext.token(of: request).map { StableHash.xxh64($0) } ?? 0
            poll.context.api.prove(request) { result in
                later { $0.proved(result, request, deviceID: "native-poll-\(String(device, radix: 16))") }
            }
        } catch {
            self.giveAnswer(.problem(error, language: language), responder)
        }
    }

    private func proved(_ result: Result<APICaller, APIFailure>, _ request: HTTPRequest, deviceID: String) {
        guard self.responder.isOpen else { return }
        switch result {
        case .failure(let failure): self.refuse(failure)
        case .success(.person(let identity)): self.wait(as: identity, request, deviceID)
        case .success: self.refuse(APIFailure(403, "the manager's token stands for no person"))
        }
    }

    private func wait(as identity: Identity, _ request: HTTPRequest, _ deviceID: String) {
        guard self.context.listeners.enter(identity.user) else {
            return self.refuse(
                APIFailure(429, "\(identity.name) listens \(ListenerCounts.perPerson) times already"))
        }
        self.responder.connection?.authenticated()
        let session = FeedSession(
            identity, from: self.question.start, language: self.language, listener: self, gateway: self.gateway)
        self.phase = .waiting(session)
        guard self.question.waits else { return session.begin() }
        session.register(
            deviceID: deviceID, address: "\(request.peer.text):\(request.peer.port)",
            isEncrypted: request.isEncrypted, as: "native-poll")
        self.gateway.after(milliseconds: self.question.waitMilliseconds, session) { session in
            (session.listener as? FeedPoll)?.answerItems([])
        }
    }

    // MARK: From the session

    func feedBegan(at cursor: FeedCursor, _ user: [UInt8], isGap: Bool) {
        if isGap { return self.answerItems([NativeNotices.gapOfAll]) }
        if case .snapshot = self.question.start { self.answerItems([]) }
    }

    func feedSent(_ frames: [FeedFrame], isGap: Bool) {
        self.answerItems(frames.map(\.json) + (isGap ? [NativeNotices.gapOfAll] : []))
    }

    func feedRested() { if !self.question.waits { self.answerItems([]) } }

    /// There is no place for it: a poll tells what lasts.
    func feedSaid(_ json: [UInt8]) {}

    func feedEnded(_ reason: SessionEndReason) {
        switch reason {
        case .sameDevice, .takenOver: self.answerItems([])
        case .serverStopping, .stalled, .idle, .closedByPeer, .left, .failed:
            self.refuse(APIFailure(503, "the server is stopping: ask again", retryAfterSeconds: 5))
        case .kickedByOperator, .signedOut, .disabled, .tooManyRequests:
            self.refuse(APIFailure(401, "signed out"))
        }
    }

    var measure: SessionMeasure {
        let reactor = self.gateway.reactor
        return SessionMeasure(
            activeAtMilliseconds: reactor.clock.wallMilliseconds(), queuedBytes: 0, unacknowledged: 0)
    }

    // MARK: The answer

    private func answerItems(_ items: [[UInt8]]) {
        guard case .waiting(let session) = self.phase else { return }
        let cursor = session.cursor
        self.leave(.left)
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for item in items { writer.raw(item) }
        writer.endArray()
        writer.key("cursor")
        writer.string(cursor.text)
        writer.endObject()
        Self.giveAnswer(APIAnswer(status: 200, body: writer.bytes), self.responder)
    }

    private func refuse(_ failure: APIFailure) {
        self.leave(.left)
        Self.giveAnswer(.problem(failure, language: self.language), self.responder)
    }

    private static func giveAnswer(_ answer: APIAnswer, _ responder: HTTPResponder) {
        responder.respond(
            status: answer.status,
            headers: [
                ("Content-Type", answer.contentType), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ] + answer.headers, body: answer.body)
    }

    private func clientLeft() { self.leave(.closedByPeer) }

    private func leave(_ reason: SessionEndReason) {
        self.gateway.forgetPoll(of: self.responder.connectionID)
        defer { self.phase = .over }
        guard case .waiting(let session) = self.phase else { return }
        session.leave(reason)
        self.context.listeners.leave(session.identity.user)
    }
}
