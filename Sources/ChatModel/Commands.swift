/// Receivers of a command.
package enum CommandTarget: Hashable, Sendable {
    /// Everyone who gets what is said there.
    case conversation(ConversationID)
    case people([UserID])
}

/// A command for clients, to be kept for those who are away. It is no message: it has no place in a conversation and
/// counts nowhere.
package struct NewCommand: Sendable {
    /// Receivers.
    package var target: CommandTarget
    /// Sender.
    package var sender: UserID
    /// The conversation as the receivers are told it; empty for the direct conversation with the sender.
    package var channel: String
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Sender's key for spotting a resend; `nil` for none.
    package var clientToken: ClientToken?
    /// Content of the message or command.
    package var content: MessageContent
    /// One that is kept for the same conversation and says the same is forgotten: what it leads to is done once.
    package var replacesEqual = false

    package init(
        target: CommandTarget, sender: UserID, channel: String, kind: ConversationKind,
        clientToken: ClientToken? = nil, content: MessageContent
    ) {
        self.target = target
        self.sender = sender
        self.channel = channel
        self.kind = kind
        self.clientToken = clientToken
        self.content = content
    }
}

/// A command in the log.
package struct StoredCommand: Hashable, Sendable {
    /// Its place in the log, which rises over all people; one person sees only some of the numbers.
    package var sequence: Int64
    /// Identifies the message.
    package var id: MessageID
    /// `nil` when it is addressed to people.
    package var conversation: ConversationID?
    /// Sender.
    package var sender: UserID
    /// Name of the sender.
    package var senderName: UserName
    /// The conversation as the receivers are told it; empty for the direct conversation with the sender.
    package var channel: String
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Time of sending, UTC milliseconds.
    package var sentAtMilliseconds: Int64
    /// Sender's key for spotting a resend; `nil` for none.
    package var clientToken: ClientToken?
    /// Content of the message or command.
    package var content: MessageContent

    package init(
        sequence: Int64, id: MessageID, conversation: ConversationID?, sender: UserID, senderName: UserName,
        channel: String, kind: ConversationKind, sentAtMilliseconds: Int64, clientToken: ClientToken?,
        content: MessageContent
    ) {
        self.sequence = sequence
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.senderName = senderName
        self.channel = channel
        self.kind = kind
        self.sentAtMilliseconds = sentAtMilliseconds
        self.clientToken = clientToken
        self.content = content
    }
}
