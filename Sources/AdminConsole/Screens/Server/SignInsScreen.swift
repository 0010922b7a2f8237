package import AdminAPI
import CommandLineKit

extension AdminSignIn: TableRow {
    /// Number of the entry, by which the table recognises the row.
    package var rowID: Int64 { self.number }
    /// Name, address, gateway and result, which the filter searches.
    package var searchTexts: [String] {
        [self.user, self.address, self.gateway, self.device, self.result, self.reason].compactMap { $0 }
    }
    /// Name that was given.
    package var requestName: String? { self.user }

    /// Result with the reason, or the kind of an entry about the journal itself; the number of attempts it stands for.
    func outcome(_ look: Look) -> String {
        let said = [self.result ?? self.kind, self.reason].compactMap { $0 }.joined(separator: ": ")
        guard let count = self.count else { return said }
        let isMore = self.kind == "sum" || self.kind == "left_out"
        return said + "  " + (isMore ? look("ctl.signIns.more", ["count": String(count)]) : String(count))
    }

    var style: Style {
        guard let result = self.result else { return .dim }
        return result == "signed_in" ? .good : .warning
    }
}

/// Screen of the journal of sign-ins and refusals, newest entries first. Nobody can change anything here.
struct SignInsScreen: TableScreen {
    enum Command { case filter, person, clear, older, verify }

    private static let newest = 0
    private static let older = 1
    private static let check = 2
    private static let pageRows: Int64 = 200
    /// Results to filter by, as the journal has them.
    private static let results = [
        "signed_in", "wrong_credentials", "expired", "disabled", "throttled", "plain_not_allowed", "busy",
        "unavailable",
    ]

    let title = "console.signIns"
    let emptyText = "console.signIns.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("f"), .filter, "console.signIns.filter"),
        KeyBinding(.character("u"), .person, "console.signIns.person"),
        KeyBinding(.character("F"), .clear, "console.audit.all"),
        KeyBinding(.character("b"), .older, "console.messages.older"),
        KeyBinding(.character("c"), .verify, "console.audit.verify"),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<AdminSignIn>([
        TableColumn("table.time", width: 10, order: { .number($0.atMilliseconds) }) { entry, look in
            look.shortTime(entry.atMilliseconds)
        },
        TableColumn("table.name", width: 13, style: { _ in .accent }) { entry, _ in entry.user ?? "" },
        TableColumn("table.address", width: 16) { entry, _ in entry.address ?? "" },
        TableColumn("table.device", width: 8, minimumScreen: 100) { entry, _ in entry.device ?? "" },
        TableColumn("table.gateway", width: 14, minimumScreen: 100) { entry, _ in entry.gateway ?? "" },
        TableColumn("table.result", style: { $0.style }) { entry, look in entry.outcome(look) },
    ])
    private var query = AdminSignInQuery()
    /// Begin of the time range, as the person typed it.
    private var since = ""
    private var next: Int64?
    private var isAsking = false

    init() { self.query.limit = Self.pageRows }

    private init(_ query: AdminSignInQuery, since: String) {
        self.query = query
        self.since = since
    }

    var copied: String? { self.rows.current?.address }

    private mutating func ask(before: Int64?, _ purpose: Int) -> [Intent] {
        guard !self.isAsking else { return [] }
        self.isAsking = true
        var query = self.query
        query.before = before
        return [.ask(.audit(.signIns(query)), purpose: purpose)]
    }

    mutating func refresh() -> [Intent] { self.ask(before: nil, Self.newest) }

    /// Older ones go below what is there; the newest take its place unless they join it. A page may be empty and lead on:
    /// the server looks at some files for each.
    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .audit(.checkedSignIns(let check)) = answer { return [.page(Self.page(check, look))] }
        self.isAsking = false
        guard case .audit(.signIns(let entries, let next)) = answer else { return [] }
        let known = self.rows.rows
        if purpose == Self.older {
            self.next = next
            self.rows.replace(known + entries, look)
            return entries.isEmpty ? self.goOn(after: next, look) : []
        }
        let newest = known.first?.number
        let joins = newest == nil || entries.contains { $0.number == newest }
        let oldest = entries.last?.number ?? .max
        let below = joins ? known.filter { $0.number < oldest } : []
        if below.isEmpty { self.next = next }
        self.rows.replace(entries + below, look)
        return entries.isEmpty && known.isEmpty ? self.goOn(after: next, look) : []
    }

    /// Asks for the page behind an empty one.
    private mutating func goOn(after next: Int64?, _ look: Look) -> [Intent] {
        guard let next else { return [] }
        return self.ask(before: next, Self.older)
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        if purpose != Self.check { self.isAsking = false }
        return [.tell(StatusLine(error.message, .failure))]
    }

    // MARK: Keys

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .filter: return [.form(self.filterForm(look))]
        case .person:
            guard let name = self.rows.current?.user else { return look.nothing() }
            var query = SignInsScreen().query
            query.user = name
            return [.open(SignInsScreen(query, since: ""))]
        case .clear:
            self = SignInsScreen()
            return [.refresh]
        case .older:
            guard let next = self.next else { return [.tell(StatusLine(look("console.audit.first")))] }
            return self.ask(before: next, Self.older)
        case .verify: return [.ask(.audit(.verifySignIns), purpose: Self.check)]
        }
    }

    private func filterForm(_ look: Look) -> Form {
        let query = self.query
        let results = [("", look("word.all"))] + Self.results.map { ($0, $0) }
        var fields = [
            Form.Field(look("table.name"), query.user ?? ""), Form.Field(look("table.address"), query.address ?? ""),
            Form.Field(look("table.result"), choices: results), Form.Field(look("table.since"), self.since),
        ]
        fields[2].text.text = query.result ?? ""
        return Form(
            look("console.signIns.filter"), fields,
            check: { values in
                let isMoment =
                    values[3].isEmpty || Moment.milliseconds(values[3], nowMilliseconds: look.nowMilliseconds) != nil
                return isMoment ? nil : look("ctl.badTime", ["text": values[3]])
            },
            command: { values in
                ["audit", "sign-ins"]
                    + zip(["--user", "--address", "--result", "--since"], values).filter { !$1.isEmpty }
                    .flatMap { [$0, $1] }
            },
            submit: { values in
                func text(_ number: Int) -> String? { values[number].isEmpty ? nil : values[number] }
                var wanted = query
                (wanted.user, wanted.address, wanted.result) = (text(0), text(1), text(2))
                wanted.sinceMilliseconds = Moment.milliseconds(values[3], nowMilliseconds: look.nowMilliseconds)
                return [.open(SignInsScreen(wanted, since: values[3]))]
            })
    }

    // MARK: Lines

    func head(width: Int, _ look: Look) -> [Line] {
        let filters = [
            ("table.name", self.query.user), ("table.address", self.query.address),
            ("table.result", self.query.result), ("table.since", self.since.isEmpty ? nil : self.since),
        ]
        let shown = filters.compactMap { key, value in value.map { "\(look(key)) \($0)" } }
        return [
            Line(" " + (shown.isEmpty ? look("console.signIns.everything") : shown.joined(separator: "  ")), .dim)
        ]
    }

    private static func page(_ check: AdminSignInCheck, _ look: Look) -> Page {
        let isWhole = check.problems.isEmpty
        let said = look(
            isWhole ? "ctl.signIns.whole" : "ctl.signIns.broken",
            [
                "first": String(check.first), "last": String(check.last), "hash": check.hash,
                "mended": String(check.mended),
            ])
        var lines = check.problems.flatMap { Cells.wrapped(Cells.drawable($0), to: 70) }.map { Line($0, .bad) }
        lines += Cells.wrapped(Cells.drawable(said), to: 70).map { Line($0, isWhole ? .good : .bad) }
        return Page(
            look("console.audit.verify"), lines + [Line(), Line("teahouse ctl audit sign-ins --verify", .dim)],
            copied: check.hash)
    }
}
