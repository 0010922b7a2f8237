package import AdminAPI
import ChatModel

extension AdminFound: TableRow {
    /// Conversation and sequence, by which the table recognises the row.
    package var rowID: String { "\(self.message.conversation)/\(self.message.sequence)" }
    /// Conversation, sender and text, which the filter searches.
    package var searchTexts: [String] {
        [self.message.conversationName, self.message.conversationTitle ?? "", self.snippet] + self.message.searchTexts
    }
}

/// A question about what people wrote, with the reason that the audit log keeps.
struct MessageSearch: Hashable, Sendable {
    /// Most characters of a reason.
    static let maximumReason = 500

    var words: String
    /// Conversation to look in; `nil` for all.
    var conversation: String?
    var sender: UserName?
    var why: String

    /// - Parameter values: words, conversation, sender, reason.
    init(typed values: [String]) {
        self.words = values[0]
        self.conversation = values[1].isEmpty ? nil : values[1]
        self.sender = UserName(values[2])
        self.why = values[3]
    }

    func request(after: String?) -> AdminRequest {
        var search = AdminSearch(self.words, conversation: self.conversation, sender: self.sender)
        search.after = after
        return .search(.messages(search))
    }

    /// Opens the messages that are found.
    static func open(_ values: [String]) -> [Intent] { [.open(SearchScreen(MessageSearch(typed: values)))] }

    /// Form of a search.
    ///
    /// - Parameters:
    ///   - former: what the fields begin with; `nil` for nothing.
    ///   - conversation: conversation to look in.
    static func form(
        _ former: MessageSearch? = nil, in conversation: String? = nil, _ look: Look,
        submit: @escaping @Sendable ([String]) -> [Intent]
    ) -> Form {
        Form(
            look("console.search.find"),
            [
                Form.Field(look("console.search.words"), former?.words ?? "", maximum: AdminSearch.maximumCharacters),
                Form.Field(look("table.conversation"), conversation ?? former?.conversation ?? ""),
                Form.Field(look("table.sender"), former?.sender?.text ?? "", maximum: UserName.maximumScalars),
                Form.Field(look("console.seen.reason"), former?.why ?? "", maximum: Self.maximumReason),
            ],
            check: { values in
                if !(1...AdminSearch.maximumCharacters).contains(values[0].unicodeScalars.count) {
                    return look("console.search.wordsHint", ["maximum": String(AdminSearch.maximumCharacters)])
                }
                if !values[2].isEmpty, UserName(values[2]) == nil {
                    let bound = ["name": values[2], "maximum": String(UserName.maximumScalars)]
                    return look("ctl.badUserName", bound)
                }
                return (1...Self.maximumReason).contains(values[3].unicodeScalars.count)
                    ? nil : look("console.seen.reasonHint")
            },
            command: { values in
                ["message", "search", values[0]]
                    + zip(["--conversation", "--sender", "--why"], values.dropFirst()).filter { !$1.isEmpty }
                    .flatMap { [$0, $1] }
            }, submit: submit)
    }
}

/// Screen of messages that were searched for, in one conversation or all, the newest first. Each page is asked for once,
/// with the reason, and is in the audit log.
struct SearchScreen: TableScreen {
    enum Command { case open, find, older, trace }

    private enum Purpose {
        static let newest = 0
        static let older = 1
        /// The conversation of a message that is to be opened.
        static let open = 2
        static let trace = 3
    }

    let title = "console.search"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("F"), .find, "console.search.find"),
        KeyBinding(.enter, .open, "console.flagged.open"),
        KeyBinding(.character("t"), .trace, "console.messages.trace"),
        KeyBinding(.character("b"), .older, "console.messages.older"),
    ]
    var rows = TableView<AdminFound>([
        TableColumn("table.time", width: 10, order: { .number($0.message.sentAtMilliseconds) }) { row, look in
            look.shortTime(row.message.sentAtMilliseconds)
        },
        TableColumn(
            "table.conversation", width: 18, id: \.message.conversationName, shown: \.message.conversationTitle),
        TableColumn("table.sequence", width: 8, isOnTheRight: true, order: { .number($0.message.sequence) }) { row, _ in
            String(row.message.sequence)
        },
        TableColumn("table.sender", width: 16, style: { _ in .accent }, behind: \.message.senderBehind) { row, _ in
            row.message.senderName ?? row.message.sender
        },
        TableColumn("table.text") { row, _ in row.snippet },
    ])
    private var search: MessageSearch?
    /// True once the search was asked for: a refresh does not ask again.
    private var hasAsked = false
    private var isAsking = false
    /// `nil` when there is nothing older.
    private var next: String?
    /// Time before which everything said can be found, UTC milliseconds.
    private var indexedTo: Int64?
    /// The message that was opened.
    private var wanted: AdminMessage?

    /// - Parameter search: what is asked for when the screen is shown; `nil` for nothing yet.
    init(_ search: MessageSearch? = nil) { self.search = search }

    var copied: String? { self.rows.current.map { String($0.message.id.rawValue) } }
    var emptyText: String {
        if self.search == nil { return "console.search.empty" }
        return self.isAsking ? "console.loading" : "console.search.none"
    }

    /// Once: every page is an entry in the audit log.
    mutating func refresh() -> [Intent] { self.hasAsked ? [] : self.ask(after: nil, Purpose.newest) }

    private mutating func ask(after: String?, _ purpose: Int) -> [Intent] {
        guard let search = self.search, !self.isAsking else { return [] }
        self.hasAsked = true
        self.isAsking = true
        return [.askWhy(search.request(after: after), purpose: purpose, why: search.why)]
    }

    mutating func takeValues(_ values: [String], purpose: Int, _ look: Look) -> [Intent] {
        self.search = MessageSearch(typed: values)
        self.rows.replace([], look)
        (self.next, self.indexedTo) = (nil, nil)
        return self.ask(after: nil, Purpose.newest)
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .conversation(let detail) = answer, let wanted = self.wanted {
            guard purpose == Purpose.trace else {
                return [.open(MessagesScreen(detail.conversation, at: wanted.sequence))]
            }
            return [.open(TraceScreen(wanted, of: detail.conversation))]
        }
        self.isAsking = false
        guard case .search(.found(let found, let next, let indexedTo)) = answer else { return [] }
        (self.next, self.indexedTo) = (next, indexedTo)
        let kept = purpose == Purpose.older ? self.rows.rows : []
        let known = Set(kept.map(\.rowID))
        self.rows.replace(kept + found.filter { !known.contains($0.rowID) }, look)
        return []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        if purpose == Purpose.newest || purpose == Purpose.older { self.isAsking = false }
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .find: return [.form(MessageSearch.form(self.search, look) { [.give($0, purpose: 0)] })]
        case .older:
            guard let next = self.next else { return [.tell(StatusLine(look("console.search.last")))] }
            return self.ask(after: next, Purpose.older)
        case .open, .trace:
            guard let row = self.rows.current else { return look.nothing() }
            self.wanted = row.message
            let purpose = command == .open ? Purpose.open : Purpose.trace
            return [.ask(.showConversation("id:\(row.message.conversation)"), purpose: purpose)]
        }
    }

    /// The message in full.
    func detail(width: Int, _ look: Look) -> [Line] {
        self.rows.current.map { MessagesScreen.lines(of: $0.message, width: width, look) } ?? []
    }

    func head(width: Int, _ look: Look) -> [Line] {
        guard let search = self.search else { return [Line(" " + look("console.search.audited"), .dim), Line()] }
        let place = search.conversation ?? look("console.search.everywhere")
        let sender = search.sender.map { "  \(look("table.sender")) \($0.text)" } ?? ""
        let asked = look("console.search.head", ["words": search.words, "place": place, "why": search.why])
        var second = Line()
        if let indexedTo = self.indexedTo, indexedTo < look.nowMilliseconds - 60_000 {
            let key = indexedTo == 0 ? "search.nothingYet" : "console.search.behind"
            second = Line(" " + look(key, ["time": look.time(indexedTo)]), .warning)
        } else if self.next != nil {
            second = Line(" " + look("console.search.more"), .dim)
        }
        return [Line(" " + asked + sender, .warning), second]
    }
}
