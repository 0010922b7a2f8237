import CLinux
package import CommandLineKit
import Configuration
import Glibc
package import Localization

/// The program: reads the command line and ends with the command's exit code.
@main struct Teahouse {
    static func main() {
        let words = Array(processArguments().dropFirst())
        let environment = Terminal.processEnvironment()
        let mistake = installOperatorTexts(words, environment: environment)
        let texts = Texts(installed: chosenLanguage(words, environment: environment))
        let terminal = Terminal.process(texts: { texts($0, $1) }, environment: environment)
        if let mistake { terminal.complain(DisplayText.escaped(mistake) + "\n") }
        exit(runCommandLine(words, root: teahouseCommand, terminal: terminal).rawValue)
    }
}

/// The words that the process was started with. `CommandLine.arguments` reads them from `/proc`, and has none where a
/// container or a rescue system has not mounted it.
package func processArguments() -> [String] {
    (0..<clinux_argument_count()).map { String(cString: clinux_argument($0)) }
}

/// The language of all texts: `--lang`, else the locale's.
package func chosenLanguage(_ words: [String], environment: [String: String]) -> Language {
    value(of: "lang", in: words).flatMap { Language(named: $0) } ?? Language(environment: environment)
}

/// Reads the operator's own texts from the data folder that the command line, the environment or the configuration names.
///
/// - Returns: what is wrong with them, in words; then our own texts are shown. `nil` when all is well or there are none.
func installOperatorTexts(_ words: [String], environment: [String: String]) -> String? {
    var arguments = CommandLineSettings()
    arguments.data = value(of: "data", in: words)
    arguments.configPath = value(of: "config", in: words)
    // A configuration that does not hold is told by the command itself.
    guard let settings = try? Settings(arguments: arguments, environment: environment) else { return nil }
    do throws(LocalizationError) {
        try Texts.install(overlay: languageFolder(of: settings.dataFolder))
        return nil
    } catch {
        return error.description
    }
}

/// The value of an option that is looked for before the command line is parsed: `--name VALUE` or `--name=VALUE`.
private func value(of option: String, in words: [String]) -> String? {
    let options = words.prefix { $0 != "--" }
    for (index, word) in options.enumerated() {
        if word.hasPrefix("--\(option)=") { return String(word.dropFirst(option.utf8.count + 3)) }
        if word == "--\(option)", index + 1 < options.count { return options[index + 1] }
    }
    return nil
}

/// The table of all commands: what `teahouse` takes.
package let teahouseCommand: Command = Command(
    group: "teahouse", summary: "command.teahouse",
    options: [CommandOption("lang", .choice(Language.allCases.map(\.rawValue)), help: "option.lang")],
    examples: [
        "teahouse serve --data /srv/teahouse", "teahouse ctl --data /srv/teahouse user add ming --display-name 小明",
        "teahouse doctor",
    ],
    subcommands: [
        setupCommand, serveCommand, controlCommand, consoleCommand, verifyCommand, restoreCommand, rollbackCommand,
        compactCommand,
        doctorCommand, leanCloudCommand, wuKongSourceCommand, exportCommand, importCommand, versionCommand,
        manualCommand, completionCommand,
    ])

/// Options that several commands take.
enum SharedOption {
    static let data = CommandOption("data", .value("DIR"), help: "option.data")
    static let config = CommandOption("config", .value("FILE"), help: "option.config")
    static let json = CommandOption("json", .flag, help: "option.json")
    static let listen = CommandOption("listen", .value("HOST:PORT"), help: "option.listen", isRepeated: true)
}
