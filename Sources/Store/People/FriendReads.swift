package import ChatModel

extension ReadTransaction {
    /// Reads of friendships and requests for them.
    package var friends: FriendReads { FriendReads(transaction: self) }
}

/// Reads of friendships and requests for them. Valid as long as its transaction.
package struct FriendReads {
    let transaction: ReadTransaction
}

extension FriendReads {
    /// A person's friends, by the number of their newest change, those who were removed among them.
    ///
    /// - Parameters:
    ///   - change: only what changed after it; 0 for all.
    ///   - limit: 1...1000.
    package func page(of owner: UserID, after change: Int64, limit: Int) throws(StoreError) -> [Friend] {
        let sql: StaticString = """
            SELECT f.other_id, u.name, f.remark, f.is_removed, f.change, f.created_at
            FROM friend f JOIN user u ON u.id = f.other_id
            WHERE f.owner_id = ? AND f.change > ? ORDER BY f.change LIMIT ?
            """
        return try self.transaction.connection.query(
            sql, owner, change, try ReadTransaction.page(limit), read: Self.friend)
    }

    /// `nil` when the two never were friends.
    package func one(_ other: UserID, of owner: UserID) throws(StoreError) -> Friend? {
        let sql: StaticString = """
            SELECT f.other_id, u.name, f.remark, f.is_removed, f.change, f.created_at
            FROM friend f JOIN user u ON u.id = f.other_id WHERE f.owner_id = ? AND f.other_id = ?
            """
        return try self.transaction.connection.first(sql, owner, other, read: Self.friend)
    }

    static func friend(_ row: Row) throws(StoreError) -> Friend {
        Friend(
            user: row.userID(0), name: try row.userName(1), remark: row.optionalText(2), isRemoved: row.int64(3) != 0,
            change: row.int64(4), createdAtMilliseconds: row.int64(5))
    }

    /// Present friends of a person, by number: at most `PeopleLimits.friends`.
    package func ids(of owner: UserID) throws(StoreError) -> [UserID] {
        let sql: StaticString = "SELECT other_id FROM friend WHERE owner_id = ? AND is_removed = 0 ORDER BY other_id"
        return try self.transaction.connection.query(sql, owner) { row throws(StoreError) in row.userID(0) }
    }

    func count(of owner: UserID) throws(StoreError) -> Int {
        let sql: StaticString = "SELECT count(*) FROM friend WHERE owner_id = ? AND is_removed = 0"
        return Int(try self.transaction.connection.first(sql, owner) { row throws(StoreError) in row.int64(0) } ?? 0)
    }

    // MARK: Friend requests

    private static let friendRequestsSQL = SQL(
        """
        SELECT r.asker_id, a.name, r.other_id, o.name, r.text, r.token, r.state, r.change, r.created_at
        FROM friend_request r JOIN user a ON a.id = r.asker_id JOIN user o ON o.id = r.other_id
        WHERE r.other_id = ? AND r.change < ? AND r.state <> \(FriendRequestState.discarded)
        ORDER BY r.change DESC LIMIT ?
        """)

    /// Requests to a person, newest first, without those they discarded.
    ///
    /// - Parameters:
    ///   - change: only those older than this one; `nil` to begin.
    ///   - limit: 1...1000.
    package func requests(
        to user: UserID, before change: Int64? = nil, limit: Int
    ) throws(StoreError) -> [FriendRequest] {
        return try self.transaction.connection.query(
            Self.friendRequestsSQL, user, change ?? Int64.max, try ReadTransaction.page(limit), read: Self.request)
    }

    /// Reads a friend request; `nil` when there is none.
    package func request(from asker: UserID, to other: UserID) throws(StoreError) -> FriendRequest? {
        let sql: StaticString = """
            SELECT r.asker_id, a.name, r.other_id, o.name, r.text, r.token, r.state, r.change, r.created_at
            FROM friend_request r JOIN user a ON a.id = r.asker_id JOIN user o ON o.id = r.other_id
            WHERE r.asker_id = ? AND r.other_id = ?
            """
        return try self.transaction.connection.first(sql, asker, other, read: Self.request)
    }

    private static let friendRequestSQL = SQL(
        """
        SELECT r.asker_id, a.name, r.other_id, o.name, r.text, r.token, r.state, r.change, r.created_at
        FROM friend_request r JOIN user a ON a.id = r.asker_id JOIN user o ON o.id = r.other_id
        WHERE r.other_id = ? AND r.state = \(FriendRequestState.waiting) AND r.token = ?
        """)

    /// The waiting request to this person with this key.
    package func request(to user: UserID, token: String) throws(StoreError) -> FriendRequest? {
        return try self.transaction.connection.first(Self.friendRequestSQL, user, token, read: Self.request)
    }

    private static func request(_ row: Row) throws(StoreError) -> FriendRequest {
        guard let state = FriendRequestState(rawValue: row.int64(6)) else { throw Row.damaged("friend request") }
        return FriendRequest(
            asker: row.userID(0), askerName: try row.userName(1), other: row.userID(2),
            otherName: try row.userName(3), text: row.text(4), token: row.text(5), state: state, change: row.int64(7),
            createdAtMilliseconds: row.int64(8))
    }

    private static let waitingFriendRequestsSQL = SQL(
        """
        SELECT count(*) FROM friend_request WHERE other_id = ? AND state = \(FriendRequestState.waiting)
        """)

    /// How many requests wait for this person's answer.
    package func waitingRequests(to user: UserID) throws(StoreError) -> Int {
        return Int(
            try self.transaction.connection.first(Self.waitingFriendRequestsSQL, user) { row throws(StoreError) in
                row.int64(0)
            }
                ?? 0)
    }

    private static let unseenFriendRequestsSQL = SQL(
        """
        SELECT count(*) FROM friend_request WHERE other_id = ? AND state = \(FriendRequestState.waiting) AND seen = 0
        """)

    /// How many of those the person has not looked at.
    package func unseenRequests(to user: UserID) throws(StoreError) -> Int {
        return Int(
            try self.transaction.connection.first(Self.unseenFriendRequestsSQL, user) { row throws(StoreError) in
                row.int64(0)
            }
                ?? 0)
    }

    private static let waitingFriendRequests2SQL = SQL(
        """
        SELECT count(*) FROM friend_request WHERE asker_id = ? AND state = \(FriendRequestState.waiting)
        """)

    /// How many answers this person waits for.
    func waitingRequests(from user: UserID) throws(StoreError) -> Int {
        return Int(
            try self.transaction.connection.first(Self.waitingFriendRequests2SQL, user) { row throws(StoreError) in
                row.int64(0)
            }
                ?? 0)
    }

    /// Somebody's friends by the time the friendship began, the newest first; `limit` is 1...1000.
    package func newest(of owner: UserID, limit: Int) throws(StoreError) -> [Friend] {
        let sql: StaticString = """
            SELECT f.other_id, u.name, f.remark, f.is_removed, f.change, f.created_at
            FROM friend f JOIN user u ON u.id = f.other_id
            WHERE f.owner_id = ? AND f.is_removed = 0 ORDER BY f.created_at DESC, f.other_id LIMIT ?
            """
        return try self.transaction.connection.query(sql, owner, try ReadTransaction.page(limit), read: Self.friend)
    }
}
