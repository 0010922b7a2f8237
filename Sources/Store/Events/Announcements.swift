package import ChatModel

// The operator's announcements to people.
extension AnnouncementWrites {
    /// Makes an announcement; `nextStep` says to whom it is sent. People who are added later do not get it.
    ///
    /// - Parameters:
    ///   - sender: which operator.
    ///   - teams: whose members get it; empty for every person.
    /// - Returns: its number.
    /// - Throws: `notFound` for what is no team; `invalid` for an empty one, and beyond `AnnouncementBounds`.
    package func create(
        title: String, _ body: String, sender: String, teams: [ConversationID]
    ) throws(StoreError) -> Int64 {
        try WriteTransaction.check(scalars: title, AnnouncementBounds.titleScalars, "title of the announcement")
        try WriteTransaction.check(bytes: body, AnnouncementBounds.textBytes, "announcement")
        guard !body.isEmpty else { throw .invalid("the announcement is empty") }
        guard teams.count <= AnnouncementBounds.teams else {
            throw .invalid("an announcement is for at most \(AnnouncementBounds.teams) teams, not \(teams.count)")
        }
        for team in teams {
            guard try self.transaction.knownConversation(team).kind == .group else {
                throw .notFound("a team with the number \(team.rawValue)")
            }
        }
        try self.transaction.connection.run(
            """
            INSERT INTO notice (title, body, sender, created_at, last_id)
            VALUES (?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM user))
            """, title, body, sender, self.transaction.wallMilliseconds)
        let number = self.transaction.connection.lastInsertedID
        for team in Set(teams) {
            try self.transaction.connection.run(
                "INSERT INTO notice_team (number, conversation_id) VALUES (?, ?)", number, team)
        }
        return number
    }

    /// The next people of the oldest announcement that is not with everybody yet, noted as having it: whoever asks
    /// sends it to them. A step that is not finished, for the server ended, is told again.
    ///
    /// - Parameter done: the step before, to whose people it has been sent.
    /// - Returns: `nil` when there is nothing to send.
    package func nextStep(after done: AnnouncementStep?) throws(StoreError) -> AnnouncementStep? {
        if let done, let last = done.people.last {
            try self.transaction.connection.run(
                "UPDATE notice SET through_id = max(through_id, ?) WHERE number = ?", last.user, done.notice.number)
        }
        let oldest: StaticString = "SELECT number FROM notice WHERE sent_at IS NULL ORDER BY number LIMIT 1"
        while let number = try self.transaction.connection.first(
            oldest, read: { row throws(StoreError) in row.int64(0) })
        {
            let people = try self.transaction.connection.nextAnnouncementPeople(of: number)
            guard !people.isEmpty else {
                try self.transaction.connection.run(
                    "UPDATE notice SET sent_at = ? WHERE number = ?", self.transaction.wallMilliseconds, number)
                continue
            }
            var new: [UserID] = []
            for person in people {
                try self.transaction.connection.run(
                    "INSERT INTO notice_receiver (number, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING", number,
                    person.user)
                if self.transaction.connection.changes > 0 { new.append(person.user) }
            }
            try self.transaction.connection.run(
                "UPDATE notice SET receivers = receivers + ? WHERE number = ?", new.count, number)
            try self.transaction.notePeople(.announcement(number), by: .system, to: new)
            guard let notice = try self.transaction.reading.announcements.notice(number) else {
                throw Row.damaged("announcement")
            }
            return AnnouncementStep(notice: notice, people: people)
        }
        return nil
    }

    /// Notes that a person has read an announcement. Confirming it again changes nothing.
    ///
    /// - Returns: when it was confirmed first, UTC milliseconds.
    /// - Throws: `notFound` for one that this person did not get.
    package func confirm(_ number: Int64, by user: UserID) throws(StoreError) -> Int64 {
        let known: StaticString = "SELECT confirmed_at FROM notice_receiver WHERE number = ? AND user_id = ?"
        let found = try self.transaction.connection.first(known, number, user) { row throws(StoreError) in
            (confirmedAt: row.optionalInt64(0), isThere: true)
        }
        guard let found else { throw .notFound("announcement \(number)") }
        if let confirmedAt = found.confirmedAt { return confirmedAt }
        let now = self.transaction.wallMilliseconds
        try self.transaction.connection.run(
            "UPDATE notice_receiver SET confirmed_at = ? WHERE number = ? AND user_id = ?", now, number, user)
        try self.transaction.connection.run("UPDATE notice SET confirmed = confirmed + 1 WHERE number = ?", number)
        try self.transaction.notePeople(.announcement(number), by: user, to: [user])
        return now
    }
}

extension AnnouncementReads {
    /// Reads an announcement; `nil` for an unknown number.
    package func notice(_ number: Int64) throws(StoreError) -> Announcement? {
        let sql: StaticString = """
            SELECT number, title, body, sender, created_at, sent_at, receivers, confirmed FROM notice WHERE number = ?
            """
        guard var notice = try self.transaction.connection.first(sql, number, read: Self.notice) else { return nil }
        notice.teams = try self.transaction.connection.noticeTeams(of: number)
        return notice
    }

    /// Announcements, the newest first; `limit` is 1...1000.
    ///
    /// - Parameter before: the number that the page before ended with.
    package func page(before: Int64 = .max, limit: Int) throws(StoreError) -> [Announcement] {
        let sql: StaticString = """
            SELECT number, title, body, sender, created_at, sent_at, receivers, confirmed FROM notice
            WHERE number < ? ORDER BY number DESC LIMIT ?
            """
        var announcements = try self.transaction.connection.query(
            sql, before, try ReadTransaction.page(limit), read: Self.notice)
        for index in announcements.indices {
            announcements[index].teams = try self.transaction.connection.noticeTeams(of: announcements[index].number)
        }
        return announcements
    }

    /// Announcements to a person, the newest first, with the time of confirmation; `limit` is 1...1000.
    ///
    /// - Parameter before: the number that the page before ended with.
    package func page(
        for user: UserID, before: Int64 = .max, limit: Int
    ) throws(StoreError) -> [(notice: Announcement, confirmedAtMilliseconds: Int64?)] {
        let sql: StaticString = """
            SELECT n.number, n.title, n.body, n.sender, n.created_at, n.sent_at, n.receivers, n.confirmed, r.confirmed_at
            FROM notice_receiver r JOIN notice n ON n.number = r.number
            WHERE r.user_id = ? AND r.number < ? ORDER BY r.number DESC LIMIT ?
            """
        return try self.transaction.connection.query(sql, user, before, try ReadTransaction.page(limit)) {
            row throws(StoreError) in
            (try Self.notice(row), row.optionalInt64(8))
        }
    }

    /// Receivers of an announcement, by their number; `limit` is 1...1000.
    ///
    /// - Parameter last: the number of the person that the page before ended with.
    package func receivers(
        of number: Int64, _ people: AnnouncementAudience, after last: UserID?, limit: Int
    ) throws(StoreError) -> [AnnouncementReceiver] {
        let sql: StaticString = """
            SELECT r.user_id, u.name, r.confirmed_at FROM notice_receiver r JOIN user u ON u.id = r.user_id
            WHERE r.number = ?1 AND r.user_id > ?2 AND (?3 IS NULL OR (r.confirmed_at IS NOT NULL) = ?3)
            ORDER BY r.user_id LIMIT ?4
            """
        let wanted: Int64? =
            switch people {
            case .all: nil
            case .confirmed: 1
            case .waiting: 0
            }
        return try self.transaction.connection.query(
            sql, number, last?.rawValue ?? -1, wanted, try ReadTransaction.page(limit), read: Connection.noticeReceiver)
    }

    /// Reads an announcement as a person has it; `nil` for one that they did not get.
    package func announcement(
        _ number: Int64, for user: UserID
    ) throws(StoreError) -> (notice: Announcement, confirmedAtMilliseconds: Int64?)? {
        let sql: StaticString = """
            SELECT n.number, n.title, n.body, n.sender, n.created_at, n.sent_at, n.receivers, n.confirmed, r.confirmed_at
            FROM notice_receiver r JOIN notice n ON n.number = r.number WHERE r.user_id = ? AND r.number = ?
            """
        return try self.transaction.connection.first(sql, user, number) { row throws(StoreError) in
            (try Self.notice(row), row.optionalInt64(8))
        }
    }

    private static func notice(_ row: Row) throws(StoreError) -> Announcement {
        Announcement(
            number: row.int64(0), title: row.text(1), body: row.text(2), sender: row.text(3),
            createdAtMilliseconds: row.int64(4), sentAtMilliseconds: row.optionalInt64(5), receivers: row.int64(6),
            confirmed: row.int64(7))
    }
}

extension Connection {
    fileprivate func noticeTeams(of number: Int64) throws(StoreError) -> [ChannelName] {
        let sql: StaticString = """
            SELECT c.channel FROM notice_team t JOIN conversation c ON c.id = t.conversation_id
            WHERE t.number = ? ORDER BY c.channel
            """
        return try self.query(sql, number) { row throws(StoreError) in
            guard let name = ChannelName(row.text(0)) else { throw Row.damaged("name of a team") }
            return name
        }
    }

    /// Next receivers: neither disabled accounts nor those of the server. Reads of each team only as many rows as one
    /// step takes.
    fileprivate func nextAnnouncementPeople(of number: Int64) throws(StoreError) -> [AnnouncementReceiver] {
        let teams = try self.query("SELECT conversation_id FROM notice_team WHERE number = ?", number) {
            row throws(StoreError) in row.conversationID(0)
        }
        let everybody: StaticString = """
            SELECT u.id, u.name, NULL FROM notice n JOIN user u ON u.id > max(n.through_id, 0) AND u.id <= n.last_id
            WHERE n.number = ? AND u.disabled = 0 AND u.is_system = 0 ORDER BY u.id LIMIT ?
            """
        guard !teams.isEmpty else {
            return try self.query(everybody, number, AnnouncementBounds.peopleAtOnce, read: Self.noticeReceiver)
        }
        let members: StaticString = """
            SELECT u.id, u.name, NULL FROM notice n
            JOIN member m ON m.conversation_id = ?2 AND m.user_id > n.through_id AND m.user_id <= n.last_id
            JOIN user u ON u.id = m.user_id
            WHERE n.number = ?1 AND u.disabled = 0 AND u.is_system = 0 ORDER BY m.user_id LIMIT ?3
            """
        var people: Set<AnnouncementReceiver> = []
        for team in teams {
            people.formUnion(
                try self.query(members, number, team, AnnouncementBounds.peopleAtOnce, read: Self.noticeReceiver))
        }
        return Array(people.sorted { $0.user < $1.user }.prefix(AnnouncementBounds.peopleAtOnce))
    }

    fileprivate static func noticeReceiver(_ row: Row) throws(StoreError) -> AnnouncementReceiver {
        AnnouncementReceiver(
            user: row.userID(0), name: try row.userName(1), confirmedAtMilliseconds: row.optionalInt64(2))
    }
}

extension ReadTransaction {
    /// Reads of announcements and who has confirmed them.
    package var announcements: AnnouncementReads { AnnouncementReads(transaction: self) }
}

/// Reads of announcements and who has confirmed them. Valid as long as its transaction.
package struct AnnouncementReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of announcements and who has confirmed them.
    package var announcements: AnnouncementWrites { AnnouncementWrites(transaction: self) }
}

/// Changes of announcements and who has confirmed them. Valid as long as its transaction.
package struct AnnouncementWrites {
    let transaction: WriteTransaction
}
