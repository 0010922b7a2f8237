package import AdminAPI
import ChatModel
import CommandLineKit

extension AdminJoinRequest: TableRow {
    /// Number, by which the table recognises the row.
    package var rowID: Int64 { self.number }
    /// User, team, inviter, text, kind and state, which the filter searches.
    package var searchTexts: [String] {
        [
            self.person.text, self.team?.text ?? "", self.inviter?.text ?? "", self.postscript,
            self.kind.word, self.state.word,
        ]
    }

    var kindKey: String { "word.request.\(self.kind.word)" }
    var stateKey: String { "word.request.\(self.state.word)" }
}

/// Screen of requests to join teams, and of invitations.
struct RequestsScreen: TableScreen {
    enum Command { case open, accept, refuse, withdraw, all, team, clear, look, card }

    let title = "console.requests"
    let emptyText = "console.requests.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.requests.open"),
        KeyBinding(.character("a"), .accept, "console.requests.accept", isChange: true),
        KeyBinding(.character("x"), .refuse, "console.requests.refuse", isChange: true),
        KeyBinding(.character("w"), .withdraw, "console.requests.withdraw", isChange: true),
        KeyBinding(.character("t"), .all, "console.requests.all"),
        KeyBinding(.character("f"), .team, "console.requests.team"),
        KeyBinding(.character("F"), .clear, "console.requests.everyTeam"),
        KeyBinding(.character("o"), .look, "console.users.open"),
        KeyBinding(.character("c"), .card, "console.groups.card"),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<AdminJoinRequest>([
        TableColumn("table.number", width: 6, isOnTheRight: true, order: { .number($0.number) }) { request, _ in
            String(request.number)
        },
        TableColumn("table.kind", width: 13) { request, look in look(request.kindKey) },
        TableColumn("table.person") { request, _ in request.person.text },
        TableColumn("table.team") { request, _ in request.team?.text ?? "" },
        TableColumn("table.inviter", minimumScreen: 110) { request, _ in request.inviter?.text ?? "" },
        TableColumn("table.postscript") { request, _ in request.postscript },
        TableColumn("table.state", width: 10, style: { $0.state == .waiting ? .warning : .dim }) { request, look in
            look(request.stateKey)
        },
        TableColumn("table.age", width: 8, isOnTheRight: true, order: { .number(-$0.createdAtMilliseconds) }) {
            request, look in
            shownDuration(seconds: (look.nowMilliseconds - request.createdAtMilliseconds) / 1000)
        },
    ])
    private var pages = Pages<AdminJoinRequest>()
    private var query = AdminJoinQuery()
    /// An answer to another question than the last one is no use.
    private var question = 0

    /// - Parameter team: only its requests; `nil` for those of all.
    init(team: ChannelName? = nil) { self.query.team = team }

    var copied: String? { self.rows.current.map { String($0.number) } }

    private func ask(before: Int64?) -> Intent {
        var query = self.query
        query.before = before
        return .ask(.teams(.requests(query)), purpose: self.question)
    }

    mutating func refresh() -> [Intent] { self.pages.beginReading() ? [self.ask(before: nil)] : [] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .teams(.requests(let requests, let next)) = answer else { return [] }
        guard purpose == self.question else {
            self.pages.end()
            return self.refresh()
        }
        if let all = self.pages.takePage(requests, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [self.ask(before: $0)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(StatusLine(error.message, .failure))]
    }

    // MARK: Keys

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .all:
            self.question += 1
            self.query.onlyWaiting.toggle()
            self.rows.replace([], look)
            return self.refresh()
        case .team: return [Self.chooseTeam()]
        case .clear:
            self.question += 1
            self.query.team = nil
            return [.refresh]
        case .open: return self.rows.current.map { [.page(Self.page($0, look))] } ?? look.nothing()
        case .look: return self.rows.current.map { [.open(UserScreen($0.person))] } ?? look.nothing()
        case .card:
            guard let first = self.rows.current else { return look.nothing() }
            guard let team = first.team else { return look.nothing("card.refusal.dismissed") }
            return [.open(TeamCardScreen(team, hidden: look.hiddenRows))]
        case .accept: return self.answerWaiting(look) { Self.accept($0, look) }
        case .refuse: return self.answerWaiting(look) { [.form(Self.refuseForm($0, look))] }
        case .withdraw: return self.answerWaiting(look) { Self.withdraw($0, look) }
        }
    }

    /// Answers those of the chosen requests that wait.
    private func answerWaiting(_ look: Look, _ answer: ([AdminJoinRequest]) -> [Intent]) -> [Intent] {
        guard self.rows.current != nil else { return look.nothing() }
        let waiting = self.rows.targets.filter { $0.state == .waiting }
        return waiting.isEmpty ? look.nothing("console.requests.over") : answer(waiting)
    }

    private static func chooseTeam() -> Intent {
        .select(
            Selector(SelectorConfiguration(.teams)) { teams in
                guard let team = teams.first.flatMap({ ChannelName($0.id) }) else { return [] }
                return [.open(RequestsScreen(team: team))]
            })
    }

    private static func names(_ requests: [AdminJoinRequest], _ look: Look) -> String {
        look.names(requests.map { "\($0.person.text) → \($0.team?.text ?? "")" })
    }

    /// Taking it back removes them again: the request itself stays answered.
    private static func accept(_ requests: [AdminJoinRequest], _ look: Look) -> [Intent] {
        var operatorAction = OperatorAction(
            requests.map { .teams(.answer($0.number, accept: true, reason: "")) },
            done: look.counted("console.requests.accepted", requests.count))
        let joined = requests.compactMap { request in request.team.map { (team: $0, person: request.person) } }
        operatorAction.undo = OperatorAction(
            joined.map { .teams(.remove($0.team, [$0.person])) },
            done: look.counted("console.requests.removed", joined.count))
        return [
            .propose(
                Proposal(
                    look("console.requests.accept") + ": " + Self.names(requests, look),
                    consequences: [look("console.requests.acceptConsequence")], typed: typedNumber(of: requests),
                    operatorAction: operatorAction))
        ]
    }

    private static func refuseForm(_ requests: [AdminJoinRequest], _ look: Look) -> Form {
        Form(
            look("console.requests.refuse") + ": " + Self.names(requests, look),
            [Form.Field(look("table.reason"), maximum: TeamBounds.postscriptScalars)],
            submit: { values in
                let operatorAction = OperatorAction(
                    requests.map { .teams(.answer($0.number, accept: false, reason: values[0])) },
                    done: look.counted("console.requests.refused", requests.count))
                return [
                    .propose(
                        Proposal(
                            look("console.requests.refuse") + ": " + Self.names(requests, look),
                            consequences: [look("console.requests.refuseConsequence")],
                            typed: typedNumber(of: requests), operatorAction: operatorAction))
                ]
            })
    }

    private static func withdraw(_ requests: [AdminJoinRequest], _ look: Look) -> [Intent] {
        let operatorAction = OperatorAction(
            requests.map { .teams(.withdraw($0.number)) },
            done: look.counted("console.requests.withdrawn", requests.count))
        return [
            .propose(
                Proposal(
                    look("console.requests.withdraw") + ": " + Self.names(requests, look),
                    consequences: [look("console.requests.withdrawConsequence")], typed: typedNumber(of: requests),
                    operatorAction: operatorAction))
        ]
    }

    // MARK: Lines

    func head(width: Int, _ look: Look) -> [Line] {
        let which = look(self.query.onlyWaiting ? "console.requests.onlyWaiting" : "console.requests.withAnswered")
        let team = self.query.team?.text ?? look("console.requests.everyTeam")
        return [Line(" \(which)  ", .dim) + Line(team, self.query.team == nil ? .dim : .accent)]
    }

    private static func page(_ request: AdminJoinRequest, _ look: Look) -> Page {
        func row(_ key: String, _ value: String) -> Line {
            Line(Cells.fitted(Cells.drawable(look(key)), to: 14), .dim) + Line(value)
        }
        var lines = [
            row("table.kind", look(request.kindKey)), row("table.person", request.person.text),
            row("table.team", request.team?.text ?? ""), row("table.inviter", request.inviter?.text ?? ""),
            row("table.state", look(request.stateKey)), row("table.created", look.time(request.createdAtMilliseconds)),
        ]
        if request.answeredAtMilliseconds > 0 {
            lines += [
                row("table.answeredBy", request.answeredBy?.text ?? ""),
                row("table.answered", look.time(request.answeredAtMilliseconds)), row("table.reason", request.reason),
            ]
        }
        lines.append(Line())
        lines += Cells.wrapped(Cells.drawable(request.postscript), to: 70).map { Line($0) }
        return Page(look("console.requests.one", ["number": String(request.number)]), lines)
    }
}
