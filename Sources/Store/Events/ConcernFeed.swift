import ChatModel

// The part of the feed about what a person is asked or told by name: requests to join teams, and announcements of the
// operator. Their own rows have the position of their last change.

extension FeedWrites {
    /// Notes where the feed finds requests: the first one at the position of the event, each further one at the next.
    func setPositions(ofRequests numbers: [Int64], _ first: StorePosition) throws(StoreError) {
        var position = first
        for (index, number) in numbers.enumerated() {
            if index > 0 { position = StorePosition(self.transaction.nextMessageID()) }
            try self.transaction.connection.run(
                "UPDATE team_request SET position = ? WHERE number = ?", position.rawValue, number)
        }
    }

    /// Notes where the feed finds an announcement for those who are told.
    func setPosition(ofAnnouncement number: Int64, _ event: ChangeEvent) throws(StoreError) {
        for receiver in event.receivers {
            try self.transaction.connection.run(
                "UPDATE notice_receiver SET position = ? WHERE number = ? AND user_id = ?", event.position.rawValue,
                number, receiver)
        }
    }
}

/// Changes of one kind that a read of the feed has found.
struct FoundChanges {
    /// By rising position.
    var changes: [FeedChange]
    /// Position up to which that is everything; `nil` for the end of the span.
    var cut: StorePosition?
}

extension FeedReads {
    // All requests that have changed are looked at, not those of the reader: very few people ask at once, and a reader
    // may manage very many teams.
    private static let changedRequestsSQL = SQL(
        """
        SELECT r.position, r.number, r.person_id = ?1 OR r.inviter_id IS ?1
            OR (r.kind = \(TeamRequestKind.apply) AND EXISTS (
                SELECT 1 FROM member m WHERE m.conversation_id = r.conversation_id AND m.user_id = ?1
                    AND m.role > \(MemberRole.member)))
        FROM team_request r WHERE r.position > ?2 AND r.position <= ?3 ORDER BY r.position LIMIT ?4
        """)
    private static let changedAnnouncementsSQL = SQL(
        """
        SELECT position, number FROM notice_receiver WHERE user_id = ?1 AND position > ?2 AND position <= ?3
        ORDER BY position LIMIT ?4
        """)

    /// Requests to join teams that have changed and that a person made, was asked by, or may answer as a manager.
    func changedRequests(_ span: FeedSpan) throws(StoreError) -> FoundChanges {
        let most = FeedBounds.requests
        let rows = try self.transaction.connection.query(
            Self.changedRequestsSQL, span.user, span.after.rawValue, span.through.rawValue, most + 1
        ) { row throws(StoreError) in
            (position: StorePosition(rawValue: row.int64(0)), number: row.int64(1), isTheirs: row.int64(2) != 0)
        }
        return FoundChanges(
            changes: rows.filter(\.isTheirs).map {
                FeedChange(position: $0.position, conversation: nil, subject: .request($0.number))
            }, cut: rows.count > most ? rows[most].position : nil)
    }

    /// Announcements that have reached a person, or that they have confirmed.
    ///
    /// - Parameter limit: most of them, and one more.
    func changedAnnouncements(_ span: FeedSpan, limit: Int) throws(StoreError) -> FoundChanges {
        let found = try self.transaction.connection.query(
            Self.changedAnnouncementsSQL, span.user, span.after.rawValue, span.through.rawValue, limit + 1
        ) { row throws(StoreError) in
            FeedChange(
                position: StorePosition(rawValue: row.int64(0)), conversation: nil,
                subject: .announcement(row.int64(1)))
        }
        return FoundChanges(changes: found, cut: found.count > limit ? found[limit].position : nil)
    }
}
