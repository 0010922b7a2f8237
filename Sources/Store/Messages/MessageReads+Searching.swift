package import ChatModel

/// State of a conversation, by which an index of its messages knows what it lacks.
package struct ConversationHead: Hashable, Sendable {
    /// Conversation whose state this is.
    package var id: ConversationID
    /// The sequence of the newest message.
    package var head: Int64
    /// Number of its newest change (edits, membership, attributes), counted like `head`.
    package var revision: Int64
    /// A number that grows over the whole store with every message and every change of a conversation.
    package var change: Int64
}

/// A message without its body.
package struct MessageStub: Hashable, Sendable {
    /// Identifies the message in the whole store.
    package var id: MessageID
    /// Conversation of the message, and its sequence there.
    package var place: MessagePlace

    package init(id: MessageID, place: MessagePlace) {
        self.id = id
        self.place = place
    }
}

// Reading for the search index, which lies in a file of its own.
extension MessageReads {
    /// The conversations that changed after a change number, in the order of their changes. Looks at every conversation.
    package func conversationHeads(changedAfter change: Int64) throws(StoreError) -> [ConversationHead] {
        try self.transaction.connection.query(
            "SELECT id, head, revision, change FROM conversation WHERE change > ? ORDER BY change", change
        ) { row throws(StoreError) in
            ConversationHead(
                id: row.conversationID(0), head: row.int64(1), revision: row.int64(2), change: row.int64(3))
        }
    }

    /// The messages of a conversation after a sequence, in order, without their bodies; `limit` is 1...10,000.
    package func stubs(
        in id: ConversationID, after sequence: Int64, limit: Int
    ) throws(StoreError) -> [MessageStub] {
        guard (1...10_000).contains(limit) else { throw .invalid("at most 10000 messages at a time") }
        return try self.transaction.connection.query(
            "SELECT sequence, id FROM message WHERE conversation_id = ? AND sequence > ? ORDER BY sequence LIMIT ?", id,
            sequence, limit
        ) { row throws(StoreError) in
            MessageStub(id: MessageID(rawValue: row.int64(1)), place: MessagePlace(id, row.int64(0)))
        }
    }

    /// A message as it stands now, for an index: whoever may see it. `nil` when there is none.
    package func indexable(_ place: MessagePlace) throws(StoreError) -> Message? {
        guard
            let message = try self.transaction.connection.message(
                in: place.conversation, sequence: place.sequence, senderName: self.transaction.name)
        else { return nil }
        let extra = try self.loadExtras(of: [place.sequence], in: place.conversation, for: nil)[place.sequence]
        guard let extra else { return message }
        if extra.isRecalled || extra.isDeletedForAll { return nil }
        return message.edited(extra) ?? message
    }

    /// Where a person may look now: each conversation that they are in, as a member, a listener or through its community,
    /// with the first sequence that they may see.
    package func searchScope(of user: UserID) throws(StoreError) -> [ConversationID: Int64] {
        let showsAll = self.transaction.views.showsBeforeJoining
        let sql: StaticString = """
            SELECT m.conversation_id, coalesce(p.cleared_through, 0) + 1, m.joined_sequence + 1
            FROM member m LEFT JOIN preference p
                ON p.user_id = m.user_id AND p.conversation_id = m.conversation_id
            WHERE m.user_id = ?
            """
        let own = try self.transaction.connection.query(sql, user) { row throws(StoreError) in
            (row.conversationID(0), showsAll ? row.int64(1) : max(row.int64(1), row.int64(2)))
        }
        var scope = Dictionary(own) { first, _ in first }
        for id in try self.conversationsHeard(by: user) where scope[id] == nil {
            // Who has left since is no longer in it.
            guard try self.transaction.conversations.hears(user, in: id) else { continue }
            scope[id] = try self.view(of: id, for: .member(user)).start
        }
        return scope
    }

    private static let heardSQL = SQL(
        """
        SELECT conversation_id FROM listener WHERE user_id = ?1
        UNION
        SELECT t.id FROM member m JOIN conversation c ON c.id = m.conversation_id AND c.kind = \(ConversationKind.community)
        JOIN conversation t ON t.kind = \(ConversationKind.communityTopic) AND t.member_count = 0
            AND t.channel > c.channel || '@' AND t.channel < c.channel || 'A'
        WHERE m.user_id = ?1
        """)

    /// Conversations that a person hears without being a member of their own: by listening, or as topics of their
    /// communities.
    private func conversationsHeard(by user: UserID) throws(StoreError) -> [ConversationID] {
        try self.transaction.connection.query(Self.heardSQL, user) { row throws(StoreError) in row.conversationID(0) }
    }

    /// The first sequence of a conversation that somebody may see.
    ///
    /// - Throws: `notFound` without access.
    package func firstVisible(in id: ConversationID, as access: HistoryAccess) throws(StoreError) -> Int64 {
        try self.view(of: id, for: access).start
    }
}
