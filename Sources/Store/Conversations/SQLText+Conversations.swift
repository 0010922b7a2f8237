import ChatModel

// Conditions on the kind of a conversation `c`. SQLite compares faster than it looks up a list.
extension SQLText {
    /// It stands in its people's lists: see `ConversationKind.isListed`.
    static let isListed: SQLText = """
        c.kind <> \(ConversationKind.room) AND c.kind <> \(ConversationKind.temporary) \
        AND c.kind <> \(ConversationKind.data)
        """

    /// It is kept for people who are away.
    static let waitsForPeople: SQLText = "c.kind <> \(ConversationKind.room) AND c.kind <> \(ConversationKind.data)"

    /// True for kinds that people who are no members may find.
    static let isOpen: SQLText = "(c.kind = \(ConversationKind.room) OR c.kind = \(ConversationKind.service))"
}

extension MessageFlags {
    /// Counts as unread, for some only: `shown_count` says for whom.
    static let countedForSome: MessageFlags = [.restricted, .countsAsUnread]
}

extension ConversationFlags {
    /// Two ways of muting of which a conversation has one at most.
    static let mutedTwice: ConversationFlags = [.membersMuted, .everyoneMuted]
}
