package import CommandLineKit

/// The line behind `:`. It takes what `teahouse ctl` takes, and completes from the same table.
package struct CommandLine: Sendable {
    private let root: Command
    /// Text that is typed.
    package private(set) var field = TextField()
    private var history: [String]
    private var historyPlace: Int?
    /// Names of people and conversations, sorted.
    private let names: [String]

    /// - Parameters:
    ///   - root: the command whose words are typed: `ctl`.
    ///   - names: names that values are completed from.
    package init(root: Command, history: [String] = [], names: [String] = []) {
        self.root = root
        self.history = history
        self.names = names
    }

    /// Outcome of a key.
    package enum Outcome: Equatable {
        case stays
        case cancelled
        /// The words behind `teahouse ctl`.
        case run([String])
    }

    /// Takes a key: Enter runs the line, Tab completes it, Escape gives up.
    package mutating func press(_ key: Key) -> Outcome {
        switch key {
        case .escape: return .cancelled
        case .backspace where self.field.text.isEmpty: return .cancelled
        case .enter:
            let words = Self.bare(Shell.words(self.field.text))
            return words.isEmpty ? .cancelled : .run(words)
        case .tab: self.complete()
        case .up: self.recall(-1)
        case .down: self.recall(1)
        case .character, .backTab, .left, .right, .pageUp, .pageDown, .home, .end, .insert, .delete, .backspace,
            .function, .control, .click, .wheelUp, .wheelDown, .paste, .resize:
            _ = self.field.press(key)
        }
        return .stays
    }

    /// A line that was copied from elsewhere may begin with the program's own name.
    private static func bare(_ words: [String]) -> [String] {
        var rest = words[...]
        if rest.first == "teahouse" { rest.removeFirst() }
        if rest.first == "ctl" { rest.removeFirst() }
        return Array(rest)
    }

    /// The line before or behind a place among lines, which moves there; empty behind the last, `nil` where there are none.
    static func recalled(_ lines: [String], _ place: inout Int?, _ step: Int) -> String? {
        guard !lines.isEmpty else { return nil }
        let next = max(0, min((place ?? lines.count) + step, lines.count))
        place = next
        return next < lines.count ? lines[next] : ""
    }

    private mutating func recall(_ step: Int) {
        if let line = Self.recalled(self.history, &self.historyPlace, step) { self.field.text = line }
    }

    /// Puts in what all candidates begin with.
    private mutating func complete() {
        let candidates = self.candidates
        guard let first = candidates.first else { return }
        var common = first
        for candidate in candidates { while !candidate.hasPrefix(common) { common.removeLast() } }
        let (before, part) = Self.split(self.field.text)
        guard common.count > part.count || candidates.count == 1 else { return }
        self.field.text = before + common + (candidates.count == 1 ? " " : "")
    }

    /// The text up to the last word, and the last word as far as it is typed.
    private static func split(_ text: String) -> (before: String, part: String) {
        guard let space = text.lastIndex(of: " ") else { return ("", text) }
        let start = text.index(after: space)
        return (String(text[..<start]), String(text[start...]))
    }

    /// Candidates for the word being typed: names of commands, options, values of an option.
    package var candidates: [String] {
        let (before, part) = Self.split(self.field.text)
        var path = [self.root]
        var option: CommandOption?
        for word in Self.bare(Shell.words(before)) {
            if option != nil {
                option = nil
            } else if let next = path[path.count - 1].subcommands.first(where: { $0.name == word }) {
                path.append(next)
            } else if word.hasPrefix("--"), !word.contains("=") {
                let named = path.flatMap(\.options).first { "--\($0.name)" == word }
                if case .flag? = named?.shape { continue }
                option = named
            }
        }
        return Self.words(path, option).filter { $0.hasPrefix(part) } + self.names(path, option, part)
    }

    /// Names for a value, once one begins to be typed.
    private func names(_ path: [Command], _ option: CommandOption?, _ part: String) -> [String] {
        guard !part.isEmpty, !part.hasPrefix("-"), path[path.count - 1].body != nil else { return [] }
        if case .choice? = option?.shape { return [] }
        return self.names.filter { $0.hasPrefix(part) && !$0.contains(" ") }
    }

    private static func words(_ path: [Command], _ option: CommandOption?) -> [String] {
        if let option {
            if case .choice(let choices) = option.shape { return choices }
            return []
        }
        let last = path[path.count - 1]
        guard last.body != nil else { return last.subcommands.map(\.name) }
        return path.flatMap(\.options).map { "--\($0.name)" }.filter { $0 != "--data" }
    }
}
