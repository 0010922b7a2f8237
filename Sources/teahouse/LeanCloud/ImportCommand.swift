import APIKit
import ByteCodec
import CLinux
import ChatModel
import CommandLineKit
import Configuration
import Diagnostics
import Glibc
import Imports
import Server
import Store
import Transfers

/// `teahouse import`
let importCommand = Command(
    group: "import", summary: "command.import", examples: ["teahouse import leancloud saved --data /srv/teahouse"],
    subcommands: [importLeanCloudCommand, importWuKongCommand, importListCommand, importUndoCommand])

/// `teahouse import leancloud`
///
/// The report goes to standard output, remarks about rows to standard error.
private let importLeanCloudCommand = Command(
    "leancloud", summary: "command.import.leancloud",
    arguments: [CommandArgument("DIR", help: "argument.importFolder")],
    options: [
        CommandOption("dry-run", .flag, help: "option.importFolderDryRun"),
        CommandOption("report", .value("FILE"), help: "option.importReport"), SharedOption.data, SharedOption.config,
        SharedOption.json,
    ],
    examples: [
        "teahouse import leancloud saved --data /srv/teahouse --dry-run",
        "teahouse import leancloud saved --data /srv/teahouse --report remarks.jsonl",
    ]
) { invocation, terminal throws(CommandFailure) in
    let run = try FolderImportRun(invocation, terminal)
    if invocation.has("dry-run") {
        let folder = try openStopped(checkedSettings(invocation, terminal))
        return try run.carryOut(through: StoppedDestination(folder)) { (error: StoreError) in error.failure }
    }
    let options = try stoppedOptions(invocation, terminal)
    let store = try openStoppedStore(options)
    defer { store.close() }
    let transfers: Transfers
    do throws(ServerError) { transfers = try TeahouseServer.makeTransfers(options, store: store) } catch {
        throw CommandFailure(.inputOutput, DisplayText.escaped("\(error)"))
    }
    defer { transfers.stop() }
    let actor = importAsker(terminal)
    var address: FileAddress?
    if let base = options.publicURL { address = { link, name in APIPaths.link(link, name: name, base: base) } }
    let destination = StoreDestination(store, actor: actor, contents: ContentImport(transfers), address: address)
    try run.carryOut(through: destination) { (error: StoreError) in
        CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    }
}

/// Options of a server that does not run, as its configuration says.
func stoppedOptions(_ invocation: Invocation, _ terminal: Terminal) throws(CommandFailure) -> ServerOptions {
    let settings = try checkedSettings(invocation, terminal)
    do throws(ConfigurationError) {
        var options = try ServerOptions(settings, log: Log(level: .warning))
        options.store.queuesHooks = false
        options.store.beforeUpgrade = options.upgradeCopy
        return options
    } catch {
        throw CommandFailure(.configuration, DisplayText.escaped(error.description))
    }
}

/// The store of a server that does not run.
func openStoppedStore(_ options: ServerOptions) throws(CommandFailure) -> Store {
    do throws(StoreError) {
        return try Store(options.store)
    } catch {
        throw CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    }
}

extension StoreError {
    var exitCode: ExitCode {
        switch self {
        case .alreadyRunning: .alreadyRunning
        case .schemaTooNew, .invalid: .configuration
        case .full, .fatal, .unreadableEvent: .inputOutput
        case .busy, .unavailable, .notFound, .exists, .refused: .refused
        }
    }
}

/// An import of a folder, on the screen: progress, remarks and the report. Confined to its thread.
final class FolderImportRun {
    /// Remarks that are shown; `--report` writes all.
    private static let shownRemarks = 20

    private let terminal: Terminal
    private let folder: String
    private let source: ImportSource
    private let isDryRun: Bool
    private let wantsJSON: Bool
    private let live: LiveLine?
    private let file: RemarkFile?
    private var remarks = 0
    private var failure: CommandFailure?

    init(
        _ invocation: Invocation, _ terminal: Terminal, of source: ImportSource = .leanCloud
    ) throws(CommandFailure) {
        self.terminal = terminal
        self.source = source
        self.folder = invocation.argument("DIR")
        self.isDryRun = invocation.has("dry-run")
        self.wantsJSON = invocation.has("json")
        self.live = invocation.has("json") ? nil : LiveLine(terminal)
        self.file = try invocation.value("report").map { (path) throws(CommandFailure) in try RemarkFile(path) }
    }

    /// - Parameter failed: what a fault of the destination is to the operator.
    /// - Throws: exit code 66 without such a folder; 1 when rows could not be brought, after the others are.
    func carryOut<Destination: ImportDestination>(
        through destination: Destination, failed: (Destination.Failure) -> CommandFailure
    ) throws(CommandFailure) {
        var folder = FolderImport(
            self.folder, of: self.source, isDryRun: self.isDryRun, through: destination
        ) { path, line, remark in
            self.take(remark, path, line)
        } progress: { table, rows in
            let values = ["table": self.terminal.text("word.importTable.\(table.rawValue)"), "count": String(rows)]
            try? self.live?.draw { _ in self.terminal.text("word.importProgress", values) }
        }
        let report: ImportReport
        do {
            report = try folder.run()
        } catch {
            try? self.live?.erase()
            switch error {
            case .noFolder:
                let values = [
                    "path": DisplayText.escaped(self.folder), "command": "\(self.source.rawValue) pull",
                ]
                throw CommandFailure(.noInput, self.terminal.text("ctl.importFolder.noFolder", values))
            case .unreadable(let text): throw CommandFailure(.noInput, DisplayText.escaped(text))
            case .destination(let error):
                let failure = failed(error)
                throw CommandFailure(
                    failure.code, failure.message + "\n" + self.terminal.text("ctl.importFolder.again"))
            }
        }
        try? self.live?.erase()
        try self.file?.close()
        try self.show(report)
    }

    private func take(_ remark: ImportRemark, _ path: String, _ line: Int64) {
        self.remarks += 1
        self.file?.add(remark, path, line)
        guard self.remarks <= Self.shownRemarks else { return }
        try? self.live?.erase()
        let values = [
            "path": DisplayText.escaped(path), "line": String(line), "text": DisplayText.escaped(remark.text),
        ]
        let key = remark.isRefusal ? "ctl.importFolder.remark" : "ctl.importFolder.leftOut"
        self.terminal.complain(self.terminal.text(key, values) + "\n")
    }

    private func show(_ report: ImportReport) throws(CommandFailure) {
        if self.remarks > Self.shownRemarks {
            let values = ["count": String(self.remarks - Self.shownRemarks)]
            self.terminal.complain(self.terminal.text("ctl.importFolder.more", values) + "\n")
        }
        if self.wantsJSON {
            try self.terminal.print(DisplayText.escapedJSON(String(decoding: report.json, as: UTF8.self)) + "\n")
        } else {
            try self.terminal.print(self.text(of: report))
        }
        guard report.refused == 0 else { throw CommandFailure(.refused, "") }
    }

    private func text(of report: ImportReport) -> String {
        let heads = ["Rows", "New", "Changed", "Here", "Kept", "Refused"].map {
            self.terminal.text("table.import\($0)")
        }
        var table = Table(
            [Table.Column(self.terminal.text("table.pullWhat"), maximumWidth: 40)]
                + heads.map { Table.Column($0, .right) })
        for (name, counts) in report.tables {
            table.add([
                self.terminal.text("word.importTable.\(name.rawValue)"), String(counts.rows), String(counts.added),
                String(counts.changed), String(counts.known), String(counts.kept), String(counts.refused),
            ])
        }
        var text = table.text
        for (path, rows) in report.left {
            let values = ["path": DisplayText.escaped(path), "count": String(rows)]
            text += self.terminal.text("ctl.importFolder.left", values) + "\n"
        }
        if self.isDryRun { return text + self.terminal.text("ctl.importFolder.foreseen") + "\n" }
        let key = report.refused == 0 ? "ctl.importFolder.whole" : "ctl.importFolder.lacks"
        return text + self.terminal.text(key, ["count": String(report.refused)]) + "\n"
    }
}

/// The file with every remark, a line of JSON each.
private final class RemarkFile {
    private let path: String
    private let stream: UnsafeMutablePointer<FILE>
    private var isBroken = false

    init(_ path: String) throws(CommandFailure) {
        guard let stream = fopen(path, "we") else {
            throw CommandFailure(.inputOutput, "\(DisplayText.escaped(path)): \(String(cString: strerror(errno)))")
        }
        // Remarks may name people, with what is known of them.
        fchmod(fileno(stream), 0o600)
        self.path = path
        self.stream = stream
    }

    func add(_ remark: ImportRemark, _ path: String, _ line: Int64) {
        var json = JSONWriter()
        json.beginObject()
        json.key("file")
        json.string(path)
        json.key("line")
        json.integer(line)
        json.key("refused")
        json.boolean(remark.isRefusal)
        json.key("text")
        json.string(remark.text)
        json.endObject()
        let bytes = json.bytes + [UInt8(ascii: "\n")]
        if fwrite(bytes, 1, bytes.count, self.stream) != bytes.count { self.isBroken = true }
    }

    func close() throws(CommandFailure) {
        guard fclose(self.stream) == 0, !self.isBroken else {
            throw CommandFailure(.inputOutput, "\(DisplayText.escaped(self.path)): \(String(cString: strerror(errno)))")
        }
    }
}
