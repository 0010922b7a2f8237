package import ChatModel

extension MessageReads {
    /// Reactions of a conversation added or cancelled after a revision, in that order; `limit` is 1...1000.
    ///
    /// - Throws: `notFound` without access; `invalid` for the limit.
    package func reactions(
        in id: ConversationID, after revision: Int64, limit: Int, as access: HistoryAccess
    ) throws(StoreError) -> [Reaction] {
        try self.check(access, to: id)
        let sql: StaticString = """
            SELECT a.sequence, g.id, u.name, u.display_name, a.name, a.removed, a.revision, a.changed_at,
                g.foreign_id
            FROM message_reaction a JOIN user u ON u.id = a.user_id
            JOIN message g ON g.conversation_id = a.conversation_id AND g.sequence = a.sequence
            WHERE a.conversation_id = ? AND a.revision > ? ORDER BY a.revision LIMIT ?
            """
        return try self.transaction.connection.query(sql, id, revision, try ReadTransaction.page(limit)) {
            row throws(StoreError) in
            try Self.reaction(row, in: id)
        }
    }

    /// The reactions of a page of history that are in force, oldest change first. At most 1000 sequences, and of all
    /// their reactions the first `limit` (1...1000): counts are exact in `reactionCounts`.
    ///
    /// - Throws: `notFound` without access; `invalid` for too many.
    package func reactions(
        of sequences: [Int64], in id: ConversationID, limit: Int = 1_000, as access: HistoryAccess
    ) throws(StoreError) -> [Reaction] {
        try self.check(access, to: id)
        let sql: StaticString = """
            SELECT a.sequence, g.id, u.name, u.display_name, a.name, a.removed, a.revision, a.changed_at,
                g.foreign_id
            FROM message_reaction a JOIN user u ON u.id = a.user_id
            JOIN message g ON g.conversation_id = a.conversation_id AND g.sequence = a.sequence
            WHERE a.conversation_id = ? AND a.sequence IN (SELECT value FROM json_each(?)) AND a.removed = 0
            ORDER BY a.revision LIMIT ?
            """
        return try self.transaction.connection.query(sql, id, try Self.list(sequences), try ReadTransaction.page(limit))
        {
            row throws(StoreError) in try Self.reaction(row, in: id)
        }
    }

    private static func reaction(_ row: Row, in id: ConversationID) throws(StoreError) -> Reaction {
        var reaction = Reaction(
            place: MessagePlace(id, row.int64(0)), messageID: MessageID(rawValue: row.int64(1)),
            user: try row.userName(2), displayName: row.optionalText(3), name: row.text(4),
            isRemoved: row.int64(5) != 0, revision: row.int64(6), changedAtMilliseconds: row.int64(7))
        reaction.shownID = row.optionalText(8)
        return reaction
    }

    /// How often each name was given to each message of a page of history, the oldest name of a message first. At most
    /// 1000 sequences.
    ///
    /// - Throws: `notFound` without access; `invalid` for too many.
    package func reactionCounts(
        of sequences: [Int64], in id: ConversationID, for user: UserID
    ) throws(StoreError) -> [ReactionCount] {
        try self.check(.member(user), to: id)
        let sql: StaticString = """
            SELECT sequence, name, count(*), max(user_id = ?) FROM message_reaction
            WHERE conversation_id = ? AND sequence IN (SELECT value FROM json_each(?)) AND removed = 0
            GROUP BY sequence, name ORDER BY sequence, min(revision)
            """
        return try self.transaction.connection.query(sql, user, id, try Self.list(sequences)) {
            row throws(StoreError) in
            ReactionCount(
                sequence: row.int64(0), name: row.text(1), count: Int(row.int64(2)), isOwn: row.int64(3) != 0)
        }
    }
}
