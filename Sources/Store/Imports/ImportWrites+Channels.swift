package import ChatModel

// What WuKongIM keeps of a channel beside its messages: subscribers, lists, switches and how far people have read.
extension ImportWrites {
    /// Outcome of bringing something of a channel.
    package enum ChannelOutcome: Hashable, Sendable {
        /// How many entries are new.
        case added(Int64)
        case noConversation
        case noMember
        /// The conversation, or the list, takes no more: the reason for the operator.
        case refused(String)
    }

    /// Switches that a source may set and take back.
    private static let flags: ConversationFlags = [.banned, .disbanded, .sendBanned, .large]

    /// Appends messages to a channel: see `addMessages(_:in:to:)`.
    ///
    /// - Returns: `nil` when there is no such channel.
    package func addMessages(
        _ messages: [ImportedMessage], in channel: ImportedChannel, to number: Int64
    ) throws(StoreError) -> ImportedMessagesOutcome? {
        guard let conversation = try self.conversation(channel) else { return nil }
        return try self.addMessages(messages, in: conversation.id, to: number)
    }

    /// Makes a person, unless they are here.
    ///
    /// - Returns: whether they are new; `nil` for an account that was deleted.
    package func addPerson(_ name: UserName, to number: Int64) throws(StoreError) -> Bool? {
        _ = try self.underWay(number)
        let isNew = try self.memory.user(named: name) == nil
        return try self.person(name, of: number) == nil ? nil : isNew
    }

    /// Adds subscribers to a channel; nobody leaves.
    package func addMembers(
        _ names: [UserName], to channel: ImportedChannel, of number: Int64
    ) throws(StoreError) -> ChannelOutcome {
        _ = try self.underWay(number)
        guard let conversation = try self.conversation(channel) else { return .noConversation }
        guard conversation.kind != .direct, conversation.kind != .room else {
            return .refused("such a channel has no list of subscribers")
        }
        return .added(try self.add(names, to: conversation, of: number))
    }

    /// Puts people on a list of a channel. Of nothing else anybody is told.
    package func addListed(
        _ names: [UserName], _ list: ConversationList, of channel: ImportedChannel, to number: Int64
    ) throws(StoreError) -> ChannelOutcome {
        _ = try self.underWay(number)
        guard let conversation = try self.conversation(channel) else { return .noConversation }
        let known = list == .denied ? conversation.denied : conversation.allowed
        let new = try self.people(names, of: number).filter { !known.contains($0) }
        guard !new.isEmpty else { return .added(0) }
        guard known.count + new.count <= self.transaction.options.listEntries else {
            return .refused("its list takes no more than \(self.transaction.options.listEntries) people")
        }
        for person in new {
            try self.connection.run(
                "INSERT INTO conversation_list (conversation_id, list, user_id) VALUES (?, ?, ?)", conversation.id,
                list.rawValue, person)
        }
        switch list {
        case .denied: conversation.denied.formUnion(new)
        case .allowed: conversation.allowed.formUnion(new)
        }
        try self.raise(conversation)
        return .added(Int64(new.count))
    }

    /// Puts people on a person's own list.
    package func addListed(
        _ names: [UserName], _ list: PersonalList, ofPerson owner: UserName, to number: Int64
    ) throws(StoreError) -> ChannelOutcome {
        _ = try self.underWay(number)
        guard let id = try self.person(owner, of: number) else {
            return .refused("the account of \(owner) was deleted")
        }
        let state = try self.transaction.knownUser(id)
        let known = list == .blocked ? state.blocked : state.allowed
        let new = try self.people(names, of: number).filter { !known.contains($0) && $0 != id }
        guard !new.isEmpty else { return .added(0) }
        guard known.count + new.count <= self.transaction.options.listEntries else {
            return .refused("a list of a person takes no more than \(self.transaction.options.listEntries) people")
        }
        for person in new {
            try self.connection.run(
                "INSERT INTO personal_list (owner_id, list, other_id) VALUES (?, ?, ?)", id, list.rawValue, person)
        }
        switch list {
        case .blocked: state.blocked.formUnion(new)
        case .allowed: state.allowed.formUnion(new)
        }
        return .added(Int64(new.count))
    }

    /// Brings how far a member had read, and the number that they were shown, unless they have read here since.
    ///
    /// - Parameters:
    ///   - sequence: may be one that no message has; the position comes to stand on the message before it.
    ///   - unread: number shown until they read, since what was imported does not count.
    package func setPosition(
        of name: UserName, in channel: ImportedChannel, upTo sequence: Int64, unread: Int64, to number: Int64
    ) throws(StoreError) -> ChannelOutcome {
        _ = try self.underWay(number)
        guard let conversation = try self.conversation(channel) else { return .noConversation }
        guard let person = try self.memory.user(named: name)?.id, conversation.roles[person] != nil else {
            return .noMember
        }
        let id = conversation.id
        let before = try self.connection.first(
            "SELECT read_sequence, read_at FROM member WHERE conversation_id = ? AND user_id = ?", id, person
        ) { row throws(StoreError) in (sequence: row.int64(0), readAt: row.int64(1)) }
        guard let before, before.readAt == 0 else { return .added(0) }
        var target = min(max(0, sequence), conversation.head)
        if target < conversation.head { target = try self.connection.placed(target, in: id) }
        let hasMoved = target > before.sequence
        if hasMoved {
            let own = try self.connection.ownCountable(person, in: id, after: target, upTo: conversation.head)
            try self.connection.run(
                """
                UPDATE member SET read_sequence = ?, read_countable = ?, own_countable_since_read = ?, change = ?
                WHERE conversation_id = ? AND user_id = ?
                """, target, try self.connection.countable(at: target, in: id), own, self.transaction.nextChange(), id,
                person)
        }
        let count = min(max(0, unread), conversation.head, ConversationBounds.markedUnread)
        let isMarked = try self.transaction.inbox.setMark(count, person, in: conversation)
        return .added(hasMoved || isMarked ? 1 : 0)
    }

    /// Conversation of a channel; `nil` when there is none.
    private func conversation(_ channel: ImportedChannel) throws(StoreError) -> ConversationState? {
        switch channel {
        case .channel(let kind, let name): return try self.memory.conversation(ChannelKey(kind: kind, name: name))
        case .pair(let one, let other):
            guard let one = try self.memory.user(named: one)?.id, let other = try self.memory.user(named: other)?.id
            else { return nil }
            return try self.memory.conversation(DirectPair(one, other))
        }
    }

    /// Sets the switches of a channel as its source has them; a conversation of another kind of server keeps its own.
    func setFlags(of conversation: ConversationState, as row: ImportedConversation) throws(StoreError) {
        guard case .channel = row.form else { return }
        let flags = conversation.flags.subtracting(Self.flags).union(row.flags.intersection(Self.flags))
        guard flags != conversation.flags else { return }
        try self.connection.run(
            "UPDATE conversation SET flags = ? WHERE id = ?", flags.rawValue, conversation.id)
        conversation.flags = flags
    }

    private func raise(_ conversation: ConversationState) throws(StoreError) {
        let before = conversation.revision
        conversation.revision += 1
        try self.connection.run(
            "UPDATE conversation SET revision = ?, change = ? WHERE id = ?", conversation.revision,
            self.transaction.nextChange(), conversation.id)
        try self.noteOwnRevision(of: conversation, before: before)
    }
}

extension ImportReads {
    /// Place of a message by the id that it had at its source; `nil` for none. Says nothing about who may know.
    package func place(of foreignID: String) throws(StoreError) -> MessagePlace? {
        try self.transaction.messages.imported(foreignID).map { MessagePlace($0.conversation, $0.sequence) }
    }
}
