import AdminAPI

/// Something that happened while the screen was shown.
struct LoggedEvent: TableRow {
    var rowID: Int64
    var atMilliseconds: Int64
    var kind: String
    var place: String
    /// Name of the conversation, where its title is shown.
    var placeBehind: String?
    var who: String
    /// Name of the account, where another one is shown.
    var whoBehind: String?
    var text: String
    var style: Style

    var searchTexts: [String] {
        [self.place, self.placeBehind ?? "", self.who, self.whoBehind ?? "", self.text]
    }
}

/// Messages, and people who come and go, as it happens.
struct LogScreen: TableScreen {
    enum Command { case follow, clear }

    private static let maximumEvents = 2_000

    let title = "console.log"
    let emptyText = "console.log.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("F"), .follow, "console.log.follow"),
        KeyBinding(.character("c"), .clear, "console.log.clear"),
    ]
    var rows = TableView<LoggedEvent>([
        TableColumn("table.time", width: 8) { event, look in look.hours(event.atMilliseconds) },
        TableColumn("table.kind", width: 8, style: \.style) { event, look in look(event.kind) },
        TableColumn("console.conversation", width: 18, behind: \.placeBehind) { event, _ in event.place },
        TableColumn("table.name", width: 14, behind: \.whoBehind) { event, _ in event.who },
        TableColumn("table.text") { event, _ in event.text },
    ])
    private var number: Int64 = 0
    private var isFollowing = true

    var copied: String? { self.rows.current?.text }
    var watches: [AdminRequest] { [.follow(conversation: nil, withSessions: true)] }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .clear:
            self.rows.replace([], look)
            return []
        case .follow:
            self.isFollowing.toggle()
            if self.isFollowing { self.rows.move(.last, look) }
            return [.tell(StatusLine(look(self.isFollowing ? "console.log.following" : "console.log.still")))]
        }
    }

    mutating func receive(_ event: AdminEvent, _ look: Look) {
        self.number += 1
        guard let logged = Self.logged(event, number: self.number, look) else { return }
        self.rows.replace(Array((self.rows.rows + [logged]).suffix(Self.maximumEvents)), look)
        if self.isFollowing { self.rows.move(.last, look) }
    }

    private static func logged(_ event: AdminEvent, number: Int64, _ look: Look) -> LoggedEvent? {
        switch event {
        case .message(let message):
            LoggedEvent(
                rowID: number, atMilliseconds: message.sentAtMilliseconds, kind: "console.log.message",
                place: message.conversationTitle ?? message.conversationName,
                placeBehind: message.conversationTitle == nil ? nil : message.conversationName,
                who: message.senderName ?? message.sender, whoBehind: message.senderBehind,
                text: look.message(message), style: .plain)
        case .opened(let session):
            LoggedEvent(
                rowID: number, atMilliseconds: session.openedAtMilliseconds, kind: "console.log.opened", place: "",
                who: session.displayName ?? session.user.text,
                whoBehind: session.displayName == nil ? nil : session.user.text,
                text: "\(session.device.name)  \(session.address)", style: .good)
        case .ended(let session, let reason):
            LoggedEvent(
                rowID: number, atMilliseconds: look.nowMilliseconds, kind: "console.log.ended", place: "",
                who: session.displayName ?? session.user.text,
                whoBehind: session.displayName == nil ? nil : session.user.text,
                text: "\(session.device.name)  \(session.address)  \(reason)", style: .warning)
        case .missed(let count):
            LoggedEvent(
                rowID: number, atMilliseconds: look.nowMilliseconds, kind: "console.log.missed", place: "", who: "",
                text: look("ctl.tail.missed", ["count": String(count)]), style: .bad)
        case .transfers, .checking, .backingUp, .liveMetrics: nil
        }
    }
}
