import ChatModel

extension SQLText {
    /// True where taking back what an import `i` has brought would leave nothing of a conversation `c` that was here before:
    /// retention has deleted what was said before. Its head would fall below numbers that were given.
    static let isLastOfPurged: SQLText = """
        i.is_new = 0 AND i.first_sequence > 0
            AND EXISTS (SELECT 1 FROM purged_history p WHERE p.conversation_id = c.id)
            AND NOT EXISTS (SELECT 1 FROM message g
                WHERE g.conversation_id = c.id AND g.sequence < i.first_sequence)
        """
}

// Messages of an import that is taken back. They have no client tokens, so that nothing else knows them.
extension Connection {
    /// Deletes the oldest messages of a conversation that was deleted.
    ///
    /// - Returns: how many went; fewer than `limit` when none is left.
    func deleteMessagesOfGone(_ id: ConversationID, limit: Int64, at wall: Int64) throws(StoreError) -> Int64 {
        let range = try self.first(
            """
            SELECT min(sequence), max(sequence), count(*) FROM (
                SELECT sequence FROM message WHERE conversation_id = ? ORDER BY sequence LIMIT ?)
            """, id, limit
        ) { row throws(StoreError) in (first: row.optionalInt64(0), last: row.optionalInt64(1), count: row.int64(2)) }
        if let range, let first = range.first, let last = range.last {
            try self.deleteMessages(in: id, first...last, at: wall)
        }
        if range?.count ?? 0 < limit {
            try self.run("DELETE FROM gone_conversation WHERE conversation_id = ?", id)
        }
        return range?.count ?? 0
    }

    /// Newest message before a sequence: its own sequence, and when it was sent; `nil` for none.
    func message(before sequence: Int64, in id: ConversationID) throws(StoreError) -> (sequence: Int64, sentAt: Int64)?
    {
        try self.first(
            """
            SELECT sequence, sent_at FROM message WHERE conversation_id = ? AND sequence < ?
            ORDER BY sequence DESC LIMIT 1
            """, id, sequence
        ) { row throws(StoreError) in (row.int64(0), row.int64(1)) }
    }

    /// Newest message that a member has sent up to a sequence: its own sequence, and how many messages count up to it; zeros
    /// for none.
    func newestOwn(
        of user: UserID, in id: ConversationID, after joined: Int64, through last: Int64
    ) throws(StoreError) -> (sequence: Int64, countable: Int64) {
        try self.first(
            """
            SELECT sequence, countable FROM message
            WHERE conversation_id = ? AND sender_id = ? AND sequence > ? AND sequence <= ?
            ORDER BY sequence DESC LIMIT 1
            """, id, user, joined, last
        ) { row throws(StoreError) in (row.int64(0), row.int64(1)) } ?? (0, 0)
    }
}
