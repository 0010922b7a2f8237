import AdminAPI
import ChatModel
import CommandLineKit
import Execution
import Localization
import Profiles

/// `teahouse ctl conversation`
let conversationCommand = Command(
    group: "conversation", summary: "command.ctl.conversation", examples: ["teahouse ctl conversation list"],
    subcommands: [conversationListCommand] + talkCommands)

// Those of one person are another request.
private let conversationListCommand = Command(
    "list", summary: "command.ctl.conversation.list",
    options: [CommandOption("member", .value("NAME"), help: "option.conversationMember")],
    examples: ["teahouse ctl conversation list", "teahouse ctl conversation list --member ming"],
    body: Control.command { control throws(CommandFailure) in
        let text = control.invocation.value("member")
        let member = text == nil ? nil : try control.userName(text ?? "")
        let request =
            member.map { AdminRequest.conversationDetails(.list(of: $0, after: nil)) } ?? .listConversations(after: nil)
        let answer = try control.askAll(request)
        guard case .conversations(let conversations, _) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(conversations)
    })

/// Prints a conversation, and with other requests its newest messages.
let conversationShowBody: OperationBody = { control, request throws(CommandFailure) in
    let answer = try control.ask(request)
    guard case .conversation(let detail) = answer else { throw control.unexpectedAnswer }
    let wanted = control.invocation.number("messages") ?? (control.wantsJSON ? 0 : 20)
    let messages = try control.newestMessages(of: "id:\(detail.conversation.number)", count: wanted)
    if control.wantsJSON {
        try control.print(json: answer.json)
        if wanted > 0 { try control.print(json: AdminAnswer.messages(messages).json) }
        return
    }
    try control.print(detail)
    if !messages.isEmpty {
        try control.terminal.print("\n\(control.text("heading.messages"))\n")
        try control.print(messages)
    }
}

extension Control {
    func print(_ expiring: AdminExpiring) throws(CommandFailure) {
        if !expiring.conversations.isEmpty { try self.print(expiring.conversations) }
        let values = [
            "days": String(expiring.days), "count": String(expiring.conversations.count),
            "set": String(expiring.settingDays),
        ]
        let key = expiring.isCut ? "ctl.conversation.expiringMore" : "ctl.conversation.expiring"
        let setting = expiring.settingDays > 0 ? "ctl.conversation.expiresAfter" : "ctl.conversation.expiresNever"
        try self.terminal.print("\(self.text(key, values))\n\(self.text(setting, values))\n")
    }

    /// The newest messages, oldest first, read page by page.
    func newestMessages(of conversation: String, count: Int) throws(CommandFailure) -> [AdminMessage] {
        var pages: [[AdminMessage]] = []
        var left = Int64(count)
        var before: Int64?
        while left > 0 {
            let limit = min(left, Int64(AdminProtocol.pageMessages))
            let request = AdminRequest.listMessages(conversation: conversation, before: before, limit: limit)
            guard case .messages(let page) = try self.ask(request) else { throw self.unexpectedAnswer }
            guard let first = page.first else { break }
            pages.append(page)
            before = first.sequence
            left -= Int64(page.count)
        }
        return pages.reversed().flatMap { $0 }
    }

    func word(for kind: ConversationKind) -> String {
        switch kind {
        case .direct: self.text("word.direct")
        case .group: self.text("word.group")
        case .room: self.text("word.room")
        case .temporary: self.text("word.temporary")
        case .service: self.text("word.service")
        case .customerService: self.text("word.customerService")
        case .community: self.text("word.community")
        case .communityTopic: self.text("word.communityTopic")
        case .data: self.text("word.data")
        case .visitors: self.text("word.visitors")
        case .agent: self.text("word.agent")
        case .agentGroup: self.text("word.agentGroup")
        }
    }

    func word(for role: MemberRole) -> String {
        switch role {
        case .member: self.text("word.member")
        case .manager: self.text("word.manager")
        case .owner: self.text("word.owner")
        }
    }

    func print(_ conversations: [AdminConversation]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.number", .right), Table.Column("table.kind"), Table.Column("table.name"),
                Table.Column("table.title"), Table.Column("table.state"), Table.Column("table.members", .right),
                Table.Column("table.messages", .right), Table.Column("table.active"),
            ],
            rows: conversations.map {
                [
                    "id:\($0.number)", self.word(for: $0.kind), $0.name, self.title(of: $0), self.state(of: $0),
                    String($0.memberCount), String($0.head), localTime($0.activeAtMilliseconds),
                ]
            })
    }

    /// Name that people see, with the name of the account behind it.
    func shownName(of member: AdminMember) -> String {
        member.displayName.map { "\($0)  \(member.name.text)" } ?? member.name.text
    }

    /// Title, or the two people of a direct conversation.
    func title(of conversation: AdminConversation) -> String {
        guard conversation.people.count == 2 else { return conversation.title ?? "" }
        // The table escapes what people wrote.
        let values = ["one": conversation.people[0], "other": conversation.people[1]]
        return self.terminal.text("console.talks.two", values)
    }

    func state(of conversation: AdminConversation) -> String {
        if conversation.isDisbanded { return self.text("word.disbanded") }
        if conversation.isBanned { return self.text("word.banned") }
        return self.text(conversation.isMuted ? "word.membersMuted" : "word.active")
    }

    /// Empty for who may send.
    func state(of member: AdminMember) -> String {
        let now = Clock.system.wallMilliseconds()
        guard member.mutedUntilMilliseconds > now else { return "" }
        if member.mutedUntilMilliseconds == .max { return self.text("word.sendBanned") }
        return self.text("word.mutedUntil", ["time": localTime(member.mutedUntilMilliseconds)])
    }

    func print(_ detail: AdminConversationDetail) throws(CommandFailure) {
        let conversation = detail.conversation
        var fields = FieldList()
        fields.add(self.text("table.number"), "id:\(conversation.number)")
        fields.add(self.text("table.kind"), self.word(for: conversation.kind))
        fields.add(self.text("table.name"), conversation.name)
        fields.add(self.text("table.title"), self.title(of: conversation))
        fields.add(self.text("table.state"), self.state(of: conversation))
        fields.add(self.text("table.notice"), detail.notice)
        fields.add(self.text("table.attributes"), detail.attributes)
        fields.add(self.text("table.ownFields"), detail.ownFields)
        fields.add(self.text("table.objectID"), detail.objectID)
        if detail.isUnique { fields.add(self.text("table.unique"), self.yesOrNo(true)) }
        fields.add(self.text("table.until"), detail.expiresAtMilliseconds.map { localTime($0) })
        fields.add(self.text("table.messages"), String(conversation.head))
        if detail.listenerCount > 0 { fields.add(self.text("table.listeners"), String(detail.listenerCount)) }
        fields.add(self.text("table.created"), localTime(conversation.createdAtMilliseconds))
        fields.add(self.text("table.active"), localTime(conversation.activeAtMilliseconds))
        try self.terminal.print(fields.text)
        guard !detail.members.isEmpty else { return }
        let heading = self.text("heading.members", ["count": String(conversation.memberCount)])
        try self.terminal.print("\n\(heading)\n")
        try self.print(
            [
                Table.Column("table.name"), Table.Column("table.role"), Table.Column("table.state"),
                Table.Column("table.unread", .right),
            ],
            rows: detail.members.map {
                [
                    self.shownName(of: $0), self.word(for: $0.role),
                    self.state(of: $0), String($0.unread),
                ]
            })
    }

    func print(_ messages: [AdminMessage]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.sequence", .right), Table.Column("table.time"), Table.Column("table.sender"),
                Table.Column("table.text", maximumWidth: 200),
            ],
            rows: messages.map {
                [String($0.sequence), localTime($0.sentAtMilliseconds), $0.sender, self.shown($0)]
            })
    }

    /// A message's text; for what is no text, what it is, and its name, length or size.
    func shown(_ message: AdminMessage) -> String {
        let shown = message.marked(message.said(MessageDigest(self.ownTexts))) { self.text($0) }
        guard let count = message.visibleCount else { return shown }
        let more = count - Int64(message.visibleTo.count)
        let values = ["names": message.visibleTo.joined(separator: ", "), "count": String(more)]
        return "\(shown) [\(self.text(more > 0 ? "ctl.visibleToMore" : "ctl.visibleTo", values))]"
    }

    /// Our own texts in the language that the terminal's are in.
    var ownTexts: Texts { Texts(installed: Language(named: self.text("language.code")) ?? .english) }
}

extension AdminMessage {
    /// Text of a message, with a mark when it was edited or recalled.
    func marked(_ said: String, _ text: (String) -> String) -> String {
        let mark = self.isWithdrawn ? "word.recalled" : self.editCount > 0 ? "word.edited" : nil
        return mark.map { [said, "[\(text($0))]"].filter { !$0.isEmpty }.joined(separator: " ") } ?? said
    }
}

extension AdminMessage {
    /// Text of the message; for one of another kind its kind with its name, length or size.
    func said(_ digest: MessageDigest) -> String {
        switch self.sketch.form {
        case .text, .richText: self.text + (self.isCut ? "…" : "")
        case .image, .animation, .voice, .video, .location, .card, .file, .forwarded, .sticker, .voiceCall, .videoCall,
            .tip, .teamNotice, .command, .encrypted, .withdrawn, .custom, .unknown:
            digest.detailed(self.sketch)
        }
    }
}
