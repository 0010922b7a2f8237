package import ChatModel

/// How far somebody has got in a conversation.
package struct MemberProgress: Hashable, Sendable {
    package var user: UserID
    package var name: UserName
    /// When the newest message was sent that reached them, UTC milliseconds; 0 for none.
    package var receivedAtMilliseconds: Int64
    /// When the newest message was sent that they have read, UTC milliseconds; 0 for none.
    package var readAtMilliseconds: Int64
}

extension MessageReads {
    /// How far all members have got, by number. Who reads has received.
    package func progress(in id: ConversationID) throws(StoreError) -> [MemberProgress] {
        let sql: StaticString = """
            SELECT m.user_id, coalesce(read.sent_at, 0), max(coalesce(read.sent_at, 0), coalesce(acked.sent_at, 0))
            FROM member m
            LEFT JOIN message read ON read.conversation_id = m.conversation_id AND read.sequence = m.read_sequence
                AND m.read_at > 0
            LEFT JOIN message acked ON acked.conversation_id = m.conversation_id AND acked.sequence = m.acked_sequence
            WHERE m.conversation_id = ? ORDER BY m.user_id
            """
        let found = try self.transaction.connection.query(sql, id) { row throws(StoreError) in
            (row.userID(0), row.int64(1), row.int64(2))
        }
        var members: [MemberProgress] = []
        for (user, readAt, receivedAt) in found {
            members.append(
                MemberProgress(
                    user: user, name: try self.transaction.name(of: user), receivedAtMilliseconds: receivedAt,
                    readAtMilliseconds: readAt))
        }
        return members
    }
}
