package import ChatModel

// What a page about one person shows.
extension PeopleReads {
    private static let teamsSQL = SQL(
        """
        SELECT c.channel, c.title, m.role FROM member m JOIN conversation c ON c.id = m.conversation_id
        WHERE m.user_id = ?1 AND c.kind = \(ConversationKind.group) AND c.flags & ?2 = 0 ORDER BY c.id LIMIT ?3
        """)

    /// The teams somebody is in that are not dismissed, by number; `limit` is 1...1000.
    package func teams(
        of user: UserID, limit: Int
    ) throws(StoreError) -> [(name: ChannelName, title: String?, role: MemberRole)] {
        return try self.transaction.connection.query(
            Self.teamsSQL, user, ConversationFlags.disbanded.rawValue, try ReadTransaction.page(limit)
        ) { row throws(StoreError) in
            guard let name = ChannelName(row.text(0)) else { throw Row.damaged("name of a team") }
            return (name, row.optionalText(1), try row.memberRole(2))
        }
    }

    private static let personCountsSQL = SQL(
        """
        SELECT (SELECT count(*) FROM friend WHERE owner_id = ?1 AND is_removed = 0),
            (SELECT count(*) FROM member m JOIN conversation c ON c.id = m.conversation_id
                WHERE m.user_id = ?1 AND c.kind = \(ConversationKind.group) AND c.flags & ?2 = 0),
            (SELECT count(*) FROM file WHERE owner_id = ?1 AND state = \(FileState.complete))
        """)

    /// How many friends somebody has, teams they are in that are not dismissed, and complete files they own.
    package func counts(
        of user: UserID
    ) throws(StoreError) -> (friends: Int64, teams: Int64, files: Int64) {
        return try self.transaction.connection.first(Self.personCountsSQL, user, ConversationFlags.disbanded.rawValue) {
            row throws(StoreError) in
            (row.int64(0), row.int64(1), row.int64(2))
        } ?? (0, 0, 0)
    }

    /// When each token of a person was issued, UTC milliseconds, by its hash.
    package func tokenIssueTimes(of user: UserID) throws(StoreError) -> [[UInt8]: Int64] {
        let sql: StaticString = "SELECT token_hash, created_at FROM device_token WHERE user_id = ?"
        let rows = try self.transaction.connection.query(sql, user) { row throws(StoreError) in
            (row.blob(0), row.int64(1))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
