package import CommandLineKit
import Glibc
package import Localization

/// The program: reads the command line and ends with the command's exit code.
@main struct Teahouse {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        let environment = Terminal.processEnvironment()
        let texts = Texts(embedded: chosenLanguage(words, environment: environment))
        let terminal = Terminal.process(texts: { texts($0, $1) }, environment: environment)
        exit(runCommandLine(words, root: teahouseCommand, terminal: terminal).rawValue)
    }
}

/// The language of all texts: `--lang`, else the locale's.
package func chosenLanguage(_ words: [String], environment: [String: String]) -> Language {
    let options = words.prefix { $0 != "--" }
    for (index, word) in options.enumerated() {
        if word.hasPrefix("--lang="), let language = Language(named: String(word.dropFirst(7))) { return language }
        if word == "--lang", index + 1 < options.count, let language = Language(named: words[index + 1]) {
            return language
        }
    }
    return Language(environment: environment)
}

/// The table of all commands: what `teahouse` takes.
package let teahouseCommand = Command(
    group: "teahouse", summary: "command.teahouse",
    options: [CommandOption("lang", .choice(Language.allCases.map(\.rawValue)), help: "option.lang")],
    examples: [
        "teahouse serve --data /srv/teahouse", "teahouse ctl --data /srv/teahouse user add ming --display-name 小明",
        "teahouse doctor",
    ],
    subcommands: [serveCommand, controlCommand, consoleCommand, verifyCommand, doctorCommand, versionCommand])

/// Options that several commands take.
enum SharedOption {
    static let data = CommandOption("data", .value("DIR"), help: "option.data")
    static let config = CommandOption("config", .value("FILE"), help: "option.config")
    static let json = CommandOption("json", .flag, help: "option.json")
    static let listen = CommandOption("listen", .value("HOST:PORT"), help: "option.listen", isRepeated: true)
}
