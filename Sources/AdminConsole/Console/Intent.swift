package import AdminAPI
package import CommandLineKit

/// Intent of a screen or a widget.
package enum Intent: Sendable {
    /// A question; the answer comes back to the screen with the number it chose for it.
    case ask(AdminRequest, purpose: Int)
    /// A question that the audit log keeps with its reason.
    case askWhy(AdminRequest, purpose: Int, why: String)
    /// A change that the person must agree to first.
    case propose(Proposal)
    /// A change that is made at once.
    case perform(OperatorAction)
    case form(Form)
    case select(Selector)
    case open(any Screen)
    /// Shows the screen with this number, from 0.
    case go(Int)
    case page(Page)
    case tell(StatusLine)
    /// Runs `teahouse ctl` with these words and these lines of input.
    case run([String], input: [String])
    /// Runs `teahouse ctl` with these words, which change nothing; what comes then depends on how it went.
    case rehearse([String], then: @Sendable (ExitCode, [String]) -> [Intent])
    /// Asks for everything again.
    case refresh
    /// Values that were typed into a form, for the screen itself.
    case give([String], purpose: Int)
    /// Leaves columns of the table out, by their numbers.
    case hide(columns: Set<Int>)
}

/// One line that tells how something went.
package struct StatusLine: Hashable, Sendable {
    /// Tone of the line: a success or plain information, a refusal, or a failure.
    package enum Tone: Hashable, Sendable { case news, refusal, failure }

    /// Text, in the person's language.
    package var text: String
    /// Tone of the text.
    package var tone: Tone

    package init(_ text: String, _ tone: Tone = .news) {
        self.text = text
        self.tone = tone
    }
}

/// A change: what is asked of the server, and the same for a shell.
package struct OperatorAction: Sendable {
    /// Requests that make the change, sent in this order.
    package var requests: [AdminRequest]
    /// Command lines that were made by hand; `nil` for those of the requests.
    private var ownCommands: [[String]]?
    /// Text to show when it is done.
    package var done: String
    private var undoing: [OperatorAction] = []
    /// The words of `teahouse ctl` that do it instead of requests, where it reads files; `nil` for requests.
    package var run: [String]?
    /// Page of the answers, when they hold more than success.
    package var shows: (@Sendable ([AdminAnswer]) -> Page?)?

    /// - Parameters:
    ///   - commands: where one line for each request does not say it; `nil` for what the requests themselves say.
    ///   - undone: text to show when the inverses of the requests have undone them; `nil` for no undo, or for one that
    ///     needs the state before. There is no undo when one of the requests has no inverse.
    package init(_ requests: [AdminRequest], commands: [[String]]? = nil, done: String, undone: String? = nil) {
        self.requests = requests
        self.ownCommands = commands
        self.done = done
        guard let undone else { return }
        let inverses = requests.compactMap(\.operation.inverse)
        if inverses.count == requests.count { self.undoing = [OperatorAction(inverses, done: undone)] }
    }

    /// The words of `teahouse ctl` that do the same, for each command.
    package var commands: [[String]] { self.ownCommands ?? self.requests.compactMap(\.operation.command) }

    /// Inverse action; `nil` when nothing undoes it.
    package var undo: OperatorAction? {
        get { self.undoing.first }
        set { self.undoing = newValue.map { [$0] } ?? [] }
    }
}

/// An action with its consequences, for the person to confirm.
package struct Proposal: Sendable {
    /// Title of the dialog.
    package var title: String
    /// Consequences, in sentences.
    package var consequences: [String]
    /// Text to type first; `nil` when Enter is enough.
    package var typed: String?
    /// Change to make once the person agrees.
    package var operatorAction: OperatorAction

    package init(_ title: String, consequences: [String], typed: String? = nil, operatorAction: OperatorAction) {
        self.title = title
        self.consequences = consequences
        self.typed = typed
        self.operatorAction = operatorAction
    }
}

/// A command line for a shell.
enum Shell {
    /// `teahouse ctl user add 'xiao ming'`
    static func line(_ words: [String]) -> String {
        (["teahouse", "ctl"] + words).map(Self.quoted).joined(separator: " ")
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy {
            $0.value > 0x7F || $0.properties.isAlphabetic || $0.properties.numericType != nil
                || "-_./:,=+@".unicodeScalars.contains($0)
        }
        guard !isPlain || word.isEmpty else { return word }
        return word.reduce(into: "'") { $0 += $1 == "'" ? "'\\''" : String($1) } + "'"
    }

    /// The words of a line as a shell would cut it; an open quote goes to the end.
    static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else if character == "\\" && open == "\"" {
                    isEscaped = true
                } else {
                    word = (word ?? "") + String(character)
                }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == "\\" {
                isEscaped = true
            } else if character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
