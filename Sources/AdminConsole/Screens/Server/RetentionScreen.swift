package import AdminAPI
import CommandLineKit

extension AdminRetentionRow: TableRow {
    /// Class of conversations, by which the table recognises the row.
    package var rowID: String { self.name }
    /// Class, which the filter searches.
    package var searchTexts: [String] { [self.name] }
}

/// Screen of the rules of retention, with what they would delete now and within thirty days. The configuration sets them.
struct RetentionScreen: TableScreen {
    enum Command { case open, holds }

    let title = "console.retention"
    let emptyText = "console.loading"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.retention.open"),
        KeyBinding(.character("h"), .holds, "console.retention.holds"),
    ]
    var rows = TableView<AdminRetentionRow>([
        TableColumn("table.retentionClass") { row, look in look("word.retention.\(row.name)") },
        TableColumn("table.retentionDays", width: 5, isOnTheRight: true, order: { .number($0.days) }) { row, _ in
            Self.bound(row.days)
        },
        TableColumn("table.retentionMessages", width: 13, isOnTheRight: true) { row, _ in Self.bound(row.messages) },
        TableColumn("table.retentionAttachmentDays", width: 15, isOnTheRight: true) { row, _ in
            Self.bound(row.attachmentDays)
        },
        TableColumn("table.retentionNow", width: 8, isOnTheRight: true, order: { .number($0.now.messages) }) {
            row, _ in Self.bound(row.now.messages)
        },
        TableColumn("table.retentionSoon", width: 14, isOnTheRight: true, order: { .number($0.soon.messages) }) {
            row, _ in Self.bound(row.soon.messages)
        },
    ])
    private var held: Int64 = 0
    private var isAsking = false

    var copied: String? { self.rows.current?.name }

    /// A bound of a rule or a number of messages; a dash for none.
    private static func bound(_ value: Int64) -> String { value == 0 ? "-" : String(value) }

    mutating func refresh() -> [Intent] {
        guard !self.isAsking else { return [] }
        self.isAsking = true
        return [.ask(.retention(.forecast), purpose: 0)]
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        self.isAsking = false
        guard case .retention(.forecast(let rows, let held)) = answer else { return [] }
        self.held = held
        self.rows.replace(rows, look)
        return []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.isAsking = false
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .open:
            guard let row = self.rows.current else { return look.nothing() }
            let title = look("word.retention.\(row.name)")
            return [.page(Page(title, Self.amounts(of: row, width: 70, look)))]
        case .holds: return [.open(HoldsScreen())]
        }
    }

    func head(width: Int, _ look: Look) -> [Line] {
        let held =
            self.held == 0
            ? look("console.retention.free") : look("ctl.retention.held", ["count": String(self.held)])
        return [Line(" " + look("console.retention.rules"), .dim), Line(" " + held, .dim), Line()]
    }

    func detail(width: Int, _ look: Look) -> [Line] {
        self.rows.current.map { Self.amounts(of: $0, width: width, look) } ?? []
    }

    /// Amounts of a class, all of them.
    private static func amounts(of row: AdminRetentionRow, width: Int, _ look: Look) -> [Line] {
        [("table.retentionNow", row.now), ("table.retentionSoon", row.soon)].flatMap { key, amount -> [Line] in
            let text =
                amount.conversations == 0
                ? "-"
                : look(
                    "ctl.retention.amount",
                    [
                        "messages": String(amount.messages), "bytes": shownBytes(amount.bytes),
                        "attachments": String(amount.attachments),
                        "attachmentBytes": shownBytes(amount.attachmentBytes),
                    ])
            return [Line(look(key), .heading)] + Cells.wrapped(text, to: max(10, width)).map { Line($0) } + [Line()]
        }
    }
}
