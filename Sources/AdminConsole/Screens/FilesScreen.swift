package import AdminAPI
import ChatModel
import CommandLineKit

extension AdminFile: TableRow {
    /// Key, by which the table recognises the row.
    package var rowID: String { self.key.text }
    /// Name, owner, media type and key, which the filter searches.
    package var searchTexts: [String] {
        [self.name, self.owner.text, self.ownerName ?? "", self.mediaType, self.key.text]
    }

    var stateKey: String {
        if self.isDamaged { return "word.damaged" }
        if !self.isComplete { return "word.uploading" }
        return self.references == 0 ? "word.orphan" : "word.kept"
    }

    var stateStyle: Style { self.isDamaged ? .bad : self.references == 0 || !self.isComplete ? .warning : .good }
}

/// Screen of files and the room that they take.
struct FilesScreen: TableScreen {
    enum Command { case open, order, orphans, damaged, delete, collect, verify }

    private static let list = 0
    private static let detail = 1
    private static let dryRun = 2
    private static let check = 3

    let title = "console.files"
    let emptyText = "console.files.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.files.open"),
        KeyBinding(.character("o"), .order, "console.files.order"),
        KeyBinding(.character("O"), .orphans, "console.files.orphans"),
        KeyBinding(.character("E"), .damaged, "console.files.damaged"),
        KeyBinding(.delete, .delete, "console.files.delete", isChange: true),
        KeyBinding(.character("C"), .collect, "console.files.collect", isChange: true),
        KeyBinding(.character("V"), .verify, "console.files.verify"),
    ]
    var rows = TableView<AdminFile>([
        TableColumn("table.name") { file, _ in file.name },
        TableColumn("table.owner", width: 14, id: \.owner.text, shown: \.ownerName),
        TableColumn("table.mediaType", width: 22, minimumScreen: 110) { file, _ in file.mediaType },
        TableColumn("table.size", width: 9, isOnTheRight: true, order: { .number($0.size) }) { file, _ in
            shownBytes(file.size)
        },
        TableColumn("table.stored", width: 9, isOnTheRight: true, order: { .number($0.storedSize ?? 0) }) { file, _ in
            file.storedSize.map(shownBytes) ?? ""
        },
        TableColumn("table.references", width: 5, isOnTheRight: true, order: { .number($0.references) }) { file, _ in
            String(file.references)
        },
        TableColumn("table.state", width: 10, style: \.stateStyle) { file, look in look(file.stateKey) },
        TableColumn("table.created", width: 10, order: { .number($0.createdAtMilliseconds) }) { file, look in
            look.shortTime(file.createdAtMilliseconds)
        },
    ])
    private var query = AdminFileQuery(limit: AdminProtocol.fileRows)
    private var totals: FileTotals?
    private var checking: AdminFileCheck?

    var copied: String? { self.rows.current?.key.text }

    mutating func refresh() -> [Intent] { [.ask(.files(.list(self.query)), purpose: Self.list)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .files(let answer) = answer else { return [] }
        switch answer {
        case .list(let files, let totals):
            self.totals = totals
            self.rows.replace(files, look)
            return []
        case .one(let detail): return [.page(Self.page(detail, look))]
        case .checked(let check):
            let values = [
                "count": String(check.objects), "bytes": shownBytes(check.bytes), "damaged": String(check.damagedCount),
            ]
            let isGood = check.damagedCount == 0
            let text = look(isGood ? "ctl.file.allGood" : "ctl.file.someDamaged", values)
            return [.tell(StatusLine(text, isGood ? .news : .failure)), .refresh]
        case .collected(let collection): return Self.collect(collection, look)
        }
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .open:
            guard let file = self.rows.current else { return look.nothing() }
            return [.ask(.files(.show(file.key)), purpose: Self.detail)]
        case .order:
            let orders = AdminFileQuery.Order.allCases
            let place = orders.firstIndex(of: self.query.order) ?? 0
            self.query.order = orders[(place + 1) % orders.count]
            return [.refresh]
        case .orphans:
            self.query.onlyOrphans.toggle()
            return [.refresh]
        case .damaged:
            self.query.onlyDamaged.toggle()
            return [.refresh]
        case .delete: return self.delete(look)
        case .collect: return [.ask(.files(.collect(isDryRun: true)), purpose: Self.dryRun)]
        case .verify:
            return [
                .ask(.files(.verify(nil)), purpose: Self.check), .tell(StatusLine(look("console.files.verifying"))),
            ]
        }
    }

    private func delete(_ look: Look) -> [Intent] {
        let targets = self.rows.targets
        guard let first = targets.first else { return look.nothing() }
        let used = targets.filter { $0.references > 0 }
        var consequences: [String] = []
        if !used.isEmpty { consequences.append(look.counted("console.files.deleteUsed", used.count)) }
        let operatorAction = OperatorAction(
            targets.map { .files(.delete($0.key)) },
            done: look.counted("console.files.deleted", targets.count))
        consequences = look.consequences(of: operatorAction) + consequences
        return [
            .propose(
                Proposal(
                    look("console.files.delete") + ": " + look.names(targets.map(\.name)), consequences: consequences,
                    typed: targets.count == 1 ? first.name : String(targets.count), operatorAction: operatorAction))
        ]
    }

    /// The server has computed what would go.
    private static func collect(_ collection: AdminCollection, _ look: Look) -> [Intent] {
        guard collection.files + collection.objects + collection.uploads > 0 else {
            return [.tell(StatusLine(look("console.files.nothingToCollect")))]
        }
        let values = [
            "files": String(collection.files), "objects": String(collection.objects),
            "uploads": String(collection.uploads), "bytes": shownBytes(collection.bytes),
        ]
        let names = collection.names.prefix(8).map { "  \($0.name)  \($0.owner.text)  \(shownBytes($0.size))" }
        let operatorAction = OperatorAction(
            [.files(.collect(isDryRun: false))], done: look("console.files.collected"))
        return [
            .propose(
                Proposal(
                    look("console.files.collect"), consequences: [look("ctl.file.wouldCollect", values)] + names,
                    operatorAction: operatorAction))
        ]
    }

    func head(width: Int, _ look: Look) -> [Line] {
        var line = Line(" ")
        if let totals = self.totals {
            let ratio = totals.plainBytes > 0 ? percent(of: totals.storedBytes, in: totals.plainBytes) : 100
            let values = [
                "files": String(totals.files), "bytes": shownBytes(totals.fileBytes),
                "stored": shownBytes(totals.storedBytes), "ratio": String(ratio),
                "saved": shownBytes(totals.fileBytes - totals.plainBytes), "orphans": String(totals.unreferencedFiles),
                "damaged": String(totals.damagedObjects),
            ]
            line += Line(look("console.files.totals", values), totals.damagedObjects > 0 ? .bad : .plain)
        }
        var shown = [look("console.files.order.\(self.query.order.rawValue)")]
        if self.query.onlyOrphans { shown.append(look("console.files.orphans")) }
        if self.query.onlyDamaged { shown.append(look("console.files.damaged")) }
        return [line, Line(" " + shown.joined(separator: ", "), .dim), Line()]
    }

    private static func page(_ detail: AdminFileDetail, _ look: Look) -> Page {
        let file = detail.file
        func row(_ key: String, _ value: String) -> Line {
            Line(Cells.fitted(Cells.drawable(look(key)), to: 16), .dim) + Line(value)
        }
        var lines = [
            row("table.key", file.key.text), row("table.name", file.name),
            row("table.owner", file.ownerName.map { "\($0)  \(file.owner.text)" } ?? file.owner.text),
            row("table.mediaType", file.mediaType), row("table.size", shownBytes(file.size)),
            row("table.stored", file.storedSize.map(shownBytes) ?? ""), row("table.hash", file.hash?.description ?? ""),
            row("table.state", look(file.stateKey)), row("table.created", look.time(file.createdAtMilliseconds)),
            Line(),
            Line(look("heading.references", ["count": String(file.references)]), .heading),
        ]
        lines += detail.references.map { Line("\($0.name)  \($0.sequence.map(String.init) ?? "")") }
        return Page(file.name, lines, copied: file.key.text)
    }
}
