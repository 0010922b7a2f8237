import ByteCodec
import CommandLineKit
import Localization

/// The folder with the operator's own texts, inside the data folder: `en.json` and `zh-Hans.json`.
func languageFolder(of dataFolder: String) -> String { "\(dataFolder)/lang" }

/// `teahouse ctl lang`
let languageCommand = Command(
    group: "lang", summary: "command.ctl.lang", examples: ["teahouse ctl lang check"],
    subcommands: [languageCheckCommand, languageFindCommand])

/// Reads files only: no server has to run.
private let languageCheckCommand = Command(
    "check", summary: "command.ctl.lang.check",
    examples: ["teahouse ctl lang check", "teahouse ctl --data /srv/teahouse lang check"]
) { invocation, terminal throws(CommandFailure) in
    let folder = languageFolder(of: try checkedSettings(invocation, terminal).dataFolder)
    let findings: [LanguageFinding]
    do throws(LocalizationError) {
        findings = try LanguageCheck.findings(overlay: folder)
    } catch {
        throw CommandFailure(.configuration, DisplayText.escaped(error.description))
    }
    let lines = findings.map(\.description)
    if invocation.has("json") {
        try terminal.print(jsonObject(["findings": .array(lines.map { .string($0) })]))
    } else {
        for line in lines { try terminal.print(DisplayText.escaped(line) + "\n") }
        let values = ["path": DisplayText.escaped(folder), "count": String(lines.count)]
        try terminal.print(terminal.text(lines.isEmpty ? "ctl.lang.good" : "ctl.lang.found", values) + "\n")
    }
    if !findings.isEmpty { throw CommandFailure(.refused, "") }
}

private let languageFindCommand = Command(
    "find", summary: "command.ctl.lang.find", arguments: [CommandArgument("WORD", help: "argument.languageWord")],
    examples: ["teahouse ctl lang find recall", "teahouse --lang zh-Hans ctl lang find 撤回"]
) { invocation, terminal throws(CommandFailure) in
    let texts = Texts(installed: Language(named: terminal.text("language.code")) ?? .english)
    let keys = texts.keys(matching: invocation.argument("WORD"))
    if invocation.has("json") {
        return try terminal.print(jsonObject(Dictionary(uniqueKeysWithValues: keys.map { ($0, .string(texts($0))) })))
    }
    guard !keys.isEmpty else { throw CommandFailure(.refused, terminal.text("ctl.nothing")) }
    for key in keys { try terminal.print(DisplayText.escaped("\(key): \(texts(key))") + "\n") }
}

/// One JSON object as a line, its names in order, harmless on a terminal.
private func jsonObject(_ values: [String: JSONValue]) -> String {
    let members = values.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
    return DisplayText.escapedJSON(String(decoding: JSONValue.object(members).serialized(), as: UTF8.self)) + "\n"
}
