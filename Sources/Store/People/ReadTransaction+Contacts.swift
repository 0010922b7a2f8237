package import ChatModel

/// A person who can be chosen, with the names to find and to sort them by.
package struct ChoosablePerson: Hashable, Sendable {
    /// Name of the person.
    package var name: UserName
    /// Name that the person chose; `nil` for none.
    package var displayName: String?
    /// Name that the asker gives them, or their name in the conversation; `nil` for none.
    package var ownName: String?
    /// List of the asker on which they stand; `nil` for none that was asked for.
    package var list: PersonalList?
}

/// Source of people to choose from.
package enum ChoosablePeople: Hashable, Sendable {
    case everybody
    /// People with whom the asker shares a conversation or a friendship, and the server's own accounts.
    case acquainted
    case friends
    case members(ConversationID)
    /// People on the asker's own lists.
    case lists
}

// Who and what can be chosen in a client: the sources of its contact selector.
extension ReadTransaction {
    private static let everybodySQL: StaticString = """
        SELECT u.name, u.display_name, f.remark, NULL FROM user u
        LEFT JOIN friend f ON f.owner_id = ?1 AND f.other_id = u.id AND f.is_removed = 0
        WHERE u.id <> 0 AND u.disabled = 0 AND u.deleted_at IS NULL
            AND (?3 IS NULL OR u.id = ?3 OR u.is_system <> 0 OR u.id IN (
                SELECT other_id FROM friend WHERE owner_id = ?3 AND is_removed = 0
                UNION SELECT b.user_id FROM member a JOIN member b ON b.conversation_id = a.conversation_id
                WHERE a.user_id = ?3))
        ORDER BY u.name LIMIT ?2
        """
    private static let friendsSQL: StaticString = """
        SELECT u.name, u.display_name, f.remark, NULL FROM friend f JOIN user u ON u.id = f.other_id
        WHERE f.owner_id = ?1 AND f.is_removed = 0 AND u.deleted_at IS NULL ORDER BY f.other_id LIMIT ?2
        """
    private static let membersSQL: StaticString = """
        SELECT u.name, u.display_name, coalesce(f.remark, m.nickname), NULL FROM member m
        JOIN user u ON u.id = m.user_id
        LEFT JOIN friend f ON f.owner_id = ?1 AND f.other_id = u.id AND f.is_removed = 0
        WHERE m.conversation_id = ?3 ORDER BY m.user_id LIMIT ?2
        """
    private static let listsSQL: StaticString = """
        SELECT u.name, u.display_name, f.remark, l.list FROM personal_list l JOIN user u ON u.id = l.other_id
        LEFT JOIN friend f ON f.owner_id = ?1 AND f.other_id = u.id AND f.is_removed = 0
        WHERE l.owner_id = ?1 AND u.deleted_at IS NULL ORDER BY l.list, l.other_id LIMIT ?2
        """

    /// People that somebody may choose from, in no order; the first `limit` of a longer source. Whether the asker is in the
    /// conversation is the caller's to check.
    package func choosable(
        _ people: ChoosablePeople, for asker: UserID, limit: Int
    ) throws(StoreError) -> [ChoosablePerson] {
        switch people {
        case .everybody:
            try self.connection.query(Self.everybodySQL, asker, limit, Int64?.none, read: Self.choosable)
        case .acquainted: try self.connection.query(Self.everybodySQL, asker, limit, asker, read: Self.choosable)
        case .friends: try self.connection.query(Self.friendsSQL, asker, limit, read: Self.choosable)
        case .members(let id): try self.connection.query(Self.membersSQL, asker, limit, id, read: Self.choosable)
        case .lists: try self.connection.query(Self.listsSQL, asker, limit, read: Self.choosable)
        }
    }

    private static func choosable(_ row: Row) throws(StoreError) -> ChoosablePerson {
        ChoosablePerson(
            name: try row.userName(0), displayName: row.optionalText(1), ownName: row.optionalText(2),
            list: row.optionalInt64(3).flatMap(PersonalList.init(rawValue:)))
    }

    private static let choosableTeamsSQL = SQL(
        """
        SELECT c.id, coalesce(p.remark, c.title, c.channel, '') FROM member m
        JOIN conversation c ON c.id = m.conversation_id
        LEFT JOIN preference p ON p.conversation_id = m.conversation_id AND p.user_id = m.user_id
        WHERE m.user_id = ?1 AND c.kind = \(ConversationKind.group) AND c.flags & \(ConversationFlags.disbanded) = 0
        ORDER BY c.id LIMIT ?2
        """)

    /// The groups that somebody is in and that are not dismissed, under the names that they know them by; the first `limit`.
    package func choosableTeams(
        of user: UserID, limit: Int
    ) throws(StoreError) -> [(id: ConversationID, title: String)] {
        try self.connection.query(Self.choosableTeamsSQL, user, limit) { row throws(StoreError) in
            (row.conversationID(0), row.text(1))
        }
    }

    private static let openTeamsSQL = SQL(
        """
        SELECT t.conversation_id FROM team t JOIN conversation c ON c.id = t.conversation_id
        WHERE t.join_mode <> \(TeamJoinMode.closed) AND c.flags & \(ConversationFlags.disbanded) = 0
            AND t.conversation_id < ?1
            AND (instr(lower(coalesce(c.title, '')), lower(?2)) > 0 OR lower(c.channel) = lower(?2))
        ORDER BY t.conversation_id DESC LIMIT ?3
        """)

    /// Teams that people may join or ask to join, with this text in their title or as their name: the newest first;
    /// `limit` is 1...1000. Letters of ASCII are the same in both cases.
    ///
    /// - Parameter before: the last one of the page before; `nil` for the first page.
    package func openTeams(
        matching text: String, before: ConversationID?, limit: Int
    ) throws(StoreError) -> [ConversationID] {
        try self.connection.query(
            Self.openTeamsSQL, before ?? ConversationID(rawValue: .max), text, try Self.page(limit)
        ) { row throws(StoreError) in row.conversationID(0) }
    }
}
