package import ChatModel

/// A conversation, as the operator sees it.
package struct AdminConversation: AdminRecord {
    /// Number of the conversation; `id:12` names it in requests.
    package var number: Int64
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Name in the app; for a direct conversation the two users, `juliet,romeo`.
    package var name: String
    /// Title; `nil` for none.
    package var title: String?
    /// Names shown for the two users of a direct conversation; empty for others, and where neither has one.
    package var people: [String] = []
    /// True for a direct conversation between the system and a user, as every announcement makes them.
    package var isSystem = false
    /// True when nobody may send.
    package var isBanned: Bool
    /// True when the conversation was disbanded; former members keep its history.
    package var isDisbanded: Bool
    /// True when only managers and the owner may send, or nobody.
    package var isMuted: Bool
    /// Number of members.
    package var memberCount: Int64
    /// Highest sequence: number of messages so far.
    package var head: Int64
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Time of the newest message, or of the creation, UTC milliseconds.
    package var activeAtMilliseconds: Int64

    package init(_ conversation: Conversation, name: String) {
        self.number = conversation.id.rawValue
        self.kind = conversation.kind
        self.name = name
        self.title = conversation.title
        self.isBanned = conversation.flags.contains(.banned)
        self.isDisbanded = conversation.flags.contains(.disbanded)
        self.isMuted = conversation.flags.muteMode != .none
        self.memberCount = Int64(conversation.memberCount)
        self.head = conversation.head
        self.createdAtMilliseconds = conversation.createdAtMilliseconds
        self.activeAtMilliseconds = conversation.activeAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.kind = try fields("kind", \.kind)
        self.name = try fields("name", \.name)
        self.title = try fields("title", \.title)
        self.people = try fields("people", \.people, usually: [])
        self.isSystem = try fields("system", \.isSystem, usually: false)
        self.isBanned = try fields("banned", \.isBanned)
        self.isDisbanded = try fields("disbanded", \.isDisbanded)
        self.isMuted = try fields("muted", \.isMuted)
        self.memberCount = try fields("members", \.memberCount)
        self.head = try fields("messages", \.head)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
        self.activeAtMilliseconds = try fields("activeAt", \.activeAtMilliseconds)
    }
}

/// A member of a conversation.
package struct AdminMember: AdminRecord {
    /// Name of the user.
    package var name: UserName
    /// Name that people see; `nil` for none.
    package var displayName: String?
    /// Role in the conversation.
    package var role: MemberRole
    /// Number of unread messages.
    package var unread: Int64
    /// Time at which a mute ends, UTC milliseconds; 0 for a member who may send.
    package var mutedUntilMilliseconds: Int64

    package init(_ member: Member, displayName: String? = nil, headCountable: Int64) {
        self.name = member.name
        self.displayName = displayName
        self.role = member.role
        self.unread = member.unread(headCountable: headCountable)
        self.mutedUntilMilliseconds = member.mutedUntilMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.displayName = try fields("displayName", \.displayName)
        self.role = try fields("role", \.role)
        self.unread = try fields("unread", \.unread)
        self.mutedUntilMilliseconds = try fields("mutedUntil", \.mutedUntilMilliseconds)
    }
}

/// A conversation with its members, at most `AdminProtocol.pageRows` of them.
package struct AdminConversationDetail: AdminRecord {
    /// Conversation.
    package var conversation: AdminConversation
    /// Announcement of the group; `nil` for none.
    package var notice: String?
    /// Members.
    package var members: [AdminMember]
    /// Number of users who get messages without being members: users in a room now, and temporary subscribers.
    package var listenerCount: Int64
    /// Attributes that apps keep with it: a JSON object as text; `nil` for none.
    package var attributes: String?
    /// ID in LeanCloud's SDKs, 24 hexadecimal digits; `nil` where it is not given.
    package var objectID: String?
    /// True for the only conversation of exactly these members.
    package var isUnique = false
    /// Time at which a temporary conversation ends, UTC milliseconds; `nil` for others.
    package var expiresAtMilliseconds: Int64?
    /// Custom fields of an app: a JSON object as text; `nil` for none.
    package var ownFields: String?

    package init(
        conversation: AdminConversation, notice: String? = nil, members: [AdminMember], listenerCount: Int64 = 0,
        attributes: String? = nil
    ) {
        self.conversation = conversation
        self.notice = notice
        self.members = members
        self.listenerCount = listenerCount
        self.attributes = attributes
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.conversation = try fields("conversation", \.conversation)
        self.notice = try fields("notice", \.notice)
        self.members = try fields("members", \.members)
        self.listenerCount = try fields("listeners", \.listenerCount)
        self.attributes = try fields("attributes", \.attributes)
        self.objectID = try fields("objectId", \.objectID)
        self.isUnique = try fields("unique", \.isUnique, usually: false)
        self.expiresAtMilliseconds = try fields("expiresAt", \.expiresAtMilliseconds)
        self.ownFields = try fields("fields", \.ownFields)
    }
}

/// A message, as the operator sees it.
package struct AdminMessage: AdminRecord {
    /// Number of the conversation, as in `AdminConversation`.
    package var conversation: Int64
    /// Name of the conversation, as in `AdminConversation`.
    package var conversationName: String
    /// Sequence in the conversation; 0 for a message that was not stored.
    package var sequence: Int64
    /// ID of the message.
    package var id: MessageID
    /// Name of the sender.
    package var sender: String
    /// Name that people see of the sender; `nil` for none.
    package var senderName: String?
    /// Title of the conversation, or the names that people see of the two users; `nil` for none.
    package var conversationTitle: String?
    /// Time of sending, UTC milliseconds.
    package var sentAtMilliseconds: Int64
    /// Kind of the message.
    package var kind: MessageKind
    /// Text of a text message, else the body; at most `AdminProtocol.maximumTextBytes`.
    package var text: String
    /// True when the end of `text` is missing.
    package var isCut: Bool
    /// Kind and content in short, for one line in the language of the reader. Its words are those that are not in
    /// `text`, at most `AdminProtocol.maximumSketchCharacters`; the message that it replies to is left out.
    package var sketch: MessageSketch
    /// First names of the receivers, besides the sender, of a message that not everybody may see; at most
    /// `maximumAudience`. Empty for a message that everybody may see.
    package var visibleTo: [String] = []
    /// Number of these receivers; `nil` when everybody may see the message.
    package var visibleCount: Int64?

    /// Number of edits; `text` holds the last edit.
    package var editCount: Int64 = 0
    /// True when the message was recalled: nobody sees its text.
    package var isWithdrawn = false

    /// Maximum number of names in `visibleTo`.
    package static let maximumAudience = 10

    /// - Parameter sketch: `nil` for that of a text message.
    package init(
        conversation: Int64, conversationName: String, sequence: Int64, id: MessageID, sender: String,
        sentAtMilliseconds: Int64, kind: MessageKind, text: String, isCut: Bool, sketch: MessageSketch? = nil
    ) {
        self.conversation = conversation
        self.conversationName = conversationName
        self.sequence = sequence
        self.id = id
        self.sender = sender
        self.sentAtMilliseconds = sentAtMilliseconds
        self.kind = kind
        self.text = text
        self.isCut = isCut
        self.sketch = sketch ?? MessageSketch(.text, kind: kind)
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.conversation = try fields("conversation", \.conversation)
        self.conversationName = try fields("conversationName", \.conversationName)
        self.sequence = try fields("sequence", \.sequence)
        self.id = try fields("id", \.id)
        self.sender = try fields("sender", \.sender)
        self.senderName = try fields("senderName", \.senderName)
        self.conversationTitle = try fields("conversationTitle", \.conversationTitle)
        self.sentAtMilliseconds = try fields("sentAt", \.sentAtMilliseconds)
        self.kind = try fields("kind", \.kind)
        self.text = try fields("text", \.text)
        self.isCut = try fields("cut", \.isCut)
        self.sketch = MessageSketch(
            try fields("form", \.sketch.form, whenMissing: .text), kind: self.kind,
            words: try fields("words", \.sketch.words, usually: ""), seconds: try fields("seconds", \.sketch.seconds),
            bytes: try fields("bytes", \.sketch.bytes))
        self.sketch.line = try fields("line", \.sketch.line)
        self.visibleCount = try fields("visibleCount", \.visibleCount)
        self.visibleTo = try fields("visibleTo") { $0.visibleCount == nil ? nil : $0.visibleTo } ?? []
        self.editCount = try fields("edits", \.editCount, usually: 0)
        self.isWithdrawn = try fields("withdrawn", \.isWithdrawn, usually: false)
    }
}

/// A message that the operator sends in the name of a user, with the operator's permissions.
package struct AdminSend: AdminRecord {
    /// Receiver of a message that the operator sends.
    package enum Target: Equatable, Sendable {
        case user(UserName)
        case group(ChannelName)
        case room(ChannelName)
        /// Any conversation, named as in `AdminRequest.listMessages`. A direct one takes messages of its two users
        /// only.
        case conversation(String)
    }

    /// Name of the sender.
    package var from: UserName
    /// Receiver of the message.
    package var to: Target
    /// Text of the message.
    package var text: String

    package init(from: UserName, to target: Target, text: String) {
        self.from = from
        self.to = target
        self.text = text
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.from = try fields("from", \.from, .person("from", "option.from"))
        self.to = try fields.inline(\.to)
        self.text = try fields("text", \.text, .argument("TEXT", "argument.text"))
    }
}

extension AdminSend.Target: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let user: UserName? = try fields(
            "to", { if case .user(let name) = $0 { name } else { nil } }, .option("to", "NAME", "option.to"))
        let group: ChannelName? = try fields(
            "group", { if case .group(let name) = $0 { name } else { nil } },
            .option("group", "GROUP", "option.group"))
        let room: ChannelName? = try fields(
            "room", { if case .room(let name) = $0 { name } else { nil } }, .option("room", "ROOM", "option.room"))
        let conversation: String? = try fields(
            "conversation", { if case .conversation(let name) = $0 { name } else { nil } },
            .option("conversation", "CONVERSATION", "option.sendConversation"))
        self = try fields.one(
            of: user.map(Self.user), room.map(Self.room), conversation.map(Self.conversation), group.map(Self.group),
            or: "group", "ctl.toOrGroup")
    }
}

extension AdminSend {
    var withoutText: AdminSend {
        var send = self
        send.text = "(\(self.text.utf8.count) bytes)"
        return send
    }
}
