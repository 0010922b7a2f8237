import APIKit
import ByteCodec
import ChatModel
import Localization
import Store

/// Cards of conversations, handing a team over, ending it, and coming in without being brought by anybody.
enum TeamRoutes {
    private static let conversation = "/conversations/{conversation}"
    private static let request = Field.required("request", NativeTeamRequest.id)
    private static let words = Field.optional("text", .text(0...TeamBounds.postscriptScalars))

    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "\(Self.conversation)/card", "card", "Every row of the card, with who may change it and why not.",
            path: [.conversation], answer: .ok(.reference("Card")), problems: [.noSuchConversation], Self.card),
        NativeRoute(
            "POST", "\(Self.conversation)/owner", "handOver", "Makes another member the owner.",
            path: [.conversation],
            body: [.required("name", NativeID.person), .optional("leave", .flag, "Leaves in the same step.")],
            answer: .done,
            problems: [.noSuchConversation, .noSuchUser, .notOwner, .notApplicable, .disbanded], Self.handOver),
        NativeRoute(
            "DELETE", "\(Self.conversation)/team", "dismiss",
            "Ends a group: nobody sends any more, and its members keep the history.", path: [.conversation],
            answer: .done, problems: [.noSuchConversation, .notOwner, .notApplicable, .disbanded], Self.dismiss),
        NativeRoute(
            "DELETE", "\(Self.conversation)/messages", "clearHistory",
            "Takes all messages so far away from the person who asks, and from nobody else.", path: [.conversation],
            answer: .done, problems: [.noSuchConversation], Self.clearHistory),
        NativeRoute(
            "GET", "/teams", "teams", "Teams that one may join or ask to join, with the query in their title.",
            query: [.required("query", .text(1...64, .plain)), .optional("cursor", .text(1...18, .digits)), .limit],
            answer: .ok(.page(of: .reference("Team"))), Self.list),
        NativeRoute(
            "POST", "\(Self.conversation)/requests", "join", "Joins a team that is open, or asks its managers.",
            path: [.conversation], body: [Self.words],
            answer: .made(
                .object([
                    .required("joined", .flag), .optional("request", .reference("Request"), "Waits for an answer."),
                ])),
            problems: [.noSuchConversation, .joiningClosed, .alreadyMember, .tooMany, .notApplicable, .disbanded],
            Self.join),
        NativeRoute(
            "GET", "/requests", "requests",
            "Requests that the person made, was asked by, or may answer as a manager, the newest first.",
            query: [
                .optional("waiting", .flag, "Only those that wait."), .optional("cursor", .text(1...18, .digits)),
                .limit,
            ],
            answer: .ok(.page(of: .reference("Request"))), Self.requests),
        NativeRoute(
            "POST", "/requests/{request}", "answerRequest", "Accepts a request, or refuses it.",
            path: [Self.request], body: [.required("accept", .flag), Self.words], answer: .ok(.reference("Request")),
            problems: [.noSuchRequest, .over, .tooMany, .notManager, .disbanded, .alreadyMember], Self.answer),
        NativeRoute(
            "DELETE", "/requests/{request}", "withdrawRequest", "Takes a request of one's own back.",
            path: [Self.request], answer: .done, problems: [.noSuchRequest, .over], Self.withdraw),
    ]

    /// Shape of the value `Team`.
    static let shape = Shape.object([
        .required("id", NativeID.conversation), .required("title", .anyText), .optional("avatar", .anyText),
        .optional("introduction", .anyText), .required("memberCount", .count),
        .required("join", .choice(TeamJoinMode.allCases.map(\.word))), .required("joined", .flag),
        .required(
            "mayJoin",
            .either([.flag, .object([.required("no", .anyText), .optional("setting", .anyText)])]),
            "At once, or by asking, as join says."),
    ])

    // MARK: The card

    @Sendable private static func card(_ call: NativeCall) throws(Problem) {
        let (id, user, now) = (call.conversation, call.user, call.now)
        let texts = Texts(installed: call.language)
        call.read { store throws(StoreError) in
            try NativeCard(id, for: user, at: now, in: store)
        } answer: { card in
            .native { card.write(to: &$0, texts) }
        }
    }

    @Sendable private static func handOver(_ call: NativeCall) throws(Problem) {
        let (user, leaves) = (call.user, call.input.flag("leave") ?? false)
        guard let name = UserName(call.input.known("name")) else {
            throw Problem(.noSuchUser, "there is no such person", field: "name")
        }
        call.changeTeam([.transferOwnership]) { store, id throws(StoreError) in
            guard let person = try store.reading.people.user(named: name), person.id != user else {
                throw .refused(.noSuchUser)
            }
            try store.conversations.transferOwner(to: person.id, in: id, andLeaves: leaves, by: Actor(user))
        } then: {
            call.done()
        }
    }

    @Sendable private static func dismiss(_ call: NativeCall) throws(Problem) {
        let user = call.user
        call.changeTeam([.dismiss]) { store, id throws(StoreError) in
            try store.conversations.disband(id, by: Actor(user))
        } then: {
            call.done()
        }
    }

    @Sendable private static func clearHistory(_ call: NativeCall) throws(Problem) {
        let user = call.user
        call.changeTeam([]) { store, id throws(StoreError) in
            try store.inbox.clearHistory(user, in: id, through: .max)
        } then: {
            call.done()
        }
    }

    // MARK: Teams to find

    private struct Found: Sendable {
        var team: Team
        var joined: Bool
        var refusal: TeamRefusal?
    }

    @Sendable private static func list(_ call: NativeCall) throws(Problem) {
        let (query, limit, user, now) = (call.input.known("query"), call.limit, call.user, call.now)
        let before = call.input.text("cursor").map { NativeID.conversation($0) }
        call.read(as: .long) { store throws(StoreError) in
            let ids = try store.people.openTeams(matching: query, before: before, limit: limit + 1)
            var found: [Found] = []
            for id in ids.prefix(limit) {
                guard let team = try store.teams.one(id, at: now) else { continue }
                let role = try store.conversations.member(user, in: id)?.role
                let action: TeamAction = team.settings.join == .open ? .join : .apply
                found.append(
                    Found(
                        team: team, joined: role != nil, refusal: teamRefusal(action, team.facts(.user, role: role))))
            }
            return (found: found, next: ids.count > limit ? ids[limit - 1] : nil)
        } answer: { page in
            .native { writer in
                writer.page(next: page.next.map { NativeID.text($0) }) { writer in
                    for found in page.found { Self.write(found, to: &writer) }
                }
            }
        }
    }

    private static func write(_ found: Found, to writer: inout JSONWriter) {
        let team = found.team
        writer.beginObject()
        writer.text("id", NativeID.text(team.conversation.id))
        writer.text("title", team.shownName)
        writer.text("avatar", team.card.logo)
        writer.text("introduction", team.introduction)
        writer.number("memberCount", Int64(team.conversation.memberCount))
        writer.text("join", team.settings.join.word)
        writer.flag("joined", found.joined)
        writer.right("mayJoin", found.refusal)
        writer.endObject()
    }

    // MARK: Requests

    @Sendable private static func join(_ call: NativeCall) throws(Problem) {
        let (id, user, text, words) = (call.conversation, call.user, call.input.text("text") ?? "", call.words)
        call.refusable { store throws(StoreError) in
            guard let team = try store.reading.teams.one(id, at: store.wallMilliseconds) else {
                throw .refused(.noSuchConversation)
            }
            let role = try store.reading.conversations.member(user, in: id)?.role
            let action: TeamAction = team.settings.join == .open ? .join : .apply
            if let refusal = teamRefusal(action, team.facts(.user, role: role)) { return .failure(Problem(refusal)) }
            guard case .waiting(let number) = try store.teams.apply(to: id, user, postscript: text) else {
                return .success(nil)
            }
            return .success(try Self.value(number, for: user, store))
        } then: { (request: NativeTeamRequest?) in
            call.meet(request?.people ?? []) {
                call.answer(201) { writer in
                    writer.beginObject()
                    writer.flag("joined", request == nil)
                    if let request {
                        writer.key("request")
                        request.write(to: &writer, words)
                    }
                    writer.endObject()
                }
            }
        }
    }

    private static func value(
        _ number: Int64, for user: UserID, _ store: WriteTransaction
    ) throws(StoreError) -> NativeTeamRequest {
        guard let request = try store.reading.teams.request(number) else { throw .refused(.noSuchRequest) }
        return try NativeTeamRequest(request, for: user, at: store.wallMilliseconds, in: store.reading)
    }

    @Sendable private static func requests(_ call: NativeCall) throws(Problem) {
        let (user, now, limit, words) = (call.user, call.now, call.limit, call.words)
        let isOnlyWaiting = call.input.flag("waiting") ?? false
        let before = call.input.text("cursor").flatMap { Int64($0) } ?? .max
        call.read { store throws(StoreError) in
            let found = try store.teams.requests(
                concerning: user, onlyWaiting: isOnlyWaiting, before: before, at: now, limit: limit + 1)
            var values: [NativeTeamRequest] = []
            for request in found.prefix(limit) {
                values.append(try NativeTeamRequest(request, for: user, at: now, in: store))
            }
            return (values: values, next: found.count > limit ? String(found[limit - 1].number) : nil)
        } then: { page in
            call.meet(page.values.flatMap(\.people)) {
                call.answer { writer in
                    writer.page(next: page.next) { writer in
                        for value in page.values { value.write(to: &writer, words) }
                    }
                }
            }
        }
    }

    @Sendable private static func answer(_ call: NativeCall) throws(Problem) {
        let (number, user, words) = (call.requestNumber, call.user, call.words)
        let (accepts, reason) = (call.input.flag("accept") ?? false, call.input.text("text") ?? "")
        call.refusable { store throws(StoreError) in
            guard let known = try store.reading.teams.request(number) else { throw .refused(.noSuchRequest) }
            // A manager's right to answer, by whom the setting that says no is named.
            if known.kind == .apply, known.person != user,
                let team = try store.reading.teams.one(known.team, at: store.wallMilliseconds),
                let role = try store.reading.conversations.member(user, in: known.team)?.role,
                let refusal = teamRefusal(.answerApplication, team.facts(.user, role: role))
            {
                return .failure(Problem(refusal))
            }
            _ = try store.teams.answerRequest(number, accept: accepts, reason: reason, by: Actor(user))
            return .success(try Self.value(number, for: user, store))
        } then: { (request: NativeTeamRequest) in
            call.meet(request.people) { call.answer { request.write(to: &$0, words) } }
        }
    }

    @Sendable private static func withdraw(_ call: NativeCall) throws(Problem) {
        let (number, user) = (call.requestNumber, call.user)
        call.write { store throws(StoreError) in
            _ = try store.teams.withdrawRequest(number, by: Actor(user))
        } answer: {
            .done
        }
    }
}

extension NativeCall {
    /// Number of the request that the path names.
    fileprivate var requestNumber: Int64 { Int64(self.input.known("request")) ?? 0 }

    /// Changes something and goes on once it is on disk; or answers with the problem that the body finds before it has
    /// changed anything.
    func refusable<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result<Value, Problem>,
        then: @escaping @Sendable (Value) -> Void
    ) {
        self.write(body) { (result: Result<Value, Problem>) in
            switch result {
            case .success(let value): then(value)
            case .failure(let problem): self.fail(problem)
            }
        }
    }

    /// Changes the conversation that the path names, which the person is in. A refusal of one of these actions names the
    /// setting of the team that says no; the store checks each of them again.
    func changeTeam<Value: Sendable>(
        _ actions: [TeamAction],
        _ body: @escaping @Sendable (WriteTransaction, ConversationID) throws(StoreError) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        let (id, user) = (self.conversation, self.user)
        self.refusable(
            { store throws(StoreError) in
                guard let role = try store.reading.conversations.member(user, in: id)?.role else {
                    throw .refused(.noSuchConversation)
                }
                if let team = try store.reading.teams.one(id, at: store.wallMilliseconds) {
                    let facts = team.facts(.user, role: role)
                    for action in actions {
                        if let refusal = teamRefusal(action, facts) { return .failure(Problem(refusal)) }
                    }
                }
                return .success(try body(store, id))
            }, then: then)
    }
}

extension Problem {
    /// A rule or setting of a team that says no.
    init(_ refusal: TeamRefusal) {
        self.init(refusal.action)
        self.setting = refusal.setting
    }
}

extension JSONWriter {
    /// Writes a right under a key: true, or the code and the setting that say no.
    mutating func right(_ name: StaticString, _ refusal: TeamRefusal?) {
        self.key(name)
        guard let refusal else { return self.boolean(true) }
        self.beginObject()
        self.text("no", Problem(refusal.action).code.rawValue)
        self.text("setting", refusal.setting)
        self.endObject()
    }
}
