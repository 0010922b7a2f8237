import ChatModel

// What has gone for its age or number, for `verify`.
extension Verifier {
    /// Newest message of each conversation that has gone, and how many messages counted as unread up to it.
    func purges() throws(StoreError) -> [Int64: (sequence: Int64, countable: Int64)] {
        var purges: [Int64: (sequence: Int64, countable: Int64)] = [:]
        let rows = try self.connection.query("SELECT conversation_id, sequence, countable FROM purged_history") {
            row throws(StoreError) in (row.int64(0), row.int64(1), row.int64(2))
        }
        for (conversation, sequence, countable) in rows { purges[conversation] = (sequence, countable) }
        return purges
    }

    /// Checks that what is said to have gone fits the conversations.
    func checkRetention() throws(StoreError) {
        let strays = try self.connection.query(
            """
            SELECT p.conversation_id, p.sequence FROM purged_history p
            LEFT JOIN conversation c ON c.id = p.conversation_id
            WHERE c.id IS NULL OR p.sequence < 1 OR p.sequence >= c.head OR p.messages NOT BETWEEN 1 AND p.sequence
                OR p.countable NOT BETWEEN 0 AND p.messages
            """
        ) { row throws(StoreError) in (row.int64(0), row.int64(1)) }
        for (conversation, sequence) in strays {
            self.notes.add(
                .sequence,
                """
                Conversation number \(conversation) is said to have lost its messages up to \(sequence) for their age, which \
                cannot be. Restore the last backup.
                """)
        }
        let behind = try self.connection.query(
            """
            SELECT m.conversation_id, m.user_id FROM purged_history p
            JOIN member m ON m.conversation_id = p.conversation_id AND m.read_sequence < p.sequence
            """
        ) { row throws(StoreError) in (row.int64(0), row.int64(1)) }
        for (conversation, user) in behind {
            self.notes.add(
                .unread,
                """
                User number \(user) has not read messages of conversation number \(conversation) that are gone. Unread \
                badges may be wrong; reading the conversation sets them right.
                """)
        }
    }
}
