package import ChatModel

extension WriteTransaction {
    /// Changes of people, their lists and their tokens.
    package var people: PeopleWrites { PeopleWrites(transaction: self) }
}

/// Changes of people, their lists and their tokens. Valid as long as its transaction.
package struct PeopleWrites {
    let transaction: WriteTransaction
}

extension PeopleWrites {
    /// Adds a person.
    ///
    /// - Parameter passwordHash: what the password hash function printed, never a password; `nil` for none.
    /// - Throws: `exists` when the name or the external id is taken.
    @discardableResult
    package func createUser(
        _ name: UserName, role: UserRole = .member, displayName: String? = nil, passwordHash: String? = nil,
        externalID: String? = nil
    ) throws(StoreError) -> UserID {
        if try self.transaction.memory.user(named: name) != nil { throw .exists("user \(name)") }
        if let externalID, try self.transaction.reading.people.user(externalID: externalID) != nil {
            throw .exists("a user with the external id \(externalID)")
        }
        try self.transaction.connection.run(
            """
            INSERT INTO user (name, role, display_name, password_hash, external_id, created_at, sort_key)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, name, role.rawValue, displayName, passwordHash, externalID, self.transaction.wallMilliseconds,
            name.sortKey(shownAs: displayName))
        // Nobody watches a person who was not there.
        self.transaction.noteProfile(.person(name, .existence))
        return UserID(rawValue: self.transaction.connection.lastInsertedID)
    }

    /// The person with this name, made when missing.
    ///
    /// - Throws: `notFound` when the account with this name was deleted: nobody gets the name again.
    package func ensureUser(_ name: UserName) throws(StoreError) -> (id: UserID, isNew: Bool) {
        if let known = try self.transaction.memory.user(named: name) {
            return (try self.transaction.knownUser(known.id).id, false)
        }
        return (try self.createUser(name), true)
    }

    /// - Throws: `notFound`.
    package func setPasswordHash(_ user: UserID, _ hash: String?) throws(StoreError) {
        _ = try self.transaction.knownUser(user)
        try self.transaction.connection.run("UPDATE user SET password_hash = ? WHERE id = ?", hash, user)
    }

    /// - Throws: `notFound`.
    package func setDisplayName(_ user: UserID, _ name: String?) throws(StoreError) {
        let state = try self.transaction.knownUser(user)
        try self.transaction.connection.run(
            "UPDATE user SET display_name = ?, sort_key = ?, change = ? WHERE id = ?", name,
            state.name.sortKey(shownAs: name), self.transaction.nextChange(), user)
        try self.transaction.noteShown(state, .name)
    }

    /// Sets a person's ID in another user system; `nil` removes it.
    ///
    /// - Throws: `notFound`; `exists` when somebody else has it; `invalid` when it is too long.
    package func setExternalID(_ user: UserID, _ externalID: String?) throws(StoreError) {
        let state = try self.transaction.knownUser(user)
        guard externalID.map({ (1...PeopleLimits.externalIDBytes).contains($0.utf8.count) }) ?? true else {
            throw .invalid("an external id has 1 to \(PeopleLimits.externalIDBytes) bytes")
        }
        if let externalID, let holder = try self.transaction.reading.people.user(externalID: externalID),
            holder.id != user
        {
            throw .exists("a user with the external id \(externalID)")
        }
        try self.transaction.connection.run(
            "UPDATE user SET external_id = ?, change = ? WHERE id = ?", externalID, self.transaction.nextChange(), user)
        try self.transaction.noteShown(state, .externalID)
    }

    /// - Throws: `notFound`.
    package func setRole(_ user: UserID, _ role: UserRole) throws(StoreError) {
        _ = try self.transaction.knownUser(user)
        try self.transaction.connection.run("UPDATE user SET role = ? WHERE id = ?", role.rawValue, user)
    }

    /// A disabled person may not sign in or send. The caller ends the sessions after the commit.
    ///
    /// - Throws: `notFound`; `invalid` for the system's own user.
    package func setDisabled(_ user: UserID, _ isDisabled: Bool) throws(StoreError) {
        let state = try self.changeableUser(user)
        try self.transaction.connection.run("UPDATE user SET disabled = ? WHERE id = ?", isDisabled, user)
        state.isDisabled = isDisabled
        try self.transaction.noteShown(state, .existence)
    }

    /// - Throws: `notFound`; `invalid` for the system's own user.
    package func setSendBanned(_ user: UserID, _ isBanned: Bool) throws(StoreError) {
        let state = try self.changeableUser(user)
        try self.transaction.connection.run("UPDATE user SET send_banned = ? WHERE id = ?", isBanned, user)
        state.isSendBanned = isBanned
    }

    /// Sets if only people on the person's allow list may send to them.
    ///
    /// - Throws: `notFound`.
    package func setAllowlistOnly(_ user: UserID, _ isOn: Bool) throws(StoreError) {
        let state = try self.transaction.knownUser(user)
        try self.transaction.connection.run("UPDATE user SET allowlist_only = ? WHERE id = ?", isOn, user)
        state.isAllowlistOnly = isOn
    }

    private func changeableUser(_ user: UserID) throws(StoreError) -> UserState {
        guard user != .system else { throw .invalid("the system's own user cannot be changed") }
        return try self.transaction.knownUser(user)
    }

    /// Puts someone on one of a person's lists, or takes them off.
    ///
    /// - Returns: whether that changed anything.
    /// - Throws: `notFound`; `invalid` when the list is full (`listEntries`).
    @discardableResult
    package func setListed(
        owner: UserID, _ list: PersonalList, _ other: UserID, _ isListed: Bool
    ) throws(StoreError) -> Bool {
        let state = try self.transaction.knownUser(owner)
        let name = try self.transaction.knownUser(other).name
        var entries = list == .blocked ? state.blocked : state.allowed
        guard entries.contains(other) != isListed else { return false }
        if isListed {
            guard entries.count < self.transaction.options.listEntries else {
                throw self.listIsFull("of \(state.name)")
            }
            try self.transaction.connection.run(
                "INSERT INTO personal_list (owner_id, list, other_id) VALUES (?, ?, ?)", owner, list.rawValue, other)
            entries.insert(other)
        } else {
            try self.transaction.connection.run(
                "DELETE FROM personal_list WHERE owner_id = ? AND list = ? AND other_id = ?", owner, list.rawValue,
                other)
            entries.remove(other)
        }
        switch list {
        case .blocked: state.blocked = entries
        case .allowed: state.allowed = entries
        }
        try self.transaction.notePeople(
            .listed(name, on: list, isListed), by: self.transaction.origin.gateway.isOfPeople ? owner : .system,
            to: [owner])
        return true
    }

    func listIsFull(_ whose: String) -> StoreError {
        .invalid("the list \(whose) has its most entries, \(self.transaction.options.listEntries): remove some first")
    }
}

// MARK: Sign-in tokens

extension PeopleWrites {
    /// Remembers a sign-in token by its hash. Above `tokensPerUser` the one seen longest ago goes.
    ///
    /// - Parameters:
    ///   - bareHash: of the token alone, under the key `bareTokenKey`, so that the token finds its person by itself.
    ///   - expiresAtMilliseconds: UTC; `nil` for never.
    /// - Throws: `notFound`.
    package func issueToken(
        hash: [UInt8], bareHash: [UInt8]? = nil, user: UserID, class deviceClass: DeviceClass, level: DeviceLevel,
        expiresAtMilliseconds: Int64?
    ) throws(StoreError) {
        _ = try self.transaction.knownUser(user)
        let now = self.transaction.wallMilliseconds
        try self.transaction.connection.run(
            """
            INSERT OR REPLACE INTO device_token
                (token_hash, user_id, device_class, device_level, created_at, last_seen_at, expires_at, bare_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, hash, user, deviceClass, level.rawValue, now, now, expiresAtMilliseconds, bareHash)
        try self.transaction.connection.run(
            """
            DELETE FROM device_token WHERE token_hash IN (
                SELECT token_hash FROM device_token WHERE user_id = ? AND token_hash <> ?
                ORDER BY last_seen_at DESC, created_at DESC LIMIT -1 OFFSET ?)
            """, user, hash, self.transaction.options.tokensPerUser - 1)
    }

    /// Ends the tokens of a person: all, or those of one device class.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func revokeTokens(of user: UserID, class deviceClass: DeviceClass? = nil) throws(StoreError) -> Int {
        if let deviceClass {
            try self.transaction.connection.run(
                "DELETE FROM device_token WHERE user_id = ? AND device_class = ?", user, deviceClass)
        } else {
            try self.transaction.connection.run("DELETE FROM device_token WHERE user_id = ?", user)
        }
        return Int(self.transaction.connection.changes)
    }

    /// Ends one token.
    ///
    /// - Returns: whether it existed.
    @discardableResult
    package func revokeToken(hash: [UInt8]) throws(StoreError) -> Bool {
        try self.transaction.connection.run("DELETE FROM device_token WHERE token_hash = ?", hash)
        return self.transaction.connection.changes > 0
    }

    /// Notes that a token was used now.
    ///
    /// - Parameter bareHash: of the token alone, for one that was issued without.
    package func touchToken(hash: [UInt8], bareHash: [UInt8]? = nil) throws(StoreError) {
        try self.transaction.connection.run(
            "UPDATE device_token SET last_seen_at = ?, bare_hash = coalesce(bare_hash, ?) WHERE token_hash = ?",
            self.transaction.wallMilliseconds, bareHash, hash)
    }
}
