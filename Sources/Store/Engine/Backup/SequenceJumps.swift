package import ChatModel

// Sequences of a conversation are 1, 2, 3 ... without a gap, but for what the source of an import did not have any more, and
// for what a restore passes over: clients may have seen numbers that the backup does not know. Each restore records a floor above every number that was given before it; the next message
// of every conversation, those that do not exist yet included, comes behind the floor, and the range that it passes over is
// a row of `sequence_gap`.
extension Connection {
    /// Sequence above which the next message of every conversation is; 0 for a database that was never restored.
    func sequenceFloor() throws(StoreError) -> Int64 {
        try self.first("SELECT coalesce(max(floor), 0) FROM sequence_jump") { row throws(StoreError) in row.int64(0) }
            ?? 0
    }

    /// Sequence that no gap of any conversation is above; 0 for none.
    func newestGap() throws(StoreError) -> Int64 {
        try self.first("SELECT coalesce(max(last), 0) FROM sequence_gap") { row throws(StoreError) in row.int64(0) }
            ?? 0
    }

    /// Records that there are no messages between two of a conversation, if there are none.
    func noteGap(in id: ConversationID, after head: Int64, before sequence: Int64) throws(StoreError) {
        guard sequence > head + 1 else { return }
        try self.run(
            "INSERT INTO sequence_gap (conversation_id, first, last) VALUES (?, ?, ?)", id, head + 1, sequence - 1)
    }

    /// Sequence of the newest message at or before a place; the place itself where there is no gap.
    func placed(_ sequence: Int64, in id: ConversationID) throws(StoreError) -> Int64 {
        let first = try self.first(
            "SELECT first FROM sequence_gap WHERE conversation_id = ?1 AND first <= ?2 AND last >= ?2", id, sequence
        ) { row throws(StoreError) in row.int64(0) }
        return first.map { $0 - 1 } ?? sequence
    }

    /// Sequences of a range that no message has because a restore has passed over them. Its ends are in no such gap, or
    /// behind the last one.
    func passedOver(in id: ConversationID, _ range: ClosedRange<Int64>) throws(StoreError) -> Int64 {
        try self.first(
            """
            SELECT coalesce(sum(min(last, ?3) - first + 1), 0) FROM sequence_gap
            WHERE conversation_id = ?1 AND first >= ?2 AND first <= ?3
            """, id, range.lowerBound, range.upperBound
        ) { row throws(StoreError) in row.int64(0) } ?? 0
    }

    /// Sequences of a conversation that no message has.
    func passedOver(in id: ConversationID) throws(StoreError) -> Int64 {
        let sql: StaticString = "SELECT coalesce(sum(last - first + 1), 0) FROM sequence_gap WHERE conversation_id = ?"
        return try self.first(sql, id) { row throws(StoreError) in row.int64(0) } ?? 0
    }
}

extension Connection {
    /// Sequence of the message that has so many newer ones: a matter of the gaps between them, however many those are. 0 or
    /// less when there are fewer messages.
    func sequence(fromNewest places: Int64, in id: ConversationID, head: Int64) throws(StoreError) -> Int64 {
        var (sequence, before) = (head - places, Int64.max)
        while let gap = try self.newestGap(of: id, before: before), gap.last >= sequence {
            sequence -= gap.last - gap.first + 1
            before = gap.first
        }
        return sequence
    }

    private func newestGap(
        of id: ConversationID, before sequence: Int64
    ) throws(StoreError) -> (first: Int64, last: Int64)? {
        try self.first(
            """
            SELECT first, last FROM sequence_gap WHERE conversation_id = ? AND first < ? ORDER BY first DESC LIMIT 1
            """, id, sequence
        ) { row throws(StoreError) in (row.int64(0), row.int64(1)) }
    }
}

extension WriteTransaction {
    /// Sequence at which a position comes to stand that a client names: at most the head, and on a message.
    func standing(at sequence: Int64, in conversation: ConversationState) throws(StoreError) -> Int64 {
        if sequence >= conversation.head { return conversation.head }
        if sequence > self.memory.newestGap || self.memory.newestGap == 0 { return sequence }
        return try self.connection.placed(sequence, in: conversation.id)
    }
}

extension ConversationReads {
    /// Sequence behind which the newest messages of a conversation are, so many of them.
    package func sequence(behindNewest count: Int64, of id: ConversationID, head: Int64) throws(StoreError) -> Int64 {
        try self.transaction.connection.sequence(fromNewest: count, in: id, head: head)
    }
}

// The jumps of one database, for `verify`.
extension Verifier {
    /// Ranges that no message has, by conversation and by the first sequence in them.
    func gaps() throws(StoreError) -> [Int64: [Int64: Int64]] {
        var gaps: [Int64: [Int64: Int64]] = [:]
        let rows = try self.connection.query("SELECT conversation_id, first, last FROM sequence_gap") {
            row throws(StoreError) in (row.int64(0), row.int64(1), row.int64(2))
        }
        for (conversation, first, last) in rows { gaps[conversation, default: [:]][first] = last }
        return gaps
    }

    /// Checks that each range ends where a restore has let numbers begin again, or that an import has left it out.
    func checkJumps() throws(StoreError) {
        let strays = try self.connection.query(
            """
            SELECT g.conversation_id, g.first, g.last FROM sequence_gap g
            WHERE g.first < 1 OR g.last < g.first OR NOT (
                EXISTS (SELECT 1 FROM sequence_jump j WHERE j.floor = g.last)
                OR EXISTS (SELECT 1 FROM import_conversation i WHERE i.conversation_id = g.conversation_id))
            """
        ) { row throws(StoreError) in (row.int64(0), row.int64(1), row.int64(2)) }
        for (conversation, first, last) in strays {
            self.notes.add(
                .sequence,
                """
                Conversation number \(conversation) is said to have no messages \(first) to \(last), and no restore or \
                import has passed over them. Restore the last backup.
                """)
        }
    }
}
