import Backup
import ByteCodec
import ChatModel
import CommandLineKit
import Configuration
import Glibc
import Store

/// `teahouse restore`
let restoreCommand = Command(
    "restore", summary: "command.restore", arguments: [CommandArgument("BACKUP", help: "argument.backup")],
    options: [
        CommandOption("data", .value("FOLDER"), help: "option.restoreData", isRequired: true),
        CommandOption("end-sessions", .flag, help: "option.endSessions"),
        CommandOption("only", .value("CONVERSATION"), help: "option.restoreOnly"),
        CommandOption("only-file", .value("FILE"), help: "option.restoreOnlyFile"), SharedOption.config,
        SharedOption.json,
    ],
    examples: [
        "teahouse restore /srv/backups/teahouse-20261123T173012Z --data /srv/teahouse",
        "teahouse restore /srv/backups/teahouse-20261123T173012Z --data /srv/teahouse --end-sessions",
        "teahouse restore /srv/backups/teahouse-20261123T173012Z --data /srv/teahouse --only tea",
    ]
) { invocation, terminal throws(CommandFailure) in
    if let name = invocation.value("only") { return try restoreConversation(name, invocation, terminal) }
    if let key = invocation.value("only-file") { return try restoreFile(key, invocation, terminal) }
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

/// Brings one conversation back into the data folder of a server that does not run.
private func restoreConversation(
    _ name: String, _ invocation: Invocation, _ terminal: Terminal
) throws(CommandFailure) {
    let settings = try checkedSettings(invocation, terminal)
    let store = try openStoppedStore(try stoppedOptions(invocation, terminal))
    defer { store.close() }
    let back: RestoredConversation
    do throws(BackupError) {
        let actor = AuditActor(uid: getuid(), name: terminal.environment["USER"])
        back = try ConversationRestore(
            invocation.argument("BACKUP"), into: store, folder: settings.dataFolder, actor: actor
        ).run(name)
    } catch {
        throw CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    }
    let numbers: [(name: StaticString, value: Int64)] = [
        ("members", back.members), ("added", back.added), ("known", back.known), ("refused", back.refused),
    ]
    if invocation.has("json") {
        var json = JSONWriter()
        json.beginObject()
        json.key("id")
        json.string(back.objectID.text)
        json.key("title")
        json.string(back.title)
        for number in numbers {
            json.key(number.name)
            json.integer(number.value)
        }
        json.endObject()
        return try terminal.print(DisplayText.escapedJSON(String(decoding: json.bytes, as: UTF8.self)) + "\n")
    }
    var values = ["id": back.objectID.text, "title": DisplayText.escaped(back.title)]
    for number in numbers { values["\(number.name)"] = String(number.value) }
    try terminal.print(terminal.text("restore.conversation", values) + "\n")
    if back.refused > 0 { try terminal.print(terminal.text("restore.refused", values) + "\n") }
}

/// Brings one file back into the data folder of a server that does not run.
private func restoreFile(_ key: String, _ invocation: Invocation, _ terminal: Terminal) throws(CommandFailure) {
    let settings = try checkedSettings(invocation, terminal)
    let store = try openStoppedStore(try stoppedOptions(invocation, terminal))
    defer { store.close() }
    let back: RestoredFile
    do throws(BackupError) {
        let actor = AuditActor(uid: getuid(), name: terminal.environment["USER"])
        back = try FileRestore(
            invocation.argument("BACKUP"), into: store, folder: settings.dataFolder, actor: actor
        ).run(key)
    } catch {
        throw CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    }
    if invocation.has("json") {
        var json = JSONWriter()
        json.beginObject()
        json.key("key")
        json.string(back.key.description)
        json.key("bytes")
        json.integer(back.bytes)
        json.endObject()
        return try terminal.print(DisplayText.escapedJSON(String(decoding: json.bytes, as: UTF8.self)) + "\n")
    }
    let values = [
        "name": DisplayText.escaped(back.name), "key": back.key.description, "bytes": shownBytes(back.bytes),
    ]
    try terminal.print(terminal.text("restore.file", values) + "\n")
}
