package import ChatModel

/// A conversation with one person's place in it.
package struct ConversationOfMember: Hashable, Sendable {
    package var conversation: Conversation
    package var member: Member
    /// For a direct conversation, the other one.
    package var peerName: UserName?
    package var unread: Int64
    /// Grows over the whole store with every message, change of the conversation, or reading by this person: ask later
    /// for what is above the largest one seen.
    package var change: Int64
}

/// Messages a person's devices of one class have not acknowledged: those after `from`, up to `head`.
package struct UndeliveredRange: Hashable, Sendable {
    package var conversation: ConversationID
    package var from: Int64
    package var head: Int64
}

extension ReadTransaction {
    package func conversation(_ id: ConversationID) throws(StoreError) -> Conversation? {
        let sql: StaticString = """
            SELECT id, kind, channel, title, flags, creator_id, member_count, head, head_countable, revision, created_at,
                active_at
            FROM conversation WHERE id = ?
            """
        return try self.connection.first(sql, id, read: Self.conversation)
    }

    /// The conversation behind an address; a direct address is one seen by `asker`.
    package func conversation(
        _ address: ConversationAddress, seenBy asker: UserID
    ) throws(StoreError) -> Conversation? {
        let id: ConversationID?
        switch address {
        case .id(let known): id = known
        case .channel(let kind, let name):
            id = try self.connection.conversationID(of: ChannelKey(kind: kind, name: name))
        case .direct(let name):
            guard let peer = try self.connection.userID(of: name) else { return nil }
            id = try self.connection.conversationID(of: DirectPair(asker, peer))
        }
        guard let id else { return nil }
        return try self.conversation(id)
    }

    /// All conversations, by number; `limit` is 1...1000.
    package func allConversations(
        after: ConversationID = ConversationID(rawValue: 0), limit: Int
    ) throws(StoreError) -> [Conversation] {
        let sql: StaticString = """
            SELECT id, kind, channel, title, flags, creator_id, member_count, head, head_countable, revision, created_at,
                active_at
            FROM conversation WHERE id > ? ORDER BY id LIMIT ?
            """
        return try self.connection.query(sql, after, try Self.page(limit), read: Self.conversation)
    }

    private static func conversation(_ row: Row) throws(StoreError) -> Conversation {
        Conversation(
            id: row.conversationID(0), kind: try row.conversationKind(1),
            channel: row.optionalText(2).flatMap(ChannelName.init), title: row.optionalText(3),
            flags: ConversationFlags(rawValue: row.int64(4)), creator: row.userID(5), memberCount: Int(row.int64(6)),
            head: row.int64(7), headCountable: row.int64(8), revision: row.int64(9),
            createdAtMilliseconds: row.int64(10), activeAtMilliseconds: row.int64(11))
    }

    /// The names of the two people of a direct conversation, the smaller number first; `nil` for another kind.
    package func directPair(of id: ConversationID) throws(StoreError) -> (low: UserID, high: UserID)? {
        let sql: StaticString = """
            SELECT direct_low, direct_high FROM conversation WHERE id = ? AND direct_low IS NOT NULL
            """
        return try self.connection.first(sql, id) { row throws(StoreError) in (row.userID(0), row.userID(1)) }
    }

    // MARK: Members

    /// Everyone, by number.
    package func members(of id: ConversationID) throws(StoreError) -> [Member] {
        let sql: StaticString = """
            SELECT m.user_id, u.name, m.role, m.read_sequence, m.read_countable, m.own_countable_since_read,
                m.joined_sequence
            FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = ? ORDER BY m.user_id
            """
        return try self.connection.query(sql, id) { row throws(StoreError) in try Self.member(row, from: 0) }
    }

    package func member(_ user: UserID, in id: ConversationID) throws(StoreError) -> Member? {
        let sql: StaticString = """
            SELECT m.user_id, u.name, m.role, m.read_sequence, m.read_countable, m.own_countable_since_read,
                m.joined_sequence
            FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = ? AND m.user_id = ?
            """
        return try self.connection.first(sql, id, user) { row throws(StoreError) in try Self.member(row, from: 0) }
    }

    private static func member(_ row: Row, from column: Int32) throws(StoreError) -> Member {
        Member(
            user: row.userID(column), name: try row.userName(column + 1), role: try row.memberRole(column + 2),
            readSequence: row.int64(column + 3), readCountable: row.int64(column + 4),
            ownCountableSinceRead: row.int64(column + 5), joinedSequence: row.int64(column + 6))
    }

    // MARK: One person's conversations

    /// All conversations of a person, by number.
    package func conversations(of user: UserID) throws(StoreError) -> [ConversationOfMember] {
        try self.conversationsChanged(of: user, since: 0)
    }

    /// The conversations of a person with a message, a change or a reading of their own after change number `since`.
    package func conversationsChanged(
        of user: UserID, since change: Int64
    ) throws(StoreError) -> [ConversationOfMember] {
        let sql: StaticString = """
            SELECT c.id, c.kind, c.channel, c.title, c.flags, c.creator_id, c.member_count, c.head, c.head_countable,
                c.revision, c.created_at, c.active_at,
                m.user_id, u.name, m.role, m.read_sequence, m.read_countable, m.own_countable_since_read,
                m.joined_sequence, max(c.change, m.change),
                CASE WHEN c.direct_low = m.user_id THEN c.direct_high ELSE c.direct_low END
            FROM member m JOIN conversation c ON c.id = m.conversation_id JOIN user u ON u.id = m.user_id
            WHERE m.user_id = ? AND max(c.change, m.change) > ? ORDER BY m.conversation_id
            """
        let hidden = try self.hiddenCounts(of: user)
        return try self.connection.query(sql, user, change) { row throws(StoreError) in
            let conversation = try Self.conversation(row)
            let member = try Self.member(row, from: 12)
            let unread = member.unread(headCountable: conversation.headCountable)
            return ConversationOfMember(
                conversation: conversation, member: member,
                peerName: row.isNull(20) ? nil : try self.name(of: row.userID(20)),
                unread: max(0, unread - hidden[conversation.id, default: 0]), change: row.int64(19))
        }
    }

    /// How much a person has not read, for every conversation that has something.
    package func unread(of user: UserID) throws(StoreError) -> [ConversationID: Int64] {
        let sql: StaticString = """
            SELECT m.conversation_id, c.head_countable - m.read_countable - m.own_countable_since_read
            FROM member m JOIN conversation c ON c.id = m.conversation_id
            WHERE m.user_id = ? AND c.head_countable > m.read_countable + m.own_countable_since_read
            """
        let hidden = try self.hiddenCounts(of: user)
        var unread: [ConversationID: Int64] = [:]
        let rows = try self.connection.query(sql, user) { row throws(StoreError) in
            (row.conversationID(0), row.int64(1))
        }
        unread.reserveCapacity(rows.count)
        for (id, count) in rows {
            let visible = count - hidden[id, default: 0]
            if visible > 0 { unread[id] = visible }
        }
        return unread
    }

    /// Withheld messages after the read position, by conversation; nearly always empty.
    private func hiddenCounts(of user: UserID) throws(StoreError) -> [ConversationID: Int64] {
        let sql: StaticString = """
            SELECT h.conversation_id, count(*) FROM hidden_count h
            JOIN member m ON m.conversation_id = h.conversation_id AND m.user_id = h.user_id
            WHERE h.user_id = ? AND h.sequence > m.read_sequence GROUP BY h.conversation_id
            """
        let rows = try self.connection.query(sql, user) { row throws(StoreError) in
            (row.conversationID(0), row.int64(1))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    func hiddenCount(_ user: UserID, in id: ConversationID, after sequence: Int64) throws(StoreError) -> Int64 {
        let sql: StaticString = """
            SELECT count(*) FROM hidden_count WHERE user_id = ? AND conversation_id = ? AND sequence > ?
            """
        return try self.connection.first(sql, user, id, sequence) { row throws(StoreError) in row.int64(0) } ?? 0
    }

    // MARK: Delivery

    /// How far the devices of one class acknowledged receipt, where they did.
    package func deliveredPositions(
        of user: UserID, class deviceClass: DeviceClass
    ) throws(StoreError) -> [ConversationID: Int64] {
        let sql: StaticString = """
            SELECT conversation_id, sequence FROM delivered WHERE user_id = ? AND device_class = ?
            """
        let rows = try self.connection.query(sql, user, deviceClass) { row throws(StoreError) in
            (row.conversationID(0), row.int64(1))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// What the devices of one class still have to get: after the acknowledged position, or when there is none, after
    /// what the person has read or what was there before they joined.
    package func undelivered(
        of user: UserID, class deviceClass: DeviceClass
    ) throws(StoreError) -> [UndeliveredRange] {
        let sql: StaticString = """
            SELECT m.conversation_id, coalesce(d.sequence, max(m.joined_sequence, m.read_sequence)) AS position, c.head
            FROM member m JOIN conversation c ON c.id = m.conversation_id
            LEFT JOIN delivered d
                ON d.user_id = m.user_id AND d.device_class = ?2 AND d.conversation_id = m.conversation_id
            WHERE m.user_id = ?1 AND c.head > position ORDER BY m.conversation_id
            """
        return try self.connection.query(sql, user, deviceClass) { row throws(StoreError) in
            UndeliveredRange(conversation: row.conversationID(0), from: row.int64(1), head: row.int64(2))
        }
    }
}
