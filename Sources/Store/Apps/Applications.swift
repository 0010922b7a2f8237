package import ChatModel

/// The app whose clients speak LeanCloud's protocols. Its keys are sealed; who opens them is not the store's matter.
package struct StoredApplication: Hashable, Sendable {
    /// A key that was replaced.
    package struct Previous: Hashable, Sendable {
        package var sealed: [UInt8]
        /// Until when it counts beside the new one, UTC milliseconds.
        package var untilMilliseconds: Int64

        package init(sealed: [UInt8], untilMilliseconds: Int64) {
            self.sealed = sealed
            self.untilMilliseconds = untilMilliseconds
        }
    }

    /// ID of the app.
    package var appID: String
    /// App key, encrypted.
    package var sealedAppKey: [UInt8]
    /// Master key, encrypted.
    package var sealedMasterKey: [UInt8]
    /// Former app key, while it still counts; `nil` for none.
    package var previousAppKey: Previous?
    /// Former master key, while it still counts; `nil` for none.
    package var previousMasterKey: Previous?

    package init(appID: String, sealedAppKey: [UInt8], sealedMasterKey: [UInt8]) {
        self.appID = appID
        self.sealedAppKey = sealedAppKey
        self.sealedMasterKey = sealedMasterKey
    }
}

extension AppReads {
    /// `nil` before the first start that serves LeanCloud clients.
    package func application() throws(StoreError) -> StoredApplication? {
        let sql: StaticString = """
            SELECT app_id, app_key, master_key, previous_app_key, previous_app_key_until, previous_master_key,
                previous_master_key_until
            FROM application
            """
        return try self.transaction.connection.first(sql) { row throws(StoreError) in
            var application = StoredApplication(
                appID: row.text(0), sealedAppKey: row.blob(1), sealedMasterKey: row.blob(2))
            if let until = row.optionalInt64(4) {
                application.previousAppKey = .init(sealed: row.blob(3), untilMilliseconds: until)
            }
            if let until = row.optionalInt64(6) {
                application.previousMasterKey = .init(sealed: row.blob(5), untilMilliseconds: until)
            }
            return application
        }
    }

    /// The key that session tokens are signed with: 32 bytes.
    package func sessionTokenKey() throws(StoreError) -> [UInt8] {
        let sql: StaticString = "SELECT value FROM secret WHERE name = 'session_token'"
        guard let key = try self.transaction.connection.first(sql, read: { row throws(StoreError) in row.blob(0) })
        else {
            throw Row.damaged("missing key for session tokens")
        }
        return key
    }

    /// True when session tokens of a person were taken back at any time.
    package func hasRevokedSessions(_ user: UserID) throws(StoreError) -> Bool {
        let sql: StaticString = "SELECT 1 FROM session_revocation WHERE user_id = ?"
        return try self.transaction.connection.first(sql, user) { row throws(StoreError) in row.int64(0) } != nil
    }

    private static let wasImportedSQL = SQL(
        "SELECT 1 FROM import_row WHERE kind = \(ImportedRowKind.person) AND id = ?")

    /// True when an import has made a person's account, and was not taken back.
    package func wasImported(_ user: UserID) throws(StoreError) -> Bool {
        try self.transaction.connection.first(Self.wasImportedSQL, user) { row throws(StoreError) in row.int64(0) }
            != nil
    }

    /// How often the session tokens of people were taken back; who is not in it never had that.
    package func sessionRevocations() throws(StoreError) -> [UserID: Int64] {
        let rows = try self.transaction.connection.query("SELECT user_id, count FROM session_revocation") {
            row throws(StoreError) in (row.userID(0), row.int64(1))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension AppWrites {
    /// Stores the app in place of what was stored.
    package func setApplication(_ application: StoredApplication) throws(StoreError) {
        let previous = (application.previousAppKey, application.previousMasterKey)
        try self.transaction.connection.run(
            """
            INSERT INTO application (number, app_id, app_key, master_key, previous_app_key, previous_app_key_until,
                previous_master_key, previous_master_key_until, created_at)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (number) DO UPDATE SET app_id = excluded.app_id, app_key = excluded.app_key,
                master_key = excluded.master_key, previous_app_key = excluded.previous_app_key,
                previous_app_key_until = excluded.previous_app_key_until,
                previous_master_key = excluded.previous_master_key,
                previous_master_key_until = excluded.previous_master_key_until
            """, application.appID, application.sealedAppKey, application.sealedMasterKey, previous.0?.sealed,
            previous.0?.untilMilliseconds, previous.1?.sealed, previous.1?.untilMilliseconds,
            self.transaction.wallMilliseconds)
    }

    /// Takes back all session tokens of a person. Who checks them has to be told the count after the commit.
    ///
    /// - Returns: how often that happened now.
    package func revokeSessionTokens(of user: UserID) throws(StoreError) -> Int64 {
        try self.transaction.connection.run(
            """
            INSERT INTO session_revocation (user_id, count) VALUES (?, 1)
            ON CONFLICT (user_id) DO UPDATE SET count = count + 1
            """, user)
        let sql: StaticString = "SELECT count FROM session_revocation WHERE user_id = ?"
        return try self.transaction.connection.first(sql, user) { row throws(StoreError) in row.int64(0) } ?? 0
    }
}
