import AdminAPI
import Backup
import CommandLineKit
import Store

/// `teahouse ctl backup`
///
/// The path of the backup is printed alone, for scripts; everything else goes to standard error.
let backupCommand = Command(
    "backup", summary: "command.ctl.backup",
    arguments: [CommandArgument("DIRECTORY", help: "argument.backupDirectory")],
    examples: ["teahouse ctl backup /srv/backups", "teahouse ctl backup /mnt/usb/teahouse --json"],
    body: Control.command { control throws(CommandFailure) in
        let line = control.wantsJSON ? nil : LiveLine(control.terminal)
        let source = SocketSource(control)
        var writer = BackupWriter(control.invocation.argument("DIRECTORY"))
        writer.progress = { progress in
            let values = ["bytes": shownBytes(progress.done), "all": shownBytes(progress.all)]
            // A terminal that cannot be written to is noticed when the path is printed.
            try? line?.draw { columns in
                let bar = ProgressBar.text(done: progress.done, of: progress.all, width: min(30, columns / 3))
                return bar + " " + control.text("ctl.backup.\(progress.phase.rawValue)", values)
            }
        }
        let made: MadeBackup
        do throws(BackupError) {
            made = try writer.run(source)
            try? line?.erase()
        } catch {
            try? line?.erase()
            if let failure = source.failure { throw failure }
            throw CommandFailure(error.exitCode, DisplayText.escaped(error.description))
        }
        let manifest = made.manifest
        let end = AdminBackupEnd(name: made.name, bytes: manifest.bytes, proof: manifest.listHash)
        let answer = try control.ask(.backups(.finish(end)))
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.terminal.print(DisplayText.escaped(made.path) + "\n")
        let values = [
            "messages": String(manifest.facts.database.messages), "files": String(manifest.files),
            "bytes": shownBytes(manifest.bytes), "written": shownBytes(made.writtenBytes),
        ]
        control.terminal.complain(control.text("ctl.backup.made", values) + "\n")
        if manifest.facts.damagedContents > 0 {
            let count = ["count": String(manifest.facts.damagedContents)]
            control.terminal.complain(control.text("ctl.backup.damaged", count) + "\n")
        }
    })

extension BackupError {
    /// Exit code of a command that it ends.
    var exitCode: ExitCode {
        switch self {
        case .store(.alreadyRunning): .alreadyRunning
        case .store(.schemaTooNew), .store(.invalid): .configuration
        case .store, .io, .full: .inputOutput
        case .damaged, .unsound, .refused, .ended, .server: .refused
        }
    }
}

/// The server behind the admin socket.
private final class SocketSource: BackupSource {
    /// Pieces of a file that are asked for ahead: fewer than the server works on, so that answers keep coming.
    private static let ahead = 4

    private let control: Control
    /// Refusal or failure of the server, with the exit code that fits it.
    private(set) var failure: CommandFailure?
    /// The file that is being read, and the pieces that were asked for and have not come, by their requests.
    private var reading: (path: String, next: Int64, size: Int64) = ("", 0, 0)
    private var sizes: [String: Int64] = [:]
    private var asked: [Int64] = []

    init(_ control: Control) { self.control = control }

    private func attempt<Value>(_ body: () throws(CommandFailure) -> Value) throws(BackupError) -> Value {
        do throws(CommandFailure) {
            return try body()
        } catch {
            self.failure = error
            throw .server(error.message)
        }
    }

    func begin(progress: (_ done: Int64, _ all: Int64) -> Void) throws(BackupError) -> BackupFacts {
        try self.attempt { () throws(CommandFailure) in
            let answer = try self.control.talk { client throws(AdminError) in
                try client.ask(.backups(.begin)) { event in
                    if case .backingUp(let now) = event { progress(now.bytes, now.allBytes) }
                }
            }
            guard case .backups(.begun(let facts)) = answer else { throw self.control.unexpectedAnswer }
            return BackupFacts(
                atMilliseconds: facts.atMilliseconds, version: facts.version, tokenDays: facts.tokenDays,
                database: SnapshotFacts(
                    bytes: facts.databaseBytes, schemaVersion: facts.schema, epoch: facts.epoch,
                    position: facts.position, users: facts.users, conversations: facts.conversations,
                    messages: facts.messages),
                damagedContents: facts.damagedContents)
        }
    }

    func items(after: String?) throws(BackupError) -> BackupPage {
        let page = try self.attempt { () throws(CommandFailure) in
            guard case .backups(.files(let files, let next)) = try self.control.ask(.backups(.files(after: after)))
            else { throw self.control.unexpectedAnswer }
            return BackupPage(
                items: files.map { BackupItem(path: $0.path, bytes: $0.bytes, isContent: $0.isContent) }, next: next)
        }
        self.sizes = Dictionary(page.items.map { ($0.path, $0.bytes) }) { first, _ in first }
        return page
    }

    func read(_ path: String, at offset: Int64) throws(BackupError) -> [UInt8] {
        try self.attempt { () throws(CommandFailure) in
            if self.reading.path != path || self.asked.isEmpty {
                guard self.asked.isEmpty else { throw self.control.unexpectedAnswer }
                self.reading = (path, offset, self.sizes[path] ?? 0)
            }
            if offset >= self.reading.size && self.asked.isEmpty { return [] }
            while self.asked.count < Self.ahead, self.reading.next < self.reading.size {
                let place = AdminBackupPlace(path: path, offset: self.reading.next)
                self.asked.append(
                    try self.control.talk { client throws(AdminError) in try client.send(.backups(.read(place))) })
                self.reading.next += Int64(AdminProtocol.backupPieceBytes)
            }
            let (id, answer) = try self.control.talk { client throws(AdminError) in
                let next = try client.nextAnswer()
                return (next.id, try next.answer.get())
            }
            guard id == self.asked.removeFirst(), case .backups(.piece(let piece)) = answer else {
                throw self.control.unexpectedAnswer
            }
            return piece.bytes
        }
    }
}
