package import ChatModel

extension PeopleReads {
    /// Reads a profile; `nil` for an unknown person.
    package func profile(of user: UserID) throws(StoreError) -> Profile? {
        let sql: StaticString = """
            SELECT id, name, display_name, avatar, attributes, is_system, disabled, change,
                (SELECT max(last_seen_at) FROM device_token WHERE user_id = user.id)
            FROM user WHERE id = ?
            """
        return try self.transaction.connection.first(sql, user, read: Self.profile)
    }

    /// Reads a profile by name; `nil` for an unknown person.
    package func profile(named name: UserName) throws(StoreError) -> Profile? {
        guard let user = try self.transaction.connection.userID(of: name) else { return nil }
        return try self.profile(of: user)
    }

    private static func profile(_ row: Row) throws(StoreError) -> Profile {
        Profile(
            user: row.userID(0), name: try row.userName(1), displayName: row.optionalText(2),
            avatar: row.optionalText(3), attributes: row.optionalText(4).map { Array($0.utf8) },
            isSystem: row.int64(5) != 0, isDisabled: row.int64(6) != 0, lastSeenAtMilliseconds: row.optionalInt64(8),
            change: row.int64(7))
    }

    /// A person's own settings, the text of a JSON object; `nil` for none.
    package func settings(of user: UserID) throws(StoreError) -> [UInt8]? {
        let sql: StaticString = "SELECT settings FROM user WHERE id = ?"
        return try self.transaction.connection.first(sql, user) { row throws(StoreError) in row.optionalText(0) }?
            .map { Array($0.utf8) }
    }

    /// The server's own accounts, without the one that is always there.
    package func systemAccounts() throws(StoreError) -> [UserName] {
        try self.transaction.connection.query("SELECT name FROM user WHERE is_system <> 0 ORDER BY id") {
            row throws(StoreError) in try row.userName(0)
        }
    }

    /// Condition on a person `u`: `?1` is NULL, or knows them by a conversation or a friendship. Everybody knows themselves
    /// and the server's own accounts.
    static let isKnown: SQLText = """
        (?1 IS NULL OR u.id = ?1 OR u.is_system <> 0 OR u.id IN (
            SELECT other_id FROM friend WHERE owner_id = ?1 AND is_removed = 0
            UNION SELECT b.user_id FROM member a JOIN member b ON b.conversation_id = a.conversation_id
            WHERE a.user_id = ?1))
        """

    private static let peopleSQL = SQL(
        """
        SELECT u.name FROM user u WHERE u.name > ?2 AND u.id <> 0 AND u.disabled = 0 AND u.deleted_at IS NULL
            AND (?3 = '' OR instr(lower(u.name), lower(?3)) > 0
                OR instr(lower(coalesce(u.display_name, '')), lower(?3)) > 0)
            AND \(isKnown)
        ORDER BY u.name LIMIT ?4
        """)

    /// People whose name or display name holds a text, by name: without the system, and without who is disabled or
    /// deleted. Letters of ASCII are the same in both cases; `limit` is 1...1000.
    ///
    /// - Parameters:
    ///   - after: the name that the page before ended with; empty for the first page.
    ///   - asker: only people with whom this one shares a conversation or a friendship, and the server's own accounts.
    package func page(
        matching text: String, after: String, knownTo asker: UserID? = nil, limit: Int
    ) throws(StoreError) -> [UserName] {
        try self.transaction.connection.query(
            Self.peopleSQL, asker?.rawValue, after, text, try ReadTransaction.page(limit)
        ) {
            row throws(StoreError) in try row.userName(0)
        }
    }

    /// True when somebody is on one of a person's lists.
    package func isListed(
        _ other: UserID, by owner: UserID, on list: PersonalList
    ) throws(StoreError) -> Bool {
        let sql: StaticString = "SELECT 1 FROM personal_list WHERE owner_id = ? AND list = ? AND other_id = ?"
        return try self.transaction.connection.first(sql, owner, list.rawValue, other) { (_) throws(StoreError) in true
        } ?? false
    }

    // MARK: Tokens that come alone

    /// The key under which tokens are hashed alone: 32 bytes.
    package func bareTokenKey() throws(StoreError) -> [UInt8] {
        let sql: StaticString = "SELECT value FROM secret WHERE name = 'bare_token'"
        guard let key = try self.transaction.connection.first(sql, read: { row throws(StoreError) in row.blob(0) })
        else {
            throw Row.damaged("missing key for tokens")
        }
        return key
    }

    /// The rows of a token by its hash alone: one for each person and device class it was issued for, the newest first.
    package func tokens(bareHash: [UInt8]) throws(StoreError) -> [DeviceToken] {
        let sql: StaticString = """
            SELECT t.user_id, u.name, t.device_class, t.device_level, u.disabled, t.last_seen_at, t.expires_at,
                t.bare_hash IS NOT NULL, t.token_hash
            FROM device_token t JOIN user u ON u.id = t.user_id WHERE t.bare_hash = ? ORDER BY t.created_at DESC
            LIMIT 200
            """
        return try self.transaction.connection.query(sql, bareHash, read: Self.token)
    }
}
