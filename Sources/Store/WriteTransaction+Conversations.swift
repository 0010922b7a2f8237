package import ChatModel

/// What a change of a member list did.
package struct MembershipChange: Hashable, Sendable {
    /// Those who were added or removed; without those for whom nothing changed.
    package var users: [UserID]
    /// Everyone afterwards.
    package var members: [UserID]
    /// The conversation's revision afterwards.
    package var revision: Int64
}

extension WriteTransaction {
    /// Makes a group, room, temporary or service conversation. `creator` becomes its owner, except in a room, which has
    /// no member list.
    ///
    /// - Parameter name: the app's name for it; unique within the kind.
    /// - Throws: `exists`; `notFound` for an unknown person; `invalid` for a direct conversation (those make
    ///   themselves), members of a room, or more members than `groupMembers`.
    @discardableResult
    package func createChannel(
        _ kind: ConversationKind, _ name: ChannelName, title: String? = nil, creator: UserID, members: [UserID] = []
    ) throws(StoreError) -> ConversationID {
        let people = try self.checkedMembers(of: kind, creator: creator, members)
        if try self.memory.conversation(ChannelKey(kind: kind, name: name)) != nil {
            throw .exists("conversation \(name)")
        }
        let change = self.nextChange()
        try self.connection.run(
            """
            INSERT INTO conversation (kind, channel, title, creator_id, member_count, change, active_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, kind.rawValue, name, title, creator, people.count, change, self.wallMilliseconds, self.wallMilliseconds
        )
        let made = ConversationState(
            id: ConversationID(rawValue: self.connection.lastInsertedID), kind: kind, channel: name, pair: nil,
            creator: creator, activeAt: self.wallMilliseconds)
        self.memory.remember(made)
        for person in people {
            let role: MemberRole = person == creator ? .owner : .member
            try self.connection.insertMember(person, role, into: made, change: change)
            self.memory.add(person, role, to: made)
        }
        return made.id
    }

    private func checkedMembers(
        of kind: ConversationKind, creator: UserID, _ members: [UserID]
    ) throws(StoreError) -> [UserID] {
        guard kind != .direct else { throw .invalid("a direct conversation is made by its first message") }
        _ = try self.knownUser(creator)
        guard kind != .room else {
            guard members.isEmpty else { throw .invalid("a room has no member list") }
            return []
        }
        // The system makes conversations for others and is not one of them.
        let people = (creator == .system ? [] : [creator]) + members
        let unique = Self.withoutRepeats(people)
        try self.checkCount(unique.count)
        for person in unique { _ = try self.knownUser(person) }
        return unique
    }

    private static func withoutRepeats(_ users: [UserID]) -> [UserID] {
        var seen: Set<UserID> = []
        return users.filter { seen.insert($0).inserted }
    }

    private func checkCount(_ count: Int) throws(StoreError) {
        guard count <= self.options.groupMembers else {
            throw .invalid("a conversation has at most \(self.options.groupMembers) members, not \(count)")
        }
    }

    /// Adds people; those who are members already stay as they are.
    ///
    /// - Throws: `notFound`; `invalid` for direct conversations and rooms, and above `groupMembers`.
    @discardableResult
    package func addMembers(_ users: [UserID], to id: ConversationID) throws(StoreError) -> MembershipChange {
        let conversation = try self.conversationWithMembers(id)
        let new = Self.withoutRepeats(users).filter { conversation.roles[$0] == nil }
        for person in new { _ = try self.knownUser(person) }
        try self.checkCount(conversation.members.count + new.count)
        if !new.isEmpty {
            let change = self.nextChange()
            for person in new {
                try self.connection.insertMember(person, .member, into: conversation, change: change)
                self.memory.add(person, .member, to: conversation)
            }
            try self.noteRevision(of: conversation, change: change)
        }
        return MembershipChange(users: new, members: conversation.members, revision: conversation.revision)
    }

    /// Takes people out, with their reading and delivery positions; those who are no members are skipped.
    ///
    /// - Throws: `notFound`; `invalid` for direct conversations and rooms.
    @discardableResult
    package func removeMembers(_ users: [UserID], from id: ConversationID) throws(StoreError) -> MembershipChange {
        let conversation = try self.conversationWithMembers(id)
        let gone = Self.withoutRepeats(users).filter { conversation.roles[$0] != nil }
        if !gone.isEmpty {
            for person in gone {
                try self.connection.run(
                    "DELETE FROM member WHERE conversation_id = ? AND user_id = ?", id, person)
                try self.connection.run(
                    "DELETE FROM delivered WHERE user_id = ? AND conversation_id = ?", person, id)
                try self.connection.run(
                    "DELETE FROM hidden_count WHERE user_id = ? AND conversation_id = ?", person, id)
            }
            self.memory.remove(Set(gone), from: conversation)
            try self.noteRevision(of: conversation, change: self.nextChange())
        }
        return MembershipChange(users: gone, members: conversation.members, revision: conversation.revision)
    }

    private func conversationWithMembers(_ id: ConversationID) throws(StoreError) -> ConversationState {
        let conversation = try self.knownConversation(id)
        switch conversation.kind {
        case .direct: throw .invalid("the two people of a direct conversation stay")
        case .room: throw .invalid("a room has no member list")
        default: return conversation
        }
    }

    /// Gives a member another role.
    ///
    /// - Throws: `notFound` when the person is no member.
    package func setRole(_ user: UserID, _ role: MemberRole, in id: ConversationID) throws(StoreError) {
        let conversation = try self.conversationWithMembers(id)
        guard conversation.roles[user] != nil else { throw .notFound("a member with the number \(user.rawValue)") }
        let change = self.nextChange()
        try self.connection.run(
            "UPDATE member SET role = ?, change = ? WHERE conversation_id = ? AND user_id = ?", role.rawValue, change,
            id, user)
        self.memory.setRole(user, role, in: conversation)
        try self.noteRevision(of: conversation, change: change)
    }

    /// - Throws: `notFound`.
    package func setFlags(_ flags: ConversationFlags, of id: ConversationID) throws(StoreError) {
        let conversation = try self.knownConversation(id)
        try self.connection.run("UPDATE conversation SET flags = ? WHERE id = ?", flags.rawValue, id)
        conversation.flags = flags
        try self.noteRevision(of: conversation, change: self.nextChange())
    }

    /// - Throws: `notFound`.
    package func setTitle(_ title: String?, of id: ConversationID) throws(StoreError) {
        let conversation = try self.knownConversation(id)
        try self.connection.run("UPDATE conversation SET title = ? WHERE id = ?", title, id)
        try self.noteRevision(of: conversation, change: self.nextChange())
    }

    /// Replaces one of a conversation's two lists.
    ///
    /// - Throws: `notFound`; `invalid` above `listEntries`.
    package func setConversationList(
        _ list: ConversationList, of id: ConversationID, to users: [UserID]
    ) throws(StoreError) {
        let conversation = try self.knownConversation(id)
        let entries = Set(users)
        guard entries.count <= self.options.listEntries else { throw self.listIsFull("of the conversation") }
        for user in entries { _ = try self.knownUser(user) }
        try self.connection.run(
            "DELETE FROM conversation_list WHERE conversation_id = ? AND list = ?", id, list.rawValue)
        for user in entries {
            try self.connection.run(
                "INSERT INTO conversation_list (conversation_id, list, user_id) VALUES (?, ?, ?)", id, list.rawValue,
                user)
        }
        switch list {
        case .denied: conversation.denied = entries
        case .allowed: conversation.allowed = entries
        }
        try self.noteRevision(of: conversation, change: self.nextChange())
    }

    /// Puts someone on one of a conversation's two lists, or takes them off.
    ///
    /// - Throws: `notFound`; `invalid` above `listEntries`.
    package func setListed(
        in id: ConversationID, _ list: ConversationList, _ user: UserID, _ isListed: Bool
    ) throws(StoreError) {
        let conversation = try self.knownConversation(id)
        var entries = list == .denied ? conversation.denied : conversation.allowed
        guard entries.contains(user) != isListed else { return }
        if isListed { entries.insert(user) } else { entries.remove(user) }
        try self.setConversationList(list, of: id, to: Array(entries))
    }

    private func noteRevision(of conversation: ConversationState, change: Int64) throws(StoreError) {
        conversation.revision += 1
        try self.connection.run(
            "UPDATE conversation SET revision = ?, change = ?, member_count = ? WHERE id = ?", conversation.revision,
            change, conversation.members.count, conversation.id)
    }
}
