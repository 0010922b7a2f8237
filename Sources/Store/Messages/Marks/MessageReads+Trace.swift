package import ChatModel

/// When something reached a message, as far as that is known.
package struct MessageArrival: Hashable, Sendable {
    /// UTC milliseconds.
    package var atMilliseconds: Int64
    /// It was at that time; else at that time or before.
    package var isExact: Bool

    /// - Parameters:
    ///   - position: how far it is now, and `from` how far before it moved last.
    ///   - moment: when it moved last; 0 for unknown.
    /// - Returns: `nil` for a message that it has not reached, or at an unknown time.
    init?(at sequence: Int64, position: Int64, from: Int64, moment: Int64) {
        guard sequence <= position, moment > 0 else { return nil }
        self.atMilliseconds = moment
        self.isExact = sequence > from
    }

    /// The earlier one of two, as far as that can be told.
    func earlier(_ other: MessageArrival?) -> MessageArrival {
        guard let other else { return self }
        if self.isExact != other.isExact {
            let (exact, bound) = self.isExact ? (self, other) : (other, self)
            return bound.atMilliseconds < exact.atMilliseconds ? bound : exact
        }
        return self.atMilliseconds <= other.atMilliseconds ? self : other
    }
}

/// Delivery of a message to one person, for an operator.
package struct MessageWay: Hashable, Sendable {
    package var user: UserID
    package var name: UserName
    /// They were a member when it was sent and their reading position has reached it.
    package var isRead: Bool
    /// When it did; only the time of the last move is kept, so that of an older message it is the latest possible one.
    package var read: MessageArrival?
    /// When the person reported having read it, UTC milliseconds.
    package var reportedReadAtMilliseconds: Int64?
    /// How far devices of a class acknowledged receipt in this conversation.
    package var delivered: [DeliveredTo]
    /// When the first device said that it has it.
    package var arrival: MessageArrival?
    /// They became a member, or came back, after it was sent.
    package var cameLater: Bool
    /// They are not shown what was sent before they came.
    package var isBeforeTheirHistory: Bool
    /// History up to this sequence is gone for the person.
    package var clearedThrough: Int64
    /// They deleted the message for themselves.
    package var isHidden: Bool

    /// How far one class of devices is.
    package struct DeliveredTo: Hashable, Sendable {
        package var deviceClass: DeviceClass
        package var sequence: Int64
        package var arrival: MessageArrival?
    }
}

extension MessageReads {
    /// The members of a conversation with how far each is with one message, by number; `limit` is 1...1000.
    ///
    /// In a topic whose members are those of its community nobody has a reading position: there only what they reported,
    /// and what their devices acknowledged, is known.
    package func ways(
        of place: MessagePlace, after user: UserID, limit: Int
    ) throws(StoreError) -> [MessageWay] {
        let home = try self.transaction.conversations.home(of: place.conversation)
        let hasPositions = home == place.conversation
        let (conversation, sequence) = (place.conversation, place.sequence)
        let sql: StaticString = """
            SELECT m.user_id, u.name, r.read_at, coalesce(p.cleared_through, 0), coalesce(k.hidden, 0),
                m.read_sequence, m.read_from, m.read_at, m.acked_sequence, m.acked_from, m.acked_at, m.joined_sequence
            FROM member m JOIN user u ON u.id = m.user_id
            LEFT JOIN message_reader r ON r.conversation_id = ?1 AND r.sequence = ?2 AND r.user_id = m.user_id
            LEFT JOIN preference p ON p.user_id = m.user_id AND p.conversation_id = ?1
            LEFT JOIN message_mark k ON k.user_id = m.user_id AND k.conversation_id = ?1 AND k.sequence = ?2
            WHERE m.conversation_id = ?3 AND m.user_id > ?4 ORDER BY m.user_id LIMIT ?5
            """
        var ways = try self.transaction.connection.query(
            sql, conversation, sequence, home, user, try ReadTransaction.page(limit)
        ) {
            row throws(StoreError) in
            var way = MessageWay(
                user: row.userID(0), name: try row.userName(1), isRead: false,
                reportedReadAtMilliseconds: row.optionalInt64(2), delivered: [], cameLater: false,
                isBeforeTheirHistory: false, clearedThrough: row.int64(3), isHidden: row.int64(4) != 0)
            guard hasPositions else { return way }
            way.cameLater = row.int64(11) >= sequence
            guard !way.cameLater else { return way }
            way.isRead = row.int64(5) >= sequence
            way.read = MessageArrival(at: sequence, position: row.int64(5), from: row.int64(6), moment: row.int64(7))
            way.arrival = MessageArrival(
                at: sequence, position: row.int64(8), from: row.int64(9), moment: row.int64(10))
            return way
        }
        for index in ways.indices {
            ways[index].delivered = try self.delivered(to: ways[index].user, of: place)
            // A device that comes later fetches what was sent before as history.
            if ways[index].cameLater { ways[index].delivered = [] }
            for device in ways[index].delivered {
                if let arrival = device.arrival { ways[index].arrival = arrival.earlier(ways[index].arrival) }
            }
            let view = try self.view(of: conversation, for: .member(ways[index].user))
            ways[index].isBeforeTheirHistory = sequence < view.start && sequence > ways[index].clearedThrough
        }
        return ways
    }

    private func delivered(
        to user: UserID, of place: MessagePlace
    ) throws(StoreError) -> [MessageWay.DeliveredTo] {
        let sql: StaticString = """
            SELECT device_class, sequence, from_sequence, at FROM delivered
            WHERE user_id = ? AND conversation_id = ? ORDER BY device_class
            """
        return try self.transaction.connection.query(sql, user, place.conversation) { row throws(StoreError) in
            MessageWay.DeliveredTo(
                deviceClass: try row.deviceClass(0), sequence: row.int64(1),
                arrival: MessageArrival(
                    at: place.sequence, position: row.int64(1), from: row.int64(2), moment: row.int64(3)))
        }
    }

    /// The sequence of the first message at or after a time; one more than the head when all are earlier. Times never fall
    /// within a conversation, so it is found by halving.
    package func firstSequence(
        in id: ConversationID, atOrAfter milliseconds: Int64
    ) throws(StoreError) -> Int64 {
        var low: Int64 = 1
        var high = (try self.transaction.conversations.one(id)?.head ?? 0) + 1
        while low < high {
            let middle = low + (high - low) / 2
            let found = try self.transaction.connection.first(
                """
                SELECT sent_at, sequence FROM message WHERE conversation_id = ? AND sequence BETWEEN ? AND ?
                ORDER BY sequence DESC LIMIT 1
                """, id, low, middle
            ) { row throws(StoreError) in (sentAt: row.int64(0), sequence: row.int64(1)) }
            // Nothing is in this half where a restore has passed over it.
            if let found, found.sentAt >= milliseconds { high = found.sequence } else { low = middle + 1 }
        }
        return low
    }
}
