package import AdminAPI

extension AdminMessage: TableRow {
    package var rowID: Int64 { self.sequence }
    package var searchTexts: [String] { [self.sender, self.text, self.sketch.words] }
}

/// The messages of one conversation, the newest at the bottom.
struct MessagesScreen: TableScreen {
    private static let newest = 0
    private static let older = 1

    let title = "console.messages"
    let emptyText = "console.messages.empty"
    let keys = [
        KeyBinding(.enter, .open, "console.messages.open"),
        KeyBinding(.character("b"), .older, "console.messages.older"),
        KeyBinding(.character("J"), .jump, "console.messages.jump"),
        KeyBinding(.character("e"), .order, "console.messages.newest"),
        KeyBinding(.character("w"), .write, "console.groups.write", isChange: true),
    ]
    var rows = TableView<AdminMessage>(
        [
            TableColumn("table.sequence", width: 8, isOnTheRight: true, order: { .number($0.sequence) }) { message, _ in
                String(message.sequence)
            },
            TableColumn("table.time", width: 10) { message, look in look.shortTime(message.sentAtMilliseconds) },
            TableColumn("table.sender", width: 16, style: { _ in .accent }) { message, _ in message.sender },
            TableColumn("table.text") { message, look in look.message(message) },
        ], sortColumn: 0)
    private let conversation: AdminConversation
    private var isAsking = false

    init(_ conversation: AdminConversation) { self.conversation = conversation }

    var copied: String? { self.rows.current.map { String($0.id.rawValue) } }

    private mutating func ask(before: Int64?, _ purpose: Int) -> [Intent] {
        guard !self.isAsking else { return [] }
        self.isAsking = true
        let request = AdminRequest.listMessages(
            conversation: self.conversation.reference, before: before, limit: Int64(AdminProtocol.pageMessages))
        return [.ask(request, purpose: purpose)]
    }

    mutating func refresh() -> [Intent] { self.ask(before: nil, Self.newest) }

    /// Older ones are put before what is there; the newest, and those around a number, take its place unless they join.
    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        self.isAsking = false
        guard case .messages(let messages) = answer else { return [] }
        let isFirst = self.rows.rows.isEmpty
        let known = self.rows.rows.map(\.sequence)
        let joins = messages.contains { known.contains($0.sequence) } || purpose == Self.older
        if purpose == Self.older && messages.isEmpty { return [.tell(Notice(look("console.messages.first")))] }
        let kept = joins ? self.rows.rows.filter { old in !messages.contains { $0.sequence == old.sequence } } : []
        self.rows.replace((kept + messages).sorted { $0.sequence < $1.sequence }, look)
        if purpose > Self.older { self.rows.select(Int64(purpose)) }
        if isFirst { self.rows.move(.last, look) }
        return []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.isAsking = false
        return [.tell(Notice(error.message, .failure))]
    }

    mutating func update(_ verb: Verb, _ look: Look) -> [Intent] {
        switch verb {
        case .open:
            guard let message = self.rows.current else { return look.nothing() }
            return [.page(Self.page(message, look))]
        case .older: return self.ask(before: self.rows.rows.first?.sequence, Self.older)
        case .order:
            self.rows.replace([], look)
            return self.ask(before: nil, Self.newest)
        case .jump: return [.form(self.jumpForm(look))]
        case .write: return GroupDeeds.update(.write, [self.conversation], look) ?? []
        default: return []
        }
    }

    private func jumpForm(_ look: Look) -> Form {
        let conversation = self.conversation
        return Form(
            look("console.messages.jump"), [Form.Field(look("table.sequence"))],
            check: { values in
                if let number = Int64(values[0]), (2...max(2, conversation.head)).contains(number) { return nil }
                return look("console.messages.jumpHint", ["last": String(conversation.head)])
            },
            command: {
                ["conversation", "messages", conversation.reference, "--before", String((Int64($0[0]) ?? 0) + 10)]
            },
            submit: { values in
                guard let number = Int64(values[0]) else { return [] }
                let request = AdminRequest.listMessages(
                    conversation: conversation.reference, before: number + 10, limit: Int64(AdminProtocol.pageMessages))
                return [.ask(request, purpose: Int(number))]
            })
    }

    private static func page(_ message: AdminMessage, _ look: Look) -> Page {
        func row(_ key: String, _ value: String) -> Line {
            Line(Cells.fitted(Cells.drawable(look(key)), to: 14), .dim) + Line(value)
        }
        let head = [
            row("table.sequence", String(message.sequence)), row("table.id", String(message.id.rawValue)),
            row("table.sender", message.sender), row("table.time", look.time(message.sentAtMilliseconds)),
            row("table.kind", "\(message.sketch.form.rawValue) (\(message.kind.rawValue))"), Line(),
        ]
        let text = message.text + (message.isCut ? "…" : "")
        let body = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            Cells.wrapped(Cells.drawable(String($0)), to: 70).map { Line($0) }
        }
        return Page(look("console.message", ["name": message.conversationName]), head + body, copied: message.text)
    }
}
