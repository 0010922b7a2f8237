/// A page for `man`, in the language of man(7), made from the table of commands as `--help` is.
package enum ManualPage {
    /// The page of the last command in `path` with everything below it. Commands just below the root that have pages of
    /// their own are named there alone.
    ///
    /// - Parameter version: shown at the foot of the page.
    package static func text(of path: [Command], version: String, _ texts: TextLookup) -> String {
        let command = path[path.count - 1]
        let name = Self.name(path)
        var page = ".\\\" Made by `teahouse manual` from the table of its commands.\n"
        page += ".TH \"\(name.uppercased())\" 1 \"\" \"teahouse \(Self.escaped(version))\"\n"
        page += ".SH NAME\n\(Self.escaped(name)) \\- \(Self.escaped(texts(command.summary, [:])))\n"
        page += ".SH SYNOPSIS\n\(Self.usage(of: path))"
        page += Self.section("ARGUMENTS", Self.arguments(of: command, texts))
        page += Self.section("OPTIONS", Self.options(of: path, texts))
        if path.count == 1 {
            page += Self.section("COMMANDS", Self.entries(command.subcommands, texts))
        } else if !command.subcommands.isEmpty {
            page += ".SH COMMANDS\n" + command.subcommands.map { Self.chapter(path + [$0], texts) }.joined()
        }
        page += ".SH EXAMPLES\n" + Self.examples(command)
        page += Self.section("EXIT STATUS", Self.exitStatus(texts))
        page += Self.section("ENVIRONMENT", Self.environment(texts))
        page += ".SH SEE ALSO\n" + Self.seeAlso(path)
        return page
    }

    /// Names of the pages that there are below the root, as `man` takes them: `teahouse-ctl`.
    package static func names(root: Command) -> [String] {
        [root.name] + root.subcommands.map { "\(root.name)-\($0.name)" }
    }

    private static func name(_ path: [Command]) -> String { path.map(\.name).joined(separator: "-") }

    /// One command below the one that the page is about, then those below it.
    private static func chapter(_ path: [Command], _ texts: TextLookup) -> String {
        let command = path[path.count - 1]
        guard command.subcommands.isEmpty else {
            return command.subcommands.map { Self.chapter(path + [$0], texts) }.joined()
        }
        var text = ".SS \"\(Self.quoted(path.dropFirst().map(\.name).joined(separator: " ")))\"\n"
        text += Self.escaped(texts(command.summary, [:])) + "\n.PP\n"
        text += Self.usage(of: path)
        for (name, help) in Self.arguments(of: command, texts) { text += Self.entry(name, help) }
        for option in command.options { text += Self.entry(option.usage, texts(option.help, [:])) }
        return text + ".PP\n" + Self.examples(command)
    }

    private static func usage(of path: [Command]) -> String { Self.escaped(HelpPage.usage(of: path)) + "\n" }

    private static func examples(_ command: Command) -> String { Self.literal(command.examples) }

    /// Lines that stay as they are.
    private static func literal(_ lines: [String]) -> String {
        ".nf\n" + lines.map { Self.escaped($0) + "\n" }.joined() + ".fi\n"
    }

    private static func arguments(of command: Command, _ texts: TextLookup) -> [(String, String)] {
        command.arguments.map { ($0.name, texts($0.help, [:])) }
    }

    private static func options(of path: [Command], _ texts: TextLookup) -> [(String, String)] {
        path.reversed().flatMap(\.options).map { ($0.usage, texts($0.help, [:])) }
            + [("--help", texts("option.help", [:]))]
    }

    private static func entries(_ commands: [Command], _ texts: TextLookup) -> [(String, String)] {
        commands.map { ($0.name, texts($0.summary, [:])) }
    }

    private static func exitStatus(_ texts: TextLookup) -> [(String, String)] {
        ExitCode.allCases.map { code in
            let key =
                switch code {
                case .done: "manual.exitDone"
                case .refused: "manual.exitRefused"
                case .notFound: "manual.exitNotFound"
                case .usage: "manual.exitUsage"
                case .noInput: "manual.exitNoInput"
                case .notRunning: "manual.exitNotRunning"
                case .internalError: "manual.exitInternal"
                case .inputOutput: "manual.exitInputOutput"
                case .alreadyRunning: "manual.exitAlreadyRunning"
                case .notAllowed: "manual.exitNotAllowed"
                case .configuration: "manual.exitConfiguration"
                }
            return (String(code.rawValue), texts(key, [:]))
        }
    }

    private static func environment(_ texts: TextLookup) -> [(String, String)] {
        [
            ("TEAHOUSE_DATA", texts("manual.dataVariable", [:])),
            ("TEAHOUSE_CONFIG", texts("manual.configVariable", [:])),
        ]
    }

    private static func seeAlso(_ path: [Command]) -> String {
        let others = Self.names(root: path[0]).filter { $0 != Self.name(path) }
        return others.map { "\(Self.escaped($0))(1)" }.joined(separator: ",\n") + "\n"
    }

    private static func section(_ title: String, _ rows: [(String, String)]) -> String {
        rows.isEmpty ? "" : ".SH \(title)\n" + rows.map { Self.entry($0.0, $0.1) }.joined()
    }

    private static func entry(_ name: String, _ help: String) -> String {
        ".TP\n\\fB\(Self.escaped(name))\\fR\n\(Self.escaped(help))\n"
    }

    /// A text within a quoted word of a request.
    private static func quoted(_ text: String) -> String {
        String(Self.escaped(text).flatMap { $0 == "\"" ? "\"\"" : String($0) })
    }

    /// A text that man(7) shows as it is: a dash is a dash, a backslash is one, and no line is a request.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") ? "\\&" + result : result
    }
}
