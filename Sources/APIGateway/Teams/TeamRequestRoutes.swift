package import APIKit
import ByteCodec
import ChatModel
import NativeAPI
import Store

/// People ask to join teams and answer each other, over HTTP.
package enum TeamRequestRoutes {
    /// Routes of requests to join.
    package static let routes = [
        Route("POST", "\(APIPaths.prefix)/teams/{name}/apply", .session, Self.apply),
        Route("POST", "\(APIPaths.prefix)/requests/{number}/accept", .session, Self.accept),
        Route("POST", "\(APIPaths.prefix)/requests/{number}/refuse", .session, Self.refuse),
        Route("POST", "\(APIPaths.prefix)/requests/{number}/withdraw", .session, Self.withdraw),
    ]

    // MARK: Asking

    /// `{"postscript":"..."}`, which may be left out. `{"joined":true}` for a team that is open, else the request that
    /// waits for its managers.
    @Sendable private static func apply(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        let person = try request.person().user
        guard let name = ChannelName(try request.parameter("name")) else { throw Self.noSuchTeam }
        let postscript = try Self.text("postscript", request)
        Self.change(services, reply) { store throws(StoreError) in
            guard let id = try store.reading.conversations.one(.channel(.group, name), seenBy: .system)?.id else {
                return .failure(Self.noSuchTeam)
            }
            return try Self.refusing([.apply, .join], by: person, in: id, store) { () throws(StoreError) in
                switch try store.teams.apply(to: id, person, postscript: postscript) {
                case .joined:
                    return .success(.object([JSONValue.Member("joined", .boolean(true))]))
                case .waiting(let number):
                    guard let made = try store.reading.teams.request(number) else { throw .refused(.noSuchRequest) }
                    let row = try Self.json(made, for: person, store.reading, at: store.wallMilliseconds)
                    return .success(
                        .object([JSONValue.Member("joined", .boolean(false)), JSONValue.Member("request", row)]))
                }
            }
        }
    }

    // MARK: Answering

    @Sendable private static func accept(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        try Self.answerJoinRequest(request, services, reply, accept: true)
    }

    /// `{"reason":"..."}`, which may be left out.
    @Sendable private static func refuse(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        try Self.answerJoinRequest(request, services, reply, accept: false)
    }

    private static func answerJoinRequest(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply, accept: Bool
    ) throws(APIFailure) {
        let person = try request.person().user
        let number = try Self.number(request)
        let reason = try Self.text("reason", request)
        Self.change(services, reply) { store throws(StoreError) in
            guard let known = try store.reading.teams.request(number) else { throw .refused(.noSuchRequest) }
            // Whose place in the team says no: of who joins, when it is full, or of who answers.
            let isOwn = known.person == person
            let rules: [TeamAction] =
                known.kind == .apply && !isOwn ? [.answerApplication, .invite] : [.acceptInvitation]
            return try Self.refusing(rules, by: person, in: known.team, store) { () throws(StoreError) in
                let done = try store.teams.answerRequest(number, accept: accept, reason: reason, by: Actor(person))
                return .success(try Self.json(done, for: person, store.reading, at: store.wallMilliseconds))
            }
        }
    }

    @Sendable private static func withdraw(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        let person = try request.person().user
        let number = try Self.number(request)
        Self.change(services, reply) { store throws(StoreError) in
            let done = try store.teams.withdrawRequest(number, by: Actor(person))
            return .success(try Self.json(done, for: person, store.reading, at: store.wallMilliseconds))
        }
    }

    // MARK: Changing

    /// The answer to a change.
    private typealias Changed = Result<JSONValue, APIFailure>

    /// Makes a change and answers.
    private static func change(
        _ services: APIServices, _ reply: @escaping APIReply,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Changed
    ) {
        services.store.write({ store throws(StoreError) in
            store.origin = EventOrigin(.native)
            return try body(store)
        }) { result in
            switch result {
            case .failure(let error): reply(.failure(APIFailure(error)))
            case .success(.failure(let failure)): reply(.failure(failure))
            case .success(.success(let json)): reply(.json(json))
            }
        }
    }

    /// Names the rule or setting of the team that says no, when it is one of these actions that the team refuses.
    private static func refusing(
        _ actions: [TeamAction], by person: UserID, in id: ConversationID, _ store: WriteTransaction,
        _ body: () throws(StoreError) -> Changed
    ) throws(StoreError) -> Changed {
        do throws(StoreError) {
            return try body()
        } catch {
            guard case .refused(let said) = error,
                let team = try store.reading.teams.one(id, at: store.wallMilliseconds)
            else { throw error }
            let role = try store.reading.conversations.member(person, in: id)?.role
            let facts = team.facts(.user, role: role)
            let refusals = actions.compactMap { teamRefusal($0, facts) }
            guard let refusal = refusals.first(where: { $0.action == said }) else { throw error }
            var failure = APIFailure(error)
            failure.setting = refusal.word
            return .failure(failure)
        }
    }

    private static let noSuchTeam = APIFailure(404, "there is no such team")

    private static func number(_ request: APIRequest) throws(APIFailure) -> Int64 {
        guard let number = Int64(try request.parameter("number")) else {
            throw APIFailure(404, "there is no such request")
        }
        return number
    }

    /// A text of the body; empty without one.
    private static func text(_ name: String, _ request: APIRequest) throws(APIFailure) -> String {
        guard !request.body.isNull else { return "" }
        return try request.fields().optionalText(name) ?? ""
    }

    // MARK: Wording

    private static func json(
        _ request: TeamRequest, for person: UserID, _ store: ReadTransaction, at now: Int64
    ) throws(StoreError) -> JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        func time(_ value: Int64) -> JSONValue { value == 0 ? .null : .integer(value) }
        let steps = try TeamRequestSteps(request, for: person, at: now, in: store)
        return .object([
            JSONValue.Member("number", .integer(request.number)),
            JSONValue.Member("kind", .string(request.kind.word)),
            JSONValue.Member("team", text(request.teamName?.text)),
            JSONValue.Member("person", .string(request.personName.text)),
            JSONValue.Member("inviter", text(request.inviterName?.text)),
            JSONValue.Member("postscript", .string(request.postscript)),
            JSONValue.Member("state", .string(request.state.word)),
            JSONValue.Member("reason", .string(request.reason)),
            JSONValue.Member("answered_by", text(request.answeredByName?.text)),
            JSONValue.Member("created_at", .integer(request.createdAtMilliseconds)),
            JSONValue.Member("answered_at", time(request.answeredAtMilliseconds)),
            JSONValue.Member("ends_at", .integer(request.endsAtMilliseconds)),
            JSONValue.Member("can_answer", .boolean(steps.canAnswer)),
            JSONValue.Member("can_withdraw", .boolean(steps.canWithdraw)),
        ])
    }
}
