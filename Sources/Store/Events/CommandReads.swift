package import ChatModel

extension ReadTransaction {
    /// Reads of commands for clients.
    package var commands: CommandReads { CommandReads(transaction: self) }
}

/// Reads of commands for clients. Valid as long as its transaction.
package struct CommandReads {
    let transaction: ReadTransaction
}

extension CommandReads {
    /// Commands for a person after a place in the log, oldest first: those addressed to them, and those of conversations
    /// they are in, since they are. `limit` is 1...1000.
    package func page(
        for user: UserID, after sequence: Int64, limit: Int
    ) throws(StoreError) -> [StoredCommand] {
        let sql: StaticString = """
            SELECT sequence, id, conversation_id, sender_id, sent_at, channel, kind, content_kind, flags, wire, expire,
                client_token, topic, body
            FROM command WHERE sequence IN (
                SELECT sequence FROM command_receiver WHERE user_id = ?1 AND sequence > ?2
                UNION ALL
                SELECT a.sequence FROM member m JOIN command a ON a.audience_id = m.conversation_id
                WHERE m.user_id = ?1 AND a.sequence > ?2 AND a.sent_at >= m.joined_at
                UNION ALL
                SELECT b.sequence FROM listener l JOIN command b ON b.audience_id = l.conversation_id
                WHERE l.user_id = ?1 AND b.sequence > ?2 AND b.sent_at >= l.added_at
                UNION ALL
                SELECT t.sequence FROM listener l JOIN command t ON t.conversation_id = l.conversation_id
                WHERE l.user_id = ?1 AND t.sequence > ?2 AND t.sent_at >= l.added_at AND t.audience_id <> t.conversation_id)
            ORDER BY sequence LIMIT ?3
            """
        return try self.transaction.connection.query(
            sql, user, sequence, try ReadTransaction.page(limit), read: self.command)
    }

    private func command(_ row: Row) throws(StoreError) -> StoredCommand {
        guard let wire = WireFormat(rawValue: row.int64(9)) else { throw Row.damaged("wire format") }
        let content = MessageContent(
            kind: MessageKind(rawValue: Int32(truncatingIfNeeded: row.int64(7))),
            flags: MessageFlags(rawValue: row.int64(8)), wire: wire, body: row.blob(13),
            expireSeconds: UInt32(truncatingIfNeeded: row.int64(10)), topic: row.optionalText(12))
        let sender = row.userID(3)
        return StoredCommand(
            sequence: row.int64(0), id: MessageID(rawValue: row.int64(1)),
            conversation: row.isNull(2) ? nil : row.conversationID(2), sender: sender,
            senderName: try self.transaction.name(of: sender), channel: row.text(5), kind: try row.conversationKind(6),
            sentAtMilliseconds: row.int64(4), clientToken: row.optionalBlob(11).flatMap(ClientToken.init),
            content: content)
    }

    /// How far a person has acknowledged commands; 0 when they never have.
    package func position(_ user: UserID) throws(StoreError) -> Int64 {
        let sql: StaticString = "SELECT sequence FROM command_position WHERE user_id = ?"
        return try self.transaction.connection.first(sql, user) { row throws(StoreError) in row.int64(0) } ?? 0
    }

    /// The place of the newest command that was ever added; 0 before the first.
    package func newest() throws(StoreError) -> Int64 {
        let sql: StaticString = "SELECT seq FROM sqlite_sequence WHERE name = 'command'"
        return try self.transaction.connection.first(sql) { row throws(StoreError) in row.int64(0) } ?? 0
    }
}
