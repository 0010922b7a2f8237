import ChatModel

/// A message that someone is about to change, with what decides whether they may.
struct MessageTarget {
    let conversation: ConversationState
    /// Everyone who gets what is said there.
    let receivers: [UserID]
    let place: MessagePlace
    let id: MessageID
    let sender: UserID
    let flags: MessageFlags
    let editCount: Int
    let isPinned: Bool
    /// Names of the users who may see it besides its sender; `nil` when everybody may.
    let visibleTo: [UserName]?
    let facts: MessageFacts
    /// Person who took it back; `nil` while nobody has.
    let withdrawnBy: UserID?
    /// Moment of its last edit or recall; 0 before the first.
    let patchedAt: Int64

    var countsAsUnread: Bool { self.flags.contains(.countsAsUnread) }
    var isWithdrawn: Bool { self.flags.contains(.withdrawn) }

    func change(revision: Int64, patchedAt moment: Int64 = 0, for people: [UserID]) -> MessageChange {
        MessageChange(
            place: self.place, id: self.id, revision: revision, members: people, patchedAtMilliseconds: moment)
    }

    /// For when everything was so before.
    var unchanged: MessageChange { self.change(revision: 0, for: []) }

    /// For an edit or a recall that is asked for again, after its answer was lost.
    var repeated: MessageChange { self.change(revision: 0, patchedAt: self.patchedAt, for: []) }
}

extension MessageWrites {
    /// The conversation, for someone who may know of it.
    ///
    /// - Throws: `refused` with `noSuchUser`, `noSuchConversation`, `notMember`.
    func conversation(_ id: ConversationID, for actor: Actor) throws(StoreError) -> ConversationState {
        guard let person = try self.transaction.memory.user(actor.user), !person.isDeleted else {
            throw .refused(.noSuchUser)
        }
        guard let conversation = try self.transaction.memory.conversation(id) else {
            throw .refused(.noSuchConversation)
        }
        if actor.isPrivileged { return conversation }
        if try self.role(of: actor.user, in: conversation) != nil { return conversation }
        switch conversation.kind {
        case .room: return conversation
        // Of two people's conversation nobody else is told that it exists.
        case .direct: throw .refused(.noSuchConversation)
        case .group, .temporary, .service, .customerService, .community, .communityTopic, .data, .visitors, .agent,
            .agentGroup:
            throw .refused(.notMember)
        }
    }

    /// The role of a member; of a topic without members of its own, in its community. `nil` for anyone else.
    func role(of user: UserID, in conversation: ConversationState) throws(StoreError) -> MemberRole? {
        try self.transaction.memory.home(of: conversation).roles[user]
    }

    /// The message to be changed, with the facts about who wants to.
    ///
    /// - Throws: like `conversation(_:for:)`; `refused(.noSuchMessage)`.
    func target(_ place: MessagePlace, by actor: Actor) throws(StoreError) -> MessageTarget {
        let conversation = try self.conversation(place.conversation, for: actor)
        guard let target = try self.target(place, in: conversation, by: actor) else { throw .refused(.noSuchMessage) }
        // Managers may take back what is not for them, too.
        let isManager = target.facts.role == .manager || target.facts.role == .owner
        if actor.isPrivileged || isManager { return target }
        guard try self.isForThem(target, actor.user) else { throw .refused(.noSuchMessage) }
        return target
    }

    /// True when a person may see a message.
    func isForThem(_ target: MessageTarget, _ user: UserID) throws(StoreError) -> Bool {
        guard let names = target.visibleTo, target.sender != user else { return true }
        return names.contains(try self.transaction.name(user))
    }

    /// Receivers who may see a message.
    func audience(of target: MessageTarget) throws(StoreError) -> [UserID] {
        guard let names = target.visibleTo else { return target.receivers }
        var audience: Set<UserID> = [target.sender]
        for name in names { if let user = try self.transaction.memory.user(named: name) { audience.insert(user.id) } }
        return target.receivers.filter(audience.contains)
    }

    /// `nil` when there is no such message.
    func target(
        _ place: MessagePlace, in conversation: ConversationState, by actor: Actor
    ) throws(StoreError) -> MessageTarget? {
        let sql: StaticString = """
            SELECT m.id, m.sender_id, m.sent_at, m.flags, coalesce(e.withdrawn, 0), coalesce(e.edit_count, 0),
                coalesce(e.pinned, 0), m.envelope, e.withdrawn_by, coalesce(e.patched_at, 0)
            FROM message m LEFT JOIN message_extra e
                ON e.conversation_id = m.conversation_id AND e.sequence = m.sequence
            WHERE m.conversation_id = ? AND m.sequence = ?
            """
        let role = try self.role(of: actor.user, in: conversation)
        let receivers = try self.transaction.memory.receivers(of: conversation)
        return try self.transaction.connection.first(sql, place.conversation, place.sequence) {
            row throws(StoreError) in
            let sender = row.userID(1)
            let flags = MessageFlags(rawValue: row.int64(3))
            let withdrawal = Withdrawal(rawValue: row.int64(4))
            var facts = MessageFacts(
                authority: actor.authority, kind: conversation.kind, flags: conversation.flags,
                role: role, isAuthor: sender == actor.user)
            facts.ageSeconds = (self.transaction.wallMilliseconds - row.int64(2)) / 1_000
            facts.isRecalled = withdrawal.contains(.recalled)
            facts.isDeletedForAll = withdrawal.contains(.deleted)
            facts.receiptRequested = flags.contains(.receiptRequested)
            return MessageTarget(
                conversation: conversation, receivers: receivers, place: place, id: MessageID(rawValue: row.int64(0)),
                sender: sender, flags: flags, editCount: Int(row.int64(5)), isPinned: row.int64(6) != 0,
                visibleTo: flags.contains(.restricted) ? try row.envelope(7)?.visibleTo ?? [] : nil, facts: facts,
                withdrawnBy: row.optionalInt64(8).map { UserID(rawValue: $0) }, patchedAt: row.int64(9))
        }
    }

    // MARK: Revisions

    /// Takes the conversation's next revision for something everyone in it sees. Only once nothing can refuse the
    /// change any more.
    func raiseRevision(of conversation: ConversationState) throws(StoreError) -> Int64 {
        let revision = conversation.revision + 1
        try self.transaction.connection.run(
            "UPDATE conversation SET revision = ?, change = ? WHERE id = ?", revision, self.transaction.nextChange(),
            conversation.id)
        conversation.revision = revision
        return revision
    }

    /// Takes the conversation's next revision for something only one member sees: to the others it has not changed.
    func raiseRevision(of conversation: ConversationState, for user: UserID) throws(StoreError) -> Int64 {
        let revision = conversation.revision + 1
        try self.transaction.connection.run(
            "UPDATE conversation SET revision = ? WHERE id = ?", revision, conversation.id)
        conversation.revision = revision
        try self.transaction.connection.run(
            "UPDATE member SET change = ? WHERE conversation_id = ? AND user_id = ?", self.transaction.nextChange(),
            conversation.id, user)
        return revision
    }
}

/// How a message was taken back; the bits are stored.
struct Withdrawal: OptionSet {
    let rawValue: Int64

    static let recalled = Withdrawal(rawValue: 1)
    static let deleted = Withdrawal(rawValue: 2)
}
