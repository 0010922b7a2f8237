package import ChatModel

// Coming into a team: being asked, asking, and the answers.
extension TeamWrites {
    // MARK: Inviting and applying

    /// Brings people into a team, or asks them when the team wants that they agree. Those who are members stay as they
    /// are; the operator and business servers ask nobody.
    ///
    /// - Parameter postscript: what the people who are asked read.
    /// - Throws: `refused`, and then nobody is invited; `notFound`; `invalid` when the postscript is too long. What is
    ///   wrong with one person is in the result.
    package func invite(
        _ users: [UserID], to id: ConversationID, postscript: String = "", by actor: Actor
    ) throws(StoreError) -> TeamInvitation {
        try WriteTransaction.check(scalars: postscript, TeamBounds.postscriptScalars, "postscript")
        let roles = try self.transaction.knownConversation(id).roles
        var invitation = TeamInvitation()
        var new: [UserID] = []
        for person in WriteTransaction.withoutRepeats(users) where roles[person] == nil {
            _ = try self.transaction.knownUser(person)
            if !actor.isPrivileged, try self.transaction.reading.people.isListed(actor.user, by: person, on: .blocked) {
                invitation.refused.append(TeamInvitation.Refused(person, .mayNotSend))
            } else {
                new.append(person)
            }
        }
        let asks = try self.transaction.knownConversation(id).settings.asksInvited && !actor.isPrivileged
        let conversation = try self.transaction.conversations.group(
            id, .invite, by: actor, newcomers: asks ? min(1, new.count) : new.count)
        guard asks else {
            try self.transaction.conversations.bring(
                new, into: conversation, inviter: actor.isPrivileged ? nil : actor.user, by: actor.user, as: .invited)
            invitation.added = new
            return invitation
        }
        try self.expireRequests(of: id)
        var made: [Int64] = []
        for person in new {
            if let refusal = try self.ask(person, into: id, by: actor.user, postscript, &made) {
                invitation.refused.append(TeamInvitation.Refused(person, refusal))
            } else {
                invitation.asked.append(person)
            }
        }
        try self.noteRequests(made, by: actor.user)
        return invitation
    }

    /// Asks one person; who has been asked already is not asked again.
    ///
    /// - Parameter made: gets the number of the request.
    private func ask(
        _ person: UserID, into id: ConversationID, by inviter: UserID, _ postscript: String, _ made: inout [Int64]
    ) throws(StoreError) -> ActionRefusal? {
        if try self.transaction.connection.waitingRequest(.invite, of: person, in: id) != nil { return nil }
        if try self.transaction.connection.waitingInvitations(by: inviter, in: id) >= TeamBounds.waitingInvitations {
            return .tooMany(limit: TeamBounds.waitingInvitations)
        }
        if try self.transaction.connection.waitingRequests(of: id) >= TeamBounds.waitingRequests {
            return .tooMany(limit: TeamBounds.waitingRequests)
        }
        made.append(try self.insertRequest(.invite, of: person, in: id, inviter: inviter, postscript))
        return nil
    }

    /// Joins a team that is open, or asks the managers of one that wants to be asked.
    ///
    /// - Throws: `refused`: `joiningClosed`, `alreadyMember`, `tooMany` in a full team or one with too many requests;
    ///   `notFound`; `invalid` when the postscript is too long.
    package func apply(
        to id: ConversationID, _ user: UserID, postscript: String = ""
    ) throws(StoreError) -> TeamApplication {
        try WriteTransaction.check(scalars: postscript, TeamBounds.postscriptScalars, "postscript")
        _ = try self.transaction.knownUser(user)
        let actor = Actor(user)
        var conversation = try self.transaction.conversations.group(id, .apply, by: actor)
        guard conversation.settings.join != .open else {
            conversation = try self.transaction.conversations.group(id, .join, by: actor)
            try self.transaction.conversations.bring([user], into: conversation, inviter: nil, by: user, as: .joined)
            return .joined
        }
        try self.expireRequests(of: id)
        if let waiting = try self.transaction.connection.waitingRequest(.apply, of: user, in: id) {
            return .waiting(waiting)
        }
        guard try self.transaction.connection.waitingRequests(of: id) < TeamBounds.waitingRequests else {
            throw .refused(.tooMany(limit: TeamBounds.waitingRequests))
        }
        let number = try self.insertRequest(.apply, of: user, in: id, inviter: nil, postscript)
        try self.noteRequests([number], by: user)
        return .waiting(number)
    }

    private func insertRequest(
        _ kind: TeamRequestKind, of person: UserID, in id: ConversationID, inviter: UserID?, _ postscript: String
    ) throws(StoreError) -> Int64 {
        // The last one of its kind was answered, or is over.
        try self.transaction.connection.run(
            "DELETE FROM team_request WHERE conversation_id = ? AND person_id = ? AND kind = ?", id, person,
            kind.rawValue)
        try self.transaction.connection.run(
            """
            INSERT INTO team_request (kind, conversation_id, person_id, inviter_id, postscript, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, kind.rawValue, id, person, inviter, postscript, self.transaction.wallMilliseconds)
        return self.transaction.connection.lastInsertedID
    }

    // MARK: Answering

    /// Accepts or refuses: an invitation by whom it asks, an application by a manager or the owner. The operator answers
    /// for both.
    ///
    /// - Returns: the request as it is now.
    /// - Throws: `refused`: `noSuchRequest` for one that is not theirs to answer, `requestOver`, `tooMany` in a full team,
    ///   where it goes on to wait; `invalid` when the reason is too long.
    package func answerRequest(
        _ number: Int64, accept: Bool, reason: String = "", by actor: Actor
    ) throws(StoreError) -> TeamRequest {
        try WriteTransaction.check(scalars: reason, TeamBounds.postscriptScalars, "reason")
        let request = try self.waitingRequest(number, by: actor) { request throws(StoreError) in
            switch request.kind {
            case .invite: request.person == actor.user
            case .apply: try self.transaction.knownConversation(request.team).roles[actor.user] != nil
            }
        }
        if request.kind == .apply {
            _ = try self.transaction.conversations.group(request.team, .answerApplication, by: actor)
        }
        guard accept else { return try self.end(request, .refused, by: actor, reason) }
        let conversation = try self.transaction.conversations.group(
            request.team, .acceptInvitation, by: Actor(request.person))
        let ended = try self.end(request, .accepted, by: actor, reason)
        let arrival: MemberArrival =
            switch request.kind {
            case .invite: .invitationAccepted(by: request.inviter)
            case .apply: .applicationAccepted
            }
        try self.transaction.conversations.bring(
            [request.person], into: conversation, inviter: request.inviter, by: actor.user, as: arrival)
        return ended
    }

    /// Takes a request back: an application by who applied, an invitation by who invited, any of them by the operator.
    ///
    /// - Throws: `refused`: `noSuchRequest` for one of somebody else, `requestOver`.
    package func withdrawRequest(_ number: Int64, by actor: Actor) throws(StoreError) -> TeamRequest {
        let request = try self.waitingRequest(number, by: actor) { request throws(StoreError) in
            actor.user == (request.kind == .apply ? request.person : request.inviter)
        }
        return try self.end(request, .withdrawn, by: actor, "")
    }

    private func waitingRequest(
        _ number: Int64, by actor: Actor, _ isTheirs: (TeamRequest) throws(StoreError) -> Bool
    ) throws(StoreError) -> TeamRequest {
        if let team = try self.transaction.reading.teams.request(number)?.team { try self.expireRequests(of: team) }
        guard let request = try self.transaction.reading.teams.request(number) else {
            throw .refused(.noSuchRequest)
        }
        if !actor.isPrivileged, try !isTheirs(request) { throw .refused(.noSuchRequest) }
        guard request.state == .waiting else { throw .refused(.requestOver) }
        return request
    }

    private func end(
        _ request: TeamRequest, _ state: TeamRequestState, by actor: Actor, _ reason: String
    ) throws(StoreError) -> TeamRequest {
        try self.transaction.connection.run(
            "UPDATE team_request SET state = ?, answered_by = ?, reason = ?, answered_at = ? WHERE number = ?",
            state.rawValue, actor.user, reason, self.transaction.wallMilliseconds, request.number)
        guard let ended = try self.transaction.reading.teams.request(request.number) else {
            throw .refused(.noSuchRequest)
        }
        try self.noteRequests([request.number], by: actor.user)
        return ended
    }

    /// Tells of requests the people whom they concern: who would come in, who invites, and of those who ask the managers.
    func noteRequests(_ numbers: [Int64], by actor: UserID) throws(StoreError) {
        guard !numbers.isEmpty else { return }
        var people: Set<UserID> = []
        for number in numbers {
            guard let request = try self.transaction.reading.teams.request(number) else { continue }
            people.insert(request.person)
            if let inviter = request.inviter { people.insert(inviter) }
            guard request.kind == .apply else { continue }
            let roles = try self.transaction.knownConversation(request.team).roles
            for (person, role) in roles where role != .member { people.insert(person) }
        }
        try self.transaction.notePeople(.teamRequests(numbers), by: actor, to: people.sorted())
    }

    // MARK: Ends that nobody answers

    private static let expiredSQL = SQL(
        """
        SELECT number FROM team_request WHERE state = \(TeamRequestState.waiting) AND created_at <= ?1
        ORDER BY created_at LIMIT ?2
        """)
    private static let expiredOfTeamSQL = SQL(
        """
        SELECT number FROM team_request WHERE conversation_id = ?1 AND state = \(TeamRequestState.waiting) AND created_at <= ?2
        """)
    private static let expireSQL = SQL(
        "UPDATE team_request SET state = \(TeamRequestState.expired), answered_at = created_at + ? WHERE number = ?")

    /// Expires requests that have waited too long, and tells whom they concern.
    ///
    /// - Parameter limit: most of them.
    func expireRequests(limit: Int) throws(StoreError) {
        try self.expire(
            try self.transaction.connection.query(
                Self.expiredSQL, self.transaction.wallMilliseconds - Self.lifetime, limit, read: Self.number))
    }

    /// Expires the requests of one team that have waited too long: the others' wait until the writer has time, as each
    /// costs the members of its team.
    private func expireRequests(of team: ConversationID) throws(StoreError) {
        try self.expire(
            try self.transaction.connection.query(
                Self.expiredOfTeamSQL, team, self.transaction.wallMilliseconds - Self.lifetime, read: Self.number))
    }

    private func expire(_ numbers: [Int64]) throws(StoreError) {
        for number in numbers { try self.transaction.connection.run(Self.expireSQL, Self.lifetime, number) }
        try self.noteRequests(numbers, by: .system)
    }

    /// Time for which a request waits, milliseconds.
    private static let lifetime = TeamBounds.requestDays * 86_400_000

    private static let waitingOfPersonSQL = SQL(
        """
        SELECT number FROM team_request
        WHERE conversation_id = ?1 AND person_id = ?2 AND state = \(TeamRequestState.waiting)
        """)
    private static let fulfilSQL = SQL(
        "UPDATE team_request SET state = \(TeamRequestState.accepted), answered_at = ? WHERE number = ?")

    /// Fulfils the requests of a person who has come in.
    func fulfilRequests(of person: UserID, in id: ConversationID) throws(StoreError) {
        let numbers = try self.transaction.connection.query(Self.waitingOfPersonSQL, id, person, read: Self.number)
        for number in numbers {
            try self.transaction.connection.run(Self.fulfilSQL, self.transaction.wallMilliseconds, number)
        }
        try self.noteRequests(numbers, by: person)
    }

    private static let waitingOfTeamSQL = SQL(
        """
        SELECT number FROM team_request
        WHERE conversation_id = ?1 AND state = \(TeamRequestState.waiting) ORDER BY number
        """)
    private static let waitingAboutSQL = SQL(
        """
        SELECT number FROM team_request
        WHERE (person_id = ?1 OR inviter_id = ?1) AND state = \(TeamRequestState.waiting)
        """)
    private static let endSQL = SQL(
        "UPDATE team_request SET state = \(TeamRequestState.expired), answered_at = ? WHERE number = ?")

    /// Nobody comes into a team that is over.
    func endRequests(of id: ConversationID) throws(StoreError) {
        try self.endRequests(try self.transaction.connection.query(Self.waitingOfTeamSQL, id, read: Self.number))
    }

    /// Ends what a person asked, or was asked, whose account goes.
    func endRequests(about user: UserID) throws(StoreError) {
        try self.endRequests(try self.transaction.connection.query(Self.waitingAboutSQL, user, read: Self.number))
    }

    private func endRequests(_ numbers: [Int64]) throws(StoreError) {
        for number in numbers {
            try self.transaction.connection.run(Self.endSQL, self.transaction.wallMilliseconds, number)
        }
        try self.noteRequests(numbers, by: .system)
    }

    private static func number(_ row: Row) throws(StoreError) -> Int64 { row.int64(0) }
}

extension Connection {
    private static let waitingRequestSQL = SQL(
        """
        SELECT number FROM team_request WHERE conversation_id = ? AND person_id = ? AND kind = ?
            AND state = \(TeamRequestState.waiting)
        """)

    fileprivate func waitingRequest(
        _ kind: TeamRequestKind, of person: UserID, in id: ConversationID
    ) throws(StoreError) -> Int64? {
        return try self.first(Self.waitingRequestSQL, id, person, kind.rawValue) { row throws(StoreError) in
            row.int64(0)
        }
    }

    private static let waitingRequestsSQL = SQL(
        """
        SELECT count(*) FROM team_request WHERE conversation_id = ? AND state = \(TeamRequestState.waiting)
        """)

    fileprivate func waitingRequests(of id: ConversationID) throws(StoreError) -> Int64 {
        return try self.first(Self.waitingRequestsSQL, id) { row throws(StoreError) in row.int64(0) } ?? 0
    }

    private static let expiresSQL = SQL(
        """
        SELECT EXISTS (SELECT 1 FROM team_request WHERE state = \(TeamRequestState.waiting) AND created_at <= ?)
        """)

    /// True when a request to join a team has waited too long at a time, UTC milliseconds.
    func hasOverdueRequest(at wall: Int64) throws(StoreError) -> Bool {
        try self.first(Self.expiresSQL, wall - TeamBounds.requestDays * 86_400_000) { row throws(StoreError) in
            row.int64(0) != 0
        } ?? false
    }

    private static let waitingInvitationsSQL = SQL(
        """
        SELECT count(*) FROM team_request WHERE conversation_id = ? AND inviter_id = ?
            AND state = \(TeamRequestState.waiting)
        """)

    fileprivate func waitingInvitations(by inviter: UserID, in id: ConversationID) throws(StoreError) -> Int64 {
        return try self.first(Self.waitingInvitationsSQL, id, inviter) { row throws(StoreError) in row.int64(0) } ?? 0
    }
}
