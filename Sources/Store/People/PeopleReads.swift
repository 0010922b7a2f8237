package import ChatModel

extension ReadTransaction {
    /// Reads of people, their lists and their tokens.
    package var people: PeopleReads { PeopleReads(transaction: self) }
}

/// Reads of people, their lists and their tokens. Valid as long as its transaction.
package struct PeopleReads {
    let transaction: ReadTransaction
}

/// A sign-in token, as far as the store knows it.
package struct DeviceToken: Hashable, Sendable {
    package var user: UserID
    package var userName: UserName
    package var deviceClass: DeviceClass
    package var level: DeviceLevel
    package var userIsDisabled: Bool
    /// Time the device was last seen, UTC milliseconds.
    package var lastSeenAtMilliseconds: Int64
    /// `nil` for never. The asker compares it with the clock.
    package var expiresAtMilliseconds: Int64?
    /// True when the token is also known by its hash alone.
    package var isFoundAlone: Bool
    /// Hash of the token.
    package var hash: [UInt8]
}

extension PeopleReads {
    /// Reads a user; `nil` for an unknown ID.
    package func user(_ id: UserID) throws(StoreError) -> User? {
        let sql: StaticString = """
            SELECT id, name, external_id, display_name, role, disabled, send_banned, password_hash IS NOT NULL, created_at,
                deleted_at
            FROM user WHERE id = ?
            """
        return try self.transaction.connection.first(sql, id, read: Self.user)
    }

    /// Reads a user by name; `nil` for an unknown name.
    package func user(named name: UserName) throws(StoreError) -> User? {
        let sql: StaticString = """
            SELECT id, name, external_id, display_name, role, disabled, send_banned, password_hash IS NOT NULL, created_at,
                deleted_at
            FROM user WHERE name = ?
            """
        return try self.transaction.connection.first(sql, name, read: Self.user)
    }

    /// Reads a user by the ID of another user system; `nil` for an unknown one.
    package func user(externalID: String) throws(StoreError) -> User? {
        let sql: StaticString = """
            SELECT id, name, external_id, display_name, role, disabled, send_banned, password_hash IS NOT NULL, created_at,
                deleted_at
            FROM user WHERE external_id = ?
            """
        return try self.transaction.connection.first(sql, externalID, read: Self.user)
    }

    /// People in the order in which they were added, without the system; `limit` is 1...1000.
    package func users(after: UserID = .system, limit: Int) throws(StoreError) -> [User] {
        let sql: StaticString = """
            SELECT id, name, external_id, display_name, role, disabled, send_banned, password_hash IS NOT NULL, created_at,
                deleted_at
            FROM user WHERE id > ? ORDER BY id LIMIT ?
            """
        return try self.transaction.connection.query(sql, after, try ReadTransaction.page(limit), read: Self.user)
    }

    private static func user(_ row: Row) throws(StoreError) -> User {
        User(
            id: row.userID(0), name: try row.userName(1), externalID: row.optionalText(2),
            displayName: row.optionalText(3), role: try row.userRole(4), isDisabled: row.int64(5) != 0,
            isSendBanned: row.int64(6) != 0, hasPassword: row.int64(7) != 0, createdAtMilliseconds: row.int64(8),
            deletedAtMilliseconds: row.optionalInt64(9))
    }

    /// `nil` when there is no such person, or one without a password.
    package func passwordHash(of user: UserID) throws(StoreError) -> String? {
        let sql: StaticString = "SELECT password_hash FROM user WHERE id = ?"
        return try self.transaction.connection.first(sql, user) { row throws(StoreError) in row.optionalText(0) } ?? nil
    }

    /// Finds the token with this hash; `nil` when there is none.
    package func token(hash: [UInt8]) throws(StoreError) -> DeviceToken? {
        let sql: StaticString = """
            SELECT t.user_id, u.name, t.device_class, t.device_level, u.disabled, t.last_seen_at, t.expires_at,
                t.bare_hash IS NOT NULL, t.token_hash
            FROM device_token t JOIN user u ON u.id = t.user_id WHERE t.token_hash = ?
            """
        return try self.transaction.connection.first(sql, hash, read: Self.token)
    }

    /// The tokens of a person, the one used last first.
    package func tokens(of user: UserID) throws(StoreError) -> [DeviceToken] {
        let sql: StaticString = """
            SELECT t.user_id, u.name, t.device_class, t.device_level, u.disabled, t.last_seen_at, t.expires_at,
                t.bare_hash IS NOT NULL, t.token_hash
            FROM device_token t JOIN user u ON u.id = t.user_id WHERE t.user_id = ? ORDER BY t.last_seen_at DESC
            """
        return try self.transaction.connection.query(sql, user, read: Self.token)
    }

    static func token(_ row: Row) throws(StoreError) -> DeviceToken {
        guard let level = DeviceLevel(rawValue: row.int64(3)) else { throw Row.damaged("device level") }
        return DeviceToken(
            user: row.userID(0), userName: try row.userName(1), deviceClass: try row.deviceClass(2), level: level,
            userIsDisabled: row.int64(4) != 0, lastSeenAtMilliseconds: row.int64(5),
            expiresAtMilliseconds: row.optionalInt64(6), isFoundAlone: row.int64(7) != 0, hash: row.blob(8))
    }

    /// People on one of a person's lists, by number.
    package func personalList(of owner: UserID, _ list: PersonalList) throws(StoreError) -> [UserName] {
        let sql: StaticString = """
            SELECT u.name FROM personal_list p JOIN user u ON u.id = p.other_id
            WHERE p.owner_id = ? AND p.list = ? ORDER BY p.other_id
            """
        return try self.transaction.connection.query(sql, owner, list.rawValue) { row throws(StoreError) in
            try row.userName(0)
        }
    }

    /// True when only people on the person's allow list may send to them.
    package func isAllowlistOnly(_ user: UserID) throws(StoreError) -> Bool {
        let sql: StaticString = "SELECT allowlist_only FROM user WHERE id = ?"
        return try self.transaction.connection.first(sql, user) { row throws(StoreError) in row.int64(0) != 0 } ?? false
    }
}

extension PeopleReads {
    private static let hasAdministratorSQL = SQL(
        """
        SELECT 1 FROM user WHERE role = \(UserRole.administrator) AND id <> 0 LIMIT 1
        """)

    /// True when anybody but the system itself is an administrator; a disabled one counts.
    package func hasAdministrator() throws(StoreError) -> Bool {
        return try self.transaction.connection.first(Self.hasAdministratorSQL) { row throws(StoreError) in
            row.int64(0) == 1
        }
            ?? false
    }
}
