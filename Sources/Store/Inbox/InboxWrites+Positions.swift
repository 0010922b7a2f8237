package import ChatModel

/// How far the devices of one class of a person acknowledged receipt in one conversation.
package struct DeliveredPosition: Hashable, Sendable {
    package var user: UserID
    package var deviceClass: DeviceClass
    package var conversation: ConversationID
    package var sequence: Int64

    package init(user: UserID, deviceClass: DeviceClass, conversation: ConversationID, sequence: Int64) {
        self.user = user
        self.deviceClass = deviceClass
        self.conversation = conversation
        self.sequence = sequence
    }
}

/// Result of reading, or of setting the number of unread messages.
package struct ReadChange: Hashable, Sendable {
    /// The position afterwards.
    package var sequence: Int64
    /// Still unread afterwards.
    package var unread: Int64
    /// The number shown afterwards, as WuKongIM's clients show it.
    package var badge: Int64
    /// False when nothing changed: the person had read as far before, and no badge set by hand was taken away.
    package var hasMoved: Bool
}

extension InboxWrites {
    /// Notes that a person has read up to and including `sequence`. A position only rises, and ends at the head. A badge
    /// set by hand goes.
    ///
    /// - Throws: `notFound` when there is no such conversation, or the person is no member.
    @discardableResult
    package func markRead(
        _ user: UserID, in id: ConversationID, upTo sequence: Int64
    ) throws(StoreError) -> ReadChange {
        if let recorder = self.transaction.recorder {
            return try self.recordRead(user, in: id, upTo: sequence, recorder)
        }
        let conversation = try self.transaction.knownConversation(id)
        var member = try self.knownMember(user, in: id)
        let target = try self.transaction.standing(at: sequence, in: conversation)
        var hasMoved = target > member.readSequence
        if hasMoved { try self.move(&member, to: target, in: conversation) }
        if try self.setMark(0, user, in: conversation) { hasMoved = true }
        let change = try self.readChange(member, conversation, hasMoved: hasMoved)
        if hasMoved { try self.noteRead(change, user, in: conversation) }
        return change
    }

    /// Sets the number a person is shown. A lower one moves the reading position up, so that exactly the newest `count`
    /// messages of others that count stay unread; a higher one, at most as many as there are messages, is shown until the
    /// person reads or writes. Clients look for the first unread message that many before the last one.
    ///
    /// - Throws: `notFound` when there is no such conversation, or the person is no member; `invalid` outside of
    ///   0...1,000,000.
    @discardableResult
    package func setUnread(
        _ user: UserID, in id: ConversationID, to count: Int64
    ) throws(StoreError) -> ReadChange {
        guard (0...ConversationBounds.markedUnread).contains(count) else {
            throw .invalid("0 to \(ConversationBounds.markedUnread) messages can be unread, not \(count)")
        }
        let conversation = try self.transaction.knownConversation(id)
        var member = try self.knownMember(user, in: id)
        let counted = try self.badge(of: member, conversation)
        let count = min(count, conversation.head)
        var hasMoved = false
        if count < counted {
            let target = try self.transaction.connection.position(
                leaving: count, for: member, in: id, head: conversation.head)
            hasMoved = target > member.readSequence
            if hasMoved { try self.move(&member, to: target, in: conversation) }
        }
        if try self.setMark(count > counted ? count : 0, user, in: conversation) { hasMoved = true }
        let change = try self.readChange(member, conversation, hasMoved: hasMoved)
        if hasMoved { try self.noteRead(change, user, in: conversation) }
        return change
    }

    private func noteRead(
        _ change: ReadChange, _ user: UserID, in conversation: ConversationState
    ) throws(StoreError) {
        try self.transaction.noteChange(
            .read(upTo: change.sequence, unread: change.unread, badge: change.badge), in: conversation, by: user,
            to: .people([user]))
    }

    /// Nothing up to `sequence` is unread any more; `nil` is everything.
    ///
    /// - Throws: `notFound` when there is no such conversation, or the person is no member.
    @discardableResult
    package func clearUnread(
        _ user: UserID, in id: ConversationID, upTo sequence: Int64? = nil
    ) throws(StoreError) -> ReadChange {
        try self.markRead(user, in: id, upTo: sequence ?? .max)
    }

    func knownMember(_ user: UserID, in id: ConversationID) throws(StoreError) -> Member {
        guard let member = try self.transaction.reading.conversations.member(user, in: id) else {
            throw .notFound("the member")
        }
        return member
    }

    /// Moves the reading position up.
    private func move(
        _ member: inout Member, to target: Int64, in conversation: ConversationState
    ) throws(StoreError) {
        let before = member.readSequence
        member.ownCountableSinceRead = try self.ownCountable(
            member, conversation.id, upTo: target, head: conversation.head)
        member.readSequence = target
        member.readCountable = try self.countable(at: target, conversation)
        try self.transaction.connection.moveRead(
            member.user, in: conversation.id, to: target, countable: member.readCountable,
            ownSince: member.ownCountableSinceRead, change: self.transaction.nextChange(),
            moment: self.transaction.moment())
        try self.transaction.messages.noteReadReceipt(of: member.user, in: conversation, after: before, upTo: target)
    }

    /// Sets the badge by hand, or takes it away.
    ///
    /// - Returns: whether that changed anything.
    @discardableResult
    func setMark(
        _ count: Int64, _ user: UserID, in conversation: ConversationState
    ) throws(StoreError) -> Bool {
        if count > 0 { try self.ensurePreference(user, conversation.id) }
        try self.transaction.connection.run(
            """
            UPDATE preference SET marked_unread = ?3, marked_at = ?4, change = ?5
            WHERE user_id = ?1 AND conversation_id = ?2 AND (marked_unread <> ?3 OR (?3 > 0 AND marked_at <> ?4))
            """, user, conversation.id, count, conversation.head, self.transaction.nextChange())
        return self.transaction.connection.changes > 0
    }

    private func readChange(
        _ member: Member, _ conversation: ConversationState, hasMoved: Bool
    ) throws(StoreError) -> ReadChange {
        let hidden = try self.transaction.reading.inbox.hiddenCount(
            member.user, in: conversation.id, after: member.readSequence)
        let unread = max(0, member.unread(headCountable: conversation.headCountable) - hidden)
        let marked = try self.transaction.reading.inbox.preference(of: member.user, in: conversation.id).markedUnread
        return ReadChange(
            sequence: member.readSequence, unread: unread, badge: max(marked, try self.badge(of: member, conversation)),
            hasMoved: hasMoved)
    }

    /// The number shown, without one set by hand.
    private func badge(of member: Member, _ conversation: ConversationState) throws(StoreError) -> Int64 {
        let hidden = try self.transaction.reading.inbox.hiddenCount(
            member.user, in: conversation.id, after: member.badgeSequence)
        return max(0, member.badge(headCountable: conversation.headCountable) - hidden)
    }

    private func countable(at sequence: Int64, _ conversation: ConversationState) throws(StoreError) -> Int64 {
        if sequence == conversation.head { return conversation.headCountable }
        return try self.transaction.connection.countable(at: sequence, in: conversation.id)
    }

    /// Countable messages of the person's own after `target`; counts the shorter side, and nothing at all for someone
    /// who has not written since.
    private func ownCountable(
        _ member: Member, _ id: ConversationID, upTo target: Int64, head: Int64
    ) throws(StoreError) -> Int64 {
        if member.ownCountableSinceRead == 0 || target >= member.ownLastSequence { return 0 }
        if target - member.readSequence <= head - target {
            return member.ownCountableSinceRead
                - (try self.transaction.connection.ownCountable(
                    member.user, in: id, after: member.readSequence, upTo: target))
        }
        return try self.transaction.connection.ownCountable(member.user, in: id, after: target, upTo: head)
    }

    /// Notes how far devices acknowledged receipt. Positions only rise and end at the head; those of people who are no
    /// members any more are skipped.
    package func recordDelivered(_ positions: [DeliveredPosition]) throws(StoreError) {
        if let recorder = self.transaction.recorder { return try self.recordDelivered(positions, recorder) }
        for position in positions {
            guard let conversation = try self.transaction.memory.conversation(position.conversation),
                conversation.roles[position.user] != nil
            else { continue }
            var reached = position
            reached.sequence = try self.transaction.standing(at: position.sequence, in: conversation)
            try self.transaction.connection.moveDelivered(reached, at: self.transaction.wallMilliseconds)
            // In a group nobody is told, so that it may be spared there.
            if conversation.isOfTwo, !conversation.isOver(at: self.transaction.wallMilliseconds) {
                try self.transaction.messages.acknowledge(
                    position.user, in: position.conversation, upTo: position.sequence)
            }
        }
    }
}
