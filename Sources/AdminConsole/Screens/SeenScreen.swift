import AdminAPI
import ChatModel

extension AdminWithholding {
    var textKey: String {
        switch self {
        case .cleared: "word.cleared"
        case .deletedBySelf: "word.deletedBySelf"
        case .deletedForAll: "word.deletedForAll"
        case .notForThem: "word.notForThem"
        case .beforeJoining: "word.beforeJoining"
        }
    }
}

/// A message as a member gets it, or that they do not.
struct SeenRow: TableRow {
    var sequence: Int64
    /// `nil` for one that they do not see.
    var seen: AdminSeenMessage?
    var withheld: AdminWithholding?

    var rowID: Int64 { self.sequence }
    var searchTexts: [String] { self.seen.map { $0.message.searchTexts } ?? [] }

    /// State that is special about the message. Text key.
    var stateKey: String? {
        if let withheld = self.withheld { return withheld.textKey }
        guard let seen = self.seen else { return nil }
        return seen.isRecalled ? "word.recalled" : seen.isEdited ? "word.edited" : nil
    }
}

/// A conversation exactly as one member gets it. Each page is asked for once, with the reason, and is in the audit log.
struct SeenScreen: TableScreen {
    enum Command { case older }

    let title = "console.seen"
    let emptyText = "console.messages.empty"
    let keys: [KeyBinding<Command>] = [KeyBinding(.character("b"), .older, "console.messages.older")]
    var rows = TableView<SeenRow>(
        [
            TableColumn("table.sequence", width: 8, isOnTheRight: true, order: { .number($0.sequence) }) { row, _ in
                String(row.sequence)
            },
            TableColumn("table.time", width: 10) { row, look in
                row.seen.map { look.shortTime($0.message.sentAtMilliseconds) } ?? ""
            },
            TableColumn(
                "table.sender", width: 16, style: { _ in .accent }, behind: { $0.seen?.message.senderBehind }
            ) { row, _ in row.seen.map { $0.message.senderName ?? $0.message.sender } ?? "" },
            TableColumn("table.text") { row, look in row.seen.map { look.message($0.message) } ?? "" },
            TableColumn("table.state", width: 22, style: { $0.seen == nil ? .warning : .dim }) { row, look in
                row.stateKey.map { look($0) } ?? ""
            },
        ], sortColumn: 0)
    private let conversation: AdminConversation
    private let member: UserName
    private let why: String
    private var hasAsked = false
    private var isAsking = false
    /// `nil` when there is nothing before what is shown.
    private var next: Int64?

    init(_ conversation: AdminConversation, _ member: UserName, why: String) {
        self.conversation = conversation
        self.member = member
        self.why = why
    }

    var copied: String? { self.rows.current.map { String($0.sequence) } }

    /// Once: every page is an entry in the audit log.
    mutating func refresh() -> [Intent] {
        guard !self.hasAsked else { return [] }
        self.hasAsked = true
        return self.ask(before: nil)
    }

    private mutating func ask(before: Int64?) -> [Intent] {
        guard !self.isAsking else { return [] }
        self.isAsking = true
        let request = AdminConversationRequest.seeAs(
            self.conversation.reference, self.member, before: before, limit: Int64(AdminProtocol.pageMessages))
        return [.askWhy(.conversationDetails(request), purpose: 0, why: self.why)]
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        self.isAsking = false
        guard case .conversationDetails(.seen(let seen)) = answer else { return [] }
        self.next = seen.next
        let isFirst = self.rows.rows.isEmpty
        let page =
            seen.messages.map { SeenRow(sequence: $0.message.sequence, seen: $0) }
            + seen.withheld.map { SeenRow(sequence: $0.sequence, withheld: $0.reason) }
        self.rows.replace((self.rows.rows + page).sorted { $0.sequence < $1.sequence }, look)
        if isFirst { self.rows.move(.last, look) }
        return []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.isAsking = false
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        guard let next = self.next else { return [.tell(StatusLine(look("console.messages.first")))] }
        return self.ask(before: next)
    }

    func head(width: Int, _ look: Look) -> [Line] {
        let values = ["name": self.member.text, "why": self.why]
        return [Line(" " + look("console.seen.head", values), .warning), Line()]
    }
}
