package import ChatModel

/// How far the devices of one class of a person acknowledged receipt in one conversation.
package struct DeliveredPosition: Hashable, Sendable {
    package var user: UserID
    package var deviceClass: DeviceClass
    package var conversation: ConversationID
    package var sequence: Int64

    package init(user: UserID, deviceClass: DeviceClass, conversation: ConversationID, sequence: Int64) {
        self.user = user
        self.deviceClass = deviceClass
        self.conversation = conversation
        self.sequence = sequence
    }
}

/// What reading did.
package struct ReadChange: Hashable, Sendable {
    /// The position afterwards.
    package var sequence: Int64
    /// Still unread afterwards.
    package var unread: Int64
    /// False when the person had read as far before.
    package var hasMoved: Bool
}

extension WriteTransaction {
    /// Notes that a person has read up to and including `sequence`. A position only rises, and ends at the head.
    ///
    /// - Throws: `notFound` when there is no such conversation, or the person is no member.
    @discardableResult
    package func markRead(
        _ user: UserID, in id: ConversationID, upTo sequence: Int64
    ) throws(StoreError) -> ReadChange {
        let conversation = try self.knownConversation(id)
        guard var member = try self.reading.member(user, in: id) else { throw .notFound("the member") }
        let target = min(sequence, conversation.head)
        if target > member.readSequence {
            member.ownCountableSinceRead = try self.ownCountable(member, id, upTo: target, head: conversation.head)
            member.readSequence = target
            member.readCountable = try self.countable(at: target, conversation)
            try self.connection.run(
                """
                UPDATE member SET read_sequence = ?, read_countable = ?, own_countable_since_read = ?, change = ?
                WHERE conversation_id = ? AND user_id = ?
                """, target, member.readCountable, member.ownCountableSinceRead, self.nextChange(), id, user)
            return ReadChange(sequence: target, unread: try self.unread(member, conversation), hasMoved: true)
        }
        return ReadChange(
            sequence: member.readSequence, unread: try self.unread(member, conversation), hasMoved: false)
    }

    private func unread(_ member: Member, _ conversation: ConversationState) throws(StoreError) -> Int64 {
        let hidden = try self.reading.hiddenCount(member.user, in: conversation.id, after: member.readSequence)
        return max(0, member.unread(headCountable: conversation.headCountable) - hidden)
    }

    private func countable(at sequence: Int64, _ conversation: ConversationState) throws(StoreError) -> Int64 {
        if sequence == conversation.head { return conversation.headCountable }
        let found = try self.connection.first(
            "SELECT countable FROM message WHERE conversation_id = ? AND sequence = ?", conversation.id, sequence
        ) { row throws(StoreError) in row.int64(0) }
        guard let found else { throw Row.damaged("hole in a conversation") }
        return found
    }

    /// Countable messages of the person's own after `target`; counts the shorter side, and nothing at all for someone
    /// who has not written since.
    private func ownCountable(
        _ member: Member, _ id: ConversationID, upTo target: Int64, head: Int64
    ) throws(StoreError) -> Int64 {
        if member.ownCountableSinceRead == 0 || target == head { return 0 }
        if target - member.readSequence <= head - target {
            return member.ownCountableSinceRead
                - (try self.connection.ownCountable(member.user, in: id, after: member.readSequence, upTo: target))
        }
        return try self.connection.ownCountable(member.user, in: id, after: target, upTo: head)
    }

    /// Notes how far devices acknowledged receipt. Positions only rise and end at the head; those of people who are no
    /// members any more are skipped.
    package func recordDelivered(_ positions: [DeliveredPosition]) throws(StoreError) {
        for position in positions {
            guard let conversation = try self.memory.conversation(position.conversation),
                conversation.roles[position.user] != nil
            else { continue }
            try self.connection.run(
                """
                INSERT INTO delivered (user_id, device_class, conversation_id, sequence) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET sequence = excluded.sequence WHERE excluded.sequence > sequence
                """, position.user, position.deviceClass, position.conversation,
                min(position.sequence, conversation.head))
        }
    }
}

extension Connection {
    /// Messages of one sender in a range that count as unread for others.
    func ownCountable(
        _ user: UserID, in id: ConversationID, after low: Int64, upTo high: Int64
    ) throws(StoreError) -> Int64 {
        let sql: StaticString = """
            SELECT count(*) FROM message
            WHERE conversation_id = ? AND sequence > ? AND sequence <= ? AND sender_id = ? AND flags & ?
            """
        return try self.first(sql, id, low, high, user, MessageFlags.countsAsUnread.rawValue) {
            row throws(StoreError) in row.int64(0)
        } ?? 0
    }
}
