package import ChatModel

// Listeners get what is said without being members: those in a room, and temporary subscribers of anything else. They
// have no reading position, no unread count and no place in anybody's list; a change of them is no change of the
// conversation.
extension ConversationWrites {
    /// Adds listeners; those who listen already are skipped.
    ///
    /// - Throws: `notFound`; `invalid` for a direct conversation and above `listeners`.
    @discardableResult
    package func addListeners(_ users: [UserID], to id: ConversationID) throws(StoreError) -> MembershipChange {
        let conversation = try self.audible(id)
        let new = WriteTransaction.withoutRepeats(users).filter { !conversation.listeners.contains($0) }
        for user in new { _ = try self.transaction.knownUser(user) }
        let count = conversation.listeners.count + new.count
        guard count <= self.transaction.options.listeners else {
            throw .invalid("a conversation has at most \(self.transaction.options.listeners) listeners, not \(count)")
        }
        for user in new {
            try self.transaction.connection.run(
                "INSERT INTO listener (conversation_id, user_id, added_at) VALUES (?, ?, ?)", id, user,
                self.transaction.wallMilliseconds)
        }
        self.transaction.memory.addListeners(new, to: conversation)
        return self.listening(conversation, changed: new)
    }

    /// Takes listeners out; those who do not listen are skipped.
    ///
    /// - Throws: `notFound`; `invalid` for a direct conversation.
    @discardableResult
    package func removeListeners(_ users: [UserID], from id: ConversationID) throws(StoreError) -> MembershipChange {
        let conversation = try self.audible(id)
        let gone = WriteTransaction.withoutRepeats(users).filter(conversation.listeners.contains)
        for user in gone {
            try self.transaction.connection.run(
                "DELETE FROM listener WHERE conversation_id = ? AND user_id = ?", id, user)
        }
        self.transaction.memory.removeListeners(Set(gone), from: conversation)
        return self.listening(conversation, changed: gone)
    }

    /// These listen, and nobody else.
    ///
    /// - Throws: `notFound`; `invalid` for a direct conversation and above `listeners`.
    @discardableResult
    package func setListeners(_ users: [UserID], of id: ConversationID) throws(StoreError) -> MembershipChange {
        let stay = Set(users)
        let gone = try self.audible(id).listeners.filter { !stay.contains($0) }
        let removed = try self.removeListeners(gone.sorted(), from: id)
        var added = try self.addListeners(users, to: id)
        added.users = removed.users + added.users
        return added
    }

    private func audible(_ id: ConversationID) throws(StoreError) -> ConversationState {
        let conversation = try self.transaction.knownConversation(id)
        guard conversation.kind != .direct else { throw .invalid("nobody else listens to a direct conversation") }
        return conversation
    }

    private func listening(_ conversation: ConversationState, changed users: [UserID]) -> MembershipChange {
        MembershipChange(users: users, members: conversation.members, revision: conversation.revision)
    }
}
