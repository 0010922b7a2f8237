package import ChatModel

/// A line of a person's list of conversations.
package struct RecentConversation: Hashable, Sendable {
    package var conversation: Conversation
    package var member: Member
    /// For a direct conversation, the other one.
    package var peerName: UserName?
    package var preference: ConversationPreference
    /// Number of unread messages.
    package var unread: Int64
    /// The number to show, as WuKongIM's clients show it.
    package var badge: Int64
    /// Grows over the whole store with every message, change of the conversation, reading and preference of this person.
    package var change: Int64

    package var isHidden: Bool { self.preference.isHidden(head: self.conversation.head) }
}

/// Where a page of a list for display ended: at a line that was there, wherever it stands now.
package struct RecentMark: Hashable, Sendable {
    package var isPinned: Bool
    /// Time of the newest message, UTC milliseconds.
    package var activeAtMilliseconds: Int64
    package var id: ConversationID

    package init(isPinned: Bool, activeAtMilliseconds: Int64, id: ConversationID) {
        self.isPinned = isPinned
        self.activeAtMilliseconds = activeAtMilliseconds
        self.id = id
    }

    package init(_ line: RecentConversation) {
        self.init(
            isPinned: line.preference.isPinned, activeAtMilliseconds: line.conversation.activeAtMilliseconds,
            id: line.conversation.id)
    }
}

/// In which order lines of a list come.
package enum RecentOrder: Sendable {
    /// Pinned ones first, then by the time of the newest message, newest first.
    case forDisplay
    /// The oldest change first: ask on with the last one's `change`.
    case byChange
}

extension InboxReads {
    private static let recentSQL = SQL(
        """
        SELECT \(SQLText.conversationColumns), \(SQLText.memberColumns), \(SQLText.preferenceColumns),
            max(c.change, m.change, coalesce(p.change, 0)) AS latest,
            CASE WHEN c.direct_low = m.user_id THEN c.direct_high ELSE c.direct_low END
        FROM member m JOIN conversation c ON c.id = m.conversation_id JOIN user u ON u.id = m.user_id
        LEFT JOIN preference p ON p.user_id = m.user_id AND p.conversation_id = m.conversation_id
        WHERE m.user_id = ?1 AND \(SQLText.isListed) AND latest > ?2
            AND (?3 OR p.hidden_through IS NULL OR c.head > p.hidden_through)
            AND (?7 IS NULL OR (coalesce(p.pinned, 0), c.active_at, c.id) < (?7, ?8, ?9))
        ORDER BY CASE WHEN ?4 THEN latest END, coalesce(p.pinned, 0) DESC, c.active_at DESC, c.id DESC
        LIMIT ?5 OFFSET ?6
        """)

    /// A person's list of conversations, without kinds that stand in nobody's list.
    ///
    /// - Parameters:
    ///   - change: only what has a later change number; 0 for all.
    ///   - includingHidden: also those the person put away, so that another device learns of it.
    ///   - limit: 1...1000.
    ///   - mark: only what comes after it in a list for display; `nil` for the beginning.
    package func recent(
        of user: UserID, since change: Int64 = 0, order: RecentOrder = .forDisplay, includingHidden: Bool = false,
        limit: Int, offset: Int = 0, after mark: RecentMark? = nil
    ) throws(StoreError) -> [RecentConversation] {
        let hidden = try self.hiddenCounts(of: user)
        return try self.transaction.connection.query(
            Self.recentSQL, user, change, includingHidden, order == .byChange, try ReadTransaction.page(limit),
            max(0, offset),
            mark.map { $0.isPinned ? Int64(1) : 0 }, mark?.activeAtMilliseconds, mark?.id.rawValue
        ) { row throws(StoreError) in
            let conversation = try ConversationReads.conversation(row)
            let member = try ConversationReads.member(row, from: 14)
            let preference = Self.preference(row, from: 27)
            let unread = member.unread(headCountable: conversation.headCountable)
            let badge = member.badge(headCountable: conversation.headCountable)
            return RecentConversation(
                conversation: conversation, member: member,
                peerName: row.isNull(42) ? nil : try self.transaction.name(of: row.userID(42)), preference: preference,
                unread: max(0, unread - hidden.afterRead[conversation.id, default: 0]),
                badge: max(
                    preference.markedUnread, badge - hidden.afterBadge[conversation.id, default: 0], 0),
                change: row.int64(41))
        }
    }

    private static let unreadSQL = SQL(
        """
        SELECT m.conversation_id, c.head_countable - m.read_countable - m.own_countable_since_read
        FROM member m JOIN conversation c ON c.id = m.conversation_id
        WHERE m.user_id = ?1 AND (c.head_countable > m.read_countable + m.own_countable_since_read
                OR c.id IN (SELECT conversation_id FROM shown_count WHERE user_id = ?1))
            AND \(SQLText.isListed)
        """)

    /// How much a person has not read, for every listed conversation that has something.
    package func unread(of user: UserID) throws(StoreError) -> [ConversationID: Int64] {
        let hidden = try self.hiddenCounts(of: user).afterRead
        var unread: [ConversationID: Int64] = [:]
        let rows = try self.transaction.connection.query(Self.unreadSQL, user) { row throws(StoreError) in
            (row.conversationID(0), row.int64(1))
        }
        unread.reserveCapacity(rows.count)
        for (id, count) in rows {
            let visible = count - hidden[id, default: 0]
            if visible > 0 { unread[id] = visible }
        }
        return unread
    }

    private static let badgesSQL = SQL(
        """
        SELECT m.conversation_id,
            c.head_countable
                - CASE WHEN m.own_last_sequence > m.read_sequence THEN m.own_last_countable ELSE m.read_countable END,
            CASE WHEN m.own_last_sequence > p.marked_at THEN 0 ELSE coalesce(p.marked_unread, 0) END
        FROM member m JOIN conversation c ON c.id = m.conversation_id
        LEFT JOIN preference p ON p.user_id = m.user_id AND p.conversation_id = m.conversation_id
        WHERE m.user_id = ? AND \(SQLText.isListed)
        """)

    /// The number to show for each listed conversation that has one.
    package func badges(of user: UserID) throws(StoreError) -> [ConversationID: Int64] {
        let hidden = try self.hiddenCounts(of: user).afterBadge
        var badges: [ConversationID: Int64] = [:]
        let rows = try self.transaction.connection.query(Self.badgesSQL, user) { row throws(StoreError) in
            (row.conversationID(0), row.int64(1), row.int64(2))
        }
        for (id, count, marked) in rows {
            let badge = max(marked, count - hidden[id, default: 0])
            if badge > 0 { badges[id] = badge }
        }
        return badges
    }

    /// By how many messages less each conversation counts than its numbers say, nearly always none: those withheld, without
    /// those that are for some only, this person among them, which the numbers leave out. After the read position, and
    /// after where the badge starts to count.
    func hiddenCounts(
        of user: UserID
    ) throws(StoreError) -> (afterRead: [ConversationID: Int64], afterBadge: [ConversationID: Int64]) {
        let sql: StaticString = """
            SELECT h.conversation_id, sum(h.less), sum(h.less * (h.sequence > m.own_last_sequence)) FROM (
                SELECT conversation_id, sequence, 1 AS less FROM hidden_count WHERE user_id = ?1
                UNION ALL SELECT conversation_id, sequence, -1 FROM shown_count WHERE user_id = ?1) h
            JOIN member m ON m.conversation_id = h.conversation_id AND m.user_id = ?1
            WHERE h.sequence > m.read_sequence GROUP BY h.conversation_id
            """
        let rows = try self.transaction.connection.query(sql, user) { row throws(StoreError) in
            (id: row.conversationID(0), afterRead: row.int64(1), afterBadge: row.int64(2))
        }
        var counts: (afterRead: [ConversationID: Int64], afterBadge: [ConversationID: Int64]) = ([:], [:])
        for row in rows {
            counts.afterRead[row.id] = row.afterRead
            counts.afterBadge[row.id] = row.afterBadge
        }
        return counts
    }

    /// The same for one conversation, after a place in it.
    func hiddenCount(_ user: UserID, in id: ConversationID, after sequence: Int64) throws(StoreError) -> Int64 {
        let sql: StaticString = """
            SELECT (SELECT count(*) FROM hidden_count WHERE user_id = ?1 AND conversation_id = ?2 AND sequence > ?3)
                - (SELECT count(*) FROM shown_count WHERE user_id = ?1 AND conversation_id = ?2 AND sequence > ?3)
            """
        return try self.transaction.connection.first(sql, user, id, sequence) { row throws(StoreError) in row.int64(0) }
            ?? 0
    }
}
