/// Where a message is.
package struct MessagePlace: Hashable, Sendable {
    /// Conversation concerned.
    package var conversation: ConversationID
    /// Position in the conversation.
    package var sequence: Int64

    package init(_ conversation: ConversationID, _ sequence: Int64) {
        self.conversation = conversation
        self.sequence = sequence
    }
}

/// Outcome of a change of a message, and the people to tell.
package struct MessageChange: Hashable, Sendable {
    /// Place of the message.
    package var place: MessagePlace
    /// Identifies the message.
    package var id: MessageID
    /// The conversation's revision that the change got; 0 when everything was so before.
    package var revision: Int64
    /// People concerned: everybody who receives the conversation's messages, or only the person who changed something
    /// of their own. Empty when everything was so before.
    package var members: [UserID]
    /// UTC milliseconds of an edit or a recall, which no other one has; 0 for other changes.
    package var patchedAtMilliseconds: Int64

    package init(
        place: MessagePlace, id: MessageID, revision: Int64, members: [UserID], patchedAtMilliseconds: Int64 = 0
    ) {
        self.place = place
        self.id = id
        self.revision = revision
        self.members = members
        self.patchedAtMilliseconds = patchedAtMilliseconds
    }
}

/// Bounds of what is kept beside a message.
package enum MessageLimits {
    /// Places in one call.
    package static let placesPerCall = 100
    /// Edits kept of one message; one more is refused.
    package static let edits = 50
    /// Bytes of a message's attributes as JSON text, and of a patch to them.
    package static let attributeBytes = 8_192
    /// Different reactions of one person to one message, cancelled ones included.
    package static let reactionsPerPerson = 20
    /// Pinned messages of one conversation.
    package static let pinned = 100
    /// Bytes of the text of a reminder.
    package static let reminderTextBytes = 1_024
    /// Bytes of the data of a reminder.
    package static let reminderDataBytes = 8_192
}

/// Changes of a message since it was sent, as one person sees it.
///
/// A withdrawn message has no attributes and no edited body.
package struct MessageExtra: Hashable, Sendable {
    /// Place of the message.
    package var place: MessagePlace
    /// Identifies the message.
    package var id: MessageID
    /// ID that the message had at the server that it was imported from.
    package var shownID: String?
    /// The conversation's revision at the newest of these changes that the asking person may see. When synchronising,
    /// the revision of the change that is listed: ask next for what is above it.
    package var revision: Int64

    /// True when recalled.
    package var isRecalled = false
    /// Person who recalled it; `nil` when nobody did.
    package var recalledBy: UserName?
    /// Deleted for everyone: to be shown as if it had never been.
    package var isDeletedForAll = false
    /// The newest edit; `nil` when there is none.
    package var editedBody: [UInt8]?
    /// True when the edited body is one JSON object.
    package var editedBodyIsJSONObject = false
    /// `MessageFlags.binary` of the newest edit.
    package var editedBodyIsBinary = false
    /// The protocol of the newest edit, when it is another than the message's.
    package var editedWire: WireFormat?
    /// Envelope of the newest edit; `nil` when the message's own holds.
    package var editedEnvelope: MessageEnvelope?
    /// When it was edited or taken back last, UTC milliseconds; 0 for neither.
    package var patchedAtMilliseconds: Int64 = 0
    /// Time of the edit, UTC milliseconds.
    package var editedAtMilliseconds: Int64?
    /// Number of edits.
    package var editCount = 0
    /// True when pinned.
    package var isPinned = false
    /// How many have reported it as read.
    package var readerCount = 0
    /// Members but the sender who have not; never below 0. Counted with the members of today: of those who have read it
    /// and left, one each is missing here. `nonReaders` is exact.
    package var unreadCount = 0
    /// A JSON object (remote extension); `nil` when nobody set any.
    package var attributes: [UInt8]?

    // MARK: Of the asking person

    /// Deleted for oneself.
    package var isHidden = false
    /// Its voice was played.
    package var isHeard = false
    /// `nil` when this person has not reported it as read.
    package var readAtMilliseconds: Int64?

    /// True when the person has read the message.
    package var hasRead: Bool { self.readAtMilliseconds != nil }

    package init(place: MessagePlace, id: MessageID, revision: Int64) {
        self.place = place
        self.id = id
        self.revision = revision
    }
}

/// One version of a message's body.
package struct MessageEdit: Hashable, Sendable {
    /// From 1; 0 is the body as it was sent, kept here once the message was withdrawn.
    package var number: Int
    /// Person who edited it.
    package var editor: UserName
    /// Body of the message, as sent.
    package var body: [UInt8]
    /// True when the body is one JSON object.
    package var bodyIsJSONObject: Bool
    /// True when the body is binary.
    package var bodyIsBinary = false
    /// The protocol of the body, when it is another than the message's.
    package var wire: WireFormat?
    /// Time of the edit, UTC milliseconds.
    package var editedAtMilliseconds: Int64

    package init(
        number: Int, editor: UserName, body: [UInt8], bodyIsJSONObject: Bool, editedAtMilliseconds: Int64
    ) {
        self.number = number
        self.editor = editor
        self.body = body
        self.bodyIsJSONObject = bodyIsJSONObject
        self.editedAtMilliseconds = editedAtMilliseconds
    }
}

/// One of the bodies that a message was given.
package struct MessageVersion: Hashable, Sendable {
    /// 0 for the one it was stored with; edits from 1.
    package var number: Int
    /// Person who edited it.
    package var editor: UserName
    /// UTC milliseconds.
    package var atMilliseconds: Int64
    /// Content of the message or command.
    package var content: MessageContent

    package init(number: Int, editor: UserName, atMilliseconds: Int64, content: MessageContent) {
        self.number = number
        self.editor = editor
        self.atMilliseconds = atMilliseconds
        self.content = content
    }
}

/// Someone who has, or has not, reported a message as read.
package struct MessageReader: Hashable, Sendable {
    /// Identifies the person.
    package var id: UserID
    /// Name of the person.
    package var name: UserName
    /// Name to show; `nil` for none.
    package var displayName: String?
    /// `nil` for someone who has not.
    package var readAtMilliseconds: Int64?

    package init(id: UserID, name: UserName, displayName: String?, readAtMilliseconds: Int64?) {
        self.id = id
        self.name = name
        self.displayName = displayName
        self.readAtMilliseconds = readAtMilliseconds
    }
}

/// One person's reaction to a message.
package struct Reaction: Hashable, Sendable {
    /// Place of the message.
    package var place: MessagePlace
    /// Message concerned.
    package var messageID: MessageID
    /// ID that the message had at the server that it was imported from.
    package var shownID: String?
    /// Person concerned.
    package var user: UserName
    /// Name to show; `nil` for none.
    package var displayName: String?
    /// An emoji, or the app's name of an image: 1...64 bytes of UTF-8 without control characters, compared as bytes.
    package var name: String
    /// It was cancelled: listed so that clients hear of it.
    package var isRemoved: Bool
    /// Revision, for reading what changed since.
    package var revision: Int64
    /// Time of the change, UTC milliseconds.
    package var changedAtMilliseconds: Int64

    package init(
        place: MessagePlace, messageID: MessageID, user: UserName, displayName: String?, name: String, isRemoved: Bool,
        revision: Int64, changedAtMilliseconds: Int64
    ) {
        self.place = place
        self.messageID = messageID
        self.user = user
        self.displayName = displayName
        self.name = name
        self.isRemoved = isRemoved
        self.revision = revision
        self.changedAtMilliseconds = changedAtMilliseconds
    }

    /// Most bytes of a name.
    package static let maximumNameBytes = 64

    /// True when a name has an acceptable length and characters.
    package static func isAcceptable(name: String) -> Bool {
        name.utf8.count <= Self.maximumNameBytes
            && UserName.isAcceptable(name, maximumScalars: Self.maximumNameBytes)
    }

    /// True when a name may be an emoji or the name of an image: letters, marks and digits of any language, the parts
    /// of emoji, and `_ - + . : [ ]`. Nothing of it means anything to a page that shows it as it is.
    package static func isPlain(name: String) -> Bool {
        Self.isAcceptable(name: name) && name.unicodeScalars.allSatisfy(Self.isPlain)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "_", "-", "+", ".", ":", "[", "]", "\u{200D}", "\u{E0020}"..."\u{E007F}": return true
        default: break
        }
        if scalar.properties.isEmoji { return true }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .nonspacingMark, .spacingMark, .enclosingMark:
            return true
        default: return false
        }
    }
}

/// How many people reacted to a message with one name.
package struct ReactionCount: Hashable, Sendable {
    /// Position in the conversation.
    package var sequence: Int64
    /// Name of the reaction.
    package var name: String
    /// Number of times.
    package var count: Int
    /// The asking person is among them.
    package var isOwn: Bool

    package init(sequence: Int64, name: String, count: Int, isOwn: Bool) {
        self.sequence = sequence
        self.name = name
        self.count = count
        self.isOwn = isOwn
    }
}

/// A message that was pinned for everyone, or is not any more.
package struct PinnedMessage: Hashable, Sendable {
    /// Place of the message.
    package var place: MessagePlace
    /// Identifies the message.
    package var id: MessageID
    /// True when pinned.
    package var isPinned: Bool
    /// Person who pinned or unpinned it.
    package var changedBy: UserName
    /// Time of the change, UTC milliseconds.
    package var changedAtMilliseconds: Int64
    /// Revision, for reading what changed since.
    package var revision: Int64

    package init(
        place: MessagePlace, id: MessageID, isPinned: Bool, changedBy: UserName, changedAtMilliseconds: Int64,
        revision: Int64
    ) {
        self.place = place
        self.id = id
        self.isPinned = isPinned
        self.changedBy = changedBy
        self.changedAtMilliseconds = changedAtMilliseconds
        self.revision = revision
    }
}
