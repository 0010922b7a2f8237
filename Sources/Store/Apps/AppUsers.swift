import ByteCodec
package import ChatModel

// People as apps keep them.
extension AppReads {
    /// - Returns: `nil` for nobody, for a deleted account, and for the server's own user.
    package func appUser(_ id: UserID) throws(StoreError) -> AppUser? {
        let sql: StaticString = """
            SELECT u.id, u.name, coalesce(a.username, u.name), a.email, a.phone, a.fields, u.disabled,
                coalesce(a.created_at, u.created_at), coalesce(a.updated_at, u.created_at),
                coalesce(a.email_verified, 0), coalesce(a.phone_verified, 0), a.auth_data
            FROM user u LEFT JOIN app_user a ON a.user_id = u.id WHERE u.id = ? AND u.id <> 0 AND u.deleted_at IS NULL
            """
        return try self.transaction.connection.first(sql, id, read: Self.appUser)
    }

    /// Reads an app's user by name; `nil` for an unknown name.
    package func appUser(named name: UserName) throws(StoreError) -> AppUser? {
        guard let id = try self.transaction.connection.userID(of: name) else { return nil }
        return try self.appUser(id)
    }

    /// True when an app keeps data of the person; `AppUser` exists for everybody.
    package func keepsAppUser(_ id: UserID) throws(StoreError) -> Bool {
        try self.transaction.connection.first("SELECT 1 FROM app_user WHERE user_id = ?", id) {
            row throws(StoreError) in row.int64(0)
        } != nil
    }

    /// Finds the person who signs in with this login. A person whom no app made is found by name.
    package func appUser(by login: AppLogin) throws(StoreError) -> AppUser? {
        let id: UserID?
        switch login {
        case .username(let text): id = try self.holder(ofUsername: text)
        case .email(let text):
            id = try self.transaction.connection.first("SELECT user_id FROM app_user WHERE email = ?", text) {
                row throws(StoreError) in row.userID(0)
            }
        case .phone(let text):
            id = try self.transaction.connection.first("SELECT user_id FROM app_user WHERE phone = ?", text) {
                row throws(StoreError) in row.userID(0)
            }
        }
        return try id.flatMap { (id) throws(StoreError) in try self.appUser(id) }
    }

    private func holder(ofUsername text: String) throws(StoreError) -> UserID? {
        let known = try self.transaction.connection.first("SELECT user_id FROM app_user WHERE username = ?", text) {
            row throws(StoreError) in row.userID(0)
        }
        if let known { return known }
        // The name of somebody who signs in with another one is no username.
        return try self.transaction.connection.first(
            """
            SELECT u.id FROM user u WHERE u.name = ? AND NOT EXISTS (SELECT 1 FROM app_user a WHERE a.user_id = u.id)
            """, text
        ) { row throws(StoreError) in row.userID(0) }
    }

    /// Finds a login of the patch that another person has already, the username first; `nil` when there is none.
    ///
    /// - Parameter user: whose change it is; `nil` for a new person.
    package func taken(_ patch: AppUserPatch, for user: UserID?) throws(StoreError) -> AppLogin? {
        let wanted: [AppLogin] = [
            patch.username.map { .username($0) }, patch.email.map { .email($0) }, patch.phone.map { .phone($0) },
        ].compactMap { $0 }
        for login in wanted {
            if let holder = try self.holderOfAny(login), holder != user { return login }
        }
        return nil
    }

    /// Also a name that a deleted account had, which nobody gets again.
    private func holderOfAny(_ login: AppLogin) throws(StoreError) -> UserID? {
        if case .username(let text) = login {
            if let holder = try self.holder(ofUsername: text) { return holder }
            return try UserName(text).flatMap { (name) throws(StoreError) in
                try self.transaction.connection.userID(of: name)
            }
        }
        return try self.appUser(by: login)?.user
    }

    /// People in the order in which they were added, without the server's own and those who are deleted.
    ///
    /// - Parameter limit: 1...1000.
    package func appUsers(after: UserID = .system, limit: Int) throws(StoreError) -> [AppUser] {
        let sql: StaticString = """
            SELECT u.id, u.name, coalesce(a.username, u.name), a.email, a.phone, a.fields, u.disabled,
                coalesce(a.created_at, u.created_at), coalesce(a.updated_at, u.created_at),
                coalesce(a.email_verified, 0), coalesce(a.phone_verified, 0), a.auth_data
            FROM user u LEFT JOIN app_user a ON a.user_id = u.id
            WHERE u.id > ? AND u.deleted_at IS NULL ORDER BY u.id LIMIT ?
            """
        return try self.transaction.connection.query(sql, after, try ReadTransaction.page(limit), read: Self.appUser)
    }

    private static func appUser(_ row: Row) throws(StoreError) -> AppUser {
        var user = AppUser(
            user: row.userID(0), name: try row.userName(1), username: row.text(2), email: row.optionalText(3),
            phone: row.optionalText(4), fields: row.optionalText(5).map { Array($0.utf8) },
            isDisabled: row.int64(6) != 0, createdAtMilliseconds: row.int64(7), updatedAtMilliseconds: row.int64(8))
        user.isEmailVerified = row.int64(9) != 0
        user.isPhoneVerified = row.int64(10) != 0
        user.authData = row.optionalText(11).map { Array($0.utf8) }
        return user
    }
}

extension AppWrites {
    /// Changes what an app keeps of a person, and makes the row when there is none. Files that the fields name are kept
    /// from then on, and readable by whoever has their link.
    ///
    /// - Throws: `notFound`; `exists` for what somebody else has, see `taken`; `invalid` beyond `AppLimits`.
    package func setAppUser(_ user: UserID, _ patch: AppUserPatch) throws(StoreError) {
        _ = try self.transaction.knownUser(user)
        guard let before = try self.transaction.reading.apps.appUser(user) else { throw .notFound("the person") }
        try Self.check(patch)
        if try self.transaction.reading.apps.taken(patch, for: user) != nil {
            throw .exists("somebody with that name, email or phone")
        }
        let text = patch.fields.map { String(decoding: $0, as: UTF8.self) }
        try self.transaction.connection.run(
            """
            INSERT INTO app_user (user_id, username, email, phone, fields, created_at, updated_at, email_verified,
                phone_verified, auth_data)
            VALUES (?1, ?2, nullif(?3, ''), nullif(?4, ''), nullif(?5, '{}'), ?6, ?7, coalesce(?8, 0), coalesce(?9, 0),
                ?10)
            ON CONFLICT (user_id) DO UPDATE SET username = excluded.username,
                email_verified = coalesce(?8, CASE WHEN ?3 IS NULL OR ?3 = email THEN email_verified ELSE 0 END),
                phone_verified = coalesce(?9, CASE WHEN ?4 IS NULL OR ?4 = phone THEN phone_verified ELSE 0 END),
                auth_data = coalesce(?10, auth_data),
                email = CASE WHEN ?3 IS NULL THEN email ELSE nullif(?3, '') END,
                phone = CASE WHEN ?4 IS NULL THEN phone ELSE nullif(?4, '') END,
                fields = CASE WHEN ?5 IS NULL THEN fields ELSE nullif(?5, '{}') END,
                created_at = excluded.created_at, updated_at = max(excluded.updated_at, updated_at)
            """, user, patch.username ?? before.username, patch.email, patch.phone, text,
            patch.createdAtMilliseconds ?? before.createdAtMilliseconds, self.transaction.wallMilliseconds,
            patch.isEmailVerified, patch.isPhoneVerified, patch.authData.map { String(decoding: $0, as: UTF8.self) })
        if let fields = patch.fields { try self.keepFiles(namedIn: fields, for: user) }
    }

    private static func check(_ patch: AppUserPatch) throws(StoreError) {
        if let username = patch.username {
            guard (1...AppLimits.usernameScalars).contains(username.unicodeScalars.count) else {
                throw .invalid("a username has 1 to \(AppLimits.usernameScalars) characters")
            }
        }
        guard patch.email?.utf8.count ?? 0 <= AppLimits.emailBytes else {
            throw .invalid("an email address has at most \(AppLimits.emailBytes) bytes")
        }
        guard patch.phone?.utf8.count ?? 0 <= AppLimits.phoneBytes else {
            throw .invalid("a phone number has at most \(AppLimits.phoneBytes) bytes")
        }
        if let fields = patch.fields { try Self.checkFields(fields) }
        if let authData = patch.authData { try Self.checkFields(authData) }
    }

    /// - Throws: `invalid` for what is no JSON object, or longer than `AppLimits.fieldsBytes`.
    static func checkFields(_ fields: [UInt8]) throws(StoreError) {
        guard fields.count <= AppLimits.fieldsBytes, (try? JSONValue(parsing: fields))?.object != nil else {
            throw .invalid("an app's own fields are a JSON object of at most \(AppLimits.fieldsBytes) bytes")
        }
    }

    private func keepFiles(namedIn fields: [UInt8], for user: UserID) throws(StoreError) {
        try FileReferences(connection: self.transaction.connection).keep(
            namedIn: [fields], of: .person(user), by: Actor(user), at: self.transaction.wallMilliseconds)
    }

    /// Removes an app's data of a person together with the account.
    func clearAppUser(_ user: UserID) throws(StoreError) {
        try self.keepFiles(namedIn: [], for: user)
        try self.transaction.connection.run("DELETE FROM app_user WHERE user_id = ?", user)
        try self.transaction.connection.run("UPDATE installation SET user_id = NULL WHERE user_id = ?", user)
    }
}
