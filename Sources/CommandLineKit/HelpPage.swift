/// A text in the language of the person: key of the language file, values for its places.
package typealias TextLookup = @Sendable (_ key: String, _ values: [String: String]) -> String

/// Text of `--help`, made from the table of commands.
package enum HelpPage {
    /// The page of the last command in `path`.
    package static func text(of path: [Command], _ texts: TextLookup) -> String {
        let command = path[path.count - 1]
        let name = path.map(\.name).joined(separator: " ")
        var page = "\(name) - \(texts(command.summary, [:]))\n"
        page += "\n\(texts("help.usage", [:]))\n  \(Self.usage(of: path))\n"
        page += Self.section("help.commands", command.subcommands.map { ($0.name, texts($0.summary, [:])) }, texts)
        page += Self.section("help.arguments", command.arguments.map { ($0.name, texts($0.help, [:])) }, texts)
        let options = path.reversed().flatMap(\.options).map { ($0.usage, texts($0.help, [:])) }
        page += Self.section("help.options", options + [("--help", texts("option.help", [:]))], texts)
        page += "\n\(texts("help.examples", [:]))\n" + command.examples.map { "  \($0)\n" }.joined()
        return page
    }

    /// One line: `teahouse ctl user add NAME [--role admin]`.
    package static func usage(of path: [Command]) -> String {
        var words: [String] = []
        for (depth, command) in path.enumerated() {
            words.append(command.name)
            let isLast = depth == path.count - 1
            for option in command.options where isLast || option.isRequired {
                let text = option.usage + (option.isRepeated ? " ..." : "")
                words.append(option.isRequired ? option.usage : "[\(text)]")
            }
        }
        let command = path[path.count - 1]
        for argument in command.arguments {
            let text = argument.name + (argument.isRepeated ? " ..." : "")
            words.append(argument.isOptional ? "[\(text)]" : text)
        }
        if command.body == nil { words.append("COMMAND") }
        return words.joined(separator: " ")
    }

    private static func section(_ title: String, _ rows: [(String, String)], _ texts: TextLookup) -> String {
        guard !rows.isEmpty else { return "" }
        let width = min(34, rows.map { displayWidth(of: $0.0) }.max() ?? 0)
        var text = "\n\(texts(title, [:]))\n"
        for (name, help) in rows {
            let own = displayWidth(of: name)
            let gap = own > width ? "\n" + String(repeating: " ", count: width + 4) : ""
            let padding = own > width ? "" : String(repeating: " ", count: width - own + 2)
            text += "  \(name)\(gap)\(padding)\(help)\n"
        }
        return text
    }
}
