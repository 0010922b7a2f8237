package import AdminAPI

extension AdminMessage: TableRow {
    /// Sequence, by which the table recognises the row.
    package var rowID: Int64 { self.sequence }
    /// Sender and text, which the filter searches.
    package var searchTexts: [String] { [self.sender, self.senderName ?? "", self.text, self.sketch.words] }

    /// Name that people see of the sender, with the name of the account behind it.
    var shownSender: String { self.senderName.map { "\($0)  \(self.sender)" } ?? self.sender }

    /// Name of the account, where another one is shown.
    var senderBehind: String? { self.senderName == nil ? nil : self.sender }
}

/// The messages of one conversation, the newest at the bottom; new ones come by themselves.
struct MessagesScreen: TableScreen {
    enum Command {
        case open, older, newer, jump, jumpTime, order, trace, seeAs
        case edit, recall, recallForGood, write, writeAsSystem, export, find
    }

    /// Messages that are kept; then those at the other end go.
    private static let maximumMessages = 2_000

    private enum Purpose {
        static let newest = 0
        static let older = 1
        static let newer = 2
        /// Around a number or from a time on.
        static let place = 3
    }

    let title = "console.messages"
    let emptyText = "console.messages.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.messages.open"),
        KeyBinding(.character("b"), .older, "console.messages.older"),
        KeyBinding(.character("a"), .newer, "console.messages.newer"),
        KeyBinding(.character("J"), .jump, "console.messages.jump"),
        KeyBinding(.character("T"), .jumpTime, "console.messages.jumpTime"),
        KeyBinding(.character("e"), .order, "console.messages.newest"),
        KeyBinding(.character("t"), .trace, "console.messages.trace"),
        KeyBinding(.character("V"), .seeAs, "console.seen.choose"),
        KeyBinding(.character("r"), .edit, "console.messages.edit", isChange: true),
        KeyBinding(.character("x"), .recall, "console.messages.recall", isChange: true),
        KeyBinding(.character("X"), .recallForGood, "console.messages.recallForGood", isChange: true),
        KeyBinding(.character("w"), .write, "console.groups.write", isChange: true),
        KeyBinding(.character("W"), .writeAsSystem, "console.messages.system", isChange: true),
        KeyBinding(.character("E"), .export, "console.talks.export"),
        KeyBinding(.character("F"), .find, "console.search.find"),
    ]
    var rows = TableView<AdminMessage>(
        [
            TableColumn("table.sequence", width: 8, isOnTheRight: true, order: { .number($0.sequence) }) { message, _ in
                String(message.sequence)
            },
            TableColumn("table.time", width: 10) { message, look in look.shortTime(message.sentAtMilliseconds) },
            TableColumn("table.sender", width: 16, style: { _ in .accent }, behind: \.senderBehind) { message, _ in
                message.senderName ?? message.sender
            },
            TableColumn("table.text") { message, look in look.message(message) },
        ], sortColumn: 0)
    private let conversation: AdminConversation
    private var isAsking = false
    /// The message that was jumped to, or from which older ones were asked for; `nil` for who reads the newest.
    private var wanted: Int64?

    /// - Parameter sequence: the message to go to; `nil` for the newest.
    init(_ conversation: AdminConversation, at sequence: Int64? = nil) {
        self.conversation = conversation
        self.wanted = sequence
    }

    var copied: String? { self.rows.current.map { String($0.id.rawValue) } }
    var watches: [AdminRequest] { [.follow(conversation: self.conversation.reference, withSessions: false)] }

    private mutating func ask(_ place: AdminConversationPlace, _ purpose: Int) -> [Intent] {
        guard !self.isAsking else { return [] }
        self.isAsking = true
        let request = AdminConversationRequest.look(
            self.conversation.reference, place, limit: Int64(AdminProtocol.pageMessages))
        return [.ask(.conversationDetails(request), purpose: purpose)]
    }

    /// The newest, or those around the cursor for who reads elsewhere.
    mutating func refresh() -> [Intent] {
        guard let wanted = self.wanted else { return self.ask(.before(.max), Purpose.newest) }
        return self.ask(.around(self.rows.current?.sequence ?? wanted), Purpose.newest)
    }

    /// A page joins what is there, unless there is a gap between: then it takes its place.
    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard purpose != Console.watching else { return [] }
        self.isAsking = false
        guard case .messages(let messages) = answer else { return [] }
        if messages.isEmpty, purpose != Purpose.newest {
            let key = purpose == Purpose.older ? "console.messages.first" : "console.messages.last"
            return [.tell(StatusLine(look(key)))]
        }
        let isFirst = self.rows.rows.isEmpty
        let isFar = !isFirst && !self.joins(messages)
        let pages = purpose == Purpose.older || purpose == Purpose.newer
        self.put(messages, replacing: isFar && !pages, atTheEnd: purpose != Purpose.older, look)
        if purpose == Purpose.place, let sequence = self.wanted ?? messages.first?.sequence {
            self.rows.select(sequence)
            self.wanted = sequence
        }
        if purpose == Purpose.newest && (isFirst || isFar) {
            self.rows.move(.last, look)
            if let wanted = self.wanted { self.rows.select(wanted) }
        }
        return []
    }

    private func joins(_ messages: [AdminMessage]) -> Bool {
        guard let first = messages.first?.sequence, let last = messages.last?.sequence,
            let low = self.rows.rows.first?.sequence, let high = self.rows.rows.last?.sequence
        else { return true }
        return first <= high + 1 && last >= low - 1
    }

    private mutating func put(_ messages: [AdminMessage], replacing: Bool, atTheEnd: Bool, _ look: Look) {
        let new = Set(messages.map(\.sequence))
        let kept = replacing ? [] : self.rows.rows.filter { !new.contains($0.sequence) }
        let all = (kept + messages).sorted { $0.sequence < $1.sequence }
        let shown = atTheEnd ? all.suffix(Self.maximumMessages) : all.prefix(Self.maximumMessages)
        self.rows.replace(Array(shown), look)
    }

    /// Adds a new message that follows the last one shown.
    mutating func receive(_ event: AdminEvent, _ look: Look) {
        guard case .message(let message) = event, message.sequence > 0,
            message.sequence == (self.rows.rows.last?.sequence ?? 0) + 1
        else { return }
        let isAtEnd = self.rows.current?.sequence == self.rows.rows.last?.sequence
        self.put([message], replacing: false, atTheEnd: true, look)
        if isAtEnd { self.rows.move(.last, look) }
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        if purpose != Console.watching { self.isAsking = false }
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .older:
            self.wanted = self.wanted ?? self.rows.current?.sequence
            return self.ask(.before(self.rows.rows.first?.sequence ?? .max), Purpose.older)
        case .newer: return self.ask(.after(self.rows.rows.last?.sequence ?? 0), Purpose.newer)
        case .order:
            self.wanted = nil
            self.rows.replace([], look)
            return self.ask(.before(.max), Purpose.newest)
        case .jump: return [.form(self.jumpForm(look))]
        case .jumpTime: return [.form(self.timeForm(look))]
        case .open, .trace:
            guard let message = self.rows.current else { return look.nothing() }
            if command == .open { return [.page(Self.page(message, look))] }
            return [.open(TraceScreen(message, of: self.conversation))]
        case .seeAs: return MessageActions.seeAs(self.conversation, look)
        case .edit:
            guard let message = self.rows.current else { return look.nothing() }
            return MessageActions.edit(message, of: self.conversation, look)
        case .recall, .recallForGood:
            return MessageActions.recall(
                self.rows.targets, of: self.conversation, forGood: command == .recallForGood, look)
        case .writeAsSystem: return MessageActions.writeAsSystem(self.conversation, look)
        case .write: return GroupActions.update(.write, [self.conversation], look)
        case .export: return ConversationActions.update(.export, [self.conversation], look)
        case .find: return ConversationActions.update(.find, [self.conversation], look)
        }
    }

    // MARK: Jumping

    /// The number of a message, or UTC milliseconds.
    mutating func takeValues(_ values: [String], purpose: Int, _ look: Look) -> [Intent] {
        guard let number = Int64(values[0]) else { return [] }
        self.wanted = purpose == Self.toNumber ? number : nil
        return self.ask(purpose == Self.toNumber ? .around(number) : .since(number), Purpose.place)
    }

    private static let toNumber = 0
    private static let toTime = 1

    private func jumpForm(_ look: Look) -> Form {
        let conversation = self.conversation
        let last = max(conversation.head, self.rows.rows.last?.sequence ?? 1)
        return Form(
            look("console.messages.jump"), [Form.Field(look("table.sequence"))],
            check: { values in
                if let number = Int64(values[0]), (1...last).contains(number) { return nil }
                return look("console.messages.jumpHint", ["last": String(last)])
            },
            command: { ["conversation", "messages", conversation.reference, "--around", $0[0]] },
            submit: { [.give($0, purpose: Self.toNumber)] })
    }

    private func timeForm(_ look: Look) -> Form {
        let reference = self.conversation.reference
        return Form(
            look("console.messages.jumpTime"), [Form.Field(look("table.time"))],
            check: { values in
                look.moment(values[0], look.nowMilliseconds) == nil ? look("console.messages.timeHint") : nil
            },
            command: { ["conversation", "messages", reference, "--since", $0[0]] },
            submit: { values in
                guard let moment = look.moment(values[0], look.nowMilliseconds) else { return [] }
                return [.give([String(moment)], purpose: Self.toTime)]
            })
    }

    /// The message in full.
    func detail(width: Int, _ look: Look) -> [Line] {
        self.rows.current.map { Self.lines(of: $0, width: width, look) } ?? []
    }

    private static func page(_ message: AdminMessage, _ look: Look) -> Page {
        Page(
            look("console.message", ["name": message.conversationTitle ?? message.conversationName]),
            Self.lines(of: message, width: 70, look), copied: message.text)
    }

    static func lines(of message: AdminMessage, width: Int, _ look: Look) -> [Line] {
        func row(_ key: String, _ value: String) -> Line {
            Line(Cells.fitted(Cells.drawable(look(key)), to: 14), .dim) + Line(value)
        }
        let head = [
            row("table.sequence", String(message.sequence)), row("table.id", String(message.id.rawValue)),
            row("table.sender", message.shownSender), row("table.time", look.time(message.sentAtMilliseconds)),
            row("table.kind", "\(message.sketch.form.rawValue) (\(message.kind.rawValue))"), Line(),
        ]
        let text = message.text + (message.isCut ? "…" : "")
        let body = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            Cells.wrapped(Cells.drawable(String($0)), to: width).map { Line($0) }
        }
        return head + body
    }
}
