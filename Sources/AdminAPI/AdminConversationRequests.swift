import ByteCodec
package import ChatModel

/// Requests about conversations and their messages, beyond the cases of `AdminRequest` itself. A conversation is named
/// as in `AdminRequest.listMessages`.
package enum AdminConversationRequest: Equatable, Sendable {
    /// Lists the conversations of a user by number; `after` is the `next` of the page before.
    case list(of: UserName, after: Int64?)
    /// Asks for the direct conversation of two users; creates it when they have none.
    case createDirect(UserName, UserName)
    /// Creates a room. A room has no members: users listen while they are in it.
    case createRoom(ChannelName, title: String?)
    /// Changes the title; `nil` removes it.
    case rename(String, title: String?)
    /// Merges a JSON object, as text, into the attributes that apps keep with a conversation, as RFC 7396 says: `null`
    /// removes a key. The patch has at most `AdminProtocol.attributesPatchBytes`; the result has the bound of the
    /// conversation.
    case setAttributes(String, patch: String)
    /// Disbands the conversation: it loses its members and takes no more messages. Operators can still read its
    /// history.
    case delete(String)
    /// Reads a page of messages, 1...`AdminProtocol.pageMessages`.
    case look(String, AdminConversationPlace, limit: Int64)
    /// Recalls a message as its sender could, whatever its age. With `forGood` it is deleted for everyone instead.
    case recall(String, sequence: Int64, forGood: Bool)
    /// Gives a message another text, as its sender could, whatever its age; the words list is not asked. The text has at
    /// least one visible character, the body with it the bound of any message.
    case edit(String, sequence: Int64, text: String)
    /// Asks for the delivery and read state of a message per receiver, by the number of the user; `after` is the `next`
    /// of the page before.
    case trace(String, sequence: Int64, after: Int64?)
    /// Reads the messages before a sequence exactly as this member gets them; needs a reason, and is in the audit log.
    case seeAs(String, UserName, before: Int64?, limit: Int64)
    /// Reads whole messages after a sequence, oldest first, as many as fit a line; is in the audit log. `as` a member
    /// gives the messages as that member sees them, and needs a reason.
    case export(String, after: Int64, as: UserName? = nil)
    /// Lists the conversations that the deletion of inactive ones would delete now: those without a message or a change
    /// for so many days, 1...36500; `nil` for the number of days that the server is set to. Nothing is deleted.
    case expiring(days: Int64?)
}

/// Position of a page in a conversation.
package enum AdminConversationPlace: Equatable, Sendable {
    /// Messages just before this sequence.
    case before(Int64)
    /// Messages just after this sequence.
    case after(Int64)
    /// Messages around this sequence, with it.
    case around(Int64)
    /// Messages from the first one at or after a time, UTC milliseconds.
    case since(Int64)
}

extension AdminConversationRequest: AdminDefinitions {
    static let all: [Self] = [
        .list(of: .sample, after: .sample), .createDirect(.sample, .sample), .createRoom(.sample, title: .sample),
        .rename(.sample, title: .sample), .setAttributes(.sample, patch: .sample), .delete(.sample),
        .look(.sample, .sample, limit: .sample), .recall(.sample, sequence: .sample, forGood: .sample),
        .edit(.sample, sequence: .sample, text: .sample), .trace(.sample, sequence: .sample, after: .sample),
        .seeAs(.sample, .sample, before: .sample, limit: .sample),
        .export(.sample, after: .sample, as: .sample), .expiring(days: .sample),
    ]

    static let more: [Self] = [
        .look(.sample, .sample, limit: Int64(AdminProtocol.pageMessages)),
        .trace(.sample, sequence: .sample, after: nil), .export(.sample, after: 0),
        .seeAs(.sample, .sample, before: .sample, limit: Int64(AdminProtocol.pageMessages)),
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let member, let after):
            fields.look("conversation.of", role: .observer, member.text)
            fields.line(after == nil ? ctl("conversation list", .option("member", member.text)) : nil)
            return try .list(of: fields("member", member), after: fields.page("after", after))
        case .createDirect(let one, let other):
            fields.change("conversation.direct", .conversation("\(one.text),\(other.text)"))
            fields.asks(
                "console.talks.createDirect", ["console.talks.directConsequence"], of: [one.text, other.text])
            fields.ctl("conversation direct", says: "ctl.conversation.made", examples: ["ming lan"])
            return try .createDirect(
                fields("one", one, .argument("ONE", "argument.user")),
                fields("other", other, .argument("OTHER", "argument.user")))
        case .createRoom(let name, let title):
            fields.change("conversation.room", .room(name))
            fields.ctl("conversation room", says: "ctl.conversation.made", examples: ["hall --title 大堂"])
            return try .createRoom(
                fields("name", name, .argument("NAME", "argument.room")),
                title: fields("title", title, .option("title", "TITLE", "option.title")))
        case .rename(let name, let title):
            fields.change("conversation.rename", .conversation(name), basis: .showConversation(name))
            fields.ctl(
                "conversation rename", says: "ctl.conversation.renamed", ["name": name],
                examples: ["tea '茶馆'", "tea"])
            return try .rename(
                fields("conversation", name, .conversation),
                title: fields("title", title, .argument("TITLE", "argument.title", isOptional: true)))
        case .setAttributes(let name, let patch):
            fields.change("conversation.attributes", .conversation(name))
            fields.line(Self.options(setting: patch).map { ctl("conversation attributes", [.word(name)] + $0) })
            return try .setAttributes(fields("conversation", name), patch: fields("patch", patch))
        case .delete(let name):
            fields.change("conversation.delete", .conversation(name))
            fields.asks(
                "console.talks.delete", ["console.talks.deleteConsequence"], of: [name], isTyped: true, isFinal: true,
                losers: AdminOperation.Caution.Losers(conversation: name, text: "console.talks.deleteMembers"))
            fields.ctl("conversation delete", says: "ctl.conversation.deleted", ["name": name], examples: ["tea"])
            return try .delete(fields("conversation", name, .conversation))
        case .look(let name, let place, let limit):
            fields.look("conversation.look", role: .helper, name)
            fields.ctl("conversation messages", examples: ["tea --around 120", "tea --since '2026-11-21 08:00'"])
            return try .look(
                fields("conversation", name, .conversation), fields.inline(place), limit: Self.limit(limit, fields))
        case .recall(let name, let sequence, let forGood):
            fields.change("message.recall", role: forGood ? .administrator : .helper, .conversation(name))
            fields.asks(
                forGood ? "console.messages.recallForGood" : "console.messages.recall",
                [forGood ? "console.messages.recallForGoodConsequence" : "console.messages.recallConsequence"],
                of: [String(sequence)], isTyped: forGood, isFinal: true)
            fields.ctl(
                "message recall", says: "ctl.message.recalled", evenForNone: true,
                examples: ["tea 17", "tea 17 --for-good"])
            return try .recall(
                fields("conversation", name, .conversation),
                sequence: fields("sequence", sequence, .argument("SEQUENCE", "argument.sequence")),
                forGood: fields("forGood", forGood, .flag("for-good", "option.forGood")))
        case .edit(let name, let sequence, let text):
            fields.change(
                "message.edit", .conversation(name),
                audited: .conversationDetails(.edit(name, sequence: sequence, text: "(\(text.utf8.count) bytes)")))
            fields.asks("console.messages.edit", ["console.messages.editConsequence"], of: [String(sequence)])
            fields.ctl("message edit", says: "ctl.message.edited", evenForNone: true, examples: ["tea 17 '茶在三楼'"])
            return try .edit(
                fields("conversation", name, .conversation),
                sequence: fields("sequence", sequence, .argument("SEQUENCE", "argument.sequence")),
                text: fields("text", text, .argument("TEXT", "argument.messageText")))
        case .trace(let name, let sequence, let after):
            fields.look("message.trace", role: .helper, name)
            fields.ctl("message trace", examples: ["tea 17"])
            return try .trace(
                fields("conversation", name, .conversation),
                sequence: fields("sequence", sequence, .argument("SEQUENCE", "argument.sequence")),
                after: fields.page("after", after))
        case .seeAs(let name, let member, let before, let limit):
            fields.look("conversation.seeAs", name, isAudited: true)
            fields.ctl(
                "conversation see-as", summary: "command.ctl.conversation.seeAs",
                examples: ["tea ming --why 'he says that a message is missing'"])
            return try .seeAs(
                fields("conversation", name, .conversation),
                fields("member", member, .argument("MEMBER", "argument.user")),
                before: fields("before", before, .number("before", 1...Int64.max, "option.beforeSequence")),
                limit: Self.limit(limit, fields))
        case .export(let name, let after, let member):
            fields.look("conversation.export", name, isAudited: true)
            fields.ctl(
                "conversation export",
                examples: ["tea", "tea --to /tmp/tea.jsonl", "tea --as ming --why 'he asks for his data'"])
            return try .export(
                fields("conversation", name, .conversation),
                after: fields(
                    "after", after, .number("after", 0...Int64.max, "option.afterSequence", hasUsual: true)),
                as: fields("as", member, .option("as", "NAME", "option.exportAs")))
        case .expiring(let days):
            fields.look("conversation.expiring", role: .observer)
            fields.ctl("conversation expiring", examples: ["", "--days 365 --json"])
            return try .expiring(
                days: fields("days", days, in: 1...36_500, .number("days", 1...36_500, "option.expiringDays")))
        }
    }
}

extension AdminConversationRequest {
    /// Maximum messages in an answer, a whole page unless a command line says less.
    private static func limit(_ limit: Int64, _ fields: AdminFields<Self>) throws(AdminError) -> Int64 {
        let bounds = 1...Int64(AdminProtocol.pageMessages)
        return try fields(
            "limit", limit, in: bounds, .number("limit", bounds, "option.messagesLimit", hasUsual: true))
    }

    /// A patch of attributes as options; `nil` for one that options cannot say: `ctl` sets first and removes then.
    private static func options(setting patch: String) -> [CommandPart]? {
        guard let members = (try? JSONValue(parsing: patch))?.object, !members.isEmpty else { return nil }
        let (set, removed) = (members.filter { !$0.value.isNull }, members.filter(\.value.isNull))
        let isSame = String(decoding: JSONValue.object(set + removed).serialized(), as: UTF8.self) == patch
        guard isSame, !set.contains(where: { $0.name.isEmpty || $0.name.contains("=") }) else { return nil }
        return set.map {
            .option("set", "\($0.name)=" + String(decoding: $0.value.serialized(), as: UTF8.self))
        } + removed.map { .option("remove", $0.name) }
    }
}

extension AdminConversationPlace: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let before: Int64? = try fields(
            "before", { if case .before(let sequence) = $0 { sequence } else { nil } },
            .number("before", 1...Int64.max, "option.beforeSequence"))
        let after: Int64? = try fields(
            "after", { if case .after(let sequence) = $0 { sequence } else { nil } },
            .number("after", 0...Int64.max, "option.afterSequence"))
        let around: Int64? = try fields(
            "around", { if case .around(let sequence) = $0 { sequence } else { nil } },
            .number("around", 1...Int64.max, "option.aroundSequence"))
        let since: Int64? = try fields(
            "since", { if case .since(let moment) = $0 { moment } else { nil } }, .time("since", "option.since"))
        let isNone = before == nil && after == nil && around == nil && since == nil
        let newest = isNone && fields.isTyping ? Self.before(.max) : nil
        self = try fields.one(
            of: before.map(Self.before), after.map(Self.after), around.map(Self.around), since.map(Self.since), newest,
            or: "since", "ctl.onePlace")
    }
}

/// Answers about conversations and their messages.
package enum AdminConversationAnswer: AdminFamily {
    case trace(AdminTrace)
    case seen(AdminSeen)
    /// `next` asks for the page after it, `nil` on the last.
    case exported([AdminExportedMessage], next: Int64?)
    case expiring(AdminExpiring)

    static let all: [Self] = [.trace(.sample), .seen(.sample), .exported(.sample, next: .sample), .expiring(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .trace(let trace): try .trace(fields.named("trace").inline(trace))
        case .seen(let seen): try .seen(fields.named("seen").inline(seen))
        case .exported(let messages, let next):
            try .exported(fields.named("exported")("messages", messages), next: fields("next", next))
        case .expiring(let expiring): try .expiring(fields.named("expiring").inline(expiring))
        }
    }
}

/// Conversations that the deletion of inactive ones would delete.
package struct AdminExpiring: AdminRecord {
    /// Number of days without a message or a change.
    package var days: Int64
    /// Number of days after which the server deletes an inactive conversation; 0 for never.
    package var settingDays: Int64
    /// Conversations, the longest inactive first within each kind, at most `AdminProtocol.pageRows`.
    package var conversations: [AdminConversation]
    /// True when there are more.
    package var isCut: Bool

    package init(days: Int64, settingDays: Int64, conversations: [AdminConversation], isCut: Bool) {
        self.days = days
        self.settingDays = settingDays
        self.conversations = conversations
        self.isCut = isCut
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.days = try fields("days", \.days)
        self.settingDays = try fields("settingDays", \.settingDays)
        self.conversations = try fields("conversations", \.conversations)
        self.isCut = try fields("cut", \.isCut)
    }
}

/// Reason why a member does not see a message of the conversation.
package enum AdminWithholding: String, AdminWord, AdminText {
    /// The member cleared the conversation for themselves.
    case cleared
    /// The member deleted the message for themselves.
    case deletedBySelf
    /// It was deleted for everyone.
    case deletedForAll
    /// The message names its receivers, and the member is not one of them.
    case notForThem
    /// The member joined later, and the server is set to hide earlier messages.
    case beforeJoining
}

extension Collection {
    /// The first, and as many of the last ones as fit: what a message was at first and lately.
    func firstAndLast(bytes: Int, size: (Element) -> Int) -> [Element] {
        guard let first = self.first else { return [] }
        var left = bytes - size(first)
        var kept: [Element] = []
        for element in self.dropFirst().reversed() {
            left -= size(element)
            if left < 0 { break }
            kept.append(element)
        }
        return [first] + kept.reversed()
    }
}

/// Delivery and read state of one message.
package struct AdminTrace: AdminRecord {
    /// Message as it is now.
    package var message: AdminMessage
    /// True when the message was recalled.
    package var isRecalled: Bool
    /// True when the message was deleted for everyone.
    package var isDeletedForAll: Bool
    /// Number of edits.
    package var editCount: Int64
    /// Former bodies: the stored one and all edits but the last; of a recalled message all of them. Only on the first
    /// page. Over `maximumFormerBytes` the oldest edits are left out.
    package var former: [AdminMessageVersion] = []
    /// State per receiver, one page.
    package var people: [AdminTraceRow]
    /// Number of the last user on the page; `nil` on the last page.
    package var next: Int64?

    /// Maximum bytes of former texts: escaped, they fit a line.
    package static let maximumFormerBytes = 64 * 1024

    /// Leaves out former texts beyond `maximumFormerBytes`: the oldest edits first.
    package mutating func boundFormer() {
        self.former = self.former.firstAndLast(bytes: Self.maximumFormerBytes) { $0.text.utf8.count }
    }

    package init(
        message: AdminMessage, isRecalled: Bool, isDeletedForAll: Bool, editCount: Int64, people: [AdminTraceRow],
        next: Int64?
    ) {
        self.message = message
        self.isRecalled = isRecalled
        self.isDeletedForAll = isDeletedForAll
        self.editCount = editCount
        self.people = people
        self.next = next
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.message = try fields("message", \.message)
        self.isRecalled = try fields("recalled", \.isRecalled)
        self.isDeletedForAll = try fields("deletedForAll", \.isDeletedForAll)
        self.editCount = try fields("edits", \.editCount)
        self.former = fields.joined("former", try fields("former", \.former, usually: []))
        self.people = fields.joined("people", try fields("people", \.people))
        self.next = try fields.next(\.next)
    }
}

/// Delivery and read state of one message for one receiver.
package struct AdminTraceRow: AdminRecord {
    /// Name of the receiver.
    package var name: UserName
    /// Name that people see of the receiver; `nil` for none.
    package var displayName: String?
    /// True for the sender of the message.
    package var isSender: Bool
    /// True when the user was a member at the time of sending and their read position has reached the message, or when
    /// they reported that they have read it.
    package var isRead: Bool
    /// Time at which the read position reached the message; `nil` when it did not.
    package var read: AdminTraceTime?
    /// True for a user who became a member after the message was sent: the read position then tells nothing about it.
    package var cameLater = false
    /// Time of the first acknowledgement by one of the user's devices; `nil` for none.
    package var delivered: AdminTraceTime?
    /// Time of the read report, UTC milliseconds; `nil` for none. Apps report when the sender asks for it.
    package var reportedReadAtMilliseconds: Int64?
    /// Classes of devices that acknowledged the message or a later one.
    package var deliveredTo: [DeviceClass]
    /// Classes of devices that acknowledged earlier messages only.
    package var waitingFor: [DeviceClass]
    /// Devices that are signed in now: number of the session and class.
    package var sessions: [AdminTraceSession]
    /// Reason why the user does not see the message; `nil` when they see it.
    package var withheld: AdminWithholding?

    package init(
        name: UserName, isSender: Bool, isRead: Bool, reportedReadAtMilliseconds: Int64?, deliveredTo: [DeviceClass],
        waitingFor: [DeviceClass], sessions: [AdminTraceSession], withheld: AdminWithholding?
    ) {
        self.name = name
        self.isSender = isSender
        self.isRead = isRead
        self.reportedReadAtMilliseconds = reportedReadAtMilliseconds
        self.deliveredTo = deliveredTo
        self.waitingFor = waitingFor
        self.sessions = sessions
        self.withheld = withheld
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.displayName = try fields("displayName", \.displayName)
        self.isSender = try fields("sender", \.isSender)
        self.isRead = try fields("read", \.isRead)
        self.read = try fields("readAt", \.read)
        self.cameLater = try fields("cameLater", \.cameLater, usually: false)
        self.reportedReadAtMilliseconds = try fields("reportedReadAt", \.reportedReadAtMilliseconds)
        self.delivered = try fields("deliveredAt", \.delivered)
        self.deliveredTo = try fields("deliveredTo", \.deliveredTo)
        self.waitingFor = try fields("waitingFor", \.waitingFor)
        self.sessions = try fields("sessions", \.sessions)
        self.withheld = try fields("withheld", \.withheld)
    }
}

/// Time of an event, as far as it is known.
package struct AdminTraceTime: AdminRecord {
    /// Time, UTC milliseconds.
    package var atMilliseconds: Int64
    /// True for an event at exactly this time, false for one at this time or earlier. Only the last step of a position
    /// is stored with its time.
    package var isExact: Bool

    package init(atMilliseconds: Int64, isExact: Bool) {
        self.atMilliseconds = atMilliseconds
        self.isExact = isExact
    }

    /// Text of the time; `≤` stands before one that is not exact.
    ///
    /// - Parameter time: formats UTC milliseconds.
    package func text(_ time: (Int64) -> String) -> String {
        (self.isExact ? "" : "≤ ") + time(self.atMilliseconds)
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.isExact = try fields("exact", \.isExact)
    }
}

/// A former body of a message.
package struct AdminMessageVersion: AdminRecord {
    /// Number of the version: 0 for the body as stored, edits from 1.
    package var number: Int64
    /// Name of the user who wrote this version.
    package var editor: String
    /// Time of the version, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Text, as in `AdminMessage`.
    package var text: String
    /// True when the end of `text` is missing.
    package var isCut: Bool

    package init(number: Int64, editor: String, atMilliseconds: Int64, text: String, isCut: Bool) {
        self.number = number
        self.editor = editor
        self.atMilliseconds = atMilliseconds
        self.text = text
        self.isCut = isCut
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.editor = try fields("editor", \.editor)
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.text = try fields("text", \.text)
        self.isCut = try fields("cut", \.isCut)
    }
}

/// A session of a receiver of a message.
package struct AdminTraceSession: AdminRecord {
    /// ID of the session.
    package var id: Int64
    /// Class of its device.
    package var device: DeviceClass

    package init(id: Int64, device: DeviceClass) {
        self.id = id
        self.device = device
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.id = try fields("id", \.id)
        self.device = try fields("device", \.device)
    }
}

/// A page of a conversation as one member gets it.
package struct AdminSeen: AdminRecord {
    /// Messages, oldest first. The text of a recalled message is empty; that of an edited message is the last edit.
    package var messages: [AdminSeenMessage]
    /// Messages of this part of the conversation that the member does not see, with the reason.
    package var withheld: [AdminWithheld]
    /// Sequence before which the next page begins; `nil` on the last page.
    package var next: Int64?

    package init(messages: [AdminSeenMessage], withheld: [AdminWithheld], next: Int64?) {
        self.messages = messages
        self.withheld = withheld
        self.next = next
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.messages = try fields("messages", \.messages)
        self.withheld = try fields("withheld", \.withheld)
        self.next = try fields("next", \.next)
    }
}

/// A message that a member sees.
package struct AdminSeenMessage: AdminRecord {
    /// Message as the member sees it.
    package var message: AdminMessage
    /// True when the message was recalled.
    package var isRecalled: Bool
    /// True when the message was edited.
    package var isEdited: Bool

    package init(message: AdminMessage, isRecalled: Bool, isEdited: Bool) {
        self.message = message
        self.isRecalled = isRecalled
        self.isEdited = isEdited
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.message = try fields("message", \.message)
        self.isRecalled = try fields("recalled", \.isRecalled)
        self.isEdited = try fields("edited", \.isEdited)
    }
}

/// A message that a member does not see.
package struct AdminWithheld: AdminRecord {
    /// Sequence of the message.
    package var sequence: Int64
    /// Reason why the member does not see it.
    package var reason: AdminWithholding

    package init(sequence: Int64, reason: AdminWithholding) {
        self.sequence = sequence
        self.reason = reason
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.sequence = try fields("sequence", \.sequence)
        self.reason = try fields("reason", \.reason)
    }
}

/// A message with all of its body.
package struct AdminExportedMessage: AdminRecord {
    /// Sequence of the message.
    package var sequence: Int64
    /// ID of the message.
    package var id: MessageID
    /// Name of the sender.
    package var sender: String
    /// Time of sending, UTC milliseconds.
    package var sentAtMilliseconds: Int64
    /// Kind of the message.
    package var kind: MessageKind
    /// Body that people see now: the last edit, else the stored body; empty for a recalled message. On the socket it is
    /// text when it is UTF-8, else base64.
    package var body: [UInt8]
    /// True when the message was recalled.
    package var isRecalled: Bool
    /// True when the message was deleted for everyone.
    package var isDeletedForAll: Bool
    /// Number of edits.
    package var editCount: Int64
    /// Former bodies, oldest first. Over `maximumFormerBytes` the oldest edits are left out.
    package var former: [AdminFormerBody] = []

    /// Maximum bytes of former bodies of one message: escaped, they fit a line beside its own body.
    package static let maximumFormerBytes = 64 * 1024

    package init(
        sequence: Int64, id: MessageID, sender: String, sentAtMilliseconds: Int64, kind: MessageKind, body: [UInt8],
        isRecalled: Bool, isDeletedForAll: Bool, editCount: Int64
    ) {
        self.sequence = sequence
        self.id = id
        self.sender = sender
        self.sentAtMilliseconds = sentAtMilliseconds
        self.kind = kind
        self.body = body
        self.isRecalled = isRecalled
        self.isDeletedForAll = isDeletedForAll
        self.editCount = editCount
    }

    /// Leaves out former bodies beyond `maximumFormerBytes`: the oldest edits first.
    package mutating func boundFormer() {
        self.former = self.former.firstAndLast(bytes: Self.maximumFormerBytes) { $0.body.count }
    }

    /// The message as one JSON object, for scripts.
    package var json: [UInt8] { self.object }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.sequence = try fields("sequence", \.sequence)
        self.id = try fields("id", \.id)
        self.sender = try fields("sender", \.sender)
        self.sentAtMilliseconds = try fields("sentAt", \.sentAtMilliseconds)
        self.kind = try fields("kind", \.kind)
        self.body = try fields.inline { AdminBody(bytes: $0.body) }.bytes
        self.isRecalled = try fields("recalled", \.isRecalled)
        self.isDeletedForAll = try fields("deletedForAll", \.isDeletedForAll)
        self.editCount = try fields("edits", \.editCount, usually: 0)
        self.former = try fields("former", \.former, usually: [])
    }
}

/// A former body of a message, whole.
package struct AdminFormerBody: AdminRecord {
    /// Number of the version: 0 for the body as stored, edits from 1.
    package var number: Int64
    /// Name of the user who wrote this version.
    package var editor: String
    /// Time of the version, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Body; on the socket it is text when it is UTF-8, else base64.
    package var body: [UInt8]

    package init(number: Int64, editor: String, atMilliseconds: Int64, body: [UInt8]) {
        self.number = number
        self.editor = editor
        self.atMilliseconds = atMilliseconds
        self.body = body
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.editor = try fields("editor", \.editor)
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.body = try fields.inline { AdminBody(bytes: $0.body) }.bytes
    }
}

/// All of a body: as text when it is UTF-8, else in base64.
private struct AdminBody: AdminRecord {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let text: String? = try fields("body") { String(validating: $0.bytes, as: UTF8.self) }
        if let text {
            self.bytes = Array(text.utf8)
        } else {
            self.bytes = try fields("bodyBase64") { AdminBytes($0.bytes) }.bytes
        }
    }
}
