package import ChatModel

extension InboxReads {
    /// One line of a person's list of conversations, whether it is listed or not; `nil` when they are no member.
    package func recent(of user: UserID, in id: ConversationID) throws(StoreError) -> RecentConversation? {
        guard let conversation = try self.transaction.conversations.one(id),
            let member = try self.transaction.conversations.member(user, in: id)
        else {
            return nil
        }
        let preference = try self.preference(of: user, in: id)
        let unread =
            member.unread(headCountable: conversation.headCountable)
            - (try self.hiddenCount(user, in: id, after: member.readSequence))
        let seen = max(member.readSequence, member.ownLastSequence)
        let badge =
            member.badge(headCountable: conversation.headCountable)
            - (try self.hiddenCount(user, in: id, after: seen))
        var peerName: UserName?
        if let pair = try self.transaction.conversations.directPair(of: id) {
            peerName = try self.transaction.name(of: pair.low == user ? pair.high : pair.low)
        }
        return RecentConversation(
            conversation: conversation, member: member, peerName: peerName, preference: preference,
            unread: max(0, unread), badge: max(preference.markedUnread, badge, 0),
            change: try self.change(of: user, in: id))
    }

    private func change(of user: UserID, in id: ConversationID) throws(StoreError) -> Int64 {
        let sql: StaticString = """
            SELECT max(c.change, m.change, coalesce(p.change, 0)) FROM member m
            JOIN conversation c ON c.id = m.conversation_id
            LEFT JOIN preference p ON p.user_id = m.user_id AND p.conversation_id = m.conversation_id
            WHERE m.conversation_id = ? AND m.user_id = ?
            """
        return try self.transaction.connection.first(sql, id, user) { row throws(StoreError) in row.int64(0) } ?? 0
    }
}
