import AdminAPI
import AdminConsole
import ChatModel
import CommandLineKit
import Execution
import Localization
import Profiles

/// `teahouse console`
let consoleCommand = Command(
    "console", summary: "command.console",
    options: [
        SharedOption.config, SharedOption.data, CommandOption("read-only", .flag, help: "option.readOnly"),
        CommandOption("operator", .value("NAME"), help: "option.operator"),
        CommandOption("hide", .value("ROWS"), help: "option.hideRows", isRepeated: true),
        CommandOption("plain", .flag, help: "option.plain"),
    ],
    examples: [
        "teahouse console --data /srv/teahouse", "teahouse console --data /srv/teahouse --read-only",
        "teahouse console --data /srv/teahouse --operator ming --hide header,pinned",
    ]
) { invocation, terminal throws(CommandFailure) in
    let folder = try checkedSettings(invocation, terminal).dataFolder
    if invocation.has("plain") { return try runPlainConsole(invocation, folder: folder, terminal) }
    guard terminal.environment["TERM"] != "dumb" else {
        throw CommandFailure(.usage, terminal.text("console.dumbTerminal"))
    }
    let preferences = try Preferences(environment: terminal.environment, terminal)
    let digest = MessageDigest(Texts(installed: Language(named: terminal.text("language.code")) ?? .english))
    let texts = terminal.texts
    var look = Look(
        texts: texts, time: Look.localTime,
        message: { message in
            message.marked(message.said(digest)) { texts($0, [:]) }
        }, moment: { Moment.milliseconds($0, nowMilliseconds: $1) }, nowMilliseconds: Clock.system.wallMilliseconds())
    look.isSplit = preferences.isSplit
    look.hiddenRows = try cardRows(invocation.values("hide"), terminal)
    let console = Console(
        look: look, place: folder, commands: controlCommand, isReadOnly: invocation.has("read-only"),
        preferences: preferences)
    let name = invocation.value("operator")
    let loop = ConsoleLoop(
        console, folder: folder, name: name, theme: preferences.theme ?? Theme(environment: terminal.environment),
        historyPath: historyPath(terminal.environment), environment: terminal.environment
    ) { words, input in
        runControl((name.map { ["--operator", $0] } ?? []) + words, folder: folder, input: input, terminal)
    }
    guard let loop else { throw CommandFailure(.usage, terminal.text("console.noTerminal")) }
    loop.run()
}

/// The rows of cards that lists such as `alerts,pinned` name.
func cardRows(_ lists: [String], _ terminal: Terminal) throws(CommandFailure) -> [TeamCardRow.Name] {
    var rows: [TeamCardRow.Name] = []
    for word in lists.flatMap({ $0.split(separator: ",") }) {
        guard let row = TeamCardRow.Name(rawValue: String(word)) else {
            let all = TeamCardRow.Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, terminal.text("ctl.badRow", ["row": String(word), "rows": all]))
        }
        rows.append(row)
    }
    return rows
}

/// Runs `teahouse ctl` on a folder and keeps what it writes.
/// A question before a change ends it, for the console to ask: then it runs again with `--yes`.
///
/// - Parameter input: the lines of its standard input.
func runControl(_ words: [String], folder: String, input: [String], _ terminal: Terminal) -> CommandOutcome {
    let written = Lock("")
    let asked = Lock<Question?>(nil)
    let journal = ChangeJournal()
    let lines = Lock(input)
    let captured = Terminal(
        texts: terminal.texts, environment: terminal.environment,
        write: { _, text in
            written.withLock { $0 += text }
            return true
        },
        readLine: { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } },
        reply: { question in
            asked.withLock { $0 = question }
            return .declined
        }, companion: journal, isAttended: true)
    let code = runCommandLine(["ctl", "--data", folder] + words, root: teahouseCommand, terminal: captured)
    let text = written.withLock { $0 }
    var output = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while output.last?.isEmpty == true { output.removeLast() }
    return CommandOutcome(code, output, question: asked.withLock { $0 }, changes: journal.changes)
}
