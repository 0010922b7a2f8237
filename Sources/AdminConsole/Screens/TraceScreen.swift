import AdminAPI
import ChatModel

extension AdminTraceRow: TableRow {
    /// Name, by which the table recognises the row.
    package var rowID: String { self.name.text }
    /// Name, which the filter searches.
    package var searchTexts: [String] { [self.name.text, self.displayName ?? ""] }

    /// Time of reading; a word for the sender, for a user who joined later, and where the time is not known.
    func readText(_ look: Look) -> String {
        if let reported = self.reportedReadAtMilliseconds { return look.shortTime(reported) }
        if self.isSender { return look("word.sender") }
        if self.cameLater { return look("word.cameLater") }
        return self.read.map { $0.text { look.shortTime($0) } } ?? look.word(self.isRead)
    }

    var readStyle: Style { self.isSender || self.cameLater ? .dim : self.isRead ? .good : .plain }

    /// On which devices it is, and since when.
    func deliveredText(_ look: Look) -> String {
        let (devices, time) = (self.deliveredTo.map(\.name), self.delivered?.text { look.shortTime($0) })
        return [devices.joined(separator: ", "), time ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The sessions of now, each with whether its class of device has the message.
    var sessionText: String {
        self.sessions.map { session in
            let mark = self.deliveredTo.contains(session.device) ? "✓" : "…"
            return "\(session.device.name) \(session.id)\(mark)"
        }.joined(separator: ", ")
    }
}

/// Screen of one message's delivery to everybody who gets it.
struct TraceScreen: TableScreen {
    enum Command { case open, former }

    let title = "console.trace"
    let emptyText = "console.trace.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.users.open"), KeyBinding(.character("f"), .former, "console.trace.former"),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<AdminTraceRow>([
        TableColumn("table.name", id: \.name.text, shown: \.displayName),
        TableColumn("table.read", width: 10, style: \.readStyle) { person, look in person.readText(look) },
        TableColumn("table.delivered", width: 14, style: { _ in .good }) { person, look in
            person.deliveredText(look)
        },
        TableColumn("table.waiting", width: 12, style: { _ in .warning }) { person, _ in
            person.waitingFor.map(\.name).joined(separator: ", ")
        },
        TableColumn("table.sessions", minimumScreen: 70) { person, _ in person.sessionText },
        TableColumn("table.withheld", width: 20, style: { _ in .bad }) { person, look in
            person.withheld.map { look($0.textKey) } ?? ""
        },
    ])
    private let reference: String
    private let sequence: Int64
    private var trace: AdminTrace?
    private var pages = Pages<AdminTraceRow>()

    init(_ message: AdminMessage, of conversation: AdminConversation) {
        self.reference = conversation.reference
        self.sequence = message.sequence
    }

    var copied: String? { String(self.sequence) }

    mutating func refresh() -> [Intent] { self.pages.beginReading() ? [self.ask(after: nil)] : [] }

    private func ask(after: Int64?) -> Intent {
        .ask(.conversationDetails(.trace(self.reference, sequence: self.sequence, after: after)), purpose: 0)
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .conversationDetails(.trace(let page)) = answer else { return [] }
        var trace = page
        // Later pages do not tell it again.
        if trace.former.isEmpty, let known = self.trace, known.editCount == trace.editCount {
            trace.former = known.former
        }
        self.trace = trace
        if let all = self.pages.takePage(trace.people, isLast: trace.next == nil) { self.rows.replace(all, look) }
        return trace.next.map { [self.ask(after: $0)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .former: return self.formerBodies(look)
        case .open: return self.rows.current.map { [.open(UserScreen($0.name))] } ?? look.nothing()
        }
    }

    /// Page of the message's former texts.
    private func formerBodies(_ look: Look) -> [Intent] {
        guard let trace = self.trace, !trace.former.isEmpty else {
            return [.tell(StatusLine(look("console.trace.noFormer")))]
        }
        var lines: [Line] = []
        for version in trace.former {
            let values = [
                "number": String(version.number), "name": version.editor, "time": look.time(version.atMilliseconds),
            ]
            lines.append(Line(Cells.drawable(look("console.trace.version", values)), .dim))
            let text = version.text + (version.isCut ? "…" : "")
            lines += text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
                Cells.wrapped(Cells.drawable(String($0)), to: 70).map { Line($0) }
            }
            lines.append(Line())
        }
        return [.page(Page(look("console.trace.former"), lines, copied: trace.former.last?.text ?? ""))]
    }

    func head(width: Int, _ look: Look) -> [Line] {
        guard let trace = self.trace else { return [Line(" " + look("console.loading"), .dim), Line(), Line()] }
        let message = trace.message
        let values = ["sequence": String(message.sequence), "sender": message.shownSender]
        let sent = look("console.trace.sent", values.merging(["time": look.time(message.sentAtMilliseconds)]) { $1 })
        var states: [String] = []
        if trace.isRecalled { states.append(look("word.recalled")) }
        if trace.isDeletedForAll { states.append(look("word.deletedForAll")) }
        if trace.editCount > 0 { states.append(look("console.trace.edits", ["count": String(trace.editCount)])) }
        let read = self.rows.rows.count { $0.isRead && !$0.isSender }
        let others = self.rows.rows.count { !$0.isSender && ($0.isRead || !$0.cameLater) }
        let reading = look("console.trace.reading", ["read": String(read), "all": String(others)])
        return [
            Line(" " + sent, .accent) + Line("  " + states.joined(separator: ", "), .warning),
            Line(" " + look.message(message)), Line(" " + reading, .dim),
        ]
    }
}
