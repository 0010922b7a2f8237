package import ChatModel

/// What an operator is told of a message's way to one person.
package struct MessageWay: Hashable, Sendable {
    package var user: UserID
    package var name: UserName
    package var readSequence: Int64
    /// When the person reported having read it, UTC milliseconds.
    package var reportedReadAtMilliseconds: Int64?
    /// How far devices of a class acknowledged receipt in this conversation.
    package var delivered: [DeliveredTo]
    /// History up to this sequence is gone for the person.
    package var clearedThrough: Int64
    /// They deleted the message for themselves.
    package var isHidden: Bool

    /// How far one class of devices is.
    package struct DeliveredTo: Hashable, Sendable {
        package var deviceClass: DeviceClass
        package var sequence: Int64
    }
}

extension ReadTransaction {
    /// The members of a conversation with how far each is with one message, by number; `limit` is 1...1000.
    package func ways(
        of place: MessagePlace, after user: UserID, limit: Int
    ) throws(StoreError) -> [MessageWay] {
        let home = try self.home(of: place.conversation)
        let sql: StaticString = """
            SELECT m.user_id, u.name, m.read_sequence, r.read_at, coalesce(p.cleared_through, 0), coalesce(k.hidden, 0)
            FROM member m JOIN user u ON u.id = m.user_id
            LEFT JOIN message_reader r ON r.conversation_id = ?1 AND r.sequence = ?2 AND r.user_id = m.user_id
            LEFT JOIN preference p ON p.user_id = m.user_id AND p.conversation_id = ?1
            LEFT JOIN message_mark k ON k.user_id = m.user_id AND k.conversation_id = ?1 AND k.sequence = ?2
            WHERE m.conversation_id = ?3 AND m.user_id > ?4 ORDER BY m.user_id LIMIT ?5
            """
        var ways = try self.connection.query(
            sql, place.conversation, place.sequence, home, user, try Self.page(limit)
        ) { row throws(StoreError) in
            MessageWay(
                user: row.userID(0), name: try row.userName(1), readSequence: row.int64(2),
                reportedReadAtMilliseconds: row.optionalInt64(3), delivered: [], clearedThrough: row.int64(4),
                isHidden: row.int64(5) != 0)
        }
        for index in ways.indices {
            ways[index].delivered = try self.delivered(to: ways[index].user, in: place.conversation)
        }
        return ways
    }

    private func delivered(
        to user: UserID, in conversation: ConversationID
    ) throws(StoreError) -> [MessageWay.DeliveredTo] {
        let sql: StaticString = """
            SELECT device_class, sequence FROM delivered WHERE user_id = ? AND conversation_id = ? ORDER BY device_class
            """
        return try self.connection.query(sql, user, conversation) { row throws(StoreError) in
            MessageWay.DeliveredTo(deviceClass: try row.deviceClass(0), sequence: row.int64(1))
        }
    }

    /// The sequence of the first message at or after a time; one more than the head when all are earlier. Times never fall
    /// within a conversation, so it is found by halving.
    package func firstSequence(
        in id: ConversationID, atOrAfter milliseconds: Int64
    ) throws(StoreError) -> Int64 {
        var low: Int64 = 1
        var high = (try self.conversation(id)?.head ?? 0) + 1
        while low < high {
            let middle = low + (high - low) / 2
            let sent = try self.connection.first(
                "SELECT sent_at FROM message WHERE conversation_id = ? AND sequence = ?", id, middle
            ) { row throws(StoreError) in row.int64(0) }
            guard let sent else { throw Row.damaged("hole in a conversation") }
            if sent >= milliseconds { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
