import Backup
import ByteCodec
import CommandLineKit
import Store

/// `teahouse restore`
let restoreCommand = Command(
    "restore", summary: "command.restore", arguments: [CommandArgument("BACKUP", help: "argument.backup")],
    options: [
        CommandOption("data", .value("FOLDER"), help: "option.restoreData", isRequired: true),
        CommandOption("end-sessions", .flag, help: "option.endSessions"), SharedOption.json,
    ],
    examples: [
        "teahouse restore /srv/backups/teahouse-20261123T173012Z --data /srv/teahouse",
        "teahouse restore /srv/backups/teahouse-20261123T173012Z --data /srv/teahouse --end-sessions",
    ]
) { invocation, terminal throws(CommandFailure) in
    let line = invocation.has("json") ? nil : LiveLine(terminal)
    var options = RestoreOptions()
    options.endsSessions = invocation.has("end-sessions")
    let folder = invocation.value("data") ?? ""
    var restore = BackupRestore(invocation.argument("BACKUP"), to: folder, options)
    restore.progress = { progress in
        let values = ["bytes": shownBytes(progress.done), "all": shownBytes(progress.all)]
        try? line?.draw { columns in
            let bar = ProgressBar.text(done: progress.done, of: progress.all, width: min(30, columns / 3))
            return bar + " " + terminal.text("restore.\(progress.phase.rawValue)", values)
        }
    }
    let restored: RestoredFolder
    do throws(BackupError) {
        restored = try restore.run()
        try? line?.erase()
    } catch {
        try? line?.erase()
        throw CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    }
    if invocation.has("json") {
        try terminal.print(DisplayText.escapedJSON(String(decoding: json(of: restored), as: UTF8.self)) + "\n")
    } else {
        try terminal.print(words(of: restored, folder, terminal))
    }
}

private func words(of restored: RestoredFolder, _ folder: String, _ terminal: Terminal) -> String {
    let facts = restored.manifest.facts
    let values = [
        "folder": DisplayText.escaped(folder), "messages": String(facts.database.messages),
        "time": localTime(facts.atMilliseconds),
    ]
    var text = terminal.text("restore.done", values) + "\n"
    if restored.hasConfiguration { text += terminal.text("restore.configuration", values) + "\n" }
    if restored.hasDirectory { text += terminal.text("restore.directory", values) + "\n" }
    return text
}

private func json(of restored: RestoredFolder) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    let numbers: [(StaticString, Int64)] = [
        ("at", restored.manifest.facts.atMilliseconds), ("messages", restored.manifest.facts.database.messages),
        ("bytes", restored.manifest.bytes), ("epoch", restored.facts.epoch), ("floor", restored.facts.floor),
    ]
    for (key, number) in numbers {
        json.key(key)
        json.integer(number)
    }
    json.key("configuration")
    json.boolean(restored.hasConfiguration)
    json.key("directory")
    json.boolean(restored.hasDirectory)
    json.endObject()
    return json.bytes
}
