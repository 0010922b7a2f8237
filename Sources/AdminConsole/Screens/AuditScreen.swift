package import AdminAPI
import ChatModel
import CommandLineKit

extension AdminAuditEntry: TableRow {
    /// Number of the entry, by which the table recognises the row.
    package var rowID: Int64 { self.entry.number }
    /// Operator, word, subject, reason and both states, which the filter searches.
    package var searchTexts: [String] {
        let entry = self.entry
        return [
            entry.actor.shownName, entry.word, entry.subject ?? "", entry.actor.reason ?? "", entry.before ?? "",
            entry.after ?? "",
        ]
    }

    /// Change in one line.
    var change: String {
        self.entry.fields.filter(\.hasChanged).map { "\($0.name): \($0.before ?? "-") → \($0.after ?? "-")" }
            .joined(separator: ", ")
    }
}

/// Screen of the audit log, newest entries first. Nobody can change anything here.
struct AuditScreen: TableScreen {
    enum Command { case open, filter, clear, older, verify }

    private static let newest = 0
    private static let older = 1
    private static let check = 2
    private static let pageRows = 200

    let title = "console.audit"
    let emptyText = "console.audit.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.audit.open"),
        KeyBinding(.character("f"), .filter, "console.audit.filter"),
        KeyBinding(.character("F"), .clear, "console.audit.all"),
        KeyBinding(.character("b"), .older, "console.messages.older"),
        KeyBinding(.character("c"), .verify, "console.audit.verify"),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<AdminAuditEntry>([
        TableColumn("table.number", width: 7, isOnTheRight: true, order: { .number($0.entry.number) }) { entry, _ in
            String(entry.entry.number)
        },
        TableColumn("table.time", width: 10, order: { .number($0.entry.atMilliseconds) }) { entry, look in
            look.shortTime(entry.entry.atMilliseconds)
        },
        TableColumn("table.who", width: 14, style: { _ in .accent }) { entry, _ in entry.entry.actor.shownName },
        TableColumn("table.what", width: 16) { entry, _ in entry.entry.word },
        TableColumn("table.subject") { entry, _ in entry.entry.subject ?? "" },
        TableColumn("table.change", minimumScreen: 100) { entry, _ in entry.change },
        TableColumn("table.reason", minimumScreen: 120) { entry, _ in entry.entry.actor.reason ?? "" },
    ])
    private var query = AuditQuery()
    /// Begin of the time range, as the person typed it.
    private var since = ""
    private var next: Int64?
    private var isAsking = false

    init() { self.query.limit = Self.pageRows }

    /// - Parameter since: what `query.sinceMilliseconds` was typed as.
    init(_ query: AuditQuery, since: String) {
        self.query = query
        self.since = since
    }

    var copied: String? { self.rows.current.map { String($0.entry.number) } }

    private mutating func ask(before: Int64?, _ purpose: Int) -> [Intent] {
        guard !self.isAsking else { return [] }
        self.isAsking = true
        var query = self.query
        query.before = before
        return [.ask(.audit(.list(query)), purpose: purpose)]
    }

    mutating func refresh() -> [Intent] { self.ask(before: nil, Self.newest) }

    /// Older ones go below what is there; the newest take its place unless they join it.
    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .audit(.checked(let check)) = answer { return [.page(Self.page(check, look))] }
        self.isAsking = false
        guard case .audit(.list(let entries, let next)) = answer else { return [] }
        let known = self.rows.rows
        if purpose == Self.older {
            self.next = next
            self.rows.replace(known + entries, look)
            return []
        }
        let newest = known.first?.entry.number
        let joins = newest == nil || entries.contains { $0.entry.number == newest }
        let oldest = entries.last?.entry.number ?? .max
        let below = joins ? known.filter { $0.entry.number < oldest } : []
        if below.isEmpty { self.next = next }
        self.rows.replace(entries + below, look)
        return []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        if purpose != Self.check { self.isAsking = false }
        return [.tell(StatusLine(error.message, .failure))]
    }

    // MARK: Keys

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .open:
            guard let entry = self.rows.current else { return look.nothing() }
            return [.open(AuditEntryScreen(entry))]
        case .filter: return [.form(self.filterForm(look))]
        case .clear:
            self = AuditScreen()
            return [.refresh]
        case .older:
            guard let next = self.next else { return [.tell(StatusLine(look("console.audit.first")))] }
            return self.ask(before: next, Self.older)
        case .verify: return [.ask(.audit(.verify), purpose: Self.check)]
        }
    }

    private func filterForm(_ look: Look) -> Form {
        let query = self.query
        return Form(
            look("console.audit.filter"),
            [
                Form.Field(look("table.who"), query.who ?? ""), Form.Field(look("table.what"), query.what ?? ""),
                Form.Field(look("table.subject"), query.subject ?? ""),
                Form.Field(look("table.since"), self.since),
            ],
            check: { values in
                let isMoment =
                    values[3].isEmpty || Moment.milliseconds(values[3], nowMilliseconds: look.nowMilliseconds) != nil
                return isMoment ? nil : look("ctl.badTime", ["text": values[3]])
            },
            command: { values in
                ["audit", "list"]
                    + zip(["--who", "--what", "--subject", "--since"], values).filter { !$1.isEmpty }
                    .flatMap { [$0, $1] }
            },
            submit: { values in
                func text(_ number: Int) -> String? { values[number].isEmpty ? nil : values[number] }
                var wanted = query
                (wanted.who, wanted.what, wanted.subject) = (text(0), text(1), text(2))
                wanted.sinceMilliseconds = Moment.milliseconds(values[3], nowMilliseconds: look.nowMilliseconds)
                return [.open(AuditScreen(wanted, since: values[3]))]
            })
    }

    // MARK: Lines

    /// The entry, and each field before and after.
    func detail(width: Int, _ look: Look) -> [Line] {
        guard let entry = self.rows.current?.entry else { return [] }
        let head = [
            (look("table.time"), look.time(entry.atMilliseconds)),
            (look("table.who"), "\(entry.actor.shownName)  \(entry.actor.source.rawValue)"),
            (look("table.what"), entry.word), (look("table.subject"), entry.subject ?? ""),
            (look("table.reason"), entry.actor.reason ?? ""),
        ]
        let fields = entry.fields.filter(\.hasChanged).map { ($0.name, "\($0.before ?? "-") → \($0.after ?? "-")") }
        return SplitView.lines(head, width: width) + [Line()] + SplitView.lines(fields, width: width)
    }

    func head(width: Int, _ look: Look) -> [Line] {
        let filters = [
            ("table.who", self.query.who), ("table.what", self.query.what), ("table.subject", self.query.subject),
            ("table.since", self.since.isEmpty ? nil : self.since),
        ]
        let shown = filters.compactMap { key, value in value.map { "\(look(key)) \($0)" } }
        return [
            Line(" " + (shown.isEmpty ? look("console.audit.everything") : shown.joined(separator: "  ")), .dim)
        ]
    }

    private static func page(_ check: AdminAuditCheck, _ look: Look) -> Page {
        let isWhole = check.problems.isEmpty
        let said = look(
            isWhole ? "ctl.audit.whole" : "ctl.audit.broken", ["count": String(check.count), "hash": check.hash])
        var lines = check.problems.flatMap { Cells.wrapped(Cells.drawable($0), to: 70) }.map { Line($0, .bad) }
        lines += Cells.wrapped(Cells.drawable(said), to: 70).map { Line($0, isWhole ? .good : .bad) }
        return Page(
            look("console.audit.verify"), lines + [Line(), Line("teahouse ctl audit verify", .dim)], copied: check.hash)
    }
}

extension AdminAuditField: TableRow {
    /// Name, by which the table recognises the row.
    package var rowID: String { self.name }
    /// Name and both values, which the filter searches.
    package var searchTexts: [String] { [self.name, self.before ?? "", self.after ?? ""] }
}

/// One entry of the audit log: what was so before and what after, side by side.
struct AuditEntryScreen: TableScreen {
    enum Command { case open, look }

    let title = "console.audit.entry"
    let emptyText = "console.audit.noState"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.audit.field"), KeyBinding(.character("a"), .look, "console.audit.asked"),
    ]
    var rows = TableView<AdminAuditField>([
        TableColumn("table.differs", width: 2, style: { _ in .warning }) { field, _ in field.hasChanged ? "≠" : "" },
        TableColumn("table.field", width: 20) { field, _ in field.name },
        TableColumn("table.before", style: { $0.hasChanged ? .bad : .dim }) { field, _ in field.before ?? "-" },
        TableColumn("table.after", style: { $0.hasChanged ? .good : .dim }) { field, _ in field.after ?? "-" },
    ])
    private let entry: AdminAuditEntry

    init(_ entry: AdminAuditEntry) { self.entry = entry }

    var copied: String? { String(self.entry.entry.number) }

    /// Fills the table without a request: an entry never changes.
    mutating func lay(width: Int, height: Int, _ look: Look) {
        if self.rows.rows.isEmpty { self.rows.replace(self.entry.entry.fields, look) }
        self.rows.setHeight(
            height - self.head(width: width, look).count - 1, width: SplitView.tableWidth(of: width, look))
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .look: return [.page(Self.page(look("console.audit.asked"), [("", self.entry.entry.asked)]))]
        case .open:
            guard let field = self.rows.current else { return look.nothing() }
            let values = [(look("table.before"), field.before ?? "-"), (look("table.after"), field.after ?? "-")]
            return [.page(Self.page(field.name, values))]
        }
    }

    private static func page(_ title: String, _ parts: [(String, String)]) -> Page {
        let lines = parts.flatMap { label, text in
            (label.isEmpty ? [] : [Line(label, .heading)])
                + Cells.wrapped(Cells.drawable(text), to: 70).map { Line($0) }
        }
        return Page(title, lines, copied: parts.last?.1)
    }

    func head(width: Int, _ look: Look) -> [Line] {
        let entry = self.entry.entry
        func row(_ key: String, _ value: String) -> Line {
            Line(" " + Cells.fitted(Cells.drawable(look(key)), to: 12), .dim) + Line(value)
        }
        return [
            row("table.time", look.time(entry.atMilliseconds)),
            row("table.who", "\(entry.actor.shownName)  \(entry.actor.source.rawValue)"),
            row("table.reason", entry.actor.reason ?? ""),
            row("table.what", "\(entry.word)  \(look(entry.stage == .done ? "word.done" : "word.asked"))"),
            row("table.subject", entry.subject ?? ""), row("table.asked", entry.asked),
            row("table.hash", self.entry.hash), Line(),
        ]
    }
}
