import AdminAPI
package import ChatModel

extension Announcement: TableRow {
    /// Number, by which the table recognises the row.
    package var rowID: Int64 { self.number }
    /// Title, text, sender and teams, which the filter searches.
    package var searchTexts: [String] { [self.title, self.body, self.sender] + self.teams.map(\.text) }

    /// Receivers in words: members of teams, or everybody.
    func receiverText(_ look: Look) -> String {
        self.teams.isEmpty ? look("console.notices.everybody") : look.names(self.teams.map(\.text))
    }
}

/// Screen of announcements to everybody or to the members of teams, with the number of confirmations.
struct AnnouncementsScreen: TableScreen {
    enum Command { case open, create, team }

    let title = "console.notices"
    let emptyText = "console.notices.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.notices.open"),
        KeyBinding(.character("n"), .create, "console.notices.all", isChange: true),
        KeyBinding(.character("t"), .team, "console.notices.teams", isChange: true),
    ]
    let refreshMilliseconds: Int64? = 3_000
    var rows = TableView<Announcement>([
        TableColumn("table.number", width: 6, isOnTheRight: true, order: { .number($0.number) }) { notice, _ in
            String(notice.number)
        },
        TableColumn("table.time", width: 10, order: { .number($0.createdAtMilliseconds) }) { notice, look in
            look.shortTime(notice.createdAtMilliseconds)
        },
        TableColumn("console.notices.for", width: 16) { notice, look in notice.receiverText(look) },
        TableColumn("table.title", width: 14) { notice, _ in notice.title },
        TableColumn("table.text") { notice, _ in notice.body },
        TableColumn("table.sender", width: 10, minimumScreen: 110) { notice, _ in notice.sender },
        TableColumn(
            "console.notices.confirmed", width: 11, isOnTheRight: true, order: { .number($0.confirmed) },
            style: { $0.sentAtMilliseconds == nil ? .warning : .plain }
        ) { notice, look in
            "\(notice.confirmed)/\(notice.receivers)" + (notice.sentAtMilliseconds == nil ? "…" : "")
        },
    ])
    private var pages = Pages<Announcement>()

    var copied: String? { self.rows.current.map { String($0.number) } }

    mutating func refresh() -> [Intent] {
        self.pages.beginReading() ? [.ask(.announcements(.list(before: nil)), purpose: 0)] : []
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .announcements(.list(let announcements, let next)) = answer else { return [] }
        if let all = self.pages.takePage(announcements, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [.ask(.announcements(.list(before: $0)), purpose: 0)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .create: return [.form(Self.form([], look))]
        case .team: return [Self.chooseTeams(look)]
        case .open:
            guard let notice = self.rows.current else { return look.nothing() }
            return [.open(AnnouncementScreen(notice))]
        }
    }

    private static func chooseTeams(_ look: Look) -> Intent {
        var configuration = SelectorConfiguration(.teams)
        configuration.isMultiple = true
        configuration.maximumSelected = AnnouncementBounds.teams
        configuration.title = look("console.notices.teams")
        return .select(
            Selector(configuration) { teams in [.form(Self.form(teams.compactMap { ChannelName($0.id) }, look))] })
    }

    /// - Parameter teams: whose members get it; empty for everybody.
    private static func form(_ teams: [ChannelName], _ look: Look) -> Form {
        let receivers = teams.isEmpty ? look("console.notices.everybody") : look.names(teams.map(\.text))
        let title = look("console.notices.formTitle", ["receivers": receivers])
        return Form(
            title,
            [
                Form.Field(look("table.title"), maximum: AnnouncementBounds.titleScalars),
                Form.Field(look("table.text"), isMultiline: true),
            ],
            check: { values in
                if values[1].isEmpty { return look("console.groups.textMissing") }
                let bytes = String(AnnouncementBounds.textBytes)
                return values[1].utf8.count > AnnouncementBounds.textBytes
                    ? look("console.notices.tooLong", ["maximum": bytes]) : nil
            },
            submit: { values in
                let notice = AdminNewAnnouncement(title: values[0], text: values[1], teams: teams)
                let operatorAction = OperatorAction(
                    [.announcements(.send(notice))], done: look("console.notices.sent"))
                let key = teams.isEmpty ? "console.notices.allConsequence" : "console.notices.teamsConsequence"
                return [.propose(Proposal(title, consequences: [look(key)], operatorAction: operatorAction))]
            })
    }
}

extension AdminAnnouncementReceiver: TableRow {
    /// Name, by which the table recognises the row.
    package var rowID: String { self.name.text }
    /// Name, which the filter searches.
    package var searchTexts: [String] { [self.name.text] }
}

/// One announcement, and who of those who got it has confirmed it.
struct AnnouncementScreen: TableScreen {
    enum Command { case open, all, look }

    let title = "console.notices.one"
    let emptyText = "console.notices.nobody"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.users.open"), KeyBinding(.character("t"), .all, "console.notices.which"),
        KeyBinding(.character("a"), .look, "console.notices.text"),
    ]
    let refreshMilliseconds: Int64? = 3_000
    var rows = TableView<AdminAnnouncementReceiver>([
        TableColumn("table.name") { receiver, _ in receiver.name.text },
        TableColumn(
            "console.notices.confirmed", width: 20, order: { .number($0.confirmedAtMilliseconds ?? 0) },
            style: { $0.confirmedAtMilliseconds == nil ? .warning : .good }
        ) { receiver, look in
            receiver.confirmedAtMilliseconds.map { look.time($0) } ?? look("word.no")
        },
    ])
    private var notice: Announcement
    private var people = AnnouncementAudience.all
    private var pages = Pages<AdminAnnouncementReceiver>()
    /// An answer to another question than the last one is no use.
    private var question = 0

    init(_ notice: Announcement) { self.notice = notice }

    var copied: String? { String(self.notice.number) }

    private func ask(after: Int64?) -> Intent {
        .ask(.announcements(.show(self.notice.number, self.people, after: after)), purpose: self.question)
    }

    mutating func refresh() -> [Intent] { self.pages.beginReading() ? [self.ask(after: nil)] : [] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .announcements(.one(let notice, let people, let next)) = answer else { return [] }
        guard purpose == self.question else {
            self.pages.end()
            return self.refresh()
        }
        self.notice = notice
        if let all = self.pages.takePage(people, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [self.ask(after: $0)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .all:
            let all = AnnouncementAudience.allCases
            self.people = all[(all.firstIndex(of: self.people)! + 1) % all.count]
            self.question += 1
            self.rows.replace([], look)
            return self.refresh()
        case .look:
            let lines = self.notice.body.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
                Cells.wrapped(Cells.drawable(String($0)), to: 70).map { Line($0) }
            }
            return [.page(Page(self.notice.title, lines, copied: self.notice.body))]
        case .open:
            guard let receiver = self.rows.current else { return look.nothing() }
            return [.open(UserScreen(receiver.name))]
        }
    }

    func head(width: Int, _ look: Look) -> [Line] {
        func row(_ key: String, _ value: String, _ style: Style = .plain) -> Line {
            Line(" " + Cells.fitted(Cells.drawable(look(key)), to: 14), .dim) + Line(value, style)
        }
        let notice = self.notice
        let sent = notice.sentAtMilliseconds.map { look.time($0) } ?? look("console.notices.sending")
        return [
            row("table.title", notice.title), row("table.text", notice.body),
            row("console.notices.for", notice.receiverText(look)), row("table.sender", notice.sender),
            row("table.created", look.time(notice.createdAtMilliseconds)),
            row("console.notices.sentAt", sent, notice.sentAtMilliseconds == nil ? .warning : .plain),
            row("console.notices.confirmed", "\(notice.confirmed) / \(notice.receivers)"), Line(),
            Line(" " + look("console.notices.people.\(self.people.rawValue)"), .title),
        ]
    }
}
