package import ChatModel

/// One person's view of one conversation, with the names it goes by.
package struct PreferenceOfConversation: Hashable, Sendable {
    package var conversation: ConversationID
    package var kind: ConversationKind
    package var channel: ChannelName?
    /// For a direct conversation, the other one.
    package var peerName: UserName?
    package var preference: ConversationPreference
}

extension SQLText {
    /// Columns of `preference p` beside `member m`, as `InboxReads.preference` reads them.
    static let preferenceColumns: SQLText = """
        p.pinned, p.muted, p.saved, p.remark, p.draft, p.browse_to, p.keep_sequence, p.keep_offset, p.extra_version, \
        CASE WHEN m.own_last_sequence > p.marked_at THEN 0 ELSE p.marked_unread END, p.hidden_through, \
        p.cleared_through, p.settings, p.change
        """
}

extension InboxReads {
    /// Choices of members whom not every message of a conversation alerts.
    package func alertChoices(in id: ConversationID) throws(StoreError) -> [UserID: TeamAlerts] {
        let sql: StaticString = "SELECT user_id, muted FROM preference WHERE conversation_id = ? AND muted <> 0"
        let found = try self.transaction.connection.query(sql, id) { row throws(StoreError) in
            (row.userID(0), TeamAlerts(stored: row.int64(1)))
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    /// Selects those of `people` whom a message alerts, by the role that its sender has now.
    ///
    /// - Parameter choices: as `alertChoices` returns them.
    package func alerted(
        by message: Message, among people: [UserID], _ choices: [UserID: TeamAlerts]
    ) throws(StoreError) -> [UserID] {
        guard !choices.isEmpty else { return people }
        var role: MemberRole?
        if choices.values.contains(.managers) {
            role = try self.transaction.conversations.member(message.sender, in: message.conversation)?.role
        }
        return people.filter { choices[$0]?.isAlert(by: role) ?? true }
    }

    private static let preferenceSQL = SQL(
        """
        SELECT \(SQLText.preferenceColumns) FROM preference p
        JOIN member m ON m.conversation_id = p.conversation_id AND m.user_id = p.user_id
        WHERE p.user_id = ? AND p.conversation_id = ?
        """)
    private static let extrasSQL = SQL(
        """
        SELECT \(SQLText.preferenceColumns),
            c.id, c.kind, c.channel, CASE WHEN c.direct_low = m.user_id THEN c.direct_high ELSE c.direct_low END
        FROM preference p
        JOIN member m ON m.conversation_id = p.conversation_id AND m.user_id = p.user_id
        JOIN conversation c ON c.id = p.conversation_id
        WHERE p.user_id = ? AND p.extra_version > ? ORDER BY p.extra_version LIMIT ?
        """)

    /// A person's view of a conversation; as if nothing had been set when they are no member.
    package func preference(
        of user: UserID, in id: ConversationID
    ) throws(StoreError) -> ConversationPreference {
        try self.transaction.connection.first(Self.preferenceSQL, user, id) { row throws(StoreError) in
            Self.preference(row, from: 0)
        }
            ?? ConversationPreference()
    }

    /// Drafts and reading places a person's devices set after `version`, oldest first; `limit` is 1...1000.
    package func conversationExtras(
        of user: UserID, after version: Int64, limit: Int
    ) throws(StoreError) -> [PreferenceOfConversation] {
        try self.transaction.connection.query(
            Self.extrasSQL, user, version, try ReadTransaction.page(limit), read: self.preferenceOfConversation)
    }

    private func preferenceOfConversation(_ row: Row) throws(StoreError) -> PreferenceOfConversation {
        PreferenceOfConversation(
            conversation: row.conversationID(14), kind: try row.conversationKind(15),
            channel: row.optionalText(16).flatMap(ChannelName.init),
            peerName: row.isNull(17) ? nil : try self.transaction.name(of: row.userID(17)),
            preference: Self.preference(row, from: 0))
    }

    /// From the fourteen `SQLText.preferenceColumns`.
    static func preference(_ row: Row, from column: Int32) -> ConversationPreference {
        var preference = ConversationPreference()
        preference.isPinned = row.int64(column) != 0
        preference.alerts = TeamAlerts(stored: row.int64(column + 1))
        preference.isSaved = row.int64(column + 2) != 0
        preference.remark = row.optionalText(column + 3)
        preference.draft = row.optionalText(column + 4)
        preference.browseTo = row.int64(column + 5)
        preference.keepSequence = row.int64(column + 6)
        preference.keepOffset = row.int64(column + 7)
        preference.extraVersion = row.int64(column + 8)
        preference.markedUnread = row.int64(column + 9)
        preference.hiddenThrough = row.optionalInt64(column + 10)
        preference.clearedThrough = row.int64(column + 11)
        preference.settings = row.optionalBlob(column + 12)
        preference.change = row.int64(column + 13)
        return preference
    }
}

extension TeamAlerts {
    /// Number in `preference.muted`.
    var stored: Int64 {
        switch self {
        case .all: 0
        case .none: 1
        case .managers: 2
        }
    }

    /// Reads what `stored` has written; another number is silence, as in older versions. `verify` finds it.
    init(stored: Int64) { self = Self.allCases.first { $0.stored == stored } ?? .none }
}
