package import ChatModel

extension ReadTransaction {
    /// Reads of conversations and their members.
    package var conversations: ConversationReads { ConversationReads(transaction: self) }
}

/// Reads of conversations and their members. Valid as long as its transaction.
package struct ConversationReads {
    let transaction: ReadTransaction
}

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
    /// Conversation with messages to deliver.
    package var conversation: ConversationID
    package var from: Int64
    package var head: Int64
}

extension SQLText {
    /// Columns of `conversation c`, as `ConversationReads.conversation` reads them.
    static let conversationColumns: SQLText = """
        c.id, c.kind, c.channel, c.title, c.flags, c.creator_id, c.member_count, c.head, c.head_countable, c.revision, \
        c.created_at, c.active_at, c.foreign_id, c.updated_at
        """
}

extension ConversationReads {
    private static let conversationSQL = SQL("SELECT \(SQLText.conversationColumns) FROM conversation c WHERE c.id = ?")
    private static let allConversationsSQL = SQL(
        "SELECT \(SQLText.conversationColumns) FROM conversation c WHERE c.id > ? ORDER BY c.id LIMIT ?")

    /// Reads a conversation; `nil` for an unknown ID.
    package func one(_ id: ConversationID) throws(StoreError) -> Conversation? {
        try self.transaction.connection.first(Self.conversationSQL, id, read: Self.conversation)
    }

    /// The conversation behind an address; a direct address is one seen by `asker`.
    package func one(
        _ address: ConversationAddress, seenBy asker: UserID
    ) throws(StoreError) -> Conversation? {
        let id: ConversationID?
        switch address {
        case .id(let known): id = known
        case .object(let object): id = try self.transaction.connection.conversationID(of: object)
        case .channel(let kind, let name):
            id = try self.transaction.connection.conversationID(of: ChannelKey(kind: kind, name: name))
        case .direct(let name):
            guard let peer = try self.transaction.connection.userID(of: name) else { return nil }
            id = try self.transaction.connection.conversationID(of: DirectPair(asker, peer))
        }
        guard let id else { return nil }
        return try self.one(id)
    }

    /// All conversations, by number; `limit` is 1...1000.
    package func all(
        after: ConversationID = ConversationID(rawValue: 0), limit: Int
    ) throws(StoreError) -> [Conversation] {
        try self.transaction.connection.query(
            Self.allConversationsSQL, after, try ReadTransaction.page(limit), read: Self.conversation)
    }

    /// From the fourteen `SQLText.conversationColumns`.
    static func conversation(_ row: Row) throws(StoreError) -> Conversation {
        Conversation(
            id: row.conversationID(0), kind: try row.conversationKind(1),
            channel: row.optionalText(2).flatMap(ChannelName.init), title: row.optionalText(3),
            flags: ConversationFlags(rawValue: row.int64(4)), creator: row.userID(5), memberCount: Int(row.int64(6)),
            head: row.int64(7), headCountable: row.int64(8), revision: row.int64(9),
            createdAtMilliseconds: row.int64(10), activeAtMilliseconds: row.int64(11), objectID: try row.objectID(12),
            updatedAtMilliseconds: row.int64(13))
    }

    /// The names of the two people of a direct conversation, the smaller number first; `nil` for another kind.
    package func directPair(of id: ConversationID) throws(StoreError) -> (low: UserID, high: UserID)? {
        let sql: StaticString = """
            SELECT direct_low, direct_high FROM conversation WHERE id = ? AND direct_low IS NOT NULL
            """
        return try self.transaction.connection.first(sql, id) { row throws(StoreError) in (row.userID(0), row.userID(1))
        }
    }

    // MARK: One person's conversations

    /// All conversations of a person, by number.
    package func page(of user: UserID) throws(StoreError) -> [ConversationOfMember] {
        try self.changed(of: user, since: 0)
    }

    private static let changedSQL = SQL(
        """
        SELECT \(SQLText.conversationColumns), \(SQLText.memberColumns), max(c.change, m.change),
            CASE WHEN c.direct_low = m.user_id THEN c.direct_high ELSE c.direct_low END
        FROM member m JOIN conversation c ON c.id = m.conversation_id JOIN user u ON u.id = m.user_id
        WHERE m.user_id = ? AND max(c.change, m.change) > ? ORDER BY m.conversation_id
        """)

    /// The conversations of a person with a message, a change or a reading of their own after change number `since`.
    package func changed(
        of user: UserID, since change: Int64
    ) throws(StoreError) -> [ConversationOfMember] {
        let hidden = try self.transaction.inbox.hiddenCounts(of: user).afterRead
        return try self.transaction.connection.query(Self.changedSQL, user, change) { row throws(StoreError) in
            let conversation = try Self.conversation(row)
            let member = try Self.member(row, from: 14)
            let unread = member.unread(headCountable: conversation.headCountable)
            return ConversationOfMember(
                conversation: conversation, member: member,
                peerName: row.isNull(28) ? nil : try self.transaction.name(of: row.userID(28)),
                unread: max(0, unread - hidden[conversation.id, default: 0]), change: row.int64(27))
        }
    }

    // MARK: Delivery

    private static let undeliveredSQL = SQL(
        """
        SELECT m.conversation_id, coalesce(d.sequence, max(m.joined_sequence, m.read_sequence)), c.head
        FROM member m JOIN conversation c ON c.id = m.conversation_id
        LEFT JOIN delivered d
            ON d.user_id = m.user_id AND d.device_class = ?2 AND d.conversation_id = m.conversation_id
        WHERE m.user_id = ?1 AND \(SQLText.isListed)
            AND c.head > coalesce(d.sequence, max(m.joined_sequence, m.read_sequence))
        ORDER BY m.conversation_id
        """)

    /// Finds the messages that devices of one class have not got yet: after the acknowledged position or, without one,
    /// after the person's reading position or joining; never cleared ones. Conversations of kinds that no list shows
    /// are left out.
    package func undelivered(
        of user: UserID, class deviceClass: DeviceClass
    ) throws(StoreError) -> [UndeliveredRange] {
        return try self.transaction.connection.query(Self.undeliveredSQL, user, deviceClass) { row throws(StoreError) in
            UndeliveredRange(conversation: row.conversationID(0), from: row.int64(1), head: row.int64(2))
        }
    }
}
