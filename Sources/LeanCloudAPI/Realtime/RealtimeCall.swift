import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import LeanCloudTranslation
import Store
import Transport

/// One request about conversations, their people or their messages.
struct RealtimeCall: StoreCall {
    let request: APIRequest
    let services: APIServices
    let reply: APIReply

    /// True for the app's own server, which shows the master key.
    var isMaster: Bool { self.request.caller == .manager }

    /// The conversation that the request names in its path, its query or its body; empty when it names none.
    var cid: String {
        if let id = try? self.request.parameter("id") { return id }
        return self.request.query["convid"] ?? self.request.query["conv_id"] ?? self.request.body["conv_id"]?.string
            ?? ""
    }

    /// Words for what the server refuses.
    var refused: @Sendable (ActionRefusal) -> LeanCloudFault = { LeanCloudFault(conversation: $0) }

    var store: Store { self.services.store }
    var asker: ReadAsker { self.request.asker }
    var origin: EventOrigin { EventOrigin(.leanCloud) }

    /// Failure for a store error about the conversation that the request names.
    func failure(_ error: StoreError) -> APIFailure {
        let failure = APIFailure(realtime: error, refused: self.refused)
        guard failure.code == LeanCloudFault.conversationNotFound.code else { return failure }
        return APIFailure(.gone(self.cid, otherwise: .conversationNotFound))
    }

    /// UTC milliseconds.
    var now: Int64 { self.services.clock.wallMilliseconds() }

    // MARK: The app's own functions

    /// Answer of a function to a question.
    typealias HookAnswer = (question: HookQuestion, changes: HookChanges)

    /// Asks them before something is changed, one after the other, and goes on with what they want otherwise; at once
    /// when none is called. Answers where one says no. Source: LeanCloud realtime guide, hooks of conversations: 4305.
    ///
    /// - Parameter questions: made only when there are functions.
    func consult(
        _ questions: () -> [HookQuestion], then: @escaping @Sendable (RealtimeCall, [HookAnswer]) -> Void
    ) {
        guard let hooks = self.services.broker.hooks else { return then(self, []) }
        self.ask(hooks, ArraySlice(questions().filter { hooks.wants($0.function) }), [], then)
    }

    /// The same about what has to be looked up first; it is looked up only when there are functions.
    func consult(
        looking: @escaping @Sendable (ReadTransaction) throws(StoreError) -> [HookQuestion],
        then: @escaping @Sendable (RealtimeCall, [HookAnswer]) -> Void
    ) {
        guard self.services.broker.hooks != nil else { return then(self, []) }
        self.services.store.read(for: self.request.asker, looking) { result in
            switch result {
            case .success(let questions): self.consult({ questions }, then: then)
            case .failure(let error): self.reply(.failure(APIFailure(realtime: error)))
            }
        }
    }

    private func ask(
        _ hooks: any HookHandler, _ questions: ArraySlice<HookQuestion>, _ said: [HookAnswer],
        _ then: @escaping @Sendable (RealtimeCall, [HookAnswer]) -> Void
    ) {
        guard let question = questions.first else { return then(self, said) }
        hooks.ask(question) { verdict in
            switch verdict {
            case .allowed(let changes):
                self.ask(hooks, questions.dropFirst(), said + [(question: question, changes: changes)], then)
            case .rejected(let code, let detail): self.reply(.failure(.rejected(code: code, detail: detail)))
            }
        }
    }

    // MARK: Fields

    /// A person named in the body.
    func client(_ name: String) throws(APIFailure) -> UserName { try Self.client(try self.request.fields().text(name)) }

    static func client(_ text: String) throws(APIFailure) -> UserName {
        guard let name = UserName(text) else {
            throw APIFailure(400, "a client id has 1 to 64 characters", code: LeanCloudFault.invalidLogin.code)
        }
        return name
    }

    /// People named in the body, 1 at least.
    func clients(_ name: String, most limit: Int = ObjectBounds.peoplePerRequest) throws(APIFailure) -> [String] {
        let names = try self.request.fields().texts(name, most: limit)
        guard !names.isEmpty else { throw .bad("\(name) is missing") }
        for text in names { _ = try Self.client(text) }
        return names
    }

    /// How many rows of a list, and behind how many.
    func page(usual: Int64 = 100, most: Int64 = 1_000) throws(APIFailure) -> (limit: Int, skip: Int) {
        let limit = try self.request.queryInteger("limit", otherwise: usual)
        guard (0...most).contains(limit) else { throw .bad("limit is 0 to \(most)") }
        let skip = try self.request.queryInteger("skip", otherwise: 0)
        guard (0...Int64(Int32.max)).contains(skip) else { throw .bad("skip is not below 0") }
        return (Int(limit), Int(skip))
    }

    /// A switch in the query; the Python SDK writes `True`.
    func isOn(_ name: String) throws(APIFailure) -> Bool {
        switch self.request.query[name].map({ ASCII.lowercased($0) }) {
        case nil, "", "false", "0": false
        case "true", "1": true
        default: throw .bad("\(name) is true or false")
        }
    }

    /// The conversation in the path.
    func address() throws(APIFailure) -> ConversationAddress { try Self.address(try self.request.parameter("id")) }

    static func address(_ cid: String) throws(APIFailure) -> ConversationAddress {
        guard let address = LeanCloudNames.address(cid: cid) else { throw .noConversation }
        return address
    }
}

/// Handler of a route about conversations.
typealias RealtimeHandler = @Sendable (RealtimeCall) throws(APIFailure) -> Void

extension Route {
    /// A route for the app's own server unless said otherwise.
    init(
        _ method: String, realtime pattern: String, _ access: RouteAccess = .manager,
        _ handler: @escaping RealtimeHandler
    ) {
        self.init(method, pattern, access) { (request, services, reply) throws(APIFailure) in
            try handler(RealtimeCall(request: request, services: services, reply: reply))
        }
    }
}

extension ReadTransaction {
    /// The conversation that a request is about.
    ///
    /// - Parameter resource: what it has to be; `nil` for any kind.
    /// - Throws: `refused` when there is none, it was deleted, or its time is over; `invalid` when it is of another
    ///   kind.
    func realtime(
        _ address: ConversationAddress, _ resource: RealtimeResource? = nil
    ) throws(StoreError) -> Conversation {
        guard let found = try self.conversations.one(address, seenBy: .system), !found.flags.contains(.disbanded),
            try !self.isOver(found)
        else { throw .refused(.noSuchConversation) }
        if let resource, !resource.covers(found.kind) {
            throw .invalid("the conversation is none of \(resource.rawValue)")
        }
        return found
    }
}

/// The three kinds of conversations that have paths of their own.
enum RealtimeResource: String, CaseIterable, Sendable {
    case conversations
    case chatrooms
    case services = "service-conversations"

    func covers(_ kind: ConversationKind) -> Bool {
        switch self {
        case .conversations: kind != .room && kind != .service
        case .chatrooms: kind == .room
        case .services: kind == .service
        }
    }

    /// `/1.2/rtm/chatrooms` and what follows.
    func path(_ rest: String = "") -> String { "/1.2/rtm/\(self.rawValue)\(rest)" }
}

// MARK: Failures

extension APIFailure {
    static let noConversation = APIFailure(LeanCloudFault.conversationNotFound)

    /// Failure for a request that a function of the app refused.
    static func rejected(code: Int64?, detail: String?) -> APIFailure {
        let words = [code.map { String($0) }, detail].compactMap(\.self)
        let fault = LeanCloudFault.conversationRejectedByApp
        return APIFailure(words.isEmpty ? fault : fault.saying(words.joined(separator: " ")))
    }

    /// Failure with the words of the realtime protocol.
    init(_ fault: LeanCloudFault) {
        let status =
            switch fault.code {
            case LeanCloudFault.conversationNotFound.code, LeanCloudFault.temporaryConversationExpired.code,
                LeanCloudFault.messageNotFound.code:
                404
            case LeanCloudFault.messageQuotaExceeded.code: 429
            case LeanCloudFault.internalError.code, LeanCloudFault.conversationInternalError.code: 500
            case LeanCloudFault.sendTimeout.code: 503
            default: 400
            }
        let message = fault.detail.map { "\(fault.reason): \($0)" } ?? fault.reason
        self.init(status, message, code: fault.code)
    }

    /// Failure for a store error.
    ///
    /// - Parameter refused: words for a refusal by our rules.
    init(realtime error: StoreError, refused: (ActionRefusal) -> LeanCloudFault = { LeanCloudFault(conversation: $0) })
    {
        let plain = APIFailure(error)
        guard plain.status < 500 else {
            self = plain
            return
        }
        self.init(LeanCloudFault(error, refused: refused))
    }
}

// MARK: Answers

extension JSONValue {
    static func names(_ names: [UserName]) -> JSONValue { .array(names.map { .string($0.text) }) }
}

extension APIAnswer {
    /// `{"updatedAt":...,"objectId":...}`, when a conversation was changed.
    static func updated(_ conversation: Conversation, at milliseconds: Int64) -> APIAnswer {
        .json(
            .fields(
                ("updatedAt", .string(LeanCloudDates.text(milliseconds))),
                (
                    "objectId",
                    .string(LeanCloudNames.conversationID(conversation.objectID, conversation.kind))
                )))
    }
}
