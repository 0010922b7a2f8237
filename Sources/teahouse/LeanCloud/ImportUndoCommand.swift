import AdminAPI
import AdminService
import ChatModel
import CommandLineKit
import Configuration
import Glibc
import Imports
import Store

/// `teahouse import list`
let importListCommand = Command(
    "list", summary: "command.import.list", options: [SharedOption.data, SharedOption.config, SharedOption.json],
    examples: ["teahouse import list --data /srv/teahouse"]
) { invocation, terminal throws(CommandFailure) in
    let folder = try openStopped(checkedSettings(invocation, terminal))
    var imports: [AdminImport] = []
    do throws(StoreError) {
        var before = Int64.max
        while true {
            let page = try folder.read { store throws(StoreError) in
                try store.imports.list(before: before, limit: AdminProtocol.pageRows)
            }
            imports += page.map { AdminImport($0) }
            guard page.count == AdminProtocol.pageRows, let last = page.last else { break }
            before = last.number
        }
    } catch {
        throw error.failure
    }
    if invocation.has("json") {
        let answer = AdminAnswer.imports(.list(imports, next: nil))
        return try terminal.print(DisplayText.escapedJSON(String(decoding: answer.json, as: UTF8.self)) + "\n")
    }
    guard !imports.isEmpty else { return try terminal.print(terminal.text("ctl.nothing") + "\n") }
    var table = Table(
        importColumns.map { Table.Column(terminal.text($0.title), $0.alignment, maximumWidth: $0.maximumWidth) })
    for record in imports { table.add(record.cells(terminal)) }
    try terminal.print(table.text)
}

/// `teahouse import undo`
let importUndoCommand = Command(
    "undo", summary: "command.import.undo",
    arguments: [CommandArgument("NUMBER", help: "argument.importNumber")],
    options: [SharedOption.data, SharedOption.config, SharedOption.json],
    examples: ["teahouse import undo 3 --data /srv/teahouse"]
) { invocation, terminal throws(CommandFailure) in
    guard let number = Int64(invocation.argument("NUMBER")), number > 0 else {
        throw CommandFailure(.usage, terminal.text("ctl.importUndo.noNumber"))
    }
    let store = try openStoppedStore(stoppedOptions(invocation, terminal))
    defer { store.close() }
    let counts: ImportUndoCounts
    do throws(StoreError) {
        counts = try ImportUndo(store, actor: importAsker(terminal)).run(number)
    } catch {
        throw error.failure
    }
    let undone = AdminImportUndone(
        conversations: counts.conversations, messages: counts.messages, people: counts.people,
        devices: counts.devices, kept: counts.kept, isDone: true)
    if invocation.has("json") {
        let answer = AdminAnswer.imports(.undone(undone))
        return try terminal.print(DisplayText.escapedJSON(String(decoding: answer.json, as: UTF8.self)) + "\n")
    }
    try terminal.print(undone.line(terminal) + "\n")
}

func importAsker(_ terminal: Terminal) -> AuditActor {
    AuditActor(uid: getuid(), name: terminal.environment["USER"])
}

/// The data of a server that does not run, which stays as it is.
func openStopped(_ settings: Settings) throws(CommandFailure) -> StoppedData {
    do throws(StoreError) {
        return try StoppedData(settings.dataFolder)
    } catch {
        throw error.failure
    }
}

extension StoreError {
    /// Failure of a command that it ends.
    var failure: CommandFailure { CommandFailure(self.exitCode, DisplayText.escaped(self.description)) }
}
