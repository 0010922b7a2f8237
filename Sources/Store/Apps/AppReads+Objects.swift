package import ChatModel

/// Conversations that a query can concern, as far as an index tells.
package enum ObjectScan: Hashable, Sendable {
    /// These, by object id.
    case ids([ObjectID])
    /// Conversations that all of these people are members of; at least 1 name.
    case members([UserName])
    /// All of a kind.
    case kind(ConversationKind)
    case everything
}

/// A conversation as LeanCloud's apps see it: everything that a row of `_Conversation` is worded from.
package struct ObjectRow: Sendable {
    package var conversation: Conversation
    package var creator: UserName
    /// Members in the order of joining; empty for a room.
    package var members: [UserName] = []
    /// Members who want no alerts.
    package var muting: [UserName] = []
    /// JSON text of an object.
    package var attributes: [UInt8]?
    /// JSON text of an object: an app's own fields.
    package var fields: [UInt8]?
    /// Unique ID that clients know a conversation by when it is the only one of its people.
    package var uniqueID: String?
    /// When a temporary one is over, UTC milliseconds.
    package var expiresAtMilliseconds: Int64?
    /// Time at which the asking member joined, UTC milliseconds; `nil` for others.
    package var joinedAtMilliseconds: Int64?
    /// True when the asking person has silenced notifications.
    package var isSilenced = false

    /// When the newest message was sent, UTC milliseconds; `nil` before the first.
    package var lastMessageAtMilliseconds: Int64? {
        self.conversation.head > 0 ? self.conversation.activeAtMilliseconds : nil
    }
}

/// Bounds of looking at rows.
package enum ObjectScanBounds {
    /// Conversations that one query looks at.
    package static let rows = 20_000
    /// Members of them together.
    package static let members = 500_000
    /// Rows read at a time.
    package static let page = 250
}

extension AppReads {
    /// The numbers of the conversations that a query can concern, the one with the newest message first, those without
    /// messages last.
    ///
    /// - Parameters:
    ///   - asker: who asks. Direct conversations of others, and temporary ones, are found by id only.
    ///   - membersOnly: of groups too only those of who asks.
    ///   - now: UTC milliseconds; temporary conversations that are over are not there, and one that was disbanded or deleted
    ///     (flag 2) is there for its members alone.
    /// - Returns: one more than `ObjectScanBounds.rows` at most: then there are too many.
    package func objects(
        _ scan: ObjectScan, seenBy asker: UserID, membersOnly: Bool, at now: Int64
    ) throws(StoreError) -> [ConversationID] {
        switch scan {
        case .ids(let ids): return try self.objects(named: ids, seenBy: asker, membersOnly: membersOnly, at: now)
        case .members(let names):
            var users: [UserID] = []
            for name in names {
                guard let user = try self.transaction.connection.userID(of: name) else { return [] }
                users.append(user)
            }
            return try self.objects(ofAll: users, seenBy: asker, membersOnly: membersOnly, at: now)
        case .kind(let kind):
            return try self.objects(from: kind, to: kind, seenBy: asker, membersOnly: membersOnly, at: now)
        case .everything:
            return try self.objects(from: .direct, to: .agentGroup, seenBy: asker, membersOnly: membersOnly, at: now)
        }
    }

    private static let objectsNamedSQL = SQL(
        """
        SELECT id, head > 0, active_at FROM conversation c WHERE foreign_id = ?1
            AND (expires_at IS NULL OR expires_at > ?2)
            AND ((c.flags & \(ConversationFlags.disbanded) = 0 AND (?4 = 0 OR \(SQLText.isOpen)))
                OR EXISTS (SELECT 1 FROM member m WHERE m.conversation_id = c.id AND m.user_id = ?3)
                OR EXISTS (SELECT 1 FROM listener l WHERE l.conversation_id = c.id AND l.user_id = ?3))
        """)

    private func objects(
        named ids: [ObjectID], seenBy asker: UserID, membersOnly: Bool, at now: Int64
    ) throws(StoreError) -> [ConversationID] {
        var found: [(id: ConversationID, hasMessages: Int64, activeAt: Int64)] = []
        for id in ids.prefix(ObjectScanBounds.rows + 1) {
            let row = try self.transaction.connection.first(Self.objectsNamedSQL, id, now, asker, membersOnly) {
                row throws(StoreError) in
                (row.conversationID(0), row.int64(1), row.int64(2))
            }
            if let row { found.append(row) }
        }
        return found.sorted { ($0.hasMessages, $0.activeAt, $0.id) > ($1.hasMessages, $1.activeAt, $1.id) }.map(\.id)
    }

    private static let objectsOfAllSQL = SQL(
        """
        SELECT c.id FROM member m JOIN conversation c ON c.id = m.conversation_id
        WHERE m.user_id = ?1 AND c.kind <> \(ConversationKind.temporary)
            AND (c.expires_at IS NULL OR c.expires_at > ?4)
            AND (?1 = ?2 OR EXISTS (SELECT 1 FROM member o WHERE o.conversation_id = c.id AND o.user_id = ?2))
            AND (?1 = ?3 OR EXISTS (SELECT 1 FROM member o WHERE o.conversation_id = c.id AND o.user_id = ?3)
                OR (c.flags & \(ConversationFlags.disbanded) = 0
                    AND ((?5 = 0 AND c.kind <> \(ConversationKind.direct)) OR \(SQLText.isOpen))))
        ORDER BY c.head > 0 DESC, c.active_at DESC, c.id DESC LIMIT ?6
        """)

    private func objects(
        ofAll users: [UserID], seenBy asker: UserID, membersOnly: Bool, at now: Int64
    ) throws(StoreError) -> [ConversationID] {
        // Whoever asks about themselves finds the fewest.
        let first = users.contains(asker) ? asker : users[0]
        let second = users.first { $0 != first } ?? first
        return try self.transaction.connection.query(
            Self.objectsOfAllSQL, first, second, asker, now, membersOnly, ObjectScanBounds.rows + 1
        ) {
            row throws(StoreError) in row.conversationID(0)
        }
    }

    private static let objectsByKindSQL = SQL(
        """
        SELECT c.id FROM conversation c
        WHERE c.kind BETWEEN ?1 AND ?2 AND c.kind <> \(ConversationKind.temporary)
            AND (c.expires_at IS NULL OR c.expires_at > ?3)
            AND ((c.flags & \(ConversationFlags.disbanded) = 0
                    AND ((?5 = 0 AND c.kind <> \(ConversationKind.direct)) OR \(SQLText.isOpen)))
                OR EXISTS (SELECT 1 FROM member o WHERE o.conversation_id = c.id AND o.user_id = ?4))
        ORDER BY c.head > 0 DESC, c.active_at DESC, c.id DESC LIMIT ?6
        """)

    private func objects(
        from low: ConversationKind, to high: ConversationKind, seenBy asker: UserID, membersOnly: Bool, at now: Int64
    ) throws(StoreError) -> [ConversationID] {
        return try self.transaction.connection.query(
            Self.objectsByKindSQL, low.rawValue, high.rawValue, now, asker, membersOnly, ObjectScanBounds.rows + 1
        ) { row throws(StoreError) in row.conversationID(0) }
    }

    // MARK: Rows

    /// Rows of conversations that exist, in the order asked; 1...1000 of them.
    package func objectRows(_ ids: [ConversationID], seenBy asker: UserID) throws(StoreError) -> [ObjectRow] {
        var list = "["
        for (index, id) in ids.enumerated() { list += (index > 0 ? "," : "") + "\(id.rawValue)" }
        list += "]"
        var rows = try self.bareRows(list, seenBy: asker)
        try self.addMembers(list, to: &rows)
        return ids.compactMap { rows[$0] }
    }

    private static let bareRowsSQL = SQL(
        """
        SELECT \(SQLText.conversationColumns), c.attributes, c.fields,
            (c.member_set IS NOT NULL AND c.expires_at IS NULL) OR c.direct_low <> c.direct_high, c.expires_at,
            m.joined_at, p.muted
        FROM json_each(?1) AS wanted JOIN conversation c ON c.id = wanted.value
        LEFT JOIN member m ON m.conversation_id = c.id AND m.user_id = ?2
        LEFT JOIN preference p ON p.conversation_id = c.id AND p.user_id = m.user_id
        """)

    private func bareRows(_ list: String, seenBy asker: UserID) throws(StoreError) -> [ConversationID: ObjectRow] {
        let found = try self.transaction.connection.query(Self.bareRowsSQL, list, asker) { row throws(StoreError) in
            let conversation = try ConversationReads.conversation(row)
            var made = ObjectRow(
                conversation: conversation, creator: try self.transaction.name(of: conversation.creator))
            made.attributes = row.optionalBlob(14)
            made.fields = row.optionalBlob(15)
            made.uniqueID = row.int64(16) != 0 ? "" : nil
            made.expiresAtMilliseconds = row.optionalInt64(17)
            made.joinedAtMilliseconds = row.optionalInt64(18)
            made.isSilenced = TeamAlerts(stored: row.int64(19)) == .none
            return (conversation.id, made)
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    private static let addMembersSQL = SQL(
        """
        SELECT m.conversation_id, m.user_id, p.muted
        FROM json_each(?1) AS wanted JOIN conversation c ON c.id = wanted.value
            AND c.kind <> \(ConversationKind.service)
        JOIN member m ON m.conversation_id = c.id
        LEFT JOIN preference p ON p.conversation_id = m.conversation_id AND p.user_id = m.user_id
        ORDER BY m.conversation_id, m.joined_at, m.joined_sequence, m.role DESC, m.user_id
        """)

    /// Adds members to the rows; subscribers of a service are not listed.
    private func addMembers(_ list: String, to rows: inout [ConversationID: ObjectRow]) throws(StoreError) {
        let members = try self.transaction.connection.query(Self.addMembersSQL, list) { row throws(StoreError) in
            (row.conversationID(0), row.userID(1), TeamAlerts(stored: row.int64(2)) == .none)
        }
        for (conversation, user, isMuting) in members {
            let name = try self.transaction.name(of: user)
            rows[conversation]?.members.append(name)
            if isMuting { rows[conversation]?.muting.append(name) }
        }
        for (id, row) in rows where row.uniqueID != nil {
            rows[id]?.uniqueID = try MemberSet.shownID(of: row.members)
        }
    }

    /// The newest message that somebody is shown, as it stands; `nil` when they hear nothing there or have cleared it.
    package func newestMessage(
        in conversation: Conversation, seenBy user: UserID
    ) throws(StoreError) -> StandingMessage? {
        guard conversation.head > 0, try self.transaction.conversations.hears(user, in: conversation.id) else {
            return nil
        }
        let view = try self.transaction.messages.view(of: conversation.id, for: .member(user))
        var page = StandingPage(in: conversation.id, view, limit: 1)
        page.low = view.start
        return try self.transaction.messages.standing(page).last
    }

    // MARK: People of one conversation

    /// Members who may not send at `now`, UTC milliseconds, by number; from an offset, `limit` is 1...1000.
    package func silencedMembers(
        of id: ConversationID, at now: Int64, offset: Int, limit: Int
    ) throws(StoreError) -> [UserName] {
        let sql: StaticString = """
            SELECT user_id FROM member WHERE conversation_id = ? AND muted_until > ? ORDER BY user_id LIMIT ? OFFSET ?
            """
        let users = try self.transaction.connection.query(sql, id, now, try ReadTransaction.page(limit), max(0, offset))
        {
            row throws(StoreError) in row.userID(0)
        }
        return try self.userNames(of: users)
    }

    private static let blockedSQL = SQL(
        """
        SELECT user_id FROM conversation_list WHERE conversation_id = ? AND list = \(ConversationList.denied)
        ORDER BY user_id LIMIT ? OFFSET ?
        """)

    /// People who may not come back, by number; from an offset, `limit` is 1...1000.
    package func blockedPeople(
        of id: ConversationID, offset: Int, limit: Int
    ) throws(StoreError) -> [UserName] {
        let users = try self.transaction.connection.query(
            Self.blockedSQL, id, try ReadTransaction.page(limit), max(0, offset)
        ) {
            row throws(StoreError) in row.userID(0)
        }
        return try self.userNames(of: users)
    }

    private func userNames(of users: [UserID]) throws(StoreError) -> [UserName] {
        var names: [UserName] = []
        for user in users { names.append(try self.transaction.name(of: user)) }
        return names
    }
}
