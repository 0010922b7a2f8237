package import ChatModel

extension MessageReads {
    /// A person's reminders that changed after a change number, done ones too, in that order; `limit` is 1...1000. Those
    /// of conversations the person has left are not told.
    ///
    /// - Parameter conversations: only those of these, at most 1000; `nil` for all.
    /// - Throws: `invalid` for too many.
    package func reminders(
        of user: UserID, after change: Int64, conversations: [ConversationID]? = nil, limit: Int
    ) throws(StoreError) -> [Reminder] {
        let page = Int(try ReadTransaction.page(limit))
        var listed: String?
        if let conversations { listed = try Self.list(conversations.map(\.rawValue)) }
        var heard: [ConversationID: Bool] = [:]
        var reminders: [Reminder] = []
        var last = change
        while reminders.count < page {
            let rows = try self.reminderRows(of: user, after: last, listed, limit: page)
            for reminder in rows where reminders.count < page {
                let id = reminder.conversation
                if heard[id] == nil { heard[id] = try self.transaction.conversations.hears(user, in: id) }
                if heard[id] == true { reminders.append(reminder) }
            }
            guard rows.count == page, let newest = rows.last else { break }
            last = newest.change
        }
        return reminders
    }

    private func reminderRows(
        of user: UserID, after change: Int64, _ listed: String?, limit: Int
    ) throws(StoreError) -> [Reminder] {
        let sql: StaticString = """
            SELECT r.id, r.conversation_id, r.sequence, g.id, u.name, r.kind, r.text, r.data, r.locates, r.done, r.change,
                r.created_at
            FROM reminder r JOIN user u ON u.id = r.publisher_id
            LEFT JOIN message g ON g.conversation_id = r.conversation_id AND g.sequence = r.sequence
            WHERE r.user_id = ?1 AND r.change > ?2
                AND (?3 IS NULL OR r.conversation_id IN (SELECT value FROM json_each(?3)))
            ORDER BY r.change LIMIT ?4
            """
        return try self.transaction.connection.query(sql, user, change, listed, limit) { row throws(StoreError) in
            Reminder(
                id: row.int64(0), user: user, conversation: row.conversationID(1), sequence: row.int64(2),
                messageID: row.optionalInt64(3).map { MessageID(rawValue: $0) }, publisher: try row.userName(4),
                kind: ReminderKind(rawValue: Int(row.int64(5))), text: row.text(6),
                data: row.optionalText(7).map { Array($0.utf8) }, locates: row.int64(8) != 0,
                isDone: row.int64(9) != 0, change: row.int64(10), createdAtMilliseconds: row.int64(11))
        }
    }
}
