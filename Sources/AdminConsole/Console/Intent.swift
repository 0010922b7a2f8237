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
    /// Writes a text into a new file on this machine.
    case save(path: String, text: String)
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
    /// Lines of input of `run`.
    package var input: [String] = []
    /// Page of the answers, when they hold more than success.
    package var shows: (@Sendable ([AdminAnswer]) -> Page?)?

    /// Screen of the answers, when they are shown once.
    package var opens: (@Sendable ([AdminAnswer]) -> (any Screen)?)?

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

    /// Action that takes changes of a command line back; `nil` when one of them cannot be, or nothing was changed.
    init?(takingBack changes: [AdminChange], done: String) {
        let inverses = changes.filter { $0.undo != $0.request }.map(\.undo)
        let requests = inverses.compactMap { $0 }
        guard !requests.isEmpty, requests.count == inverses.count else { return nil }
        self.init(requests.reversed(), done: done)
    }

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
