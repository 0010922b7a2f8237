package import AdminAPI
import ChatModel

extension AdminUser: TableRow {
    /// Name, by which the table recognises the row.
    package var rowID: String { self.name.text }
    /// Name, display name and external ID, which the filter searches.
    package var searchTexts: [String] { [self.name.text, self.displayName ?? "", self.externalID ?? ""] }

    /// Name of the account.
    package var requestName: String? { self.name.text }

    /// Text key of what the person may do.
    var stateKey: String {
        if self.deletedAtMilliseconds != nil { return "console.users.isDeleted" }
        return self.isDisabled ? "word.disabled" : self.isSendBanned ? "word.sendBanned" : "word.active"
    }

    var stateStyle: Style {
        if self.deletedAtMilliseconds != nil || self.isDisabled { return .bad }
        return self.isSendBanned ? .warning : .good
    }
}

/// Screen of all accounts.
struct UsersScreen: TableScreen {
    enum Command {
        case open, create, importing
        case user(UserActions.Command)
    }

    let title = "console.users"
    let emptyText = "console.users.empty"
    let keys: [KeyBinding<Command>] =
        [
            KeyBinding(.enter, .open, "console.users.open"),
            KeyBinding(.character("n"), .create, "console.users.create", isChange: true),
        ] + UserActions.bindings.map { $0.map(Command.user) } + [
            KeyBinding(.character("i"), .importing, "console.users.import", isChange: true)
        ]
    var rows = TableView<AdminUser>([
        TableColumn("table.name") { user, _ in user.name.text },
        TableColumn("table.displayName") { user, _ in user.displayName ?? "" },
        TableColumn("table.externalID", width: 20, minimumScreen: 120) { user, _ in user.externalID ?? "" },
        TableColumn("table.role", width: 14) { user, look in
            look(user.role == .administrator ? "word.administrator" : "word.member")
        },
        TableColumn("table.state", width: 9, style: \.stateStyle) { user, look in look(user.stateKey) },
        TableColumn("table.password", width: 8, minimumScreen: 100) { user, look in look.word(user.hasPassword) },
        TableColumn("table.created", width: 10, order: { .number($0.createdAtMilliseconds) }) { user, look in
            look.shortTime(user.createdAtMilliseconds)
        },
    ])
    private var pages = Pages<AdminUser>()

    var copied: String? { self.rows.current?.name.text }

    mutating func refresh() -> [Intent] { self.pages.beginReading() ? [.ask(.listUsers(after: nil), purpose: 0)] : [] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .users(let users, let next) = answer else { return [] }
        if let all = self.pages.takePage(users, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [.ask(.listUsers(after: $0), purpose: 0)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .create: return [.form(UserActions.createForm(look))]
        case .importing: return [.form(UserActions.importForm(look))]
        case .open:
            guard let user = self.rows.current else { return look.nothing() }
            return [.open(UserScreen(user.name))]
        case .user(let command): return UserActions.update(command, self.rows.targets, look)
        }
    }
}

/// One person: what is known, their tokens and their sessions.
struct UserScreen: TableScreen {
    enum Command {
        case kickAll, look, details
        case user(UserActions.Command)
    }

    let title = "console.user"
    let emptyText = "console.user.noSessions"
    let keys: [KeyBinding<Command>] =
        UserActions.bindings.map { $0.map(Command.user) } + [
            KeyBinding(.delete, .kickAll, "console.sessions.kick", isChange: true),
            KeyBinding(.character("i"), .look, "console.profiles.show"),
            KeyBinding(.character("f"), .details, "console.person.open"),
        ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = SessionsScreen.table
    private let name: UserName
    private var detail: AdminUserDetail?

    init(_ name: UserName) { self.name = name }

    var copied: String? { self.name.text }

    mutating func refresh() -> [Intent] { [.ask(.showUser(self.name), purpose: 0)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .profiles(.one(let profile)) = answer { return [.page(ProfilesScreen.page(profile, look))] }
        if case .details(let details) = answer { return [.page(PersonPage.page(details, look))] }
        guard case .user(let detail) = answer else { return [] }
        self.detail = detail
        self.rows.replace(detail.sessions, look)
        return []
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .kickAll: return SessionsScreen.kick(self.rows.targets, look)
        case .look: return [.ask(.profiles(.show(self.name, by: nil, in: nil)), purpose: 1)]
        case .details: return [.ask(.people(.details(self.name)), purpose: 2)]
        case .user(let command): return UserActions.update(command, self.detail.map { [$0.user] } ?? [], look)
        }
    }

    func head(width: Int, _ look: Look) -> [Line] {
        guard let detail = self.detail else { return [Line(" " + look("console.loading"), .dim)] }
        let user = detail.user
        func row(_ key: String, _ value: String, _ style: Style = .plain) -> Line {
            Line(" " + Cells.fitted(Cells.drawable(look(key)), to: 18), .dim) + Line(value, style)
        }
        var lines = [
            row("table.displayName", user.displayName ?? ""), row("table.externalID", user.externalID ?? ""),
            row("table.role", look(user.role == .administrator ? "word.administrator" : "word.member")),
            row("table.state", look(user.stateKey), user.stateStyle),
            row("table.password", look.word(user.hasPassword)),
            row("table.created", look.time(user.createdAtMilliseconds)),
            row("table.blocked", detail.blocked.joined(separator: ", ")),
            row(
                "table.allowed",
                detail.allowed.joined(separator: ", ")
                    + (detail.isAllowlistOnly ? "  (\(look("console.user.onlyThese")))" : "")),
        ]
        // A server gives as many as there are devices: a few.
        for token in detail.tokens.prefix(6) {
            let level = look(token.level == .primary ? "word.primary" : "word.secondary")
            let seen = look("console.user.seen", ["time": look.time(token.lastSeenAtMilliseconds)])
            lines.append(row("console.user.token", "\(token.device.name)  \(level)  \(seen)"))
        }
        return lines + [Line(), Line(" " + look("console.sessions"), .title)]
    }
}
