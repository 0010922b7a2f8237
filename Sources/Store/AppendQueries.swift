import ChatModel

// What the append path asks the database.
extension Connection {
    /// Makes the direct conversation of two people, who have none yet.
    func createDirect(
        _ pair: DirectPair, creator: UserID, at wall: Int64, change: Int64, memory: WriterMemory
    ) throws(StoreError) -> ConversationState {
        let people = pair.low == pair.high ? [pair.low] : [pair.low, pair.high]
        try self.run(
            """
            INSERT INTO conversation (kind, change, active_at, created_at, creator_id, member_count, direct_low, direct_high)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, ConversationKind.direct.rawValue, change, wall, wall, creator, people.count, pair.low, pair.high)
        let made = ConversationState(
            id: ConversationID(rawValue: self.lastInsertedID), kind: .direct, channel: nil, pair: pair,
            creator: creator, activeAt: wall)
        memory.remember(made)
        for person in people {
            try self.insertMember(person, .member, into: made, change: change)
            memory.add(person, .member, to: made)
        }
        return made
    }

    /// Adds a member row: what was said before counts as read.
    func insertMember(
        _ user: UserID, _ role: MemberRole, into conversation: ConversationState, change: Int64
    ) throws(StoreError) {
        try self.run(
            """
            INSERT INTO member (conversation_id, user_id, role, read_sequence, read_countable, joined_sequence, change)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, conversation.id, user, role.rawValue, conversation.head, conversation.headCountable, conversation.head,
            change)
    }
}
