import ChatModel

// Messages by ranges of their sequences.
extension Connection {
    /// Deletes the oldest messages of a conversation: the rows, everything that refers to them, and what resends are known by.
    /// The heads and counts of the conversation and its members stay: what is deleted is read, or goes with all of it.
    ///
    /// On the writer's thread, in a transaction of its own between batches, while the tail of the log is empty: a record that is
    /// not applied could be of the range. Their bytes stay in the log's files until it is wiped (`Store.drain(erasing:)`,
    /// or the next idle wipe).
    ///
    /// - Parameters:
    ///   - last: newest sequence that goes.
    ///   - limit: most messages that go at once.
    /// - Returns: how many went; fewer than `limit` when none is left.
    func deleteOldestMessages(
        in id: ConversationID, through last: Int64 = .max, limit: Int, _ tokens: TokenIndex, at wall: Int64
    ) throws(StoreError) -> Int {
        let messages = try self.query(
            """
            SELECT sequence, sender_id, client_token FROM message WHERE conversation_id = ? AND sequence <= ?
            ORDER BY sequence LIMIT ?
            """, id, last, limit
        ) { row throws(StoreError) in
            (sequence: row.int64(0), sender: row.userID(1), token: row.optionalBlob(2).flatMap(ClientToken.init))
        }
        guard let oldest = messages.first, let newest = messages.last else { return 0 }
        try self.deleteMessages(in: id, oldest.sequence...newest.sequence, at: wall)
        for message in messages {
            if let token = message.token { try tokens.forget(token, from: message.sender, in: id) }
        }
        return messages.count
    }

    /// Every message of conversations that are not being deleted, conversation by conversation, in order:
    /// conversation_id, sequence, id, sender_id, sent_at, flags, countable, client_token, body, body_hash, kind.
    func everyMessage() throws(StoreError) -> Statement {
        try self.statement(
            """
            SELECT conversation_id, sequence, id, sender_id, sent_at, flags, countable, client_token,
                body, body_hash, kind
            FROM message WHERE conversation_id NOT IN (SELECT conversation_id FROM gone_conversation)
            ORDER BY conversation_id, sequence
            """)
    }

    /// Conversations whose last message is not placed: its id is above the position of the last commit, or above the
    /// conversation's own.
    func conversationsAhead(of position: StorePosition) throws(StoreError) -> [Int64] {
        try self.query(
            """
            SELECT c.id FROM conversation c JOIN message m ON m.conversation_id = c.id AND m.sequence = c.head
            WHERE m.id > ?1 OR (c.position > 0 AND c.position < m.id)
            """, position.rawValue
        ) { row throws(StoreError) in row.int64(0) }
    }

    /// Removes messages and everything that refers to them but their client tokens.
    private func deleteMessages(
        in id: ConversationID, _ range: ClosedRange<Int64>, at wall: Int64
    ) throws(StoreError) {
        let (first, last) = (range.lowerBound, range.upperBound)
        let files = try self.query(
            "SELECT file_id FROM file_reference WHERE conversation_id = ? AND sequence BETWEEN ? AND ?", id, first, last
        ) { row throws(StoreError) in FileID(rawValue: row.int64(0)) }
        try self.run(
            "DELETE FROM file_reference WHERE conversation_id = ? AND sequence BETWEEN ? AND ?", id, first, last)
        for file in files { try FileReferences(connection: self).release(file, at: wall) }
        for sql in Self.deletions { try self.run(sql, id, first, last) }
    }

    /// Statements that delete a range of messages, what refers to them first.
    private static let deletions: [StaticString] = [
        "DELETE FROM reminder WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM hidden_count WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM shown_count WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM message_pin WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM message_reaction WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM message_mark WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM message_reader WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM message_stream WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM message_edit WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM message_extra WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
        "DELETE FROM message WHERE conversation_id = ? AND sequence BETWEEN ? AND ?",
    ]
}

extension Connection {
    /// Number of messages that are stored, counted one by one.
    func messageCount() throws(StoreError) -> Int64 {
        try self.first("SELECT count(*) FROM message") { row throws(StoreError) in row.int64(0) } ?? 0
    }

    /// ID of the newest message, which has the highest; 0 for none. In a database of any schema.
    func newestMessageID() throws(StoreError) -> Int64 {
        try self.first("SELECT coalesce(max(id), 0) FROM message") { row throws(StoreError) in row.int64(0) } ?? 0
    }

    /// Number of messages that came after one, counted one by one.
    func messageCount(afterID id: Int64) throws(StoreError) -> Int64 {
        try self.first("SELECT count(*) FROM message WHERE id > ?", id) { row throws(StoreError) in row.int64(0) } ?? 0
    }

    /// Sequence of the message that stands so many places behind the newest one; `nil` when there are fewer.
    func sequence(fromNewest places: Int64, in id: ConversationID) throws(StoreError) -> Int64? {
        let sql: StaticString =
            "SELECT sequence FROM message WHERE conversation_id = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?"
        return try self.first(sql, id, places) { row throws(StoreError) in row.int64(0) }
    }
}
