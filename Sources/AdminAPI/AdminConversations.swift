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

    func write(to fields: inout FieldWriter) {
        fields.number("number", self.number)
        fields.text("kind", Word.of(self.kind))
        fields.text("name", self.name)
        fields.text("title", self.title)
        fields.flag("banned", self.isBanned)
        fields.flag("disbanded", self.isDisbanded)
        fields.flag("muted", self.isMuted)
        fields.number("members", self.memberCount)
        fields.number("messages", self.head)
        fields.number("createdAt", self.createdAtMilliseconds)
        fields.number("activeAt", self.activeAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.number = try fields.number("number")
        self.kind = try Word.kind(fields.text("kind"))
        self.name = try fields.text("name")
        self.title = try fields.optionalText("title")
        self.isBanned = try fields.flag("banned")
        self.isDisbanded = try fields.flag("disbanded")
        self.isMuted = try fields.flag("muted")
        self.memberCount = try fields.number("members")
        self.head = try fields.number("messages")
        self.createdAtMilliseconds = try fields.number("createdAt")
        self.activeAtMilliseconds = try fields.number("activeAt")
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("role", Word.of(self.role))
        fields.number("unread", self.unread)
        fields.number("mutedUntil", self.mutedUntilMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.role = try Word.memberRole(fields.text("role"))
        self.unread = try fields.number("unread")
        self.mutedUntilMilliseconds = try fields.number("mutedUntil")
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

    func write(to fields: inout FieldWriter) {
        fields.record("conversation", self.conversation)
        fields.text("notice", self.notice)
        fields.records("members", self.members)
        fields.number("listeners", self.listenerCount)
        fields.text("attributes", self.attributes)
        fields.text("objectId", self.objectID)
        if self.isUnique { fields.flag("unique", true) }
        fields.number("expiresAt", self.expiresAtMilliseconds)
        fields.text("fields", self.ownFields)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.conversation = try fields.record("conversation")
        self.notice = try fields.optionalText("notice")
        self.members = try fields.records("members")
        self.listenerCount = try fields.number("listeners")
        self.attributes = try fields.optionalText("attributes")
        self.objectID = try fields.optionalText("objectId")
        self.isUnique = try fields.has("unique") ? fields.flag("unique") : false
        self.expiresAtMilliseconds = try fields.optionalNumber("expiresAt")
        self.ownFields = try fields.optionalText("fields")
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("title", self.title)
        fields.text("owner", self.owner?.text)
        fields.texts("members", self.members.map(\.text))
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.channelName("name")
        self.title = try fields.optionalText("title")
        self.owner = try fields.optionalText("owner") == nil ? nil : fields.userName("owner")
        self.members = try fields.userNames("members")
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
    /// The first of those who alone may see it, besides its sender; at most `maximumSeers`. Of everybody's it is empty.
    package var visibleTo: [String] = []
    /// How many they are; `nil` when everybody may see it.
    package var visibleCount: Int64?

    /// How often it was edited; `text` is what people see now.
    package var editCount: Int64 = 0
    /// It was taken back: nobody sees its words.
    package var isWithdrawn = false

    /// Most names in `visibleTo`.
    package static let maximumSeers = 10

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

    func write(to fields: inout FieldWriter) {
        fields.number("conversation", self.conversation)
        fields.text("conversationName", self.conversationName)
        fields.number("sequence", self.sequence)
        // As text: many readers keep only 53 bits of a JSON number.
        fields.text("id", String(self.id.rawValue))
        fields.text("sender", self.sender)
        fields.number("sentAt", self.sentAtMilliseconds)
        fields.number("kind", Int64(self.kind.rawValue))
        fields.text("text", self.text)
        fields.flag("cut", self.isCut)
        fields.text("form", self.sketch.form.rawValue)
        fields.text("words", self.sketch.words.isEmpty ? nil : self.sketch.words)
        fields.number("seconds", self.sketch.seconds)
        fields.number("bytes", self.sketch.bytes)
        fields.text("line", self.sketch.line)
        fields.number("visibleCount", self.visibleCount)
        if self.visibleCount != nil { fields.texts("visibleTo", self.visibleTo) }
        fields.number("edits", self.editCount > 0 ? self.editCount : nil)
        if self.isWithdrawn { fields.flag("withdrawn", true) }
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.conversation = try fields.number("conversation")
        self.conversationName = try fields.text("conversationName")
        self.sequence = try fields.number("sequence")
        guard let id = Int64(try fields.text("id")) else { throw FieldReader.wrong("id") }
        self.id = MessageID(rawValue: id)
        self.sender = try fields.text("sender")
        self.sentAtMilliseconds = try fields.number("sentAt")
        self.kind = MessageKind(rawValue: Int32(truncatingIfNeeded: try fields.number("kind")))
        self.text = try fields.text("text")
        self.isCut = try fields.flag("cut")
        // A form that a newer server knows is shown as unknown.
        let form = try fields.optionalText("form").map { MessageSketch.Form(rawValue: $0) ?? .unknown } ?? .text
        self.sketch = MessageSketch(
            form, kind: self.kind, words: try fields.optionalText("words") ?? "",
            seconds: try fields.optionalNumber("seconds"), bytes: try fields.optionalNumber("bytes"))
        self.sketch.line = try fields.optionalText("line")
        self.visibleCount = try fields.optionalNumber("visibleCount")
        if self.visibleCount != nil { self.visibleTo = try fields.texts("visibleTo") }
        self.editCount = try fields.optionalNumber("edits") ?? 0
        self.isWithdrawn = try fields.has("withdrawn") ? fields.flag("withdrawn") : false
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

    func write(to fields: inout FieldWriter) {
        fields.text("from", self.from.text)
        switch self.to {
        case .user(let name): fields.text("to", name.text)
        case .group(let name): fields.text("group", name.text)
        case .room(let name): fields.text("room", name.text)
        case .conversation(let name): fields.text("conversation", name)
        }
        fields.text("text", self.text)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.from = try fields.userName("from")
        if fields.has("to") {
            self.to = .user(try fields.userName("to"))
        } else if fields.has("room") {
            self.to = .room(try fields.channelName("room"))
        } else if let conversation = try fields.optionalText("conversation") {
            self.to = .conversation(conversation)
        } else {
            self.to = .group(try fields.channelName("group"))
        }
        self.text = try fields.text("text")
    }
}
