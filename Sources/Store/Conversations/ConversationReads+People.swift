package import ChatModel

// The conversations of several people, for an export.
extension ConversationReads {
    /// Most people that one question names.
    package static let maximumPeople = 200

    private static let ofPeopleSQL = SQL(
        """
        SELECT m.conversation_id FROM json_each(?1) AS p JOIN member m ON m.user_id = p.value
            WHERE m.conversation_id > ?2 AND m.conversation_id <= ?3
        UNION
        SELECT f.conversation_id FROM former_member f
            WHERE f.conversation_id > ?2 AND f.conversation_id <= ?3
                AND f.user_id IN (SELECT value FROM json_each(?1))
        ORDER BY 1 LIMIT ?4
        """)

    /// Conversations in which at least one of these people is a member or was one, by number; `limit` is 1...1000.
    ///
    /// Reads the rows of all former members behind `after`: for exports, not for screens.
    ///
    /// - Throws: `invalid` for more than `maximumPeople`.
    package func numbers(
        ofAny people: [UserID], after: ConversationID, through last: ConversationID = ConversationID(rawValue: .max),
        limit: Int
    ) throws(StoreError) -> [ConversationID] {
        guard people.count <= Self.maximumPeople else {
            throw .invalid("at most \(Self.maximumPeople) people at a time")
        }
        guard !people.isEmpty else { return [] }
        return try self.transaction.connection.query(
            Self.ofPeopleSQL, try MessageReads.list(people.map(\.rawValue)), after, last,
            try ReadTransaction.page(limit)
        ) { row throws(StoreError) in row.conversationID(0) }
    }

    /// True when at least one of these people is a member of a conversation or was one.
    package func concerns(_ people: [UserID], _ id: ConversationID) throws(StoreError) -> Bool {
        let before = ConversationID(rawValue: id.rawValue - 1)
        return try !self.numbers(ofAny: people, after: before, through: id, limit: 1).isEmpty
    }
}
