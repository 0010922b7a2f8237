import ChatModel

// Times that came from a clock that was years ahead.
extension Connection {
    /// How far ahead a conversation may be before its times are put right; below that it waits for the clock.
    static let tolerableMilliseconds: Int64 = 86_400_000

    /// Puts the times of messages right that a clock ahead of the present one gave: all of them go back by as much as the
    /// newest is ahead, so that their order and what lay between them stay, and none is before the last good one.
    ///
    /// - Returns: the newest message's time afterwards.
    func putTimesRight(
        in id: ConversationID, head: Int64, activeAt: Int64, at wall: Int64
    ) throws(StoreError) -> Int64 {
        let good = try self.first(
            """
            SELECT sequence, sent_at FROM message WHERE conversation_id = ? AND sent_at <= ?
            ORDER BY sequence DESC LIMIT 1
            """, id, wall
        ) { row throws(StoreError) in (sequence: row.int64(0), sentAt: row.int64(1)) }
        let newest = try self.first(
            "SELECT sent_at FROM message WHERE conversation_id = ? AND sequence = ?", id, head
        ) { row throws(StoreError) in row.int64(0) }
        let ahead = (newest ?? activeAt) - wall
        if ahead > 0 {
            try self.run(
                "UPDATE message SET sent_at = max(?, sent_at - ?) WHERE conversation_id = ? AND sequence > ?",
                good?.sentAt ?? 0, ahead, id, good?.sequence ?? 0)
            try self.run(
                """
                UPDATE message_extra SET patched_at = max(1, patched_at - ?1)
                WHERE conversation_id = ?2 AND patched_at > ?3
                """, ahead, id, wall)
            try self.run(
                "UPDATE message_edit SET edited_at = max(1, edited_at - ?1) WHERE conversation_id = ?2 AND edited_at > ?3",
                ahead, id, wall)
        }
        try self.run("UPDATE conversation SET active_at = ? WHERE id = ?", wall, id)
        return wall
    }

    /// The first conversation after a number whose times are too far ahead.
    func conversationAhead(
        after id: ConversationID?, of wall: Int64
    ) throws(StoreError) -> (id: ConversationID, head: Int64, activeAt: Int64)? {
        try self.first(
            """
            SELECT id, head, active_at FROM conversation WHERE id > ? AND active_at > ?
                AND id NOT IN (SELECT conversation_id FROM gone_conversation) ORDER BY id LIMIT 1
            """, id?.rawValue ?? 0, wall + Self.tolerableMilliseconds
        ) { row throws(StoreError) in (row.conversationID(0), row.int64(1), row.int64(2)) }
    }
}
