package import ChatModel

extension SQLText {
    /// Columns of `member m` with the name of `user u`, as `ConversationReads.member` reads them.
    static let memberColumns: SQLText = """
        m.user_id, u.name, m.role, m.read_sequence, m.read_countable, m.own_countable_since_read, m.joined_sequence, \
        m.own_last_sequence, m.own_last_countable, m.muted_until, m.nickname, m.revision, m.joined_at
        """
}

extension ConversationReads {
    // MARK: Members

    private static let memberRows: SQLText =
        "SELECT \(SQLText.memberColumns) FROM member m JOIN user u ON u.id = m.user_id"
    private static let memberSQL = SQL("\(memberRows) WHERE m.conversation_id = ? AND m.user_id = ?")
    private static let changedMembersSQL = SQL(
        "\(memberRows) WHERE m.conversation_id = ? AND m.revision BETWEEN ? AND ?")
    private static let membersSQL = SQL("\(memberRows) WHERE m.conversation_id = ? ORDER BY m.user_id")

    /// Everyone, by number.
    package func members(of id: ConversationID) throws(StoreError) -> [Member] {
        try self.transaction.connection.query(Self.membersSQL, id) { row throws(StoreError) in
            try Self.member(row, from: 0)
        }
    }

    /// Members that changed after `revision`, and those who left since, oldest change first; 0 asks for everything.
    ///
    /// - Parameter limit: 1...1000. A page ends with a whole revision, so that the next one can begin after it: people
    ///   who changed together come together, and everyone who was there before the first change comes on top.
    package func members(
        of id: ConversationID, after revision: Int64, limit: Int
    ) throws(StoreError) -> [Member] {
        let last = try self.lastRevision(of: id, after: revision, limit: try ReadTransaction.page(limit))
        // Revision 0 is of those who were there before the first change.
        let first = revision > 0 ? revision + 1 : 0
        var members = try self.transaction.connection.query(Self.changedMembersSQL, id, first, last) {
            row throws(StoreError) in
            try Self.member(row, from: 0)
        }
        members += try self.formerMembers(of: id, revisions: first...max(first, last))
        return members.sorted { ($0.revision, $0.user) < ($1.revision, $1.user) }
    }

    /// The revision that the row with this number, counted from `revision`, belongs to.
    private func lastRevision(of id: ConversationID, after revision: Int64, limit: Int64) throws(StoreError) -> Int64 {
        let sql: StaticString = """
            SELECT revision FROM (
                SELECT revision FROM member WHERE conversation_id = ?1 AND revision > ?2
                UNION ALL SELECT revision FROM former_member WHERE conversation_id = ?1 AND revision > ?2)
            ORDER BY revision LIMIT 1 OFFSET ?3
            """
        return try self.transaction.connection.first(sql, id, max(0, revision), limit - 1) { row throws(StoreError) in
            row.int64(0)
        } ?? Int64.max
    }

    private func formerMembers(
        of id: ConversationID, revisions: ClosedRange<Int64>
    ) throws(StoreError) -> [Member] {
        let sql: StaticString = """
            SELECT f.user_id, u.name, f.role, f.revision FROM former_member f JOIN user u ON u.id = f.user_id
            WHERE f.conversation_id = ? AND f.revision BETWEEN ? AND ?
            """
        return try self.transaction.connection.query(sql, id, revisions.lowerBound, revisions.upperBound) {
            row throws(StoreError) in
            var member = Member(
                user: row.userID(0), name: try row.userName(1), role: try row.memberRole(2), readSequence: 0,
                readCountable: 0, ownCountableSinceRead: 0, joinedSequence: 0)
            member.revision = row.int64(3)
            member.isRemoved = true
            return member
        }
    }

    /// Reads a member; `nil` for a person who is no member.
    package func member(_ user: UserID, in id: ConversationID) throws(StoreError) -> Member? {
        try self.transaction.connection.first(Self.memberSQL, id, user) { row throws(StoreError) in
            try Self.member(row, from: 0)
        }
    }

    /// From the thirteen `SQLText.memberColumns`.
    static func member(_ row: Row, from column: Int32) throws(StoreError) -> Member {
        var member = Member(
            user: row.userID(column), name: try row.userName(column + 1), role: try row.memberRole(column + 2),
            readSequence: row.int64(column + 3), readCountable: row.int64(column + 4),
            ownCountableSinceRead: row.int64(column + 5), joinedSequence: row.int64(column + 6))
        member.ownLastSequence = row.int64(column + 7)
        member.ownLastCountable = row.int64(column + 8)
        member.mutedUntilMilliseconds = row.int64(column + 9)
        member.nickname = row.optionalText(column + 10)
        member.revision = row.int64(column + 11)
        member.joinedAtMilliseconds = row.int64(column + 12)
        return member
    }

    // MARK: Listeners

    /// Listeners who are not members, by number; `limit` is 1...1000.
    package func listeners(
        of id: ConversationID, after: UserID = .system, limit: Int = 1_000
    ) throws(StoreError) -> [(user: UserID, name: UserName)] {
        let sql: StaticString = """
            SELECT l.user_id, u.name FROM listener l JOIN user u ON u.id = l.user_id
            WHERE l.conversation_id = ? AND l.user_id > ? ORDER BY l.user_id LIMIT ?
            """
        return try self.transaction.connection.query(sql, id, after, try ReadTransaction.page(limit)) {
            row throws(StoreError) in
            (row.userID(0), try row.userName(1))
        }
    }

    /// All of them, in no order.
    package func listenerIDs(of id: ConversationID) throws(StoreError) -> [UserID] {
        let sql: StaticString = "SELECT user_id FROM listener WHERE conversation_id = ?"
        return try self.transaction.connection.query(sql, id) { row throws(StoreError) in row.userID(0) }
    }

    /// Counts the listeners of a conversation.
    package func listenerCount(of id: ConversationID) throws(StoreError) -> Int {
        let sql: StaticString = "SELECT count(*) FROM listener WHERE conversation_id = ?"
        return Int(try self.transaction.connection.first(sql, id) { row throws(StoreError) in row.int64(0) } ?? 0)
    }

    /// Everyone who gets what is said there, by number: members, listeners, and for a topic without members of its own
    /// the members of its community.
    package func receivers(of id: ConversationID) throws(StoreError) -> [UserID] {
        let sql: StaticString = """
            SELECT user_id FROM member WHERE conversation_id IN (?1, ?2)
            UNION SELECT user_id FROM listener WHERE conversation_id IN (?1, ?2)
            """
        let home = try self.home(of: id)
        return try self.transaction.connection.query(sql, id, home) { row throws(StoreError) in row.userID(0) }
    }

    /// True when a person gets the messages of a conversation: a member, a listener, or for a topic without members of
    /// its own a member of its community.
    package func hears(_ user: UserID, in id: ConversationID) throws(StoreError) -> Bool {
        let sql: StaticString = """
            SELECT EXISTS (SELECT 1 FROM member WHERE conversation_id = ?1 AND user_id = ?2)
                OR EXISTS (SELECT 1 FROM listener WHERE conversation_id = ?1 AND user_id = ?2)
            """
        if try self.transaction.connection.first(sql, id, user, read: { row throws(StoreError) in row.int64(0) != 0 })
            == true
        {
            return true
        }
        let home = try self.home(of: id)
        guard home != id else { return false }
        return try self.member(user, in: home) != nil
    }

    /// The conversation whose members count: itself, or for a topic without members of its own its community.
    func home(of id: ConversationID) throws(StoreError) -> ConversationID {
        guard let topic = try self.one(id), topic.kind == .communityTopic, topic.memberCount == 0,
            let name = topic.channel.flatMap({ communityName(ofTopic: $0.text) }),
            let community = try self.transaction.connection.conversationID(of: ChannelKey(kind: .community, name: name))
        else { return id }
        return community
    }

    // MARK: Lists

    /// People on one of a conversation's two lists, by number.
    package func list(
        _ list: ConversationList, of id: ConversationID
    ) throws(StoreError) -> [(user: UserID, name: UserName)] {
        let sql: StaticString = """
            SELECT l.user_id, u.name FROM conversation_list l JOIN user u ON u.id = l.user_id
            WHERE l.conversation_id = ? AND l.list = ? ORDER BY l.user_id
            """
        return try self.transaction.connection.query(sql, id, list.rawValue) { row throws(StoreError) in
            (row.userID(0), try row.userName(1))
        }
    }

    /// True when a person is on one of a conversation's two lists.
    package func isListed(
        _ user: UserID, in id: ConversationID, on list: ConversationList
    ) throws(StoreError) -> Bool {
        let sql: StaticString =
            "SELECT EXISTS (SELECT 1 FROM conversation_list WHERE conversation_id = ? AND list = ? AND user_id = ?)"
        return try self.transaction.connection.first(sql, id, list.rawValue, user) { row throws(StoreError) in
            row.int64(0) != 0
        } ?? false
    }

    // MARK: Cards

    /// Reads a conversation's card; `nil` for an unknown ID.
    package func card(of id: ConversationID) throws(StoreError) -> ConversationCard? {
        let sql: StaticString = """
            SELECT title, logo, (
                SELECT body FROM announcement WHERE conversation_id = conversation.id ORDER BY number DESC LIMIT 1
            ), attributes FROM conversation WHERE id = ?
            """
        return try self.transaction.connection.first(sql, id) { row throws(StoreError) in
            ConversationCard(
                conversation: id, title: row.optionalText(0), logo: row.optionalText(1),
                notice: row.optionalText(2).flatMap { $0.isEmpty ? nil : $0 },
                attributes: row.optionalBlob(3))
        }
    }

    /// The card of a conversation that exists.
    func knownCard(of id: ConversationID) throws(StoreError) -> ConversationCard {
        guard let card = try self.card(of: id) else { throw .notFound("conversation number \(id.rawValue)") }
        return card
    }
}
