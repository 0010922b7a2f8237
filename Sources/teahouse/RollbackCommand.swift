import Backup
import ByteCodec
import CommandLineKit
import Configuration

/// `teahouse rollback`
let rollbackCommand = Command(
    "rollback", summary: "command.rollback",
    options: [
        SharedOption.data, SharedOption.config, CommandOption("dry-run", .flag, help: "option.rollbackDryRun"),
        SharedOption.json,
    ],
    examples: ["teahouse rollback --data /srv/teahouse --dry-run", "teahouse rollback --data /srv/teahouse"]
) { invocation, terminal throws(CommandFailure) in
    let folder = try checkedSettings(invocation, terminal).dataFolder
    let rollback = Rollback(folder)
    let outcome: RolledBackFolder
    do throws(BackupError) {
        outcome = invocation.has("dry-run") ? try rollback.look() : try rollback.run()
    } catch {
        throw CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    }
    if invocation.has("json") {
        try terminal.print(DisplayText.escapedJSON(String(decoding: json(of: outcome), as: UTF8.self)) + "\n")
    } else {
        try terminal.print(words(of: outcome, isDone: !invocation.has("dry-run"), terminal))
    }
}

private func words(of outcome: RolledBackFolder, isDone: Bool, _ terminal: Terminal) -> String {
    let values = [
        "schema": String(outcome.copy.from), "newSchema": String(outcome.copy.to), "version": outcome.copy.version,
        "time": localTime(outcome.copy.atMilliseconds), "messages": String(outcome.copy.messages),
        "lost": outcome.lostMessages.map { String($0) } ?? "?", "newer": outcome.newer,
    ].mapValues { DisplayText.escaped($0) }
    var text = terminal.text(isDone ? "rollback.done" : "rollback.would", values) + "\n"
    text += terminal.text(outcome.lostMessages == nil ? "rollback.unknown" : "rollback.lost", values) + "\n"
    if outcome.mayMissContents { text += terminal.text("rollback.contents", values) + "\n" }
    return text + terminal.text("rollback.next", values) + "\n"
}

private func json(of outcome: RolledBackFolder) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    let numbers: [(StaticString, Int64?)] = [
        ("at", outcome.copy.atMilliseconds), ("schema", outcome.copy.from), ("messages", outcome.copy.messages),
        ("lostMessages", outcome.lostMessages),
    ]
    for (key, number) in numbers {
        guard let number else { continue }
        json.key(key)
        json.integer(number)
    }
    json.key("newer")
    json.string(outcome.newer)
    json.key("mayMissContents")
    json.boolean(outcome.mayMissContents)
    json.endObject()
    return json.bytes
}
