package import ChatModel

/// A conversation, as the operator sees it.
package struct AdminConversation: AdminRecord {
    /// The store's number; `id:12` names the conversation in requests.
    package var number: Int64
    package var kind: ConversationKind
    /// The app's name; for a direct conversation the two people, `juliet,romeo`.
    package var name: String
    package var title: String?
    package var isBanned: Bool
    package var isDisbanded: Bool
    /// Only managers and the owner may send, or they neither.
    package var isMuted: Bool
    package var memberCount: Int64
    /// How many messages it has.
    package var head: Int64
    package var createdAtMilliseconds: Int64
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
        self.isBanned = try fields("banned", \.isBanned)
        self.isDisbanded = try fields("disbanded", \.isDisbanded)
        self.isMuted = try fields("muted", \.isMuted)
        self.memberCount = try fields("members", \.memberCount)
        self.head = try fields("messages", \.head)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
        self.activeAtMilliseconds = try fields("activeAt", \.activeAtMilliseconds)
    }
}

/// One person in a conversation.
package struct AdminMember: AdminRecord {
    package var name: UserName
    package var role: MemberRole
    package var unread: Int64
    /// May not send before then, UTC milliseconds; 0 for who may.
    package var mutedUntilMilliseconds: Int64

    package init(_ member: Member, headCountable: Int64) {
        self.name = member.name
        self.role = member.role
        self.unread = member.unread(headCountable: headCountable)
        self.mutedUntilMilliseconds = member.mutedUntilMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.role = try fields("role", \.role)
        self.unread = try fields("unread", \.unread)
        self.mutedUntilMilliseconds = try fields("mutedUntil", \.mutedUntilMilliseconds)
    }
}

/// A conversation with who is in it; at most `AdminProtocol.pageRows` members.
package struct AdminConversationDetail: AdminRecord {
    package var conversation: AdminConversation
    /// The announcement.
    package var notice: String?
    package var members: [AdminMember]
    /// People who get what is said without being members: those in a room now, and temporary subscribers.
    package var listenerCount: Int64
    /// What apps keep with it: a JSON object as text; `nil` when there is nothing.
    package var attributes: String?
    /// The name that LeanCloud's apps have for it, 24 hexadecimal digits; `nil` where it is not told.
    package var objectID: String?
    /// It is the only one of exactly these people.
    package var isUnique = false
    /// When a temporary one is over, UTC milliseconds.
    package var expiresAtMilliseconds: Int64?
    /// An app's own fields: a JSON object as text; `nil` when there are none.
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

/// A group to be made.
package struct AdminNewGroup: AdminRecord {
    package var name: ChannelName
    package var title: String?
    /// A member too; `nil` for a group that the operator keeps.
    package var owner: UserName?
    package var members: [UserName]

    package init(name: ChannelName, title: String? = nil, owner: UserName? = nil, members: [UserName]) {
        self.name = name
        self.title = title
        self.owner = owner
        self.members = members
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.title = try fields("title", \.title)
        self.owner = try fields("owner", \.owner)
        self.members = try fields("members", \.members)
    }
}

/// A message, as the operator sees it.
package struct AdminMessage: AdminRecord {
    /// Number and name of the conversation, as in `AdminConversation`.
    package var conversation: Int64
    package var conversationName: String
    /// 0 for a message that was not stored.
    package var sequence: Int64
    package var id: MessageID
    package var sender: String
    package var sentAtMilliseconds: Int64
    package var kind: MessageKind
    /// The words of a text message, else the body; at most `AdminProtocol.maximumTextBytes`.
    package var text: String
    /// Something is missing at the end of `text`.
    package var isCut: Bool
    /// What it is to people, for a line in their language. Its words are those that are not in `text`, at most
    /// `AdminProtocol.maximumSketchCharacters`; what it answers is left out.
    package var sketch: MessageSketch
    /// The first of those who alone may see it, besides its sender; at most `maximumAudience`. Of everybody's it is
    /// empty.
    package var visibleTo: [String] = []
    /// How many they are; `nil` when everybody may see it.
    package var visibleCount: Int64?

    /// How often it was edited; `text` is what people see now.
    package var editCount: Int64 = 0
    /// It was taken back: nobody sees its words.
    package var isWithdrawn = false

    /// Most names in `visibleTo`.
    package static let maximumAudience = 10

    /// - Parameter sketch: text when it is not told.
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

/// A message to be sent by the operator's right.
package struct AdminSend: AdminRecord {
    package enum Target: Hashable, Sendable {
        case user(UserName)
        case group(ChannelName)
        case room(ChannelName)
        /// Named as in `AdminRequest.listMessages`. One of two people is taken only from one of the two.
        case conversation(String)
    }

    package var from: UserName
    package var to: Target
    package var text: String

    package init(from: UserName, to target: Target, text: String) {
        self.from = from
        self.to = target
        self.text = text
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.from = try fields("from", \.from)
        self.to = try fields.inline(\.to)
        self.text = try fields("text", \.text)
    }
}

extension AdminSend.Target: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let user: UserName? = try fields("to") { if case .user(let name) = $0 { name } else { nil } }
        let room: ChannelName? = try fields("room") { if case .room(let name) = $0 { name } else { nil } }
        let conversation: String? = try fields("conversation") {
            if case .conversation(let name) = $0 { name } else { nil }
        }
        let group: ChannelName? = try fields("group") { if case .group(let name) = $0 { name } else { nil } }
        if let user {
            self = .user(user)
        } else if let room {
            self = .room(room)
        } else if let conversation {
            self = .conversation(conversation)
        } else {
            guard let group else { throw .field("group") }
            self = .group(group)
        }
    }
}

extension AdminNewGroup {
    /// `nil` for members that one option cannot list.
    var command: [String]? {
        guard self.members.isEmpty || self.members.list != nil else { return nil }
        return ctl(
            "group create", .word(self.name.text), .option("title", self.title), .option("owner", self.owner?.text),
            .option("members", self.members.list))
    }
}

extension AdminSend {
    var withoutText: AdminSend {
        var send = self
        send.text = "(\(self.text.utf8.count) bytes)"
        return send
    }

    var command: [String] {
        let target: CommandPart =
            switch self.to {
            case .user(let name): .option("to", name.text)
            case .group(let name): .option("group", name.text)
            case .room(let name): .option("room", name.text)
            case .conversation(let name): .option("conversation", name)
            }
        return ctl("send", .option("from", self.from.text), target, .word(self.text))
    }
}
