import AdminAPI
import ChatModel
import CommandLineKit
import Imports

/// `teahouse ctl import`
let controlImportCommand = Command(
    group: "import", summary: "command.ctl.import", examples: ["teahouse ctl import leancloud saved"],
    subcommands: [folderCommand(.leanCloud), folderCommand(.wuKongIM)]
        + operationCommands(below: "import", bodies: ["undo": undoImport]))

/// `teahouse ctl import leancloud` and `teahouse ctl import wukongim`
private func folderCommand(_ source: ImportSource) -> Command {
    let name = source.rawValue
    return Command(
        name, summary: source == .leanCloud ? "command.ctl.import.leancloud" : "command.ctl.import.wukongim",
        arguments: [CommandArgument("DIR", help: "argument.importFolder")],
        options: [
            CommandOption("dry-run", .flag, help: "option.importFolderDryRun"),
            CommandOption("report", .value("FILE"), help: "option.importReport"),
        ],
        examples: [
            "teahouse ctl import \(name) saved --dry-run", "teahouse ctl import \(name) saved --report remarks.jsonl",
        ],
        body: Control.command { control throws(CommandFailure) in
            let run = try FolderImportRun(control.invocation, control.terminal, of: source)
            try run.carryOut(through: SocketDestination(control, source)) { $0 }
        })
}

/// `teahouse ctl import undo`: asks again until it is done.
private let undoImport: OperationBody = { control, request throws(CommandFailure) in
    try control.agree(to: request)
    var sum = AdminImportUndone(conversations: 0, messages: 0, people: 0, devices: 0, kept: 0, isDone: false)
    while !sum.isDone {
        guard case .imports(.undone(let part)) = try control.ask(request) else { throw control.unexpectedAnswer }
        sum.conversations += part.conversations
        sum.messages += part.messages
        sum.people += part.people
        sum.devices += part.devices
        // Each look begins anew with those that stay.
        sum.kept = part.kept
        sum.isDone = part.isDone
    }
    if control.wantsJSON { return try control.print(json: AdminAnswer.imports(.undone(sum)).json) }
    try control.terminal.print(sum.line(control.terminal) + "\n")
}

extension AdminImportUndone {
    /// Line that tells what was taken back.
    func line(_ terminal: Terminal) -> String {
        let values = [
            "conversations": String(self.conversations), "messages": String(self.messages),
            "people": String(self.people), "devices": String(self.devices), "kept": String(self.kept),
        ]
        let line = terminal.text("ctl.importUndo.done", values)
        return self.kept == 0 ? line : line + "\n" + terminal.text("ctl.importUndo.kept", values)
    }
}

/// The way into the store of a server that runs.
private struct SocketDestination: ImportDestination {
    private let control: Control
    private let source: ImportSource
    private var number: Int64 = 0

    init(_ control: Control, _ source: ImportSource) {
        self.control = control
        self.source = source
    }

    mutating func begin(origin: String) throws(CommandFailure) {
        let source = self.source == .leanCloud ? nil : self.source.rawValue
        let request = AdminImportRequest.begin(origin: origin, source: source)
        guard case .imports(.begun(let number)) = try self.control.ask(.imports(request)) else {
            throw self.control.unexpectedAnswer
        }
        self.number = number
    }

    mutating func send(_ batch: ImportBatch) throws(CommandFailure) -> ImportBatchOutcome {
        try self.ask(batch, number: self.number, expecting: [])
    }

    mutating func foresee(
        _ batch: ImportBatch, expecting expected: Set<ObjectID>
    ) throws(CommandFailure) -> ImportBatchOutcome {
        try self.ask(batch, number: 0, expecting: batch.conversations(among: expected))
    }

    private func ask(
        _ batch: ImportBatch, number: Int64, expecting expected: [ObjectID]
    ) throws(CommandFailure) -> ImportBatchOutcome {
        var outcome = ImportBatchOutcome()
        // A line that is longer than the socket takes goes alone, and is for a server that does not run.
        if batch.lines.contains(where: { $0.count > AdminImportLines.maximumBytes }) {
            let text = "it has more bytes than go through the socket: import it into a server that does not run"
            for index in batch.lines.indices { outcome.refuse(index, text) }
            outcome.counts.rows = Int64(batch.lines.count)
            return outcome
        }
        let request = AdminImportLines(
            number: number, table: batch.table.rawValue, lines: batch.lines.map { String(decoding: $0, as: UTF8.self) },
            expected: expected.map(\.text), contents: batch.contents.map(\.text))
        guard case .imports(.outcome(let answer)) = try self.control.ask(.imports(.lines(request))) else {
            throw self.control.unexpectedAnswer
        }
        outcome.counts.rows = answer.rows
        outcome.counts.added = answer.added
        outcome.counts.changed = answer.changed
        outcome.counts.known = answer.known
        outcome.counts.kept = answer.kept
        outcome.counts.refused = answer.refused
        outcome.remarks = answer.remarks.map {
            ImportRemark(index: Int($0.index), text: $0.text, isRefusal: $0.refused)
        }
        outcome.wanted = answer.wanted.map { Int($0) }
        return outcome
    }

    mutating func bring(_ content: ImportContent) throws(CommandFailure) -> ImportedContent {
        let uploader = try Uploader(self.control, path: content.path, showsBar: false)
        do throws(CommandFailure) {
            return .brought(try uploader.run(content, of: self.number).file)
        } catch {
            // One that is too long costs no other; a full disk ends the import.
            guard error.word == AdminError.Code.refused.rawValue else { throw error }
            return .refused(error.message)
        }
    }

    mutating func finish(counts: String) throws(CommandFailure) {
        _ = try self.control.ask(.imports(.finish(number: self.number, counts: counts)))
    }
}

extension Control {
    func show(_ answer: AdminImportAnswer) throws(CommandFailure) {
        guard case .list(let imports, _) = answer else { throw self.unexpectedAnswer }
        try self.print(importColumns, rows: imports.map { $0.cells(self.terminal) })
    }
}

extension AdminImport {
    /// Cells of its row, one for each of `importColumns`.
    func cells(_ terminal: Terminal) -> [String] {
        [
            String(self.number), self.source, self.origin, terminal.text("word.importState.\(self.state)"), self.asker,
            localTime(self.begunAtMilliseconds), localTime(self.changedAtMilliseconds),
        ]
    }
}

/// Columns of a list of imports; their names are text keys.
let importColumns = [
    Table.Column("table.number", .right), Table.Column("table.importSource"),
    Table.Column("table.importOrigin", maximumWidth: 40), Table.Column("table.state"),
    Table.Column("table.importAsker", maximumWidth: 20), Table.Column("table.created"),
    Table.Column("table.importChangedAt"),
]
