import ChatModel

// The part of the feed about people: one row for each person who has changed, none for those who are told.

extension FeedWrites {
    /// Notes where to look for a change of a person. Its first row has the position of the event, each further one takes
    /// the next.
    func addToPersonFeed(_ change: PersonChange, _ event: ChangeEvent) throws(StoreError) {
        var rows: [(person: UserID, receiver: UserID?)] = []
        switch change {
        case .profile: for person in event.subjects { rows.append((person, nil)) }
        case .befriended, .unfriended:
            for receiver in event.receivers {
                for person in event.receivers where person != receiver { rows.append((person, receiver)) }
            }
        case .remark, .listed:
            for receiver in event.receivers { for person in event.subjects { rows.append((person, receiver)) } }
        // Native clients show neither; others find them by the versions of their rows.
        case .friendRequested, .reminders: return
        case .teamRequests(let numbers): return try self.setPositions(ofRequests: numbers, event.position)
        case .announcement(let number): return try self.setPosition(ofAnnouncement: number, event)
        }
        var position = event.position
        for (index, row) in rows.enumerated() {
            if index > 0 { position = StorePosition(self.transaction.nextMessageID()) }
            try self.transaction.connection.run(
                "DELETE FROM person_feed WHERE person_id = ? AND receiver_id IS ?", row.person, row.receiver)
            try self.transaction.connection.run(
                "INSERT INTO person_feed (position, person_id, receiver_id) VALUES (?, ?, ?)", position.rawValue,
                row.person, row.receiver)
        }
    }
}

extension FeedReads {
    private static let countPeople = SQL(
        """
        SELECT count(*), max(position) FROM (
            SELECT position FROM person_feed WHERE receiver_id IS NULL AND position > ?1 AND position <= ?2
            ORDER BY position DESC LIMIT ?3)
        """)
    // The conversations of the person who has changed are looked through, not the reader's: they differ from row to row,
    // so that one reader with very many conversations does not meet them all for every row.
    private static let acquaintedPeople = SQL(
        """
        SELECT p.position, p.person_id FROM person_feed p
        WHERE p.receiver_id IS NULL AND p.position > ?2 AND p.position <= ?3 AND (
            p.person_id = ?1
            OR EXISTS (SELECT 1 FROM friend f WHERE f.owner_id = ?1 AND f.other_id = p.person_id AND f.is_removed = 0)
            OR EXISTS (SELECT 1 FROM member b CROSS JOIN member a
                ON a.conversation_id = b.conversation_id AND a.user_id = ?1 WHERE b.user_id = p.person_id))
        """)
    private static let toldPeople = SQL(
        """
        SELECT position, person_id FROM person_feed WHERE receiver_id = ?1 AND position > ?2 AND position <= ?3
        ORDER BY position DESC LIMIT ?4
        """)

    /// People who have changed for a reader: acquainted ones who are shown otherwise, and those about whom the reader was
    /// told alone. Above `FeedBounds.people` of either it is one gap.
    func changedPeople(_ span: FeedSpan) throws(StoreError) -> [FeedChange] {
        let most = FeedBounds.people
        let (after, through) = (span.after.rawValue, span.through.rawValue)
        let shown = try self.transaction.connection.first(Self.countPeople, after, through, most + 1) {
            row throws(StoreError) in
            (count: row.int64(0), last: row.optionalInt64(1) ?? 0)
        }
        let told = try self.transaction.connection.query(
            Self.toldPeople, span.user, after, through, most + 1, read: Self.changedPerson)
        guard (shown?.count ?? 0) <= most, told.count <= most else {
            let last = max(StorePosition(rawValue: shown?.last ?? 0), told.first?.position ?? .zero)
            return [FeedChange(position: last, conversation: nil, subject: .gapOfPeople)]
        }
        guard let shown, shown.count > 0 else { return told }
        return told
            + (try self.transaction.connection.query(
                Self.acquaintedPeople, span.user, after, through, read: Self.changedPerson))
    }

    private static func changedPerson(_ row: Row) throws(StoreError) -> FeedChange {
        FeedChange(
            position: StorePosition(rawValue: row.int64(0)), conversation: nil, subject: .person(row.userID(1)))
    }
}
