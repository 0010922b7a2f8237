import ByteCodec
package import ChatModel

/// A person's own mentions in a conversation have ended: they have read the messages.
///
/// Which reminders these are is found again when it is applied: all up to `sequence` that are not done, and after the
/// messages of the same conversation that came before.
package struct LoggedMentions: Hashable, Sendable {
    /// Person whose mentions they are.
    package var user: UserID
    /// Conversation concerned.
    package var conversation: ConversationID
    /// Newest message that is read, at most the head.
    package var sequence: Int64
    /// How many end, 1 and more.
    package var count: Int64
    /// Position of the event that tells the person's devices.
    package var position: StorePosition
    /// Wall clock of the batch, UTC milliseconds.
    package var wallMilliseconds: Int64

    package init(
        user: UserID, conversation: ConversationID, sequence: Int64, count: Int64, position: StorePosition,
        wallMilliseconds: Int64
    ) {
        self.user = user
        self.conversation = conversation
        self.sequence = sequence
        self.count = count
        self.position = position
        self.wallMilliseconds = wallMilliseconds
    }
}

extension LoggedMentions: LoggedContent {
    package var kind: LogRecordKind { .mentions }

    package func write(to fields: inout FieldWriter) {
        fields.number(self.user.rawValue)
        fields.number(self.conversation.rawValue)
        fields.number(self.sequence)
        fields.number(self.count)
        fields.number(self.position.rawValue)
        fields.number(self.wallMilliseconds)
    }

    init(_ fields: inout FieldReader) throws(DecodeError) {
        self.user = UserID(rawValue: try fields.number())
        self.conversation = ConversationID(rawValue: try fields.number())
        self.sequence = try fields.number()
        self.count = try fields.number()
        self.position = StorePosition(rawValue: try fields.number())
        self.wallMilliseconds = try fields.number()
    }
}
