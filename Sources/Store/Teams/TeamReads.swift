package import ChatModel

extension ReadTransaction {
    /// Reads of teams and requests to join them.
    package var teams: TeamReads { TeamReads(transaction: self) }
}

/// Reads of teams and requests to join them. Valid as long as its transaction.
package struct TeamReads {
    let transaction: ReadTransaction
}

extension TeamReads {
    // MARK: Teams

    private static let teamOwnerSQL = SQL(
        """
        SELECT user_id FROM member WHERE conversation_id = ? AND role = \(MemberRole.owner)
        """)

    /// A group with what makes it a team; `nil` for any other conversation.
    ///
    /// - Parameters:
    ///   - now: UTC milliseconds: who is muted is muted until a time.
    ///   - serverLimit: most members of any group.
    package func one(
        _ id: ConversationID, at now: Int64, serverLimit: Int = .max
    ) throws(StoreError) -> Team? {
        guard let conversation = try self.transaction.conversations.one(id), conversation.kind == .group,
            let settings = try self.transaction.connection.teamSettings(of: id)
        else { return nil }
        let muted: StaticString = "SELECT count(*) FROM member WHERE conversation_id = ? AND muted_until > ?"
        return Team(
            conversation: conversation, card: try self.transaction.conversations.knownCard(of: id), settings: settings,
            introduction: try self.introduction(of: id), announcement: try self.shownAnnouncement(of: id),
            owner: try self.transaction.connection.first(Self.teamOwnerSQL, id) { row throws(StoreError) in
                row.userID(0)
            },
            limit: min(settings.memberLimit ?? .max, serverLimit),
            mutedMembers: Int(
                try self.transaction.connection.first(muted, id, now) { row throws(StoreError) in row.int64(0) } ?? 0)
        )
    }

    func introduction(of id: ConversationID) throws(StoreError) -> String? {
        let sql: StaticString = "SELECT introduction FROM team WHERE conversation_id = ?"
        return try self.transaction.connection.first(sql, id) { row throws(StoreError) in row.optionalText(0) } ?? nil
    }

    /// Inviter of a member; `nil` for a member who came alone, or when it is not known.
    package func inviter(of user: UserID, in id: ConversationID) throws(StoreError) -> UserName? {
        let sql: StaticString = """
            SELECT u.name FROM member m JOIN user u ON u.id = m.inviter_id
            WHERE m.conversation_id = ? AND m.user_id = ?
            """
        return try self.transaction.connection.first(sql, id, user) { row throws(StoreError) in try row.userName(0) }
    }

    /// A person as who looks at a team's card, with what they set for themselves.
    package func viewer(_ user: UserID, of id: ConversationID) throws(StoreError) -> TeamViewer {
        let member = try self.transaction.conversations.member(user, in: id)
        let preference = try self.transaction.inbox.preference(of: user, in: id)
        return TeamViewer(
            user: user, role: member?.role, nickname: member?.nickname, alerts: preference.alerts,
            isPinned: preference.isPinned)
    }

    // MARK: Announcements

    private func shownAnnouncement(of id: ConversationID) throws(StoreError) -> TeamAnnouncement? {
        let sql: StaticString = """
            SELECT a.number, a.title, a.body, a.author_id, u.name, a.created_at FROM announcement a
            JOIN user u ON u.id = a.author_id WHERE a.conversation_id = ? ORDER BY a.number DESC LIMIT 1
            """
        let newest = try self.transaction.connection.first(sql, id, read: Self.announcement)
        return newest.flatMap { $0.body.isEmpty ? nil : $0 }
    }

    /// Announcements to a team, the newest first; `limit` is 1...1000.
    ///
    /// - Parameter before: the number that the page before ended with.
    package func announcements(
        of id: ConversationID, before: Int64 = .max, limit: Int = 100
    ) throws(StoreError) -> [TeamAnnouncement] {
        let sql: StaticString = """
            SELECT a.number, a.title, a.body, a.author_id, u.name, a.created_at FROM announcement a
            JOIN user u ON u.id = a.author_id WHERE a.conversation_id = ? AND a.number < ? AND a.body <> ''
            ORDER BY a.number DESC LIMIT ?
            """
        return try self.transaction.connection.query(
            sql, id, before, try ReadTransaction.page(limit), read: Self.announcement)
    }

    private static func announcement(_ row: Row) throws(StoreError) -> TeamAnnouncement {
        TeamAnnouncement(
            number: row.int64(0), title: row.optionalText(1), body: row.text(2), author: row.userID(3),
            authorName: try row.userName(4), createdAtMilliseconds: row.int64(5))
    }

    // MARK: Requests

    /// - Returns: as it was left; one that has waited too long may still say that it waits, see
    ///   `TeamRequest.endsAtMilliseconds`.
    package func request(_ number: Int64) throws(StoreError) -> TeamRequest? {
        let sql: StaticString = """
            SELECT r.number, r.kind, r.conversation_id, c.channel, r.person_id, p.name, r.inviter_id, i.name,
                r.postscript, r.state, r.answered_by, a.name, r.reason, r.created_at, r.answered_at
            FROM team_request r JOIN conversation c ON c.id = r.conversation_id JOIN user p ON p.id = r.person_id
            LEFT JOIN user i ON i.id = r.inviter_id LEFT JOIN user a ON a.id = r.answered_by
            WHERE r.number = ?
            """
        return try self.transaction.connection.first(sql, number, read: Self.teamRequest)
    }

    private static let teamRequestsSQL = SQL(
        """
        SELECT r.number, r.kind, r.conversation_id, c.channel, r.person_id, p.name, r.inviter_id, i.name,
            r.postscript, r.state, r.answered_by, a.name, r.reason, r.created_at, r.answered_at
        FROM team_request r JOIN conversation c ON c.id = r.conversation_id JOIN user p ON p.id = r.person_id
        LEFT JOIN user i ON i.id = r.inviter_id LEFT JOIN user a ON a.id = r.answered_by
        WHERE (?1 IS NULL OR r.conversation_id = ?1) AND (?2 IS NULL OR r.person_id = ?2)
            AND (?3 = 0 OR (r.state = \(TeamRequestState.waiting) AND r.created_at > ?4)) AND r.number < ?5
        ORDER BY r.number DESC LIMIT ?6
        """)

    /// Requests, the newest first, as they are at a time, UTC milliseconds.
    package func requests(
        _ query: TeamRequestQuery, at now: Int64
    ) throws(StoreError) -> [TeamRequest] {
        let lifetime = TeamBounds.requestDays * 86_400_000
        let found = try self.transaction.connection.query(
            Self.teamRequestsSQL, query.team, query.person, query.onlyWaiting, now - lifetime, query.before ?? .max,
            try ReadTransaction.page(query.limit), read: Self.teamRequest)
        return found.map { Self.asItIs($0, at: now) }
    }

    private static let teamRequests2SQL = SQL(
        """
        SELECT r.number, r.kind, r.conversation_id, c.channel, r.person_id, p.name, r.inviter_id, i.name,
            r.postscript, r.state, r.answered_by, a.name, r.reason, r.created_at, r.answered_at
        FROM team_request r JOIN conversation c ON c.id = r.conversation_id JOIN user p ON p.id = r.person_id
        LEFT JOIN user i ON i.id = r.inviter_id LEFT JOIN user a ON a.id = r.answered_by
        WHERE r.number IN (
                SELECT number FROM team_request WHERE person_id = ?1
                UNION SELECT number FROM team_request WHERE inviter_id = ?1
                UNION SELECT q.number FROM member m JOIN team_request q ON q.conversation_id = m.conversation_id
                WHERE m.user_id = ?1 AND m.role > \(MemberRole.member) AND q.kind = \(TeamRequestKind.apply))
            AND (?2 = 0 OR (r.state = \(TeamRequestState.waiting) AND r.created_at > ?3)) AND r.number < ?4
        ORDER BY r.number DESC LIMIT ?5
        """)

    /// The requests that a person made, was asked by, or may answer as a manager, the newest first, as they are at a time,
    /// UTC milliseconds; `limit` is 1...1000.
    ///
    /// - Parameter before: the number that the page before ended with.
    package func requests(
        concerning user: UserID, onlyWaiting: Bool, before: Int64, at now: Int64, limit: Int
    ) throws(StoreError) -> [TeamRequest] {
        let found = try self.transaction.connection.query(
            Self.teamRequests2SQL, user, onlyWaiting, now - TeamBounds.requestDays * 86_400_000, before,
            try ReadTransaction.page(limit),
            read: Self.teamRequest)
        return found.map { Self.asItIs($0, at: now) }
    }

    /// Marks a request as expired when its time is over.
    private static func asItIs(_ request: TeamRequest, at now: Int64) -> TeamRequest {
        guard request.state == .waiting && request.endsAtMilliseconds <= now else { return request }
        var over = request
        over.state = .expired
        over.answeredAtMilliseconds = request.endsAtMilliseconds
        return over
    }

    private static let waitingTeamRequestsSQL = SQL(
        """
        SELECT count(*) FROM team_request WHERE conversation_id = ? AND state = \(TeamRequestState.waiting)
            AND created_at > ?
        """)

    /// How many requests of a team wait for an answer.
    package func waitingRequests(of id: ConversationID, at now: Int64) throws(StoreError) -> Int64 {
        let oldest = now - TeamBounds.requestDays * 86_400_000
        return try self.transaction.connection.first(Self.waitingTeamRequestsSQL, id, oldest) {
            row throws(StoreError) in
            row.int64(0)
        } ?? 0
    }

    private static func teamRequest(_ row: Row) throws(StoreError) -> TeamRequest {
        guard let kind = TeamRequestKind(rawValue: row.int64(1)),
            let state = TeamRequestState(rawValue: row.int64(9))
        else { throw Row.damaged("team request") }
        let hasInviter = !row.isNull(6)
        let hasAnswer = !row.isNull(10)
        return TeamRequest(
            number: row.int64(0), kind: kind, team: row.conversationID(2),
            teamName: row.optionalText(3).flatMap(ChannelName.init), person: row.userID(4),
            personName: try row.userName(5), inviter: hasInviter ? row.userID(6) : nil,
            inviterName: try hasInviter ? row.userName(7) : nil, postscript: row.text(8), state: state,
            answeredBy: hasAnswer ? row.userID(10) : nil, answeredByName: try hasAnswer ? row.userName(11) : nil,
            reason: row.text(12), createdAtMilliseconds: row.int64(13), answeredAtMilliseconds: row.int64(14))
    }
}

extension Connection {
    /// `nil` for what is no group.
    func teamSettings(of id: ConversationID) throws(StoreError) -> TeamSettings? {
        let sql: StaticString = """
            SELECT form, join_mode, be_invited_mode, update_info_mode, update_attributes_mode, owner_leaving,
                member_limit, remove_mode
            FROM team WHERE conversation_id = ?
            """
        return try self.first(sql, id) { row throws(StoreError) in
            guard let form = TeamForm(rawValue: row.int64(0)), let join = TeamJoinMode(rawValue: row.int64(1)),
                let beInvited = TeamBeInvitedMode(rawValue: row.int64(2)),
                let updateInfo = TeamUpdateMode(rawValue: row.int64(3)),
                let updateAttributes = TeamUpdateMode(rawValue: row.int64(4)),
                let ownerLeaving = TeamOwnerLeaving(rawValue: row.int64(5)),
                let remove = TeamRemoveMode(rawValue: row.int64(7))
            else { throw Row.damaged("team") }
            return TeamSettings(
                form: form, join: join, beInvited: beInvited, updateInfo: updateInfo,
                updateAttributes: updateAttributes, ownerLeaving: ownerLeaving,
                remove: remove,
                memberLimit: row.optionalInt64(6).map { Int($0) })
        }
    }
}
