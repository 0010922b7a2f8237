/// Purpose of a reminder. From 100 on the app's own.
package struct ReminderKind: Hashable, Sendable {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A message calls the person by name, or everybody.
    package static let mention = ReminderKind(rawValue: 1)
    /// Someone asks to join a group the person manages.
    package static let joinRequest = ReminderKind(rawValue: 2)
    /// To be confirmed.
    package static let announcement = ReminderKind(rawValue: 3)

    /// True for a number that has a meaning.
    package var isKnown: Bool { (1...3).contains(self.rawValue) || (100...65_535).contains(self.rawValue) }
}

/// Something in a conversation that waits for one person. Made by the server only.
package struct Reminder: Hashable, Sendable {
    /// Identifies the reminder.
    package var id: Int64
    /// Person concerned.
    package var user: UserID
    /// Conversation concerned.
    package var conversation: ConversationID
    /// The message it is about; 0 for none.
    package var sequence: Int64
    /// Message concerned; `nil` for none.
    package var messageID: MessageID?
    /// Person who caused it.
    package var publisher: UserName
    /// Purpose of the reminder.
    package var kind: ReminderKind
    /// Empty for a mention: each gateway words it.
    package var text: String
    /// A JSON object, when who made it gave one.
    package var data: [UInt8]?
    /// True when the client jumps to the message.
    package var locates: Bool
    /// True when done.
    package var isDone: Bool
    /// Grows over the whole store: ask later for what is above the largest one seen.
    package var change: Int64
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    package init(
        id: Int64, user: UserID, conversation: ConversationID, sequence: Int64, messageID: MessageID?,
        publisher: UserName, kind: ReminderKind, text: String, data: [UInt8]?, locates: Bool, isDone: Bool,
        change: Int64, createdAtMilliseconds: Int64
    ) {
        self.id = id
        self.user = user
        self.conversation = conversation
        self.sequence = sequence
        self.messageID = messageID
        self.publisher = publisher
        self.kind = kind
        self.text = text
        self.data = data
        self.locates = locates
        self.isDone = isDone
        self.change = change
        self.createdAtMilliseconds = createdAtMilliseconds
    }
}

/// A reminder to be made.
package struct NewReminder: Hashable, Sendable {
    /// Conversation concerned.
    package var conversation: ConversationID
    /// The message it is about; 0 for none.
    package var sequence: Int64
    /// Purpose of the reminder.
    package var kind: ReminderKind
    /// Text that people see.
    package var text: String
    /// The text of a JSON object.
    package var data: [UInt8]?
    /// True when the client jumps to the message.
    package var locates: Bool

    package init(
        in conversation: ConversationID, sequence: Int64 = 0, kind: ReminderKind, text: String, data: [UInt8]? = nil,
        locates: Bool = false
    ) {
        self.conversation = conversation
        self.sequence = sequence
        self.kind = kind
        self.text = text
        self.data = data
        self.locates = locates
    }
}

/// Reminders of a person that changed.
package struct ReminderChange: Hashable, Sendable {
    /// Identifiers.
    package var ids: [Int64]
    /// The newest change number; 0 when nothing changed.
    package var change: Int64

    package init(ids: [Int64], change: Int64) {
        self.ids = ids
        self.change = change
    }
}
