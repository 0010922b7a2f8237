package import ChatModel

/// Result of deleting an account.
package struct DeletedUser: Hashable, Sendable {
    /// Deleted user.
    package var user: UserID
    /// Sign-in tokens that ended.
    package var revokedTokens: Int
}

extension PeopleWrites {
    /// Deletes an account for good. Messages and files in them stay with their author, and so does the name, which
    /// nobody gets again. Everything else goes: tokens and password, profile and picture, friends and requests, lists,
    /// views and places in conversations. Another one follows as owner of a team, the first manager or else who has been
    /// there longest; a team with nobody left is dismissed. The caller ends the sessions after the commit.
    ///
    /// - Throws: `notFound`, also for one that was deleted before; `invalid` for the system's own user;
    ///   `refused(.underHold)` while a legal hold keeps the person.
    package func deleteUser(_ user: UserID) throws(StoreError) -> DeletedUser {
        guard user != .system else { throw .invalid("the system's own user cannot be deleted") }
        let state = try self.transaction.knownUser(user)
        guard try !self.transaction.connection.isHeld(user) else { throw .refused(.underHold) }
        let tokens = try self.revokeTokens(of: user)
        try self.endMemberships(of: user)
        try self.endFriendships(of: user, state.name)
        try self.transaction.teams.endRequests(about: user)
        try self.transaction.connection.run("DELETE FROM invitation WHERE inviter_id = ? AND used_by IS NULL", user)
        try self.clearLists(of: state)
        try self.clearViews(of: user)
        try self.transaction.apps.clearAppUser(user)
        try self.letGoOfPicture(.person(user, isSmall: false), unlessAt: "")
        try self.letGoOfPicture(.person(user, isSmall: true), unlessAt: "")
        try self.transaction.connection.run(
            """
            UPDATE user SET deleted_at = ?, disabled = 1, role = 0, is_system = 0, password_hash = NULL,
                external_id = NULL, display_name = NULL, attributes = NULL, settings = NULL, avatar = NULL,
                avatar_small = NULL, allowlist_only = 0, sort_key = ?, change = ?
            WHERE id = ?
            """, self.transaction.wallMilliseconds, state.name.sortKey(shownAs: nil), self.transaction.nextChange(),
            user)
        state.isDeleted = true
        state.isDisabled = true
        state.isSystem = false
        state.isAllowlistOnly = false
        try self.transaction.noteShown(state, .existence)
        return DeletedUser(user: user, revokedTokens: tokens)
    }

    private static let endMembershipsMemberSQL = SQL(
        """
        SELECT m.conversation_id FROM member m JOIN conversation c ON c.id = m.conversation_id
        WHERE m.user_id = ? AND c.kind <> \(ConversationKind.direct) ORDER BY m.conversation_id
        """)

    // The two people of a direct conversation stay: it is the other one's too.
    private func endMemberships(of user: UserID) throws(StoreError) {
        for id in try self.transaction.connection.query(
            Self.endMembershipsMemberSQL, user, read: { row throws(StoreError) in row.conversationID(0) })
        {
            try self.transaction.conversations.takeOut(user, of: id)
        }
        let listener: StaticString = "SELECT conversation_id FROM listener WHERE user_id = ? ORDER BY conversation_id"
        for id in try self.transaction.connection.query(
            listener, user, read: { row throws(StoreError) in row.conversationID(0) })
        {
            try self.transaction.conversations.removeListeners([user], from: id)
        }
    }

    private func endFriendships(of user: UserID, _ name: UserName) throws(StoreError) {
        let friends = try self.transaction.reading.friends.ids(of: user)
        let change = self.transaction.nextChange()
        try self.transaction.connection.run(
            """
            UPDATE friend SET is_removed = 1, change = ?2 WHERE other_id = ?1 AND is_removed = 0
                AND owner_id IN (SELECT other_id FROM friend WHERE owner_id = ?1 AND is_removed = 0)
            """, user, change)
        try self.transaction.connection.run(
            "UPDATE friend SET is_removed = 1, change = ?2 WHERE owner_id = ?1 AND is_removed = 0", user, change)
        // Also of those who were friends before.
        try self.transaction.connection.run(
            """
            UPDATE friend SET remark = NULL, sort_key = NULL WHERE remark IS NOT NULL AND other_id = ?1
                AND owner_id IN (SELECT other_id FROM friend WHERE owner_id = ?1)
            """, user)
        try self.transaction.connection.run(
            "UPDATE friend SET remark = NULL, sort_key = NULL WHERE owner_id = ? AND remark IS NOT NULL", user)
        for friend in friends { self.transaction.noteProfile(.remark(by: friend, of: name)) }
        try self.transaction.connection.run(
            Self.discardSQL, user, change)
    }

    private static let discardSQL = SQL(
        """
        UPDATE friend_request SET state = \(FriendRequestState.discarded), text = '', change = ?2
        WHERE asker_id = ?1 OR other_id = ?1
        """)

    private func clearLists(of state: UserState) throws(StoreError) {
        let others: StaticString = "SELECT DISTINCT owner_id FROM personal_list WHERE other_id = ?"
        for owner in try self.transaction.connection.query(
            others, state.id, read: { row throws(StoreError) in row.userID(0) })
        {
            let owner = try self.transaction.knownUser(owner)
            owner.blocked.remove(state.id)
            owner.allowed.remove(state.id)
        }
        try self.transaction.connection.run("DELETE FROM personal_list WHERE owner_id = ?1 OR other_id = ?1", state.id)
        state.blocked = []
        state.allowed = []
    }

    private func clearViews(of user: UserID) throws(StoreError) {
        try self.transaction.connection.run("DELETE FROM preference WHERE user_id = ?", user)
        try self.transaction.connection.run("DELETE FROM delivered WHERE user_id = ?", user)
        try self.transaction.connection.run("DELETE FROM reminder WHERE user_id = ?", user)
        try self.transaction.connection.run("DELETE FROM command_receiver WHERE user_id = ?", user)
        try self.transaction.connection.run("DELETE FROM command_position WHERE user_id = ?", user)
    }
}
