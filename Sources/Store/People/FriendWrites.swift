package import ChatModel

extension WriteTransaction {
    /// Changes of friendships.
    package var friends: FriendWrites { FriendWrites(transaction: self) }
}

/// Changes of friendships. Valid as long as its transaction.
package struct FriendWrites {
    let transaction: WriteTransaction
}

/// Two people became friends, or no longer are.
package struct FriendChange: Hashable, Sendable {
    package var change: Int64
    /// False when it was so before.
    package var isNew: Bool

    package init(change: Int64, isNew: Bool) {
        self.change = change
        self.isNew = isNew
    }
}

extension FriendWrites {
    /// Asks somebody to be friends, or asks again.
    ///
    /// - Parameter token: the key by which the other one's app answers; a renewed request has a new one.
    /// - Throws: `notFound`; `refused`; `invalid` when the text is too long.
    package func ask(
        _ other: UserID, by asker: UserID, text: String, token: String
    ) throws(StoreError) -> FriendRequest {
        try WriteTransaction.check(
            text, maximumScalars: PeopleLimits.requestTextScalars, "what is said with a friend request")
        let (one, two) = (try self.transaction.knownUser(asker), try self.transaction.knownUser(other))
        var facts = FriendRequestFacts()
        facts.isToSelf = asker == other
        facts.otherIsDisabled = two.isDisabled
        facts.concernsSystem = one.isSystem || two.isSystem
        facts.areFriends = try self.areFriends(asker, other)
        facts.askerIsBlocked = two.blocked.contains(asker)
        facts.isRenewal = try self.transaction.reading.friends.request(from: asker, to: other)?.state == .waiting
        facts.askersWaiting = try self.transaction.reading.friends.waitingRequests(from: asker)
        facts.othersWaiting = try self.transaction.reading.friends.waitingRequests(to: other)
        facts.askersFriends = try self.transaction.reading.friends.count(of: asker)
        if let refusal = friendRequestRefusal(facts) { throw .refused(refusal) }
        let change = self.transaction.nextChange()
        try self.transaction.connection.run(
            """
            INSERT OR REPLACE INTO friend_request (asker_id, other_id, text, token, state, change, created_at)
            VALUES (?, ?, ?, ?, 0, ?, ?)
            """, asker, other, text, token, change, self.transaction.wallMilliseconds)
        let request = FriendRequest(
            asker: asker, askerName: one.name, other: other, otherName: two.name, text: text, token: token,
            state: .waiting, change: change, createdAtMilliseconds: self.transaction.wallMilliseconds)
        try self.transaction.notePeople(
            .friendRequested(request, askerName: try self.transaction.shownName(asker)), by: asker, to: [other])
        return request
    }

    private static let markFriendRequestsSeenSQL = SQL(
        """
        UPDATE friend_request SET seen = 1 WHERE other_id = ? AND state = \(FriendRequestState.waiting) AND seen = 0
        """)

    /// Notes that a person has looked at the requests to them. One that is asked again counts again.
    package func markRequestsSeen(by user: UserID) throws(StoreError) {
        try self.transaction.connection.run(
            Self.markFriendRequestsSeenSQL, user)
    }

    private static let acceptFriendSQL = SQL(
        """
        UPDATE friend_request SET state = \(FriendRequestState.accepted), change = ? WHERE asker_id = ?
            AND other_id = ? AND state = \(FriendRequestState.waiting)
        """)

    /// Accepts a request: the two are friends now, and neither waits for the other any more.
    ///
    /// - Parameter remark: what the one who was asked calls the new friend.
    /// - Throws: `notFound`; `refused(.alreadyGone)` when no request waits; `refused(.tooMany)`.
    @discardableResult
    package func accept(
        _ asker: UserID, by user: UserID, remark: String? = nil
    ) throws(StoreError) -> FriendChange {
        let request = try self.transaction.reading.friends.request(from: asker, to: user)
        let friends = max(
            try self.transaction.reading.friends.count(of: asker), try self.transaction.reading.friends.count(of: user))
        if let refusal = friendAcceptRefusal(state: request?.state, friends: friends) { throw .refused(refusal) }
        let change = try self.befriend(asker, user)
        for (one, other) in [(asker, user), (user, asker)] {
            try self.transaction.connection.run(
                Self.acceptFriendSQL,
                change.change, one, other)
        }
        try self.noteFriends(asker, by: user, actor: user)
        if let remark, !remark.isEmpty { try self.setRemark(asker, of: user, remark) }
        return change
    }

    private static let dismissFriendRequestSQL = SQL(
        """
        UPDATE friend_request SET state = ?1, change = ?2
        WHERE asker_id = ?3 AND other_id = ?4
            AND (state = \(FriendRequestState.waiting) OR ?1 = \(FriendRequestState.discarded))
        """)

    /// Refuses a request, or takes it off the list.
    ///
    /// - Throws: `refused(.alreadyGone)` when there is none; refusing needs one that waits.
    package func dismissRequest(
        from asker: UserID, by user: UserID, as state: FriendRequestState
    ) throws(StoreError) {
        precondition(state == .refused || state == .discarded, "accepting makes friends")
        let change = self.transaction.nextChange()
        try self.transaction.connection.run(
            Self.dismissFriendRequestSQL, state.rawValue, change, asker, user)
        guard self.transaction.connection.changes > 0 else { throw .refused(.alreadyGone) }
    }

    /// Makes two people friends without asking them: by the operator, or an app's own server.
    ///
    /// - Throws: `notFound`; `refused` for a person and themselves, and above the most friends.
    @discardableResult
    package func make(_ one: UserID, _ other: UserID) throws(StoreError) -> FriendChange {
        _ = (try self.transaction.knownUser(one), try self.transaction.knownUser(other))
        guard one != other else { throw .refused(.notApplicable) }
        let count = max(
            try self.transaction.reading.friends.count(of: one), try self.transaction.reading.friends.count(of: other))
        guard count < PeopleLimits.friends else { throw .refused(.tooMany(limit: PeopleLimits.friends)) }
        let change = try self.befriend(one, other)
        if change.isNew { try self.noteFriends(one, by: other, actor: .system) }
        return change
    }

    private func noteFriends(_ asker: UserID, by other: UserID, actor: UserID) throws(StoreError) {
        let friends = PersonChange.befriended(
            try self.transaction.name(asker), by: try self.transaction.name(other),
            name: try self.transaction.shownName(other))
        try self.transaction.notePeople(friends, by: actor, to: [asker, other])
    }

    private func befriend(_ one: UserID, _ other: UserID) throws(StoreError) -> FriendChange {
        if let friend = try self.transaction.reading.friends.one(other, of: one), !friend.isRemoved {
            return FriendChange(change: friend.change, isNew: false)
        }
        let change = self.transaction.nextChange()
        for (owner, friend) in [(one, other), (other, one)] {
            try self.transaction.connection.run(
                """
                INSERT INTO friend (owner_id, other_id, change, created_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (owner_id, other_id) DO UPDATE SET is_removed = 0, change = excluded.change
                """, owner, friend, change, self.transaction.wallMilliseconds)
        }
        return FriendChange(change: change, isNew: true)
    }

    /// Ends a friendship on both sides; remarks go with it.
    ///
    /// - Throws: `refused(.alreadyGone)` when the two are no friends.
    @discardableResult
    package func remove(_ other: UserID, of owner: UserID) throws(StoreError) -> FriendChange {
        guard try self.areFriends(owner, other) else { throw .refused(.alreadyGone) }
        let change = self.transaction.nextChange()
        try self.transaction.connection.run(
            """
            UPDATE friend SET is_removed = 1, remark = NULL, sort_key = NULL, change = ?1
            WHERE (owner_id = ?2 AND other_id = ?3) OR (owner_id = ?3 AND other_id = ?2)
            """, change, owner, other)
        let (one, two) = (try self.transaction.knownUser(owner), try self.transaction.knownUser(other))
        self.transaction.noteProfile(.remark(by: owner, of: two.name))
        self.transaction.noteProfile(.remark(by: other, of: one.name))
        try self.transaction.notePeople(.unfriended(two.name), by: owner, to: [owner, other])
        return FriendChange(change: change, isNew: true)
    }

    /// Sets a person's remark about a friend; nobody else sees it. Empty removes it.
    ///
    /// - Throws: `refused(.noSuchUser)` for somebody who is no friend; `invalid` when it is too long.
    @discardableResult
    package func setRemark(_ other: UserID, of owner: UserID, _ remark: String) throws(StoreError) -> Int64 {
        try WriteTransaction.check(remark, maximumScalars: PeopleLimits.nameScalars, "a remark")
        guard try self.areFriends(owner, other) else { throw .refused(.noSuchUser) }
        let change = self.transaction.nextChange()
        let name = try self.transaction.knownUser(other).name
        let shown = remark.isEmpty ? nil : remark
        try self.transaction.connection.run(
            "UPDATE friend SET remark = ?, sort_key = ?, change = ? WHERE owner_id = ? AND other_id = ?", shown,
            shown.map { name.sortKey(shownAs: $0) }, change, owner, other)
        self.transaction.noteProfile(.remark(by: owner, of: name))
        try self.transaction.notePeople(.remark(name), by: owner, to: [owner])
        return change
    }

    private func areFriends(_ one: UserID, _ other: UserID) throws(StoreError) -> Bool {
        try self.transaction.reading.friends.one(other, of: one).map { !$0.isRemoved } ?? false
    }
}
