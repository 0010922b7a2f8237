package import AdminAPI
import ChatModel

extension AdminConversation: TableRow {
    /// Number, by which the table recognises the row.
    package var rowID: Int64 { self.number }
    /// Name, title and kind, which the filter searches.
    package var searchTexts: [String] {
        [
            self.name, self.title ?? "", self.people.joined(separator: " "),
            self.kind.textKey.split(separator: ".").last.map(String.init) ?? "",
        ]
    }

    /// Name in the app.
    package var requestName: String? { self.name.isEmpty ? nil : self.name }

    /// Title, or the two people of a direct conversation: `小明 and 阿兰`.
    func shownTitle(_ look: Look) -> String {
        guard self.people.count == 2 else { return self.title ?? "" }
        return look("console.talks.two", ["one": self.people[0], "other": self.people[1]])
    }

    var stateKey: String {
        if self.isDisbanded { return "word.disbanded" }
        if self.isBanned { return "word.banned" }
        return self.isMuted ? "word.membersMuted" : "word.active"
    }

    var stateStyle: Style { self.isDisbanded || self.isBanned ? .bad : self.isMuted ? .warning : .good }
}

extension ConversationKind {
    var textKey: String {
        switch self {
        case .direct: "word.direct"
        case .group: "word.group"
        case .room: "word.room"
        case .temporary: "word.temporary"
        case .service: "word.service"
        case .customerService: "word.customerService"
        case .community: "word.community"
        case .communityTopic: "word.communityTopic"
        case .data: "word.data"
        case .visitors: "word.visitors"
        case .agent: "word.agent"
        case .agentGroup: "word.agentGroup"
        }
    }
}

extension MemberRole {
    var textKey: String {
        switch self {
        case .member: "word.member"
        case .manager: "word.manager"
        case .owner: "word.owner"
        }
    }
}

/// Filter of conversations: all conditions that are set must hold.
struct ConversationFilter: Hashable, Sendable {
    var kind: ConversationKind?
    /// One who is in it.
    var member: UserName?
    /// Maximum age of the newest message, days; `nil` for any.
    var days: Int64?
    /// True for only conversations in a state in which members may not send.
    var isHeld = false
    /// True to show conversations between the system and a user too.
    var withSystem = false

    func matches(_ conversation: AdminConversation, nowMilliseconds: Int64) -> Bool {
        if conversation.isSystem && !self.withSystem { return false }
        if let kind = self.kind, conversation.kind != kind { return false }
        if let days = self.days, conversation.activeAtMilliseconds < nowMilliseconds - days * 86_400_000 {
            return false
        }
        return !self.isHeld || conversation.isBanned || conversation.isMuted || conversation.isDisbanded
    }

    /// `group, ming, active in 7 days`; empty when nothing is set.
    func summary(_ look: Look) -> String {
        var parts: [String] = []
        if let kind = self.kind { parts.append(look(kind.textKey)) }
        if let member = self.member { parts.append(look("console.talks.with", ["name": member.text])) }
        if let days = self.days { parts.append(look("console.talks.activeIn", ["days": String(days)])) }
        if self.isHeld { parts.append(look("console.talks.held")) }
        if self.withSystem { parts.append(look("console.talks.system")) }
        return parts.joined(separator: ", ")
    }
}

/// Screen of all conversations.
struct ConversationsScreen: TableScreen {
    enum Command {
        case open, create, createDirect, createRoom, narrow, messages
        case group(GroupActions.Command)
        case conversation(ConversationActions.Command)
    }

    /// Above so many members every message is work for the whole server.
    static let manyMembers: Int64 = 1_000

    let title = "console.conversations"
    let emptyText = "console.conversations.empty"
    let keys: [KeyBinding<Command>] =
        [
            KeyBinding(.enter, .open, "console.conversations.open"),
            KeyBinding(.character("n"), .create, "console.groups.create", isChange: true),
            KeyBinding(.character("f"), .narrow, "console.talks.narrow"),
            KeyBinding(.character("o"), .messages, "console.conversations.messages"),
        ] + GroupActions.bindings.map { $0.map(Command.group) } + [
            KeyBinding(.character("D"), .createDirect, "console.talks.createDirect", isChange: true),
            KeyBinding(.character("M"), .createRoom, "console.talks.createRoom", isChange: true),
        ] + ConversationActions.bindings.map { $0.map(Command.conversation) }
    var rows = TableView<AdminConversation>(
        [
            TableColumn("table.number", width: 6, isOnTheRight: true, order: { .number($0.number) }) {
                conversation, _ in
                String(conversation.number)
            },
            TableColumn("table.kind", width: 8) { conversation, look in look(conversation.kind.textKey) },
            TableColumn("table.name") { conversation, _ in conversation.name },
            TableColumn("table.title") { conversation, look in conversation.shownTitle(look) },
            TableColumn(
                "table.members", width: 7, isOnTheRight: true, order: { .number($0.memberCount) },
                style: { $0.memberCount >= Self.manyMembers ? .warning : .plain }
            ) { row, _ in
                // Not by colour alone.
                row.memberCount >= Self.manyMembers ? "!\(row.memberCount)" : String(row.memberCount)
            },
            TableColumn("table.messages", width: 9, isOnTheRight: true, order: { .number($0.head) }) { row, _ in
                String(row.head)
            },
            TableColumn("table.state", width: 12, minimumScreen: 100, style: \.stateStyle) { row, look in
                look(row.stateKey)
            },
            TableColumn("table.active", width: 10, order: { .number($0.activeAtMilliseconds) }) { row, look in
                look.shortTime(row.activeAtMilliseconds)
            },
        ], sortColumn: 7, isDescending: true)
    private var pages = Pages<AdminConversation>()
    private var filter = ConversationFilter()
    /// Number of changes of the filter: an answer to a request from before the last change is ignored.
    private var turn = 0
    /// Number of conversations with the system that are left out.
    private var hiddenCount = 0

    var copied: String? { self.rows.current?.reference }

    mutating func refresh() -> [Intent] {
        self.pages.beginReading() ? [.ask(self.page(after: nil), purpose: self.turn)] : []
    }

    private func page(after: Int64?) -> AdminRequest {
        self.filter.member.map { .conversationDetails(.list(of: $0, after: after)) } ?? .listConversations(after: after)
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .conversations(let conversations, let next) = answer, purpose == self.turn else { return [] }
        if let all = self.pages.takePage(conversations, isLast: next == nil) {
            self.hiddenCount = self.filter.withSystem ? 0 : all.count { $0.isSystem }
            self.rows.replace(
                all.filter { self.filter.matches($0, nowMilliseconds: look.nowMilliseconds) }, look)
        }
        return next.map { [.ask(self.page(after: $0), purpose: self.turn)] } ?? []
    }

    /// Takes the values of the filter's form: kind, member, days, whether held, whether with the system.
    mutating func takeValues(_ values: [String], purpose: Int, _ look: Look) -> [Intent] {
        self.filter = ConversationFilter(
            kind: Int64(values[0]).flatMap { ConversationKind(rawValue: $0) }, member: UserName(values[1]),
            days: Int64(values[2]), isHeld: values[3] == "held",
            withSystem: values[4] == "shown")
        self.turn += 1
        self.pages.end()
        return self.refresh()
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(StatusLine(error.message, .failure))]
    }

    private func narrowForm(_ look: Look) -> Form {
        var kinds = [("", look("console.talks.anyKind"))]
        kinds += ConversationKind.allCases.map { (String($0.rawValue), look($0.textKey)) }
        let states = [("", look("console.talks.anyState")), ("held", look("console.talks.held"))]
        let filter = self.filter
        var fields = [
            Form.Field(look("table.kind"), choices: kinds),
            Form.Field(look("console.talks.member"), filter.member?.text ?? "", maximum: UserName.maximumScalars),
            Form.Field(look("console.talks.days"), filter.days.map(String.init) ?? ""),
            Form.Field(look("table.state"), choices: states),
            Form.Field(
                look("console.talks.system"),
                choices: [
                    ("", look("console.talks.systemHidden")), ("shown", look("console.talks.systemShown")),
                ]),
        ]
        fields[0].text.text = filter.kind.map { String($0.rawValue) } ?? ""
        fields[3].text.text = filter.isHeld ? "held" : ""
        fields[4].text.text = filter.withSystem ? "shown" : ""
        return Form(
            look("console.talks.narrow"), fields,
            check: { values in
                if !values[1].isEmpty, UserName(values[1]) == nil {
                    let bound = ["name": values[1], "maximum": String(UserName.maximumScalars)]
                    return look("ctl.badUserName", bound)
                }
                if values[2].isEmpty || (Int64(values[2]).map { (1...36_500).contains($0) } ?? false) { return nil }
                return look("console.talks.daysHint")
            },
            command: { ["conversation", "list"] + ($0[1].isEmpty ? [] : ["--member", $0[1]]) },
            submit: { [.give($0, purpose: 0)] })
    }

    func head(width: Int, _ look: Look) -> [Line] {
        var line = Line()
        if self.filter != ConversationFilter() { line += Line(" " + self.filter.summary(look), .accent) }
        if self.hiddenCount > 0 {
            line += Line(" " + look.counted("console.talks.systemCount", self.hiddenCount), .dim)
        }
        return line.spans.isEmpty ? [] : [line]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .narrow: return [.form(self.narrowForm(look))]
        case .create: return GroupActions.create(look)
        case .open:
            guard let conversation = self.rows.current else { return look.nothing() }
            return [.open(ConversationScreen(conversation))]
        case .messages: return self.rows.targets.first.map { [.open(MessagesScreen($0))] } ?? look.nothing()
        case .createDirect: return ConversationActions.createDirect(look)
        case .createRoom: return [.form(ConversationActions.roomForm(look))]
        case .group(let command): return GroupActions.update(command, self.rows.targets, look)
        case .conversation(let command): return ConversationActions.update(command, self.rows.targets, look)
        }
    }
}

extension AdminMember: TableRow {
    /// Name, by which the table recognises the row.
    package var rowID: String { self.name.text }
    /// Name, which the filter searches.
    package var searchTexts: [String] { [self.name.text, self.displayName ?? ""] }

    func stateText(_ look: Look) -> String {
        guard self.mutedUntilMilliseconds > look.nowMilliseconds else { return "" }
        if self.mutedUntilMilliseconds == .max { return look("word.sendBanned") }
        return look("word.mutedUntil", ["time": look.shortTime(self.mutedUntilMilliseconds)])
    }
}

/// One conversation: what is known, and who is in it.
struct ConversationScreen: TableScreen {
    enum Command {
        case open, remove, mute, unmute, messages
        case group(GroupActions.Command)
        case conversation(ConversationActions.Command)
    }

    let title = "console.conversation"
    let emptyText = "console.conversation.empty"
    let keys: [KeyBinding<Command>] =
        [
            KeyBinding(.enter, .open, "console.users.open"),
            KeyBinding(.character("d"), .remove, "console.groups.remove", isChange: true),
            KeyBinding(.character("x"), .mute, "console.groups.muteMember", isChange: true),
            KeyBinding(.character("X"), .unmute, "console.groups.unmuteMember", isChange: true),
            KeyBinding(.character("o"), .messages, "console.conversations.messages"),
        ] + GroupActions.bindings.map { $0.map(Command.group) }
        + ConversationActions.bindings.map { $0.map(Command.conversation) }
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<AdminMember>([
        TableColumn("table.name", id: \.name.text, shown: \.displayName),
        TableColumn("table.role", width: 12, order: { .number(-Int64($0.role.rank)) }) { member, look in
            look(member.role.textKey)
        },
        TableColumn("table.unread", width: 8, isOnTheRight: true, order: { .number($0.unread) }) { member, _ in
            String(member.unread)
        },
        TableColumn("table.state", style: { _ in .warning }) { member, look in member.stateText(look) },
    ])
    private var conversation: AdminConversation
    private var notice: String?
    private var attributes: String?
    private var listenerCount: Int64 = 0

    init(_ conversation: AdminConversation) { self.conversation = conversation }

    var copied: String? { self.conversation.name }

    mutating func refresh() -> [Intent] { [.ask(.showConversation(self.conversation.reference), purpose: 0)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .conversation(let detail) = answer else { return [] }
        self.conversation = detail.conversation
        self.notice = detail.notice
        self.attributes = detail.attributes
        self.listenerCount = detail.listenerCount
        self.rows.replace(detail.members, look)
        return []
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .open:
            guard let member = self.rows.current else { return look.nothing() }
            return [.open(UserScreen(member.name))]
        case .messages: return [.open(MessagesScreen(self.conversation))]
        case .remove: return self.change(look) { Self.remove($0, from: $1, look) }
        case .mute: return self.change(look) { Self.muteForm($0, $1, look) }
        case .unmute: return self.change(look) { Self.unmute($0, $1, look) }
        case .group(let command):
            let members = self.rows.rows.map(\.name.text)
            return GroupActions.update(
                command, [self.conversation], notice: self.notice ?? "", members: members, look)
        case .conversation(let command): return ConversationActions.update(command, [self.conversation], look)
        }
    }

    /// Changes the chosen members of a group.
    private func change(_ look: Look, _ change: ([AdminMember], ChannelName) -> [Intent]) -> [Intent] {
        guard let group = self.conversation.groupName else { return look.nothing("console.groups.only") }
        return self.rows.targets.isEmpty ? look.nothing() : change(self.rows.targets, group)
    }

    private static func remove(_ targets: [AdminMember], from group: ChannelName, _ look: Look) -> [Intent] {
        let names = targets.map(\.name)
        let words = names.map(\.text)
        let values = ["name": group.text, "count": String(names.count)]
        // Roles would not come back.
        let areMembers = targets.allSatisfy { $0.role == .member }
        let operatorAction = OperatorAction(
            [.teams(.remove(group, names))], done: look("ctl.group.removed", values),
            undone: areMembers ? look("ctl.group.added", values) : nil)
        return [
            .propose(
                Proposal(
                    look("console.groups.remove") + ": " + look.names(words),
                    consequences: [look("console.groups.removeConsequence", ["name": group.text])],
                    typed: typedNumber(of: names), operatorAction: operatorAction))
        ]
    }

    private static func muteForm(_ targets: [AdminMember], _ group: ChannelName, _ look: Look) -> [Intent] {
        let names = targets.map(\.name)
        let form = Form(
            look("console.groups.muteMember") + ": " + look.names(names.map(\.text)),
            [Form.Field(look("console.groups.minutes"))],
            check: { values in
                if values[0].isEmpty || (Int64(values[0]).map { (1...52_560_000).contains($0) } ?? false) { return nil }
                return look("console.groups.minutesHint")
            },
            submit: { values in
                let requests = names.map { AdminRequest.teams(.mute(group, $0, true, minutes: Int64(values[0]))) }
                let operatorAction = OperatorAction(
                    requests, done: look.counted("console.groups.memberMuted", names.count),
                    undone: look.counted("console.groups.memberUnmuted", names.count))
                return [.perform(operatorAction)]
            })
        return [.form(form)]
    }

    private static func unmuteAction(_ names: [UserName], _ group: ChannelName, _ look: Look) -> OperatorAction {
        OperatorAction(
            names.map { .teams(.mute(group, $0, false, minutes: nil)) },
            done: look.counted("console.groups.memberUnmuted", names.count))
    }

    private static func unmute(_ targets: [AdminMember], _ group: ChannelName, _ look: Look) -> [Intent] {
        let muted = targets.filter { $0.mutedUntilMilliseconds > look.nowMilliseconds }.map(\.name)
        guard !muted.isEmpty else { return look.nothing("ctl.unchanged") }
        return [
            .propose(
                Proposal(
                    look("console.groups.unmuteMember") + ": " + look.names(muted.map(\.text)),
                    consequences: [look("console.groups.unmuteMemberConsequence")], typed: typedNumber(of: muted),
                    operatorAction: Self.unmuteAction(muted, group, look)))
        ]
    }

    func head(width: Int, _ look: Look) -> [Line] {
        let conversation = self.conversation
        func row(_ key: String, _ value: String, _ style: Style = .plain) -> Line {
            Line(" " + Cells.fitted(Cells.drawable(look(key)), to: 18), .dim) + Line(value, style)
        }
        return [
            row("table.title", conversation.shownTitle(look)),
            row("table.kind", "\(look(conversation.kind.textKey))  \(conversation.reference)"),
            row("table.state", look(conversation.stateKey), conversation.stateStyle),
            row("table.messages", "\(conversation.head)"),
            row("table.active", look.time(conversation.activeAtMilliseconds)),
            row("table.created", look.time(conversation.createdAtMilliseconds)),
            row("table.notice", self.notice ?? ""), row("table.attributes", self.attributes ?? ""), self.audience(look),
            Line(),
            Line(" " + look("heading.members", ["count": String(conversation.memberCount)]), .title),
        ]
    }

    /// Line about the people who listen now, and whether they are many.
    private func audience(_ look: Look) -> Line {
        let all = self.conversation.memberCount + self.listenerCount
        let isLarge = all >= ConversationsScreen.manyMembers
        let line =
            Line(" " + Cells.fitted(Cells.drawable(look("table.listeners")), to: 18), .dim)
            + Line(String(self.listenerCount))
        return isLarge ? line + Line("  ! " + look("console.talks.large", ["count": String(all)]), .warning) : line
    }
}

extension MemberRole {
    /// The owner first.
    var rank: Int {
        switch self {
        case .member: 0
        case .manager: 1
        case .owner: 2
        }
    }
}
