import AdminAPI
import AdminConsole
import CommandLineKit
import Execution
import Localization
import Profiles

/// `teahouse console`
let consoleCommand = Command(
    "console", summary: "command.console",
    options: [
        SharedOption.config, SharedOption.data, CommandOption("read-only", .flag, help: "option.readOnly"),
    ],
    examples: ["teahouse console --data /srv/teahouse", "teahouse console --data /srv/teahouse --read-only"]
) { invocation, terminal throws(CommandFailure) in
    let folder = try checkedSettings(invocation, terminal).dataFolder
    let digest = MessageDigest(Texts(embedded: Language(named: terminal.text("language.code")) ?? .english))
    let look = Look(
        texts: terminal.texts, time: Look.localTime,
        message: { message in
            switch message.sketch.form {
            case .text, .richText: message.text + (message.isCut ? "…" : "")
            default: digest.detailed(message.sketch)
            }
        }, moment: { Control.moment($0, nowMilliseconds: $1) }, nowMilliseconds: Clock.system.wallMilliseconds())
    let console = Console(
        look: look, place: folder, commands: controlCommand, isReadOnly: invocation.has("read-only"))
    let loop = ConsoleLoop(console, folder: folder, environment: terminal.environment) { words, input in
        runControl(words, folder: folder, input: input, terminal)
    }
    guard let loop else { throw CommandFailure(.usage, terminal.text("console.noTerminal")) }
    loop.run()
}

/// Runs `teahouse ctl` on a folder and keeps what it writes.
///
/// - Parameter input: the lines of its standard input.
func runControl(
    _ words: [String], folder: String, input: [String], _ terminal: Terminal
) -> (code: ExitCode, lines: [String]) {
    let written = Lock("")
    let lines = Lock(input)
    let captured = Terminal(
        texts: terminal.texts, environment: terminal.environment,
        write: { _, text in
            written.withLock { $0 += text }
            return true
        },
        readLine: { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
    let code = runCommandLine(["ctl", "--data", folder] + words, root: teahouseCommand, terminal: captured)
    let text = written.withLock { $0 }
    var output = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while output.last?.isEmpty == true { output.removeLast() }
    return (code, output)
}
