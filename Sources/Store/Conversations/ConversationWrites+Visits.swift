package import ChatModel

/// Somebody in a room.
package struct Visit: Hashable, Sendable {
    /// Visitor.
    package var user: UserID
    /// Room that is visited.
    package var room: ConversationID

    package init(user: UserID, room: ConversationID) {
        self.user = user
        self.room = room
    }
}

// Visitors are listeners of a room who came in alone: they are members of nothing, and whose last session has ended is
// taken out some time later. Whom an app has put there stays.
extension ConversationWrites {
    /// Somebody comes into a room, or is in it.
    ///
    /// - Throws: `notFound`; `invalid` for what is no room, and above `listeners`.
    package func visit(_ room: ConversationID, by user: UserID) throws(StoreError) {
        guard try self.transaction.knownConversation(room).kind == .room else {
            throw .invalid("only rooms are visited")
        }
        let added = try self.addListeners([user], to: room)
        if added.users.isEmpty {
            try self.transaction.connection.run(
                "UPDATE listener SET visit_until = NULL WHERE conversation_id = ? AND user_id = ?", room, user)
        } else {
            try self.transaction.connection.run(
                "UPDATE listener SET is_visit = 1 WHERE conversation_id = ? AND user_id = ?", room, user)
        }
    }

    /// Somebody goes out of a room; nothing happens when they are not in it.
    ///
    /// - Throws: `notFound`; `invalid` for a direct conversation.
    package func leave(_ room: ConversationID, by user: UserID) throws(StoreError) {
        try self.removeListeners([user], from: room)
    }

    /// The last session of a visitor has ended: they are taken out then, unless they come back before.
    ///
    /// - Parameter moment: UTC milliseconds.
    package func endVisits(of user: UserID, at moment: Int64) throws(StoreError) {
        try self.transaction.connection.run(
            "UPDATE listener SET visit_until = ? WHERE user_id = ? AND is_visit = 1 AND visit_until IS NULL", moment,
            user)
    }

    /// Nobody is here yet: the visits of a server that was stopped end then.
    ///
    /// - Returns: all visits, the oldest first.
    package func endAllVisits(at moment: Int64) throws(StoreError) -> [Visit] {
        try self.transaction.connection.run(
            "UPDATE listener SET visit_until = ? WHERE is_visit = 1 AND visit_until IS NULL", moment)
        return try self.transaction.connection.query(
            "SELECT user_id, conversation_id FROM listener WHERE visit_until IS NOT NULL ORDER BY added_at, user_id"
        ) { row throws(StoreError) in Visit(user: row.userID(0), room: row.conversationID(1)) }
    }

    /// A visitor has come back in time.
    package func resumeVisits(of user: UserID) throws(StoreError) {
        try self.transaction.connection.run(
            "UPDATE listener SET visit_until = NULL WHERE user_id = ? AND visit_until IS NOT NULL", user)
    }

    /// Takes visitors out whose time is over, at most so many at a time.
    ///
    /// - Returns: who is out of which room; as many as `limit` when there may be more.
    package func removeVisits(endedBefore moment: Int64, limit: Int) throws(StoreError) -> [Visit] {
        let ended = try self.transaction.connection.query(
            "SELECT user_id, conversation_id FROM listener WHERE visit_until <= ? ORDER BY visit_until LIMIT ?", moment,
            limit
        ) { row throws(StoreError) in Visit(user: row.userID(0), room: row.conversationID(1)) }
        for (room, visits) in Dictionary(grouping: ended, by: \.room) {
            try self.removeListeners(visits.map(\.user), from: room)
        }
        return ended
    }
}
