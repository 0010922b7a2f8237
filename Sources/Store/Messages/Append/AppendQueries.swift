import ChatModel

/// A conversation that its first message makes.
enum ConversationSeed {
    case direct(DirectPair)
    /// A visitor's or an agent's, with its members.
    case channel(ChannelKey, [UserID])

    var kind: ConversationKind {
        switch self {
        case .direct: .direct
        case .channel(let key, _): key.kind
        }
    }

    var channel: ChannelName? {
        switch self {
        case .direct: nil
        case .channel(let key, _): key.name
        }
    }

    var people: [UserID] {
        switch self {
        case .direct(let pair): pair.low == pair.high ? [pair.low] : [pair.low, pair.high]
        case .channel(_, let people): people
        }
    }
}

extension WriterMemory {
    /// Conversation to make for a message to a missing channel: of a visitor, named like them, or of a person with an
    /// agent, named `person@agent`. People can make their own only.
    func seed(
        of key: ChannelKey, by sender: UserState, _ authority: Authority
    ) throws(StoreError) -> ConversationSeed? {
        guard let people = try self.people(of: key) else { return nil }
        return authority != .user || people.contains(sender.id) ? .channel(key, people) : nil
    }

    /// People of a conversation, told by its name alone; `nil` for other kinds, and when there are no such people.
    func people(of key: ChannelKey) throws(StoreError) -> [UserID]? {
        let text = key.name.text
        switch key.kind {
        case .visitors:
            guard let name = UserName(text), let visitor = try self.user(named: name) else { return nil }
            return [visitor.id]
        case .agent:
            guard let at = text.firstIndex(of: "@"), let name = UserName(String(text[..<at])),
                let agentName = UserName(String(text[text.index(after: at)...])),
                let person = try self.user(named: name), let agent = try self.user(named: agentName)
            else { return nil }
            return person === agent ? [person.id] : [person.id, agent.id]
        case .direct, .group, .room, .temporary, .service, .customerService, .community, .communityTopic, .data,
            .agentGroup:
            return nil
        }
    }
}

// What the append path asks the database.
extension Connection {
    /// Makes a conversation that does not exist yet.
    func create(
        _ seed: ConversationSeed, creator: UserID, at wall: Int64, change: Int64, memory: WriterMemory
    ) throws(StoreError) -> ConversationState {
        let people = seed.people
        var pair: DirectPair?
        if case .direct(let found) = seed { pair = found }
        let objectID = ObjectID(atMilliseconds: wall)
        try self.run(
            """
            INSERT INTO conversation (kind, channel, change, active_at, created_at, creator_id, member_count, direct_low,
                direct_high, foreign_id, updated_at, revision)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, seed.kind.rawValue, seed.channel, change, wall, wall, creator, people.count, pair?.low, pair?.high,
            objectID, wall, memory.sequenceFloor)
        let made = ConversationState(
            id: ConversationID(rawValue: self.lastInsertedID), kind: seed.kind, objectID: objectID,
            channel: seed.channel, pair: pair, creator: creator, revision: memory.sequenceFloor, activeAt: wall,
            updatedAt: wall)
        memory.remember(made)
        for person in people {
            try self.insertMember(person, .member, into: made, change: change, at: wall)
            memory.add(person, .member, to: made)
        }
        return made
    }

    /// Adds a member row: what was said before counts as read.
    func insertMember(
        _ user: UserID, _ role: MemberRole, into conversation: ConversationState, change: Int64, at wall: Int64,
        inviter: UserID? = nil
    ) throws(StoreError) {
        try self.run(
            """
            INSERT INTO member (conversation_id, user_id, role, read_sequence, read_countable, joined_sequence, change,
                revision, joined_at, inviter_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, conversation.id, user, role.rawValue, conversation.head, conversation.headCountable, conversation.head,
            change, conversation.revision, wall, inviter)
    }
}
