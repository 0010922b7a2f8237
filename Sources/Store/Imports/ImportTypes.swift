package import ChatModel

/// A conversation as another server kept it.
package struct ImportedConversation: Hashable, Sendable {
    /// Form of a conversation at its source.
    package enum Form: Hashable, Sendable {
        /// A group of its own.
        case group
        /// The one conversation of exactly these people; of two it is their direct one.
        case unique
        /// A chat room, which nobody is a member of.
        case room
        /// A system conversation; the members are its subscribers.
        case service
        /// A channel that has a kind and a name at its source. A direct one has its two people as members.
        case channel(ConversationKind, ChannelName?)
    }

    /// Form of the conversation.
    package var form: Form
    /// Name that apps ask for it by; `nil` for a new one, of a channel.
    package var objectID: ObjectID?
    /// Members, or the subscribers of a service.
    package var members: [UserName] = []
    /// Maker of the conversation, who owns a group that they are in; `nil` for the server.
    package var creator: UserName?
    /// Members with another role than their place says.
    package var roles: [UserName: MemberRole] = [:]
    /// Members who hear no alerts of it.
    package var silencedBy: [UserName] = []
    /// Title, at most `ConversationBounds.titleScalars`.
    package var title: String?
    /// JSON text of an object, at most `ConversationBounds.attributesBytes`.
    package var attributes: String?
    /// JSON text of an object: an app's own fields; at most `ObjectBounds.fieldsBytes`.
    package var fields: String?
    /// When it was made, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// When it changed last, UTC milliseconds.
    package var updatedAtMilliseconds: Int64
    /// When the last message was sent there, UTC milliseconds; `nil` for none.
    package var lastMessageAtMilliseconds: Int64?
    /// False where the source may have more members than these: nobody is taken out then.
    package var membersAreWhole = true
    /// Switches of a channel; nothing but bans and the end of a channel counts.
    package var flags: ConversationFlags = []
    /// Number that another state of the row at its source would not have.
    package var digest: Int64

    package init(
        _ form: Form, objectID: ObjectID?, createdAtMilliseconds: Int64, updatedAtMilliseconds: Int64, digest: Int64
    ) {
        self.form = form
        self.objectID = objectID
        self.createdAtMilliseconds = createdAtMilliseconds
        self.updatedAtMilliseconds = updatedAtMilliseconds
        self.digest = digest
    }
}

/// A message as another server kept it, in its last state.
package struct ImportedMessage: Hashable, Sendable {
    /// ID of the message at its source, 1...128 bytes, by which it is known again and which apps are shown.
    package var foreignID: String
    /// Number of the message, where the source has numbers that rise; `nil` for one made of time and `foreignID`.
    package var id: MessageID?
    /// Sequence that its source gave it, 1...`maximumSequence`, which stays; `nil` for the next one. What is missing
    /// before it becomes a gap.
    package var sequence: Int64?
    /// Number that the sender's client gave it, for clients that know it by that.
    package var clientNumber: String?
    /// Sender of the message.
    package var sender: UserName
    /// When it was sent, UTC milliseconds. Where it has a sequence, a time before that of the last message rises to that.
    package var sentAtMilliseconds: Int64
    /// Content; of a recalled one nothing but its kind counts.
    package var content: MessageContent
    /// True for one that was recalled.
    package var isRecalled = false
    /// When it was edited or recalled last, UTC milliseconds; 0 for never or unknown.
    package var patchedAtMilliseconds: Int64 = 0

    package init(foreignID: String, sender: UserName, sentAtMilliseconds: Int64, content: MessageContent) {
        self.foreignID = foreignID
        self.sender = sender
        self.sentAtMilliseconds = sentAtMilliseconds
        self.content = content
    }

    /// Most bytes of an id.
    package static let maximumIDBytes = 128
    /// Highest sequence that is kept: half of what WuKongIM's clients can count, so that conversations go on behind it.
    package static let maximumSequence: Int64 = 1 << 31
}

/// A channel as another server names it.
package enum ImportedChannel: Hashable, Sendable {
    /// The one of two people, in any order.
    case pair(UserName, UserName)
    case channel(ConversationKind, ChannelName)
}

/// Outcome of importing one conversation.
package enum ImportedConversationOutcome: Hashable, Sendable {
    case made
    /// It was here, of this name or of these two people, and what it lacked was added.
    case joined
    /// It was imported before, and follows its source.
    case updated
    /// Nothing is new.
    case unchanged
    /// It changed here since it was imported, and stays as it is.
    case kept
    /// It cannot be here: the reason for the operator.
    case refused(String)
}

/// Outcome of importing messages of one conversation.
package struct ImportedMessagesOutcome: Hashable, Sendable {
    /// Messages that are new here.
    package var added: Int64 = 0
    /// Messages that were here already, as they are at their source.
    package var known: Int64 = 0
    /// Messages that were here and have got a later state.
    package var changed: Int64 = 0
    /// Messages that people have changed here since, which stay.
    package var kept: Int64 = 0
    /// Messages that cannot be here: the place in the list, and the reason for the operator.
    package var refused: [Refusal] = []

    /// Message that was not taken.
    package struct Refusal: Hashable, Sendable {
        /// Place in the list.
        package var index: Int
        /// Reason for the operator.
        package var reason: String
    }

    package init() {}
}

/// One import, as the operator sees it.
package struct ImportRecord: Hashable, Sendable {
    /// State of an import; the numbers are stored.
    package enum State: Int64, Sendable, CaseIterable {
        case underWay = 0
        case whole = 1
        case undone = 2
        /// It is being taken back.
        case undoing = 3
    }

    /// Source of what comes from a WuKongIM server.
    package static let wuKongIM = "wukongim"

    /// Number of the import.
    package var number: Int64
    /// Kind of server it comes from: `leancloud` or `wukongim`.
    package var source: String
    /// App at the source.
    package var origin: String
    /// How far it is.
    package var state: State
    /// Person who asked for it.
    package var asker: String
    /// UTC milliseconds.
    package var begunAtMilliseconds: Int64
    /// When it went on last, UTC milliseconds.
    package var changedAtMilliseconds: Int64
    /// JSON text of an object with what was counted.
    package var counts: String
}

/// Kind of a row that an import has made, beside conversations and messages; the numbers are stored.
enum ImportedRowKind: Int64 {
    case person = 0
    case device = 1
}
