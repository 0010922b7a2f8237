/// Whom a command is for.
package enum CommandTarget: Hashable, Sendable {
    /// Everyone who gets what is said there.
    case conversation(ConversationID)
    case people([UserID])
}

/// A command for clients, to be kept for those who are away. It is no message: it has no place in a conversation and
/// counts nowhere.
package struct NewCommand: Sendable {
    package var target: CommandTarget
    package var sender: UserID
    /// The conversation as the receivers are told it; empty for the direct conversation with the sender.
    package var channel: String
    package var kind: ConversationKind
    package var clientToken: ClientToken?
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
    package var id: MessageID
    /// `nil` when it is addressed to people.
    package var conversation: ConversationID?
    package var sender: UserID
    package var senderName: UserName
    /// The conversation as the receivers are told it; empty for the direct conversation with the sender.
    package var channel: String
    package var kind: ConversationKind
    package var sentAtMilliseconds: Int64
    package var clientToken: ClientToken?
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
