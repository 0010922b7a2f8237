import Diagnostics

/// Result of parsing a command line.
package enum ParsedCommandLine: Sendable {
    /// The help page of the last command of the path.
    case help([Command])
    case run(Command, Invocation)
}

/// Reads a command line against a table of commands. Pure.
package struct CommandParser {
    /// From the root to the command being read.
    private var path: [Command]
    private var options: [String: [String]] = [:]
    private var plain: [String] = []

    private init(root: Command) { self.path = [root] }

    /// - Parameter words: without the name of the program.
    /// - Throws: the first thing that is wrong. `--help` and `-h` anywhere before `--` win over everything else.
    package static func parse(_ words: [String], root: Command) throws(UsageError) -> ParsedCommandLine {
        var parser = CommandParser(root: root)
        return try parser.read(words)
    }

    private var current: Command { self.path[self.path.count - 1] }

    private mutating func read(_ words: [String]) throws(UsageError) -> ParsedCommandLine {
        let wantsHelp = words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
        if wantsHelp { return .help(self.helpPath(words)) }
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { try self.readPlain(word) }
                break
            } else if word.hasPrefix("--") {
                try self.readOption(word, &rest)
            } else if word.hasPrefix("-"), word.count > 1, Int(word) == nil {
                throw self.error(.unknownOption(word, nearest: nil))
            } else {
                try self.readPlain(word)
            }
        }
        return try self.finish()
    }

    /// The command that help is wanted for: as far as the words name one. Words that name none are passed over, so that
    /// the values of options before a command's name do not hide it.
    private func helpPath(_ words: [String]) -> [Command] {
        var path = self.path
        for word in words {
            guard let next = path[path.count - 1].subcommands.first(where: { $0.name == word }) else { continue }
            path.append(next)
        }
        return path
    }

    private mutating func readPlain(_ word: String) throws(UsageError) {
        guard self.current.body == nil else { return self.plain.append(word) }
        guard let next = self.current.subcommands.first(where: { $0.name == word }) else {
            let nearest = nearestName(to: word, among: self.current.subcommands.map(\.name))
            throw self.error(.unknownCommand(word, nearest: nearest))
        }
        self.path.append(next)
    }

    private mutating func readOption(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard let option = self.option(named: name) else {
            let known = self.path.flatMap(\.options).map { "--\($0.name)" } + ["--help"]
            throw self.error(.unknownOption("--\(name)", nearest: nearestName(to: "--\(name)", among: known)))
        }
        if case .flag = option.shape {
            if attached != nil { throw self.error(.flagTakesNoValue(name)) }
            self.options[name] = []
            return
        }
        guard let value = attached ?? rest.popFirst() else { throw self.error(.optionNeedsValue(name)) }
        try self.check(value, of: option)
        if self.options[name] != nil && !option.isRepeated { throw self.error(.optionRepeated(name)) }
        self.options[name, default: []].append(value)
    }

    /// The nearest command's option of that name. Options of commands below are looked up too, so that
    /// `ctl --json user list` and `ctl user list --json` are the same.
    private func option(named name: String) -> CommandOption? {
        for command in self.path.reversed() {
            if let option = command.options.first(where: { $0.name == name }) { return option }
        }
        return nil
    }

    private func check(_ value: String, of option: CommandOption) throws(UsageError) {
        switch option.shape {
        case .flag, .value: return
        case .choice(let choices):
            guard !choices.contains(value) else { return }
            throw self.error(.notAChoice(option: option.name, value: value, choices: choices))
        case .number(let minimum, let maximum):
            if let number = Int(value), (minimum...maximum).contains(number) { return }
            throw self.error(.notANumber(option: option.name, value: value, minimum: minimum, maximum: maximum))
        }
    }

    private func finish() throws(UsageError) -> ParsedCommandLine {
        guard self.current.body != nil else { throw self.error(.missingCommand) }
        for option in self.path.flatMap(\.options) where option.isRequired && self.options[option.name] == nil {
            throw self.error(.missingOption(option.usage))
        }
        let arguments = try self.placeArguments()
        let names = self.path.map(\.name)
        return .run(self.current, Invocation(path: names, options: self.options, arguments: arguments))
    }

    private func placeArguments() throws(UsageError) -> [String: [String]] {
        var placed: [String: [String]] = [:]
        var rest = self.plain[...]
        for argument in self.current.arguments {
            if argument.isRepeated {
                placed[argument.name] = Array(rest)
                rest = []
            } else if let value = rest.popFirst() {
                placed[argument.name] = [value]
            }
            if !argument.isOptional && (placed[argument.name] ?? []).isEmpty {
                throw self.error(.missingArgument(argument.name))
            }
        }
        if let extra = rest.first { throw self.error(.unexpectedArgument(extra)) }
        return placed
    }

    private func error(_ problem: UsageError.Problem) -> UsageError {
        UsageError(problem: problem, path: self.path.map(\.name))
    }
}
