package import AdminAPI
import ChatModel

extension AdminSession: TableRow {
    package var rowID: Int64 { self.id }
    package var searchTexts: [String] {
        [self.user.text, self.device.name, self.deviceID, self.protocolName, self.address]
    }
}

/// Who is signed in, and from where.
struct SessionsScreen: TableScreen {
    static var table: TableView<AdminSession> {
        TableView([
            TableColumn("table.id", width: 8, isOnTheRight: true, order: { .number($0.id) }) { session, _ in
                String(session.id)
            },
            TableColumn("table.name") { session, _ in session.user.text },
            TableColumn("table.device", width: 8) { session, _ in session.device.name },
            TableColumn("table.deviceID", minimumScreen: 110) { session, _ in session.deviceID },
            TableColumn("table.protocol", width: 13) { session, _ in session.protocolName },
            TableColumn("table.address", width: 22) { session, _ in session.address },
            TableColumn("table.encrypted", width: 5, minimumScreen: 100) { session, look in
                look.word(session.isEncrypted)
            },
            TableColumn("table.since", width: 10, order: { .number($0.openedAtMilliseconds) }) { session, look in
                look.shortTime(session.openedAtMilliseconds)
            },
        ])
    }

    let title = "console.sessions"
    let emptyText = "console.sessions.empty"
    let keys = [
        KeyBinding(.enter, .open, "console.users.open"),
        KeyBinding(.character("K"), .kick, "console.sessions.kick", isChange: true),
        KeyBinding(.character("A"), .kickAll, "console.sessions.kickAll", isChange: true),
    ]
    let refreshMilliseconds: Int64? = 3_000
    var rows = Self.table
    private var pages = Pages<AdminSession>()

    var copied: String? { self.rows.current.map { String($0.id) } }

    mutating func refresh() -> [Intent] { self.pages.begin() ? [.ask(.listSessions(nil, after: nil), purpose: 0)] : [] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .sessions(let sessions, let next) = answer else { return [] }
        if let all = self.pages.take(sessions, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [.ask(.listSessions(nil, after: $0), purpose: 0)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(Notice(error.message, .failure))]
    }

    mutating func update(_ verb: Verb, _ look: Look) -> [Intent] {
        let targets = self.rows.targets
        guard let first = targets.first else { return look.nothing() }
        switch verb {
        case .open: return [.open(UserScreen(first.user))]
        case .kick: return Self.kick(targets, look)
        case .kickAll:
            var names: [UserName] = []
            for target in targets where !names.contains(target.user) { names.append(target.user) }
            return UserDeeds.kick(names, look)
        default: return []
        }
    }

    static func kick(_ sessions: [AdminSession], _ look: Look) -> [Intent] {
        guard !sessions.isEmpty else { return look.nothing() }
        let names = sessions.map { "\($0.user.text) (\($0.device.name) \($0.address))" }
        let deed = Deed(
            [.endSessions(ids: sessions.map(\.id), user: nil)],
            commands: [["session", "kick"] + sessions.map { String($0.id) }],
            done: look.counted("console.sessions.kicked", sessions.count))
        return [
            .propose(
                Proposal(
                    look("console.sessions.kick") + ": " + look.names(names),
                    consequences: [look("console.users.kickConsequence")], typed: typedNumber(of: sessions), deed: deed)
            )
        ]
    }
}
