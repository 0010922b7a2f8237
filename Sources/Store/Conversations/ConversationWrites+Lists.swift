package import ChatModel

// The two lists of a conversation that decide who may send.
extension ConversationWrites {
    /// Replaces one of a conversation's two lists.
    ///
    /// - Throws: `refused`; `notFound`; `invalid` above `listEntries`.
    package func setList(
        _ list: ConversationList, of id: ConversationID, to users: [UserID], by actor: Actor = .application
    ) throws(StoreError) {
        let conversation = try self.group(id, .changeLists, by: actor)
        try self.replace(list, of: conversation, with: Set(users), by: actor)
    }

    /// Puts people on one of a conversation's two lists.
    ///
    /// - Throws: `refused`; `notFound`; `invalid` above `listEntries`.
    package func addListed(
        _ users: [UserID], in id: ConversationID, _ list: ConversationList, by actor: Actor = .application
    ) throws(StoreError) {
        let conversation = try self.group(id, .changeLists, by: actor)
        try self.replace(list, of: conversation, with: conversation.entries(list).union(users), by: actor)
    }

    /// Takes people off one of a conversation's two lists.
    ///
    /// - Throws: `refused`; `notFound`.
    package func removeListed(
        _ users: [UserID], in id: ConversationID, _ list: ConversationList, by actor: Actor = .application
    ) throws(StoreError) {
        let conversation = try self.group(id, .changeLists, by: actor)
        try self.replace(list, of: conversation, with: conversation.entries(list).subtracting(users), by: actor)
    }

    /// Empties one of a conversation's two lists.
    ///
    /// - Throws: `refused`; `notFound`.
    package func removeAllListed(
        in id: ConversationID, _ list: ConversationList, by actor: Actor = .application
    ) throws(StoreError) {
        try self.replace(list, of: try self.group(id, .changeLists, by: actor), with: [], by: actor)
    }

    /// Puts someone on one of a conversation's two lists, or takes them off.
    ///
    /// - Throws: `notFound`; `invalid` above `listEntries`.
    package func setListed(
        in id: ConversationID, _ list: ConversationList, _ user: UserID, _ isListed: Bool
    ) throws(StoreError) {
        if isListed { try self.addListed([user], in: id, list) } else { try self.removeListed([user], in: id, list) }
    }

    private func replace(
        _ list: ConversationList, of conversation: ConversationState, with entries: Set<UserID>, by actor: Actor
    ) throws(StoreError) {
        let before = conversation.entries(list)
        guard entries != before else { return }
        guard entries.count <= self.transaction.options.listEntries else {
            throw self.transaction.people.listIsFull("of the conversation")
        }
        for user in entries.subtracting(before) { _ = try self.transaction.knownUser(user) }
        for user in before.subtracting(entries) {
            try self.transaction.connection.run(
                "DELETE FROM conversation_list WHERE conversation_id = ? AND list = ? AND user_id = ?",
                conversation.id, list.rawValue, user)
        }
        for user in entries.subtracting(before) {
            try self.transaction.connection.run(
                "INSERT INTO conversation_list (conversation_id, list, user_id) VALUES (?, ?, ?)", conversation.id,
                list.rawValue, user)
        }
        try self.noteRevision(of: conversation, change: self.transaction.nextChange())
        switch list {
        case .denied:
            conversation.denied = entries
            try self.noteBlocked(entries.subtracting(before), before.subtracting(entries), in: conversation, by: actor)
        case .allowed: conversation.allowed = entries
        }
    }

    private func noteBlocked(
        _ blocked: Set<UserID>, _ unblocked: Set<UserID>, in conversation: ConversationState, by actor: Actor
    ) throws(StoreError) {
        let isOutside: (UserID) -> Bool = { conversation.roles[$0] == nil }
        if !blocked.isEmpty {
            let names = try self.transaction.names(blocked.sorted())
            try self.transaction.noteChange(
                .blocked(names), in: conversation, by: actor.user,
                to: .membersAnd(blocked.filter(isOutside).sorted()))
        }
        if !unblocked.isEmpty {
            let names = try self.transaction.names(unblocked.sorted())
            try self.transaction.noteChange(
                .unblocked(names), in: conversation, by: actor.user,
                to: .membersAnd(unblocked.filter(isOutside).sorted()))
        }
    }
}

extension ConversationState {
    fileprivate func entries(_ list: ConversationList) -> Set<UserID> {
        switch list {
        case .denied: self.denied
        case .allowed: self.allowed
        }
    }
}
