import APIKit
import Accounts
import ByteCodec
import ChatModel
import Profiles
import Store
import Transfers
import Transport

/// One listener. Confined to its reactor.
///
/// An event says that something changed, without the new value, except for the client's own transfers: permission to
/// see the value is checked when the client asks for it.
final class EventsSession: ConnectionHandler {
    private enum Phase {
        /// A token is awaited.
        case silent
        /// A token is being looked up.
        case asked
        case listening(Listener)
        case over
    }

    /// Listener and the events that it wants.
    private struct Listener {
        var identity: Identity
        var profiles: WatchID
        /// Ends when it is forgotten.
        var transfers: TransferWatch
        var conversations: [ConversationID: ConversationPlace] = [:]
    }

    /// A client that says nothing for so long is gone; it sends a ping now and then.
    private static let idleSeconds = 45
    private static let namesPerMessage = 2_000
    private static let conversationsPerMessage = 200

    private let connection: Connection
    private unowned let gateway: EventsGateway
    /// Request of the opening, until somebody is signed in.
    private var request: HTTPRequest?
    private var phase = Phase.silent
    /// Events were dropped, because the client does not take what was sent.
    private var hasMissed = false

    init(_ connection: Connection, _ request: HTTPRequest, gateway: EventsGateway) {
        self.connection = connection
        self.request = request
        self.gateway = gateway
    }

    private var context: EventsContext { self.gateway.context }

    // MARK: Signing in

    /// Signs in with the token of the opening, when it has one; pages cannot send header fields and say it first.
    func begin() {
        guard let request = self.request, APIContext.token(of: request) != nil else { return }
        self.signIn(request)
    }

    private func signIn(_ request: HTTPRequest, token: String? = nil) {
        self.phase = .asked
        self.connection.holdSignInDeadline()
        let later = self.gateway.later(on: self.connection.id)
        self.context.api.prove(request, token: token) { result in later { $0.proved(result) } }
    }

    private func proved(_ result: Result<APICaller, APIFailure>) {
        guard case .asked = self.phase, self.connection.isOpen else { return }
        switch result {
        case .failure(let failure): self.refuse(failure)
        case .success(.person(let identity)): self.listen(identity)
        case .success: self.refuse(APIFailure(403, "the manager's token stands for no person"))
        }
    }

    private func refuse(_ failure: APIFailure) {
        self.send(Self.error(failure, to: nil))
        self.end(failure.status == 503 || failure.status == 429 ? .tryAgainLater : .policyViolation, failure.message)
    }

    private func listen(_ identity: Identity) {
        guard self.context.listeners.enter(identity.user) else {
            let most = ListenerCounts.perPerson
            return self.refuse(APIFailure(429, "\(identity.name) has \(most) listeners already"))
        }
        let later = self.gateway.later(on: self.connection.id)
        let profiles = self.context.profiles.watch(WatchInterest(persons: [], teams: []), as: identity.user) { change in
            later { $0.changed(change) }
        }
        let transfers = self.context.transfers.watch(owner: identity.user) { views in
            later { $0.moved(views) }
        }
        self.phase = .listening(Listener(identity: identity, profiles: profiles, transfers: transfers))
        self.request = nil
        self.connection.authenticated()
        self.connection.idleDeadlineSeconds = Self.idleSeconds
        self.send(
            .object([
                JSONValue.Member("type", .string("ready")), JSONValue.Member("id", .string(identity.name.text)),
                JSONValue.Member("idle_seconds", .integer(Int64(Self.idleSeconds))),
            ]))
        self.checkRight()
    }

    /// Ends it when the account has lost a right since it signed in: it may come back with what it still has.
    func checkRight() {
        guard case .listening(let listener) = self.phase else { return }
        guard self.context.services.accounts.authenticator.isStillValid(listener.identity) else {
            return self.end(.policyViolation, "signed out")
        }
    }

    // MARK: From the client

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        guard kind == .text else { return self.end(.unsupportedData, "messages are JSON texts") }
        guard let message = try? JSONValue(parsing: bytes), message.object != nil else {
            return self.refuse(.bad("the message is no JSON object"))
        }
        let fields = APIFields(message)
        do throws(APIFailure) {
            try self.perform(try fields.text("type"), fields)
        } catch {
            self.send(Self.error(error, to: fields.member("id")))
        }
    }

    private func perform(_ word: String, _ fields: APIFields) throws(APIFailure) {
        switch self.phase {
        case .over: return
        case .asked: throw APIFailure(409, "wait for ready")
        case .silent:
            guard word == "sign-in", let request = self.request else {
                throw APIFailure(401, "the first message is {\"type\":\"sign-in\",\"token\":\"...\"}")
            }
            self.signIn(request, token: try fields.text("token"))
        case .listening(let listener):
            if let failure = self.context.api.takeFromPerson(listener.identity) { throw failure }
            switch word {
            case "ping": self.send(Self.done("pong", fields))
            case "watch": try self.watch(fields, listener)
            case "unwatch": try self.unwatch(fields, listener)
            default: throw .bad("type is none of watch, unwatch, ping")
            }
        }
    }

    /// Follows people at once; conversations when it is known that the listener is in them.
    private func watch(_ fields: APIFields, _ listener: Listener) throws(APIFailure) {
        let names = try Self.names(fields)
        let places = try Self.places(fields)
        guard !places.isEmpty else { return self.follow(names, [:], fields.member("id")) }
        let user = listener.identity.user
        let later = self.gateway.later(on: self.connection.id)
        let ticket = fields.member("id")
        self.context.services.store.read(
            for: .person(user),
            { store throws(StoreError) in
                var found: [ConversationID: ConversationPlace] = [:]
                for place in places {
                    guard let id = try store.conversations.one(place.address, seenBy: user)?.id,
                        try store.conversations.member(user, in: id) != nil
                    else { continue }
                    found[id] = place
                }
                return found
            }
        ) { result in
            later { session in
                switch result {
                case .failure(let error): session.send(Self.error(APIFailure(error), to: ticket))
                case .success(let found) where found.count < places.count:
                    // Who is not in it learns nothing of it, not even whether it exists.
                    session.send(Self.error(APIFailure(404, "there is no such conversation of yours"), to: ticket))
                case .success(let found): session.follow(names, found, ticket)
                }
            }
        }
    }

    private func follow(_ names: [UserName], _ places: [ConversationID: ConversationPlace], _ ticket: JSONValue?) {
        guard case .listening(var listener) = self.phase else { return }
        guard self.context.profiles.follow(persons: names, teams: Array(places.keys), by: listener.profiles) else {
            return self.send(Self.error(APIFailure(413, "more is watched than one listener may watch"), to: ticket))
        }
        listener.conversations.merge(places) { _, new in new }
        self.phase = .listening(listener)
        self.send(Self.done("watching", ticket))
    }

    private func unwatch(_ fields: APIFields, _ listener: Listener) throws(APIFailure) {
        var listener = listener
        let places = Set(try Self.places(fields))
        let ids = listener.conversations.filter { places.contains($0.value) }.map(\.key)
        self.context.profiles.unfollow(persons: try Self.names(fields), teams: ids, by: listener.profiles)
        for id in ids { listener.conversations[id] = nil }
        self.phase = .listening(listener)
        self.send(Self.done("watching", fields))
    }

    private static func names(_ fields: APIFields) throws(APIFailure) -> [UserName] {
        try fields.texts("ids", most: self.namesPerMessage).map { (text) throws(APIFailure) in
            guard let name = UserName(text) else { throw .bad("ids has something that can be nobody's id") }
            return name
        }
    }

    private static func places(_ fields: APIFields) throws(APIFailure) -> [ConversationPlace] {
        try fields.objects("conversations", most: self.conversationsPerMessage).map { (place) throws(APIFailure) in
            try ConversationPlace(place)
        }
    }

    // MARK: To the client

    private func changed(_ change: ProfileChange) {
        guard case .listening(let listener) = self.phase else { return }
        if let only = change.onlyFor, only != listener.identity.user { return }
        var members = [JSONValue.Member("type", .string("profile.changed"))]
        switch change.subject {
        case .all: members.append(JSONValue.Member("all", .boolean(true)))
        case .person(let name): members.append(JSONValue.Member("id", .string(name.text)))
        case .member(let name, let id):
            // Names in a team are told to those in it.
            guard let place = listener.conversations[id] else { return }
            members.append(JSONValue.Member("id", .string(name.text)))
            members.append(JSONValue.Member("conversation", place.json))
        case .members(let id):
            return self.tellChange(change, of: id, as: "members.changed", listener)
        case .team(let id):
            return self.tellChange(change, of: id, as: "conversation.changed", listener)
        }
        self.tellFields(members, change)
    }

    /// Tells of a conversation to who is still in it.
    private func tellChange(_ change: ProfileChange, of id: ConversationID, as type: String, _ listener: Listener) {
        let user = listener.identity.user
        let later = self.gateway.later(on: self.connection.id)
        self.context.services.store.read(
            for: .person(user), { store throws(StoreError) in try store.conversations.member(user, in: id) != nil }
        ) { result in
            guard let isIn = try? result.get() else { return later { $0.miss() } }
            later { $0.tellChange(change, of: id, as: type, isIn: isIn) }
        }
    }

    private func tellChange(_ change: ProfileChange, of id: ConversationID, as type: String, isIn: Bool) {
        guard case .listening(var listener) = self.phase, let place = listener.conversations[id] else { return }
        let members = { (type: String) in
            [JSONValue.Member("type", .string(type)), JSONValue.Member("conversation", place.json)]
        }
        guard isIn else {
            self.context.profiles.unfollow(persons: [], teams: [id], by: listener.profiles)
            listener.conversations[id] = nil
            self.phase = .listening(listener)
            return self.tellEvent(.object(members("conversation.gone")))
        }
        self.tellFields(members(type), change)
    }

    private func tellFields(_ members: [JSONValue.Member], _ change: ProfileChange) {
        self.tellEvent(
            .object(
                members + [
                    JSONValue.Member("fields", .array(change.fields.names.map { .string($0) })),
                    JSONValue.Member("cause", .string(change.cause.rawValue)),
                ]))
    }

    private func moved(_ views: [TransferView]) {
        guard case .listening = self.phase else { return }
        self.tellEvent(
            .object([
                JSONValue.Member("type", .string("transfers.changed")),
                JSONValue.Member("transfers", .array(views.map(\.json))),
            ]))
    }

    /// An event. A client that does not take what was sent is told later that it missed some.
    private func tellEvent(_ event: JSONValue) {
        self.checkRight()
        guard case .listening = self.phase else { return }
        guard !self.connection.isCongested else {
            self.hasMissed = true
            return
        }
        self.send(event)
    }

    private func miss() {
        self.hasMissed = true
        if !self.connection.isCongested { self.outboxDrained() }
    }

    func outboxDrained() {
        guard self.hasMissed else { return }
        self.hasMissed = false
        self.send(.object([JSONValue.Member("type", .string("resync"))]))
    }

    private func send(_ message: JSONValue) { self.connection.sendText(message.serialized()) }

    private static func done(_ word: String, _ fields: APIFields) -> JSONValue { self.done(word, fields.member("id")) }

    private static func done(_ word: String, _ ticket: JSONValue?) -> JSONValue {
        .object([JSONValue.Member("type", .string(word))] + (ticket.map { [JSONValue.Member("id", $0)] } ?? []))
    }

    private static func error(_ failure: APIFailure, to ticket: JSONValue?) -> JSONValue {
        var members = [
            JSONValue.Member("type", .string("error")), JSONValue.Member("error", .string(failure.message)),
            JSONValue.Member("status", .integer(Int64(failure.status))),
        ]
        if let ticket { members.append(JSONValue.Member("id", ticket)) }
        return .object(members)
    }

    // MARK: The end

    private func end(_ code: WebSocketCloseCode, _ text: String) {
        self.leave()
        self.connection.close(code: code, reason: text)
    }

    func ended(_ reason: ConnectionEnd) {
        self.leave()
        self.gateway.forget(self.connection.id)
    }

    private func leave() {
        if case .listening(let listener) = self.phase {
            self.context.profiles.unwatch(listener.profiles)
            listener.transfers.end()
            self.context.listeners.leave(listener.identity.user)
        }
        self.phase = .over
        self.request = nil
    }
}
