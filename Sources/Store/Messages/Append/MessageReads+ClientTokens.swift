package import ChatModel

extension MessageReads {
    /// How many messages, from the newest on, are searched for a client token whose sender is not named.
    package static let tokenSearchMessages: Int64 = 20_000

    /// The newest message with this client token, whoever sent it; looked for among the newest `tokenSearchMessages`.
    ///
    /// - Throws: `notFound` without access.
    package func one(
        withToken token: ClientToken, in id: ConversationID, as access: HistoryAccess
    ) throws(StoreError) -> Message? {
        try self.check(access, to: id)
        let head = try self.transaction.conversations.one(id)?.head ?? 0
        let sql: StaticString = """
            SELECT sequence FROM message WHERE conversation_id = ? AND sequence > ? AND client_token = ?
            ORDER BY sequence DESC LIMIT 1
            """
        let found = try self.transaction.connection.first(sql, id, head - Self.tokenSearchMessages, token.bytes) {
            row throws(StoreError) in row.int64(0)
        }
        guard let found else { return nil }
        return try self.one(in: id, sequence: found, as: access)
    }
}
