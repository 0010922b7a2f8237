package import ChatModel

extension TrialReads {
    /// The person with this name, if the trial mode made them and nobody has made more of the account since: a password,
    /// a role or an external id takes it out of the trial.
    ///
    /// - Returns: `nil` for everybody else.
    package func person(named name: UserName) throws(StoreError) -> User? {
        guard let user = try self.transaction.people.user(named: name), user.role == .member, !user.hasPassword,
            user.externalID == nil,
            user.deletedAtMilliseconds == nil
        else { return nil }
        let sql: StaticString = "SELECT trial FROM user WHERE id = ?"
        let isMarked = try self.transaction.connection.first(sql, user.id) { row throws(StoreError) in row.int64(0) != 0
        }
        return isMarked == true ? user : nil
    }

    /// True for a conversation that the trial mode made, while everybody in it is of the trial.
    fileprivate func isOfTrial(_ id: ConversationID) throws(StoreError) -> Bool {
        let sql: StaticString = """
            SELECT c.trial = 1 AND NOT EXISTS (
                SELECT 1 FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = c.id AND u.trial = 0)
            FROM conversation c WHERE c.id = ?
            """
        return try self.transaction.connection.first(sql, id) { row throws(StoreError) in row.int64(0) != 0 } ?? false
    }
}

extension TrialWrites {
    /// A person for a request that proved nothing: one whom the trial mode made, or a new one.
    ///
    /// - Parameter most: the number of people of the trial, `wukong.trial_people`.
    /// - Throws: `invalid` for a person who is not of the trial, and above the bound.
    package func ensurePerson(_ name: UserName, most: Int) throws(StoreError) -> UserID {
        if try self.transaction.reading.people.user(named: name) != nil {
            guard let person = try self.transaction.reading.trial.person(named: name) else {
                throw .invalid(
                    "\(name) was not made by the trial mode: choose another name, or show the manager's token")
            }
            return person.id
        }
        let sql: StaticString = "SELECT count(*) FROM user WHERE trial = 1"
        let count = try self.transaction.connection.first(sql) { row throws(StoreError) in row.int64(0) } ?? 0
        guard count < most else {
            throw .invalid("the trial mode has made \(count) people, which is the most (wukong.trial_people)")
        }
        let id = try self.transaction.people.createUser(name)
        try self.transaction.connection.run("UPDATE user SET trial = 1 WHERE id = ?", id)
        return id
    }

    /// A group for a request that proved nothing: one that the trial mode made, or a new one.
    ///
    /// - Parameter most: the number of channels of the trial, `wukong.trial_channels`.
    /// - Throws: `invalid` for another kind, for a group that is not of the trial, and above the bound.
    package func ensureChannel(
        _ kind: ConversationKind, _ name: ChannelName, most: Int
    ) throws(StoreError) -> ConversationID {
        guard kind == .group else { throw .invalid("the trial mode makes groups (channel_type 2) only") }
        if let known = try self.transaction.memory.conversation(ChannelKey(kind: kind, name: name)) {
            guard try self.transaction.reading.trial.isOfTrial(known.id) else {
                throw .invalid(
                    "\(name) was not made by the trial mode: choose another channel_id, or show the manager's token")
            }
            return known.id
        }
        let sql: StaticString = "SELECT count(*) FROM conversation WHERE trial = 1"
        let count = try self.transaction.connection.first(sql) { row throws(StoreError) in row.int64(0) } ?? 0
        guard count < most else {
            throw .invalid("the trial mode has made \(count) channels, which is the most (wukong.trial_channels)")
        }
        let id = try self.transaction.conversations.upsertChannel(kind, name, ChannelPatch()).id
        try self.transaction.connection.run("UPDATE conversation SET trial = 1 WHERE id = ?", id)
        return id
    }

    /// Takes a person out of the trial: somebody who may has given them a token.
    package func end(of user: UserID) throws(StoreError) {
        try self.transaction.connection.run("UPDATE user SET trial = 0 WHERE id = ? AND trial = 1", user)
    }

    /// Ends the tokens of everybody who is still of the trial. The people stay.
    ///
    /// - Returns: how many tokens there were.
    @discardableResult
    package func revokeTokens() throws(StoreError) -> Int {
        var count = 0
        let sql: StaticString = "SELECT name FROM user WHERE trial = 1"
        let names = try self.transaction.connection.query(sql) { row throws(StoreError) in try row.userName(0) }
        for name in names {
            guard let person = try self.transaction.reading.trial.person(named: name) else { continue }
            count += try self.transaction.people.revokeTokens(of: person.id)
            _ = try self.transaction.apps.revokeSessionTokens(of: person.id)
        }
        return count
    }
}

extension ReadTransaction {
    /// Reads of people and groups that the trial mode makes.
    package var trial: TrialReads { TrialReads(transaction: self) }
}

/// Reads of people and groups that the trial mode makes. Valid as long as its transaction.
package struct TrialReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of people and groups that the trial mode makes.
    package var trial: TrialWrites { TrialWrites(transaction: self) }
}

/// Changes of people and groups that the trial mode makes. Valid as long as its transaction.
package struct TrialWrites {
    let transaction: WriteTransaction
}
