package import ChatModel

extension ReadTransaction {
    /// Reads of how people and conversations are shown.
    package var profiles: ProfileReads { ProfileReads(transaction: self) }
}

/// Reads of how people and conversations are shown. Valid as long as its transaction.
package struct ProfileReads {
    let transaction: ReadTransaction
}

/// A person as the user table has them.
package struct ProfileRow: Hashable, Sendable {
    package var user: UserID
    package var externalID: String?
    package var displayName: String?
    package var avatar: String?
    package var avatarSmall: String?
    /// The text of a JSON object; `nil` for nothing.
    package var attributes: [UInt8]?
    package var isDisabled: Bool
    /// Number of the newest change; 0 before the first.
    package var change: Int64
}

/// Remarks of one person about others: only they see them.
package struct OwnRemarks: Hashable, Sendable {
    /// Remarks about friends.
    package var friends: [UserID: String] = [:]
    /// Remarks about conversations.
    package var conversations: [ConversationID: String] = [:]

    package init() {}
}

/// Members of a conversation, and their nicknames there.
package struct TeamNames: Hashable, Sendable {
    /// Users who are members.
    package var members: Set<UserID> = []
    /// Only of those who have a name of their own there.
    package var nicknames: [UserID: String] = [:]

    package init() {}
}

extension ProfileReads {
    /// The rows of these people; who does not exist is not in it.
    package func profileRows(_ names: some Collection<UserName>) throws(StoreError) -> [UserName: ProfileRow] {
        let sql: StaticString = """
            SELECT id, external_id, display_name, avatar, avatar_small, attributes, disabled, change
            FROM user WHERE name = ?
            """
        var rows: [UserName: ProfileRow] = [:]
        rows.reserveCapacity(names.count)
        for name in names {
            rows[name] = try self.transaction.connection.first(sql, name) { row throws(StoreError) in
                ProfileRow(
                    user: row.userID(0), externalID: row.optionalText(1), displayName: row.optionalText(2),
                    avatar: row.optionalText(3), avatarSmall: row.optionalText(4),
                    attributes: row.optionalText(5).map { Array($0.utf8) }, isDisabled: row.int64(6) != 0,
                    change: row.int64(7))
            }
        }
        return rows
    }

    /// Remarks of a person about friends and conversations.
    package func remarks(by owner: UserID) throws(StoreError) -> OwnRemarks {
        var remarks = OwnRemarks()
        let friends: StaticString = """
            SELECT other_id, remark FROM friend WHERE owner_id = ? AND is_removed = 0 AND remark IS NOT NULL
            """
        let ofFriends = try self.transaction.connection.query(friends, owner) { row throws(StoreError) in
            (row.userID(0), row.text(1))
        }
        for (user, remark) in ofFriends { remarks.friends[user] = remark }
        let conversations: StaticString = """
            SELECT conversation_id, remark FROM preference WHERE user_id = ? AND remark IS NOT NULL
            """
        let ofConversations = try self.transaction.connection.query(conversations, owner) { row throws(StoreError) in
            (row.conversationID(0), row.text(1))
        }
        for (id, remark) in ofConversations { remarks.conversations[id] = remark }
        return remarks
    }

    /// The members of a conversation and their names in it; empty for a room, and for one that does not exist.
    package func teamNames(in id: ConversationID) throws(StoreError) -> TeamNames {
        let sql: StaticString = "SELECT user_id, nickname FROM member WHERE conversation_id = ?"
        var names = TeamNames()
        let members = try self.transaction.connection.query(sql, id) { row throws(StoreError) in
            (row.userID(0), row.optionalText(1))
        }
        for (user, nickname) in members {
            names.members.insert(user)
            if let nickname { names.nicknames[user] = nickname }
        }
        return names
    }

    /// The names of a conversation's members, by number.
    package func memberNames(of id: ConversationID) throws(StoreError) -> [UserName] {
        let sql: StaticString = """
            SELECT u.name FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = ? ORDER BY m.user_id
            """
        return try self.transaction.connection.query(sql, id) { row throws(StoreError) in try row.userName(0) }
    }

    /// Acquaintances of a person among `names`: themselves, friends, the server's own accounts, and people who share a
    /// conversation with them, rooms not counted.
    package func acquaintances(
        of user: UserID, among names: some Collection<UserName>
    ) throws(StoreError) -> Set<UserName> {
        let many: StaticString = """
            SELECT count(*) FROM (SELECT 1 FROM member WHERE user_id = ?1 LIMIT ?2)
            """
        let count = try self.transaction.connection.first(many, user, Self.fewConversations) {
            (row) throws(StoreError) in row.int64(0)
        }
        // Most people are in few conversations: of who is in many, the others' are looked through.
        let sql = count == Self.fewConversations ? Self.acquaintedByTheirs : Self.acquaintedByOwn
        var known: Set<UserName> = []
        for name in names {
            let isKnown = try self.transaction.connection.first(sql, user, name) { (_) throws(StoreError) in true }
            if isKnown == true { known.insert(name) }
        }
        return known
    }

    /// Number of a person's conversations from which on those of the others are looked through.
    private static let fewConversations: Int64 = 200

    private static let acquaintedOtherwise: SQLText = """
        u.id = ?1 OR u.id = 0 OR u.is_system <> 0
            OR EXISTS (SELECT 1 FROM friend f WHERE f.owner_id = ?1 AND f.other_id = u.id AND f.is_removed = 0)
        """
    private static let acquaintedByOwn = SQL(
        """
        SELECT 1 FROM user u WHERE u.name = ?2 AND (\(acquaintedOtherwise)
            OR EXISTS (SELECT 1 FROM member a CROSS JOIN member b ON b.conversation_id = a.conversation_id
                WHERE a.user_id = ?1 AND b.user_id = u.id))
        """)
    private static let acquaintedByTheirs = SQL(
        """
        SELECT 1 FROM user u WHERE u.name = ?2 AND (\(acquaintedOtherwise)
            OR EXISTS (SELECT 1 FROM member b CROSS JOIN member a ON a.conversation_id = b.conversation_id
                WHERE b.user_id = u.id AND a.user_id = ?1))
        """)
}
