package import ChatModel

/// A person who can be chosen, with the names to find and to sort them by.
package struct ChoosablePerson: Hashable, Sendable {
    /// Place among all others, see `PinyinInitial.sortKey`.
    package var key: String
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

extension UserName {
    /// Place in lists of the person with this name, who is shown as `name`; `nil` for the name itself.
    func sortKey(shownAs name: String?) -> String { PinyinInitial.sortKey(of: name ?? self.text, id: self.text) }
}

// Who and what can be chosen in a client: the sources of its contact selector.
extension PeopleReads {
    private static let columns: SQLText = "u.name, u.display_name"
    private static let key: SQLText = "coalesce(f.sort_key, u.sort_key)"
    private static let present: SQLText = "u.id <> 0 AND u.disabled = 0 AND u.deleted_at IS NULL"

    // Those whom ?2 calls otherwise are found by that name, all others by the index of names: a page reads about a page.
    private static let everybodySQL = SQL(
        """
        SELECT * FROM (
            SELECT u.sort_key, \(columns), NULL, NULL FROM user u INDEXED BY user_by_sort_key
            WHERE u.sort_key > ?3 AND \(present) AND \(isKnown) AND NOT EXISTS (
                SELECT 1 FROM friend f
                WHERE f.owner_id = ?2 AND f.other_id = u.id AND f.is_removed = 0 AND f.sort_key IS NOT NULL)
            ORDER BY u.sort_key LIMIT ?4)
        UNION ALL SELECT * FROM (
            SELECT f.sort_key, \(columns), f.remark, NULL FROM friend f JOIN user u ON u.id = f.other_id
            WHERE f.owner_id = ?2 AND f.is_removed = 0 AND f.sort_key > ?3 AND \(present)
            ORDER BY f.sort_key LIMIT ?4)
        ORDER BY 1 LIMIT ?4
        """)
    private static let friendsSQL = SQL(
        """
        SELECT \(key), \(columns), f.remark, NULL FROM friend f JOIN user u ON u.id = f.other_id
        WHERE f.owner_id = ?1 AND f.is_removed = 0 AND u.deleted_at IS NULL AND \(key) > ?2 ORDER BY 1 LIMIT ?3
        """)
    private static let membersSQL = SQL(
        """
        SELECT coalesce(f.sort_key, m.sort_key, u.sort_key), \(columns), coalesce(f.remark, m.nickname), NULL
        FROM member m JOIN user u ON u.id = m.user_id
        LEFT JOIN friend f ON f.owner_id = ?1 AND f.other_id = u.id AND f.is_removed = 0
        WHERE m.conversation_id = ?4 AND coalesce(f.sort_key, m.sort_key, u.sort_key) > ?2 ORDER BY 1 LIMIT ?3
        """)
    private static let listsSQL = SQL(
        """
        SELECT \(key) || '/' || l.list, \(columns), f.remark, l.list
        FROM personal_list l JOIN user u ON u.id = l.other_id
        LEFT JOIN friend f ON f.owner_id = ?1 AND f.other_id = u.id AND f.is_removed = 0
        WHERE l.owner_id = ?1 AND u.deleted_at IS NULL AND \(key) || '/' || l.list > ?2 ORDER BY 1 LIMIT ?3
        """)
    /// Rows read at once of people who are searched through.
    private static let searchedAtOnce = 1_000
    /// Most rows that are searched through for one page.
    private static let searchedRows = 20_000

    /// A page of the people that somebody may choose from, in the order of `PinyinInitial.sortKey`. A page may be shorter
    /// than `limit` and yet not be the last one, where many were looked at. Whether the asker is in the conversation is
    /// the caller's to check.
    ///
    /// - Parameters:
    ///   - after: the key that the page before ended with; empty for the first page.
    ///   - limit: 1...1000.
    ///   - matches: chooses; `nil` for all.
    /// - Returns: `next`: the key to go on after; `nil` at the end.
    package func choosable(
        _ people: ChoosablePeople, for asker: UserID, after: String, limit: Int,
        matching matches: ((ChoosablePerson) -> Bool)? = nil
    ) throws(StoreError) -> (people: [ChoosablePerson], next: String?) {
        let wanted = Int(try ReadTransaction.page(limit))
        // One more than the page: it says whether there is another one.
        let rows = matches == nil ? wanted + 1 : Self.searched(people)
        var (found, looked, last): ([ChoosablePerson], Int, String) = ([], 0, after)
        while looked < Self.searchedRows, !self.transaction.isOverTime || looked == 0 {
            let read = try self.choosable(people, for: asker, after: last, rows: rows)
            for person in read where matches?(person) ?? true {
                guard found.count < wanted else { return (found, found.last?.key) }
                found.append(person)
            }
            guard read.count == rows, let end = read.last else { return (found, nil) }
            (looked, last) = (looked + read.count, end.key)
        }
        return (found, last)
    }

    // The others are sorted as a whole for each read.
    private static func searched(_ people: ChoosablePeople) -> Int {
        switch people {
        case .everybody, .acquainted: Self.searchedAtOnce
        case .friends, .members, .lists: Self.searchedRows
        }
    }

    private func choosable(
        _ people: ChoosablePeople, for asker: UserID, after: String, rows: Int
    ) throws(StoreError) -> [ChoosablePerson] {
        switch people {
        case .everybody:
            try self.transaction.connection.query(
                Self.everybodySQL, Int64?.none, asker, after, rows, read: Self.choosable)
        case .acquainted:
            try self.transaction.connection.query(Self.everybodySQL, asker, asker, after, rows, read: Self.choosable)
        case .friends: try self.transaction.connection.query(Self.friendsSQL, asker, after, rows, read: Self.choosable)
        case .members(let id):
            try self.transaction.connection.query(Self.membersSQL, asker, after, rows, id, read: Self.choosable)
        case .lists: try self.transaction.connection.query(Self.listsSQL, asker, after, rows, read: Self.choosable)
        }
    }

    private static func choosable(_ row: Row) throws(StoreError) -> ChoosablePerson {
        ChoosablePerson(
            key: row.text(0), name: try row.userName(1), displayName: row.optionalText(2), ownName: row.optionalText(3),
            list: row.optionalInt64(4).flatMap(PersonalList.init(rawValue:)))
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
        try self.transaction.connection.query(Self.choosableTeamsSQL, user, limit) { row throws(StoreError) in
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
        try self.transaction.connection.query(
            Self.openTeamsSQL, before ?? ConversationID(rawValue: .max), text, try ReadTransaction.page(limit)
        ) { row throws(StoreError) in row.conversationID(0) }
    }
}
