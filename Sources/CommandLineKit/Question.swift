/// Question before a change: what is done, and what will be so afterwards.
package struct Question: Hashable, Sendable {
    /// Deed in words, with the names of what it is done to: `delete: tea`.
    package var title: String
    /// Consequences, in sentences.
    package var consequences: [String]
    /// Text to type to go on; `nil` when a yes is enough.
    package var typed: String?

    package init(_ title: String, consequences: [String], typed: String?) {
        self.title = title
        self.consequences = consequences
        self.typed = typed
    }

    /// Reply of the person.
    package enum Reply: Hashable, Sendable {
        case agreed
        case declined
        /// Nobody can be asked: a script runs the command.
        case nobody
    }

    /// True when what was typed on a line agrees to the question: `y` or `yes`, or the text that is to be typed.
    package func isAgreed(by line: String) -> Bool {
        guard let typed = self.typed else { return ["y", "yes", "是"].contains(line.lowercased()) }
        return line == typed
    }
}

extension Terminal {
    /// The question on standard error, and the reply from a line of standard input.
    static func replyTyped(to question: Question, _ texts: TextLookup, write: (String) -> Void) -> Question.Reply {
        let ask = question.typed.map { texts("ctl.question.type", ["name": DisplayText.escaped($0)]) }
        let lines = [question.title] + question.consequences.map { "  \($0)" }
        write(lines.map { DisplayText.escaped($0) + "\n" }.joined() + (ask ?? texts("ctl.question.yes", [:])))
        guard let line = Swift.readLine(strippingNewline: true) else { return .declined }
        return question.isAgreed(by: line) ? .agreed : .declined
    }
}
