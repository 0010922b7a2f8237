package import ChatModel

// What wording an event for receivers outside asks beside the queue.
extension HookReads {
    /// The numbers of all members, without their names: for large groups. Those of a topic without members of its own
    /// are its community's.
    package func memberIDs(of conversation: Conversation) throws(StoreError) -> [UserID] {
        let own = try self.memberIDs(of: conversation.id)
        guard own.isEmpty, conversation.kind == .communityTopic, let name = conversation.channel?.text,
            let community = communityName(ofTopic: name),
            let home = try self.transaction.connection.conversationID(of: ChannelKey(kind: .community, name: community))
        else { return own }
        return try self.memberIDs(of: home)
    }

    private func memberIDs(of id: ConversationID) throws(StoreError) -> [UserID] {
        try self.transaction.connection.query(
            "SELECT user_id FROM member WHERE conversation_id = ? ORDER BY user_id", id
        ) {
            row throws(StoreError) in row.userID(0)
        }
    }

    /// A person's name, which never changes.
    ///
    /// - Throws: `fatal` for a number that nobody has: the caller got it from this database.
    package func userName(of user: UserID) throws(StoreError) -> UserName { try self.transaction.name(of: user) }
}
