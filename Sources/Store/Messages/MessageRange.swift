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
    ///
    /// - Returns: how many messages went.
    @discardableResult
    func deleteMessages(
        in id: ConversationID, _ range: ClosedRange<Int64>, at wall: Int64
    ) throws(StoreError) -> Int64 {
        let (first, last) = (range.lowerBound, range.upperBound)
        let files = try self.query(
            "SELECT file_id FROM file_reference WHERE conversation_id = ? AND sequence BETWEEN ? AND ?", id, first, last
        ) { row throws(StoreError) in FileID(rawValue: row.int64(0)) }
        try self.run(
            "DELETE FROM file_reference WHERE conversation_id = ? AND sequence BETWEEN ? AND ?", id, first, last)
        for file in files { try FileReferences(connection: self).release(file, at: wall) }
        for sql in Self.deletions { try self.run(sql, id, first, last) }
        return self.changes
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
}

extension SQLText {
    /// True when somebody who is held has written in a conversation `c`. The primary key bounds it to the messages of the
    /// conversation, of which bodies on pages of their own are not read.
    static let heldPersonHasWritten: SQLText = """
        EXISTS (SELECT 1 FROM message g WHERE g.conversation_id = c.id
            AND g.sender_id IN (SELECT user_id FROM legal_hold WHERE user_id IS NOT NULL))
        """
}

// What retention asks.
extension Connection {
    /// A message that goes, as far as what refers to it has to know.
    struct GoingMessage {
        let sequence: Int64
        let sender: UserID
        let countable: Int64
        /// Bytes of its body.
        let bytes: Int64
    }

    /// The oldest messages of a conversation up to a sequence, oldest first.
    func oldestMessages(
        in id: ConversationID, through last: Int64, limit: Int
    ) throws(StoreError) -> [GoingMessage] {
        try self.query(
            """
            SELECT sequence, sender_id, countable, length(body) FROM message
            WHERE conversation_id = ? AND sequence <= ? ORDER BY sequence LIMIT ?
            """, id, last, limit
        ) { row throws(StoreError) in
            GoingMessage(
                sequence: row.int64(0), sender: row.userID(1), countable: row.int64(2), bytes: row.int64(3))
        }
    }

    private static let firstHeldSQL = SQL(
        """
        SELECT sequence FROM message WHERE conversation_id = ? AND sequence BETWEEN ? AND ?
            AND sender_id IN (SELECT user_id FROM legal_hold WHERE user_id IS NOT NULL)
        ORDER BY sequence LIMIT 1
        """)

    /// Last message of a range before the first one of somebody who is held, and how many count up to it.
    ///
    /// - Parameter range: begins with a message that goes.
    func lastGoing(
        in id: ConversationID, _ range: ClosedRange<Int64>
    ) throws(StoreError) -> (sequence: Int64, countable: Int64) {
        let held = try self.first(Self.firstHeldSQL, id, range.lowerBound, range.upperBound) { row throws(StoreError) in
            row.int64(0)
        }
        let last = try self.first(
            """
            SELECT sequence, countable FROM message WHERE conversation_id = ? AND sequence BETWEEN ? AND ?
            ORDER BY sequence DESC LIMIT 1
            """, id, range.lowerBound, held.map { $0 - 1 } ?? range.upperBound
        ) { row throws(StoreError) in (sequence: row.int64(0), countable: row.int64(1)) }
        guard let last else { throw Row.damaged("range of messages") }
        return last
    }

    private static let ownUnreadSQL = SQL(
        """
        SELECT g.sender_id, count(*) FROM message g
        JOIN member m ON m.conversation_id = g.conversation_id AND m.user_id = g.sender_id
        WHERE g.conversation_id = ? AND g.sequence BETWEEN ? AND ? AND g.sequence > m.read_sequence
            AND g.flags & \(MessageFlags.countedForSome) = \(MessageFlags.countsAsUnread)
        GROUP BY g.sender_id
        """)

    /// Messages of a range that count as unread for everybody else and that their own senders have not read, by sender.
    func ownUnread(in id: ConversationID, _ range: ClosedRange<Int64>) throws(StoreError) -> [UserID: Int64] {
        let rows = try self.query(Self.ownUnreadSQL, id, range.lowerBound, range.upperBound) { row throws(StoreError) in
            (row.userID(0), row.int64(1))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Sequence of the message to which the row behind so many belongs that say who has read messages of a range; `nil` when
    /// there are no more.
    func sequence(ofRead rows: Int, in id: ConversationID, _ range: ClosedRange<Int64>) throws(StoreError) -> Int64? {
        try self.first(
            """
            SELECT sequence FROM message_reader WHERE conversation_id = ? AND sequence BETWEEN ? AND ?
            ORDER BY sequence LIMIT 1 OFFSET ?
            """, id, range.lowerBound, range.upperBound, rows
        ) { row throws(StoreError) in row.int64(0) }
    }

    /// Sequence of the last message that was sent before a time; 0 for none. Times never fall within a conversation, so it
    /// is found by halving, after one look at the oldest message.
    func lastSequence(in id: ConversationID, sentBefore end: Int64, head: Int64) throws(StoreError) -> Int64 {
        let oldest = try self.first(
            "SELECT sequence, sent_at FROM message WHERE conversation_id = ? ORDER BY sequence LIMIT 1", id
        ) { row throws(StoreError) in (sequence: row.int64(0), sentAt: row.int64(1)) }
        guard let oldest, oldest.sentAt < end else { return 0 }
        // A message at or below `low` was sent before the end, and none above `high` was.
        var (low, high, found) = (oldest.sequence, head, oldest.sequence)
        while low < high {
            let middle = low + (high - low + 1) / 2
            let next = try self.first(
                """
                SELECT sequence, sent_at FROM message WHERE conversation_id = ? AND sequence BETWEEN ? AND ?
                ORDER BY sequence LIMIT 1
                """, id, middle, high
            ) { row throws(StoreError) in (sequence: row.int64(0), sentAt: row.int64(1)) }
            if let next, next.sentAt < end {
                (low, found) = (next.sequence, next.sequence)
            } else {
                high = middle - 1
            }
        }
        return found
    }

    /// Mean bytes of the bodies of a few messages, spread over a range; 0 where there are none.
    func sampledBytes(in id: ConversationID, _ range: ClosedRange<Int64>) throws(StoreError) -> Int64 {
        let samples: Int64 = 8
        var (sum, count): (Int64, Int64) = (0, 0)
        for sample in 0..<samples {
            let from = range.lowerBound + (range.upperBound - range.lowerBound) / samples * sample
            let bytes = try self.first(
                """
                SELECT length(body) FROM message WHERE conversation_id = ? AND sequence BETWEEN ? AND ?
                ORDER BY sequence LIMIT 1
                """, id, from, range.upperBound
            ) { row throws(StoreError) in row.int64(0) }
            guard let bytes else { continue }
            sum += bytes
            count += 1
        }
        return count == 0 ? 0 : sum / count
    }

    /// Sender of a message; `nil` where there is none.
    func sender(in id: ConversationID, sequence: Int64) throws(StoreError) -> UserID? {
        try self.first("SELECT sender_id FROM message WHERE conversation_id = ? AND sequence = ?", id, sequence) {
            row throws(StoreError) in row.userID(0)
        }
    }
}
