import ChatModel

// The one order of messages and events.
extension Verifier {
    /// Whatever is stored is at most at the position of the last commit.
    func checkPositions() throws(StoreError) {
        let position = StorePosition(rawValue: try self.connection.meta("position"))
        for conversation in try self.connection.conversationsAhead(of: position) {
            self.notes.add(
                .order,
                "Conversation number \(conversation): its last message is newer than the database says. "
                    + "Restore the last backup.")
        }
        let ahead = try self.connection.query(
            """
            SELECT 'conversation' FROM conversation WHERE position > ?1
            UNION ALL SELECT 'member' FROM member WHERE max(read_position, own_position) > ?1
            UNION ALL SELECT 'conversation_event' FROM conversation_event WHERE number > ?1
            UNION ALL SELECT 'command' FROM command WHERE id > ?1
            UNION ALL SELECT 'change_feed' FROM change_feed WHERE position > ?1
            UNION ALL SELECT 'change_feed' FROM change_feed f JOIN conversation c ON c.id = f.conversation_id
                WHERE f.user_id IS NULL AND c.position < f.position
            UNION ALL SELECT 'person_feed' FROM person_feed WHERE position > ?1
            UNION ALL SELECT 'gone_feed' FROM gone_feed WHERE position > ?1
            UNION ALL SELECT 'team_request' FROM team_request WHERE position > ?1
            UNION ALL SELECT 'notice_receiver' FROM notice_receiver WHERE position > ?1
            UNION ALL SELECT 'meta' FROM meta WHERE key = 'feed_from' AND value > ?1
            """, position.rawValue
        ) { row throws(StoreError) in row.text(0) }
        for table in Set(ahead).sorted() {
            self.notes.add(
                .order, "Table \(table) has a row that is newer than the database says. Restore the last backup.")
        }
    }
}
