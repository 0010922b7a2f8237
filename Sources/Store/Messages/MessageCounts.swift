import ChatModel

// How many messages count as unread, by the running count that each of them has.
extension Connection {
    /// Messages up to and including this one that count as unread.
    ///
    /// - Throws: `fatal` when there is no such message.
    func countable(at sequence: Int64, in id: ConversationID) throws(StoreError) -> Int64 {
        let found = try self.first(
            "SELECT countable FROM message WHERE conversation_id = ? AND sequence = ?", id, sequence
        ) { row throws(StoreError) in row.int64(0) }
        guard let found else { throw Row.damaged("hole in a conversation") }
        return found
    }

    /// Messages of one sender in a range that count as unread for others.
    func ownCountable(
        _ user: UserID, in id: ConversationID, after low: Int64, upTo high: Int64
    ) throws(StoreError) -> Int64 {
        let sql: StaticString = """
            SELECT count(*) FROM message
            WHERE conversation_id = ?1 AND sequence > ?2 AND sequence <= ?3 AND sender_id = ?4 AND flags & ?5 = ?6
            """
        let (counts, restricted) = (MessageFlags.countsAsUnread, MessageFlags.restricted)
        return try self.first(
            sql, id, low, high, user, counts.union(restricted).rawValue, counts.rawValue
        ) {
            row throws(StoreError) in row.int64(0)
        } ?? 0
    }

    private static let positionSQL = SQL(
        """
        SELECT m.sequence FROM message m
        WHERE m.conversation_id = ?1 AND m.sequence > ?2 AND m.sender_id <> ?3 AND m.flags & ?4
            AND (m.flags & \(MessageFlags.restricted) = 0 OR EXISTS (
                SELECT 1 FROM shown_count s
                WHERE s.user_id = ?3 AND s.conversation_id = ?1 AND s.sequence = m.sequence))
            AND NOT EXISTS (
                SELECT 1 FROM hidden_count h
                WHERE h.user_id = ?3 AND h.conversation_id = ?1 AND h.sequence = m.sequence)
        ORDER BY m.sequence DESC LIMIT 1 OFFSET ?5
        """)

    /// The reading position after which exactly `count` messages of others count as unread, of more than that.
    func position(
        leaving count: Int64, for member: Member, in id: ConversationID, head: Int64
    ) throws(StoreError) -> Int64 {
        guard count > 0 else { return head }
        let oldest = try self.first(
            Self.positionSQL, id, member.badgeSequence, member.user, MessageFlags.countsAsUnread.rawValue, count - 1
        ) { row throws(StoreError) in row.int64(0) }
        guard let oldest else { return head }
        return try self.placed(oldest - 1, in: id)
    }
}
