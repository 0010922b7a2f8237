import AdminAPI
import ChatModel

/// A row of a card with what it is called.
struct ShownCardRow: TableRow {
    var row: AdminCardRow
    var form: TeamForm

    var rowID: String { self.row.name.rawValue }
    var searchTexts: [String] { [self.row.name.rawValue, self.row.value] }

    func title(_ look: Look) -> String { look(self.row.name.titleKey(in: self.form)) }

    func value(_ look: Look) -> String {
        if self.row.name == .announcement { return self.row.value }
        return self.row.name.valueKey(self.row.value).map { look($0) } ?? self.row.value
    }

    /// Permission to use the row, else the rule or the setting that forbids it; empty for a row that only shows
    /// something.
    func permission(_ look: Look) -> String {
        if self.row.isEditable { return look("word.yes") }
        return self.row.refusal.map { look("card.refusal.\($0)") } ?? ""
    }
}

/// A team's card, or that of one of its members: the rows as the operator sees them, or as one of its people does.
struct TeamCardScreen: TableScreen {
    enum Command {
        case open, edit, member, viewer, ownView, requests, hide, unhide
        case team(TeamCommand)
    }

    /// Commands that wait until the team is known.
    enum TeamCommand { case add, limits, silence, unsilence, transfer, dismiss }

    private static let team = 0
    private static let card = 1
    private static let announcements = 2
    private static let person = 3

    let title = "console.card"
    let emptyText = "console.card.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.card.open"),
        KeyBinding(.character("e"), .edit, "console.card.use", isChange: true),
        KeyBinding(.character("M"), .member, "card.row.members"),
        KeyBinding(.character("V"), .viewer, "console.card.viewer"),
        KeyBinding(.character("O"), .ownView, "console.card.ownView"),
        KeyBinding(.character("+"), .team(.add), "card.row.invite", isChange: true),
        KeyBinding(.character("L"), .team(.limits), "console.card.limits", isChange: true),
        KeyBinding(.character("s"), .team(.silence), "console.groups.mute", isChange: true),
        KeyBinding(.character("S"), .team(.unsilence), "console.groups.unmute", isChange: true),
        KeyBinding(.character("T"), .team(.transfer), "card.row.transfer", isChange: true),
        KeyBinding(.character("D"), .team(.dismiss), "card.row.dismiss", isChange: true),
        KeyBinding(.character("w"), .requests, "console.card.requests"),
        KeyBinding(.character("h"), .hide, "console.card.hide"),
        KeyBinding(.character("H"), .unhide, "console.card.unhide"),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<ShownCardRow>([
        TableColumn("table.row", width: 26) { row, look in row.title(look) },
        TableColumn("table.value") { row, look in row.value(look) },
        TableColumn("table.editable", style: { $0.row.isEditable ? .good : .warning }) { row, look in
            row.permission(look)
        },
    ])
    private let name: ChannelName
    private let member: UserName?
    private var viewer: UserName?
    private var hidden: [TeamCardRow.Name]
    private var team: AdminTeam?
    private var cardRows: [AdminCardRow] = []

    /// - Parameters:
    ///   - member: whose card; `nil` for the team's.
    ///   - viewer: user whose view is shown; `nil` for the operator.
    ///   - hidden: rows that are left out.
    init(_ name: ChannelName, member: UserName? = nil, viewer: UserName? = nil, hidden: [TeamCardRow.Name] = []) {
        self.name = name
        self.member = member
        self.viewer = viewer
        self.hidden = hidden
    }

    /// The screen that shows what `teahouse ctl team card` prints.
    ///
    /// - Parameter words: those behind `ctl`.
    /// - Returns: `nil` for other commands, and for what only `ctl` can say.
    init?(words: [String], hidden: [TeamCardRow.Name]) {
        guard words.count >= 3, words[0] == "team", words[1] == "card", let name = ChannelName(words[2]) else {
            return nil
        }
        self.init(name, hidden: hidden)
        var rest = words.dropFirst(3)
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--viewer": self.viewer = UserName(value)
            case "--member":
                guard let member = UserName(value) else { return nil }
                self = TeamCardScreen(name, member: member, viewer: self.viewer, hidden: self.hidden)
            case "--hide":
                guard let more = Self.rowNames(value) else { return nil }
                self.hidden += more
            default: return nil
            }
        }
    }

    /// The rows that `alerts,pinned` names; `nil` when one of them is none.
    static func rowNames(_ text: String) -> [TeamCardRow.Name]? {
        let names = text.split(separator: ",").map { TeamCardRow.Name(rawValue: String($0)) }
        return names.contains(nil) ? nil : names.compactMap { $0 }
    }

    var copied: String? { self.member.map { "\(self.name.text) \($0.text)" } ?? self.name.text }

    mutating func refresh() -> [Intent] {
        let query = AdminCardQuery(team: self.name, viewer: self.viewer, member: self.member, hidden: self.hidden)
        return [
            .ask(.teams(.show(self.name)), purpose: Self.team), .ask(.teams(.card(query)), purpose: Self.card),
        ]
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .teams(.announcements(let announcements)) = answer {
            return [.page(Self.page(announcements, of: self.name, look))]
        }
        if case .teams(.team(let team)) = answer {
            self.team = team
        } else if case .teams(.card(let rows)) = answer {
            self.cardRows = rows
        } else {
            return []
        }
        let form = self.team?.form ?? .advanced
        self.rows.replace(self.cardRows.map { ShownCardRow(row: $0, form: form) }, look)
        return []
    }

    /// Reports a failure; a person who left the team cannot be looked for any more.
    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        if purpose == Self.card {
            self.cardRows = []
            self.rows.replace([], look)
        }
        return [.tell(StatusLine(error.message, .failure))]
    }

    // MARK: Keys

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .open: return self.open(look)
        case .edit: return self.use(look)
        case .member: return [.open(TeamMembersScreen(self.name))]
        case .viewer: return [self.chooseViewer(look)]
        case .ownView: return self.looking(as: nil)
        case .requests: return [.open(RequestsScreen(team: self.name))]
        case .hide:
            guard let row = self.rows.current else { return look.nothing() }
            self.hidden.append(row.row.name)
            return [.refresh]
        case .unhide:
            self.hidden = []
            return [.refresh]
        case .team(let command):
            guard let team = self.team else { return look.nothing("console.loading") }
            return self.update(command, team, look)
        }
    }

    private func update(_ command: TeamCommand, _ team: AdminTeam, _ look: Look) -> [Intent] {
        switch command {
        case .add: return [TeamActions.invite(team, self.name, look)]
        case .limits: return [.form(TeamActions.limitsForm(team, self.name, look))]
        case .silence: return TeamActions.setMode(.mute, TeamMuteMode.members.word, team, self.name, look)
        case .unsilence: return TeamActions.setMode(.mute, TeamMuteMode.none.word, team, self.name, look)
        case .transfer: return [TeamActions.transfer(team, self.name, look)]
        case .dismiss: return TeamActions.dismiss(team, self.name, look)
        }
    }

    private mutating func looking(as viewer: UserName?) -> [Intent] {
        self.viewer = viewer
        return [.refresh]
    }

    /// Opens the same card for another pair of eyes; Esc leads back to the operator's.
    private func chooseViewer(_ look: Look) -> Intent {
        var configuration = SelectorConfiguration(.people)
        configuration.title = look("console.card.viewerTitle")
        let (name, member, hidden) = (self.name, self.member, self.hidden)
        return .select(
            Selector(configuration) { people in
                guard let viewer = people.first.flatMap({ UserName($0.id) }) else { return [] }
                return [.open(TeamCardScreen(name, member: member, viewer: viewer, hidden: hidden))]
            })
    }

    /// Opens the content behind the row: a list, or its text in full.
    private func open(_ look: Look) -> [Intent] {
        guard let shown = self.rows.current else { return look.nothing() }
        switch shown.row.name {
        case .members: return [.open(TeamMembersScreen(self.name))]
        case .mutedList: return [.open(TeamMembersScreen(self.name, onlyMuted: true))]
        case .announcement:
            return [.ask(.teams(.announcements(self.name, before: nil)), purpose: Self.announcements)]
        case .memberHeader: return self.member.map { [.open(UserScreen($0))] } ?? []
        case .header, .transfer, .transferAndLeave, .invite, .remove, .kind, .name, .nickname, .introduction, .mute,
            .alerts, .pinned, .joinMode, .inviteMode, .updateInfoMode, .beInvitedMode, .leave, .dismiss,
            .memberNickname, .memberRole, .memberInviter, .memberMute, .memberRemove:
            return [.page(Self.page(shown, look))]
        }
    }

    private static func page(_ shown: ShownCardRow, _ look: Look) -> Page {
        let value = Cells.wrapped(Cells.drawable(shown.value(look)), to: 70).map { Line($0) }
        var lines = value + [Line()]
        let permission = shown.permission(look)
        if permission.isEmpty {
            lines.append(Line(look("console.card.onlyShows"), .dim))
        } else {
            lines.append(Line(look("table.editable") + ": " + permission, shown.row.isEditable ? .good : .warning))
        }
        return Page(shown.title(look), lines, copied: shown.row.value)
    }

    private static func page(_ announcements: [AdminAnnouncement], of team: ChannelName, _ look: Look) -> Page {
        var lines: [Line] = []
        for announcement in announcements {
            let head = [look.time(announcement.createdAtMilliseconds), announcement.author.text]
            lines.append(Line(head.joined(separator: "  "), .dim))
            if let title = announcement.title { lines.append(Line(title, .title)) }
            let body = announcement.body.isEmpty ? look("console.card.announcementGone") : announcement.body
            lines += body.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
                Cells.wrapped(Cells.drawable(String($0)), to: 70).map { Line($0) }
            }
            lines.append(Line())
        }
        if lines.isEmpty { lines = [Line(look("console.card.noAnnouncement"), .dim)] }
        return Page(look("console.groups.noticeTitle", ["name": team.text]), lines)
    }

    // MARK: Using a row

    /// Acts on the row at the cursor. Refused while the card is shown as a member sees it: not the member would make the
    /// change.
    private func use(_ look: Look) -> [Intent] {
        guard let shown = self.rows.current, let team = self.team else { return look.nothing() }
        if let refusal = shown.row.refusal { return look.nothing("card.refusal.\(refusal)") }
        if let viewer = self.viewer {
            return [.tell(StatusLine(look("console.card.onlyLooking", ["name": viewer.text]), .refusal))]
        }
        guard shown.row.isEditable else { return look.nothing("console.card.onlyShows") }
        if let member = self.member { return self.use(shown.row, of: member, in: team, look) }
        switch shown.row.name {
        case .members, .mutedList: return self.open(look)
        case .name: return [.form(TeamActions.nameForm(team, self.name, look))]
        case .introduction: return [.form(TeamActions.introductionForm(team, self.name, look))]
        case .announcement: return [.form(TeamActions.announcementForm(team, self.name, look))]
        case .invite: return [TeamActions.invite(team, self.name, look)]
        case .remove: return [TeamActions.chooseAndRemove(team, self.name, look)]
        case .transfer, .transferAndLeave: return [TeamActions.transfer(team, self.name, look)]
        case .dismiss: return TeamActions.dismiss(team, self.name, look)
        case .header: return look.nothing("console.card.picture")
        case .kind, .nickname, .mute, .alerts, .pinned, .joinMode, .inviteMode, .updateInfoMode, .beInvitedMode, .leave,
            .memberHeader, .memberNickname, .memberRole, .memberInviter, .memberMute, .memberRemove:
            return TeamActions.modeForm(shown.row.name, team, self.name, look).map { [.form($0)] }
                ?? look.nothing("console.card.onlyShows")
        }
    }

    private func use(_ row: AdminCardRow, of member: UserName, in team: AdminTeam, _ look: Look) -> [Intent] {
        let members = team.members.filter { $0.name == member }
        switch row.name {
        case .memberNickname:
            return [.form(TeamActions.nicknameForm(member, now: row.value, self.name, look))]
        case .memberRole: return TeamActions.roleForm(members, self.name, look)
        case .memberMute where row.value == "true": return TeamActions.unmute(members, self.name, look)
        case .memberMute: return TeamActions.muteForm([member], self.name, look)
        case .memberRemove: return TeamActions.remove(members, self.name, look)
        case .header, .transfer, .transferAndLeave, .members, .invite, .remove, .kind, .name, .nickname, .introduction,
            .announcement, .mute, .mutedList, .alerts, .pinned, .joinMode, .inviteMode, .updateInfoMode, .beInvitedMode,
            .leave, .dismiss, .memberHeader, .memberInviter:
            return look.nothing("console.card.onlyShows")
        }
    }

    // MARK: Above the rows

    func head(width: Int, _ look: Look) -> [Line] {
        func row(_ key: String, _ value: String, _ style: Style = .plain) -> Line {
            Line(" " + Cells.fitted(Cells.drawable(look(key)), to: 18), .dim) + Line(value, style)
        }
        let seen = self.viewer?.text ?? look("console.card.operator")
        let hidden = self.hidden.map(\.rawValue).joined(separator: ", ")
        let eyes = [
            row("console.card.seenBy", seen, self.viewer == nil ? .plain : .accent), row("console.card.hidden", hidden),
            Line(),
        ]
        if let member = self.member {
            return [row("table.team", self.name.text), row("table.name", member.text)] + eyes
        }
        guard let team = self.team else { return [Line(" " + look("console.loading"), .dim)] }
        let limit = team.memberLimit.map { String($0) } ?? look("console.card.noLimit")
        return [
            row("table.form", look("card.row.kind.\(team.form.word)")),
            row("table.state", look(team.conversation.stateKey), team.conversation.stateStyle),
            row("table.owner", team.owner?.text ?? look("console.groups.noOwner")),
            row("table.members", "\(team.conversation.memberCount) / \(limit)"),
            row("table.waitingRequests", String(team.waitingRequests), team.waitingRequests > 0 ? .warning : .plain),
        ] + eyes
    }
}

/// Screen of a team's members and their roles.
struct TeamMembersScreen: TableScreen {
    enum Command { case open, role, silence, unsilence, remove, add, friends, transfer, look }

    let title = "console.card.members"
    let emptyText = "console.conversation.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "card.row.memberCard"),
        KeyBinding(.character("e"), .role, "console.card.role", isChange: true),
        KeyBinding(.character("x"), .silence, "console.groups.muteMember", isChange: true),
        KeyBinding(.character("X"), .unsilence, "console.groups.unmuteMember", isChange: true),
        KeyBinding(.character("d"), .remove, "console.groups.remove", isChange: true),
        KeyBinding(.character("+"), .add, "card.row.invite", isChange: true),
        KeyBinding(.character("i"), .friends, "console.card.inviteFriends", isChange: true),
        KeyBinding(.character("T"), .transfer, "card.row.transfer", isChange: true),
        KeyBinding(.character("o"), .look, "console.users.open"),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<AdminMember>([
        TableColumn("table.name", id: \.name.text, shown: \.displayName),
        TableColumn("table.role", width: 12, order: { .number(-Int64($0.role.rank)) }) { member, look in
            look(member.role.textKey)
        },
        TableColumn("table.state", style: { _ in .warning }) { member, look in member.stateText(look) },
    ])
    private let name: ChannelName
    private let onlyMuted: Bool
    private var team: AdminTeam?

    init(_ name: ChannelName, onlyMuted: Bool = false) {
        self.name = name
        self.onlyMuted = onlyMuted
    }

    var copied: String? { self.rows.current?.name.text }

    mutating func refresh() -> [Intent] { [.ask(.teams(.show(self.name)), purpose: 0)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .teams(.team(let team)) = answer else { return [] }
        self.team = team
        let muted = team.members.filter { $0.mutedUntilMilliseconds > look.nowMilliseconds }
        self.rows.replace(self.onlyMuted ? muted : team.members, look)
        return []
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        guard let team = self.team else { return look.nothing("console.loading") }
        let targets = self.rows.targets
        guard let first = targets.first else {
            return command == .add ? [TeamActions.invite(team, self.name, look)] : look.nothing()
        }
        switch command {
        case .add: return [TeamActions.invite(team, self.name, look)]
        case .open: return [.open(TeamCardScreen(self.name, member: first.name, hidden: look.hiddenRows))]
        case .role: return TeamActions.roleForm(targets, self.name, look)
        case .friends: return [TeamActions.inviteFriends(of: first.name, team, self.name, look)]
        case .silence: return TeamActions.muteForm(targets.map(\.name), self.name, look)
        case .unsilence: return TeamActions.unmute(targets, self.name, look)
        case .remove: return TeamActions.remove(targets, self.name, look)
        case .transfer: return TeamActions.transfer(team, self.name, to: first.name, look)
        case .look: return [.open(UserScreen(first.name))]
        }
    }
}
