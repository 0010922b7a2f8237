import ChatModel

// What the writer loads into its memory.
extension Connection {
    func userID(of name: UserName) throws(StoreError) -> UserID? {
        try self.first("SELECT id FROM user WHERE name = ?", name) { row throws(StoreError) in
            UserID(rawValue: row.int64(0))
        }
    }

    func loadUserState(_ id: UserID) throws(StoreError) -> UserState? {
        let sql: StaticString = """
            SELECT name, disabled, send_banned, allowlist_only, is_system, deleted_at IS NOT NULL FROM user WHERE id = ?
            """
        let blocked = try self.listed(by: id, on: .blocked)
        let allowed = try self.listed(by: id, on: .allowed)
        return try self.first(sql, id) { row throws(StoreError) in
            UserState(
                id: id, name: try row.userName(0), isDisabled: row.int64(1) != 0, isDeleted: row.int64(5) != 0,
                isSendBanned: row.int64(2) != 0, isAllowlistOnly: row.int64(3) != 0,
                isSystem: row.int64(4) != 0 || id == .system, blocked: blocked, allowed: allowed)
        }
    }

    private func listed(by owner: UserID, on list: PersonalList) throws(StoreError) -> Set<UserID> {
        let sql: StaticString = "SELECT other_id FROM personal_list WHERE owner_id = ? AND list = ?"
        return Set(try self.query(sql, owner, list.rawValue) { row throws(StoreError) in row.userID(0) })
    }

    func conversationID(of pair: DirectPair) throws(StoreError) -> ConversationID? {
        let sql: StaticString = "SELECT id FROM conversation WHERE direct_low = ? AND direct_high = ?"
        return try self.first(sql, pair.low, pair.high) { row throws(StoreError) in row.conversationID(0) }
    }

    func conversationID(of channel: ChannelKey) throws(StoreError) -> ConversationID? {
        let sql: StaticString = "SELECT id FROM conversation WHERE channel = ? AND kind = ?"
        return try self.first(sql, channel.name, channel.kind.rawValue) { row throws(StoreError) in
            row.conversationID(0)
        }
    }

    func conversationID(of object: ObjectID) throws(StoreError) -> ConversationID? {
        let own = try self.first("SELECT id FROM conversation WHERE foreign_id = ?", object) { row throws(StoreError) in
            row.conversationID(0)
        }
        if let own { return own }
        return try self.first("SELECT conversation_id FROM conversation_alias WHERE foreign_id = ?", object) {
            row throws(StoreError) in row.conversationID(0)
        }
    }

    func loadConversationState(_ id: ConversationID) throws(StoreError) -> ConversationState? {
        let sql: StaticString = """
            SELECT kind, channel, direct_low, direct_high, creator_id, flags, head, head_countable, revision, active_at,
                foreign_id, updated_at, expires_at
            FROM conversation WHERE id = ?
            """
        let loaded = try self.first(sql, id) { row throws(StoreError) in
            ConversationState(
                id: id, kind: try row.conversationKind(0), objectID: try row.objectID(10),
                channel: row.optionalText(1).flatMap(ChannelName.init),
                pair: row.isNull(2) ? nil : DirectPair(row.userID(2), row.userID(3)), creator: row.userID(4),
                flags: ConversationFlags(rawValue: row.int64(5)), head: row.int64(6), headCountable: row.int64(7),
                revision: row.int64(8), activeAt: row.int64(9), updatedAt: row.int64(11),
                expiresAt: row.optionalInt64(12))
        }
        guard let loaded else { return nil }
        if loaded.kind == .group { loaded.settings = try self.teamSettings(of: id) ?? .open }
        loaded.load(members: try self.loadMembers(of: id), listeners: try self.loadListeners(of: id))
        loaded.denied = try self.listed(in: id, on: .denied)
        loaded.allowed = try self.listed(in: id, on: .allowed)
        return loaded
    }

    private func loadMembers(of id: ConversationID) throws(StoreError) -> [LoadedMember] {
        let sql: StaticString = "SELECT user_id, role, muted_until FROM member WHERE conversation_id = ?"
        return try self.query(sql, id) { row throws(StoreError) in
            LoadedMember(user: row.userID(0), role: try row.memberRole(1), mutedUntil: row.int64(2))
        }
    }

    private func loadListeners(of id: ConversationID) throws(StoreError) -> [UserID] {
        try self.query("SELECT user_id FROM listener WHERE conversation_id = ?", id) { row throws(StoreError) in
            row.userID(0)
        }
    }

    func listed(in id: ConversationID, on list: ConversationList) throws(StoreError) -> Set<UserID> {
        let sql: StaticString = "SELECT user_id FROM conversation_list WHERE conversation_id = ? AND list = ?"
        return Set(try self.query(sql, id, list.rawValue) { row throws(StoreError) in row.userID(0) })
    }
}

/// The two lists of a conversation that decide who may send; the numbers are stored.
package enum ConversationList: Int64, Sendable, CaseIterable {
    /// May not send.
    case denied = 0
    /// When it has an entry, only these may send.
    case allowed = 1
}
