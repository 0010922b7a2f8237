package import AdminAPI
import ChatModel
import CommandLineKit

extension AdminTransfer: TableRow {
    /// Key, by which the table recognises the row.
    package var rowID: String { self.key.text }
    /// Owner, file, key and state, which the filter searches.
    package var searchTexts: [String] {
        [self.owner.text, self.ownerName ?? "", self.fileName, self.key.text, self.state.textKey]
    }

    /// `[===>  ] 42%`, or bytes when nobody knows of how much.
    var share: String {
        guard let size = self.size else { return shownBytes(self.offset) }
        return "\(ProgressBar.text(done: self.offset, of: size, width: 12)) \(percent(of: self.offset, in: size))%"
    }
}

extension TransferState {
    var textKey: String {
        switch self {
        case .waiting: "word.waiting"
        case .progressing: "word.progressing"
        case .suspended: "word.suspended"
        case .succeeded: "word.succeeded"
        case .failed: "word.failed"
        case .cancelled: "word.cancelled"
        }
    }

    var style: Style {
        switch self {
        case .waiting: .dim
        case .progressing: .accent
        case .suspended: .warning
        case .succeeded: .good
        case .failed, .cancelled: .bad
        }
    }
}

/// Uploads and downloads as they move.
struct TransfersScreen: TableScreen {
    enum Command { case suspend, resume, cancel, over, open }

    let title = "console.transfers"
    let emptyText = "console.transfers.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("s"), .suspend, "console.transfers.suspend", isChange: true),
        KeyBinding(.character("r"), .resume, "console.transfers.resume", isChange: true),
        KeyBinding(.character("c"), .cancel, "console.transfers.cancel", isChange: true),
        KeyBinding(.character("o"), .over, "console.transfers.over"),
        KeyBinding(.enter, .open, "console.transfers.open"),
    ]
    var rows = TableView<AdminTransfer>([
        TableColumn("table.direction", width: 9) { transfer, look in
            look(transfer.direction == .upload ? "word.upload" : "word.download")
        },
        TableColumn("table.owner", width: 12, id: \.owner.text, shown: \.ownerName),
        TableColumn("table.name") { transfer, _ in transfer.fileName },
        TableColumn("table.done", width: 17, order: { .number(percent(of: $0.offset, in: $0.size ?? 0)) }) {
            transfer, _ in
            transfer.share
        },
        TableColumn("table.state", width: 11, style: { $0.state.style }) { transfer, look in
            look(transfer.state.textKey)
        },
        TableColumn(
            "table.speed", width: 11, isOnTheRight: true, minimumScreen: 92, order: { .number($0.bytesPerSecond) }
        ) {
            transfer, _ in
            transfer.bytesPerSecond > 0 ? "\(shownBytes(transfer.bytesPerSecond))/s" : ""
        },
        TableColumn("table.remaining", width: 8, isOnTheRight: true, minimumScreen: 100) { transfer, _ in
            transfer.remainingSeconds.map { shownDuration(seconds: $0) } ?? ""
        },
    ])
    private var withOver = false

    var copied: String? { self.rows.current?.key.text }
    var watches: [AdminRequest] { [.transfers(.watch(nil))] }

    mutating func refresh() -> [Intent] {
        [.ask(.transfers(.list(nil, withOver: self.withOver, limit: AdminProtocol.fileRows)), purpose: 0)]
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .transfers(.list(let transfers)) = answer { self.rows.replace(transfers, look) }
        return []
    }

    /// Updates the list; transfers that end stay until the list is asked for again.
    mutating func receive(_ event: AdminEvent, _ look: Look) {
        guard case .transfers(let news) = event else { return }
        var all = self.rows.rows
        for transfer in news {
            if let place = all.firstIndex(where: { $0.key == transfer.key }) {
                all[place] = transfer
            } else {
                all.insert(transfer, at: 0)
            }
        }
        self.rows.replace(all, look)
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .over:
            self.withOver.toggle()
            return [
                .refresh,
                .tell(StatusLine(look(self.withOver ? "console.transfers.withOver" : "console.transfers.withoutOver"))),
            ]
        case .open:
            guard let transfer = self.rows.current else { return look.nothing() }
            return [.page(Self.page(transfer, look))]
        case .suspend: return self.change(.suspend, look) { $0 == .progressing || $0 == .waiting }
        case .resume: return self.change(.resume, look) { $0 == .suspended }
        case .cancel: return self.change(.cancel, look) { !$0.isOver }
        }
    }

    private func change(
        _ action: AdminTransferAction, _ look: Look, when isPossible: (TransferState) -> Bool
    ) -> [Intent] {
        guard !self.rows.targets.isEmpty else { return look.nothing() }
        let targets = self.rows.targets.filter { isPossible($0.state) }
        guard !targets.isEmpty else { return look.nothing("console.transfers.notNow") }
        func done(_ action: AdminTransferAction) -> String {
            look.counted("console.transfers.\(action.rawValue)Done", targets.count)
        }
        let change = OperatorAction(
            targets.map { .transfers(.change($0.key, action)) }, done: done(action), undone: action.inverse.map(done))
        let key = "console.transfers.\(action.rawValue)"
        return [
            .propose(
                Proposal(
                    look(key) + ": " + look.names(targets.map(\.fileName)), consequences: look.consequences(of: change),
                    typed: typedNumber(of: targets), operatorAction: change))
        ]
    }

    private static func page(_ transfer: AdminTransfer, _ look: Look) -> Page {
        func row(_ key: String, _ value: String) -> Line {
            Line(Cells.fitted(Cells.drawable(look(key)), to: 14), .dim) + Line(value)
        }
        return Page(
            look("console.transfers.open"),
            [
                row("table.key", transfer.key.text),
                row("table.owner", transfer.ownerName.map { "\($0)  \(transfer.owner.text)" } ?? transfer.owner.text),
                row("table.name", transfer.fileName), row("table.size", transfer.size.map(shownBytes) ?? ""),
                row("table.done", shownBytes(transfer.offset)), row("table.state", look(transfer.state.textKey)),
                row("table.created", look.time(transfer.createdAtMilliseconds)),
                row("table.reason", transfer.error ?? ""),
            ], copied: transfer.key.text)
    }
}
