package import ChatModel

/// Subject of an event in the queue.
package enum HookSubject: Hashable, Sendable {
    /// A message that was stored. It may be gone since.
    case message(ConversationID, sequence: Int64)
    /// A body that was worded when the event happened.
    case body([UInt8])
}

/// An event that waits for a receiver outside.
package struct HookEntry: Hashable, Sendable {
    /// Its place: larger than that of every event that waited when it came. Begins anew when the queue was empty.
    package var sequence: Int64
    /// Subject of the event.
    package var subject: HookSubject
    /// Time the event was queued, UTC milliseconds.
    package var createdAtMilliseconds: Int64
}

/// How long the queue is.
package struct HookQueueLength: Hashable, Sendable {
    /// Events that wait; a few too many when some in the middle are gone.
    package var events: Int64 = 0
    /// Time of the oldest event, UTC milliseconds; `nil` for an empty queue.
    package var oldestAtMilliseconds: Int64?

    package init() {}
}

/// The numbers of `hook_queue.event`.
enum HookEventNumber {
    static let message: Int64 = 0
    static let body: Int64 = 1
}

extension ReadTransaction {
    /// Events that wait for a receiver outside.
    package var hooks: HookReads { HookReads(transaction: self) }
}

extension WriteTransaction {
    /// Events that wait for a receiver outside.
    package var hooks: HookWrites { HookWrites(transaction: self) }
}

/// Reads of the queue of events for receivers outside. Valid as long as its transaction.
package struct HookReads {
    let transaction: ReadTransaction

    /// The oldest events; `limit` is 1...1000.
    package func oldest(limit: Int) throws(StoreError) -> [HookEntry] {
        let sql: StaticString = """
            SELECT sequence, event, conversation_id, message_sequence, body, created_at FROM hook_queue
            ORDER BY sequence LIMIT ?
            """
        return try self.transaction.connection.query(sql, try ReadTransaction.page(limit)) { row throws(StoreError) in
            HookEntry(
                sequence: row.int64(0),
                subject: row.int64(1) == HookEventNumber.message
                    ? .message(row.conversationID(2), sequence: row.int64(3)) : .body(row.blob(4)),
                createdAtMilliseconds: row.int64(5))
        }
    }

    /// Found at the two ends of the queue, without counting.
    package func length() throws(StoreError) -> HookQueueLength {
        let sql: StaticString = """
            SELECT sequence, created_at, (SELECT max(sequence) FROM hook_queue) FROM hook_queue ORDER BY sequence LIMIT 1
            """
        let found = try self.transaction.connection.first(sql) { row throws(StoreError) in
            var length = HookQueueLength()
            length.events = row.int64(2) - row.int64(0) + 1
            length.oldestAtMilliseconds = row.int64(1)
            return length
        }
        return found ?? HookQueueLength()
    }
}

/// Changes of the queue of events for receivers outside. Valid as long as its transaction.
package struct HookWrites {
    let transaction: WriteTransaction

    /// Adds an event that was worded already.
    package func add(body: [UInt8]) throws(StoreError) {
        try self.transaction.connection.run(
            "INSERT INTO hook_queue (event, body, created_at) VALUES (?, ?, ?)", HookEventNumber.body, body,
            self.transaction.wallMilliseconds)
    }

    /// Removes events that were delivered.
    ///
    /// - Parameter sequences: the first and the last.
    package func remove(_ sequences: ClosedRange<Int64>) throws(StoreError) {
        try self.transaction.connection.run(
            "DELETE FROM hook_queue WHERE sequence BETWEEN ? AND ?", sequences.lowerBound, sequences.upperBound)
    }

    /// Removes the oldest events until at most `length` are left, but no more than `most`, so that messages do not wait
    /// for it.
    ///
    /// - Returns: how many were removed.
    package func trim(to length: Int64, most: Int64) throws(StoreError) -> Int64 {
        let excess = min(try self.transaction.reading.hooks.length().events - length, most)
        guard excess > 0 else { return 0 }
        try self.transaction.connection.run(
            "DELETE FROM hook_queue WHERE sequence < (SELECT min(sequence) FROM hook_queue) + ?", excess)
        return self.transaction.connection.changes
    }
}
