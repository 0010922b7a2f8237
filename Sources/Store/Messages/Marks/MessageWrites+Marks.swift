package import ChatModel

// What one person notes about messages.
extension MessageWrites {
    // MARK: Deleting for oneself

    /// Hides messages from one person. Those that count as unread for them do not any more. Messages that do not exist
    /// and those hidden before are skipped.
    ///
    /// - Returns: what changed; each with a revision of its own, and to be told to this person only.
    /// - Throws: `refused` where the person is no member, and `tooMany` above `MessageLimits.placesPerCall`.
    @discardableResult
    package func hide(_ places: [MessagePlace], for user: UserID) throws(StoreError) -> [MessageChange] {
        try Self.checkCount(of: places.count)
        var seen: Set<MessagePlace> = []
        let unique = places.filter { seen.insert($0).inserted }
        var readTo: [ConversationID: Int64] = [:]
        for id in Set(unique.map(\.conversation)) {
            _ = try self.conversationOfMember(user, id)
            // In a topic the members of its community have no position, and nothing is counted for them.
            readTo[id] = try self.transaction.reading.conversations.member(user, in: id)?.readSequence ?? .max
        }
        var changes: [MessageChange] = []
        for place in unique {
            let isUnread = place.sequence > readTo[place.conversation, default: .max]
            if let change = try self.hide(place, for: user, isUnread: isUnread) { changes.append(change) }
        }
        var noted: Set<ConversationID> = []
        for change in changes where noted.insert(change.place.conversation).inserted {
            let conversation = try self.transaction.knownConversation(change.place.conversation)
            let ids = changes.filter { $0.place.conversation == conversation.id }.map(\.id)
            try self.transaction.noteOwn(.deleted(ids), of: user, in: conversation)
        }
        return changes
    }

    private func hide(
        _ place: MessagePlace, for user: UserID, isUnread: Bool
    ) throws(StoreError) -> MessageChange? {
        let conversation = try self.transaction.knownConversation(place.conversation)
        guard let target = try self.target(place, in: conversation, by: Actor(user)),
            try !self.isMarked(place, for: user).hidden
        else { return nil }
        let revision = try self.raiseRevision(of: conversation, for: user)
        try self.transaction.connection.run(
            """
            INSERT INTO message_mark (user_id, conversation_id, sequence, revision, hidden) VALUES (?, ?, ?, ?, 1)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, hidden = 1
            """, user, place.conversation, place.sequence, revision)
        if target.countsAsUnread && target.sender != user && isUnread, try self.isForThem(target, user) {
            try self.transaction.connection.run(
                "INSERT OR IGNORE INTO hidden_count (user_id, conversation_id, sequence) VALUES (?, ?, ?)", user,
                place.conversation, place.sequence)
        }
        return target.change(revision: revision, for: [user])
    }

    // MARK: Voice

    /// Notes that a person has played the voice in a message.
    ///
    /// - Throws: `refused` where the person is no member, or without such a message.
    @discardableResult
    package func markHeard(_ place: MessagePlace, by user: UserID) throws(StoreError) -> MessageChange {
        _ = try self.conversationOfMember(user, place.conversation)
        let target = try self.target(place, by: Actor(user))
        if try self.isMarked(place, for: user).heard { return target.unchanged }
        let revision = try self.raiseRevision(of: target.conversation, for: user)
        try self.transaction.connection.run(
            """
            INSERT INTO message_mark (user_id, conversation_id, sequence, revision, heard) VALUES (?, ?, ?, ?, 1)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, heard = 1
            """, user, place.conversation, place.sequence, revision)
        try self.transaction.noteOwn(
            .heard(target.id), of: user, in: target.conversation, about: [(place.sequence, target.sender)])
        return target.change(revision: revision, for: [user])
    }

    // MARK: Receipts

    /// Notes that a person has read these messages, one by one. What needs no receipt (`MessageRules.readRefusal`,
    /// `SessionSetting.receipts`), does not exist, or was reported before is skipped. The reading position is another matter: see `markRead(_:in:upTo:)`.
    ///
    /// - Returns: what changed, each with a revision of its own.
    /// - Throws: `refused` where the person is no member, and `tooMany` above `MessageLimits.placesPerCall`.
    @discardableResult
    package func markRead(
        _ sequences: [Int64], in id: ConversationID, by user: UserID
    ) throws(StoreError) -> [MessageChange] {
        try Self.checkCount(of: sequences.count)
        let conversation = try self.conversationOfMember(user, id)
        var changes: [MessageChange] = []
        var read: [MessageTarget] = []
        guard try self.transaction.sessionSettings.recordsReaders(in: conversation, for: user) else { return changes }
        for sequence in sequences {
            let place = MessagePlace(id, sequence)
            guard let target = try self.target(place, in: conversation, by: Actor(user)),
                self.transaction.memory.rules.readRefusal(target.facts) == nil, try self.isForThem(target, user),
                try self.addReader(user, of: place)
            else { continue }
            let revision = try self.touchExtra(of: target)
            try self.transaction.connection.run(
                "UPDATE message_extra SET reader_count = reader_count + 1 WHERE conversation_id = ? AND sequence = ?",
                id, sequence)
            changes.append(target.change(revision: revision, for: target.receivers))
            read.append(target)
        }
        try self.transaction.noteReaders(of: read, in: conversation, by: user)
        return changes
    }

    /// Moves a person's reading position up to and including `sequence`, and notes that they have read the newest of the
    /// messages between, `MessageLimits.placesPerCall` at most, of which their senders are told.
    ///
    /// - Throws: like `InboxWrites.markRead(_:in:upTo:)` and `markRead(_:in:by:)`.
    package func reportRead(_ user: UserID, in id: ConversationID, upTo sequence: Int64) throws(StoreError) {
        let before = try self.transaction.reading.conversations.member(user, in: id)?.readSequence ?? 0
        let last = try self.transaction.inbox.markRead(user, in: id, upTo: sequence).sequence
        guard last > before else { return }
        let first = max(before + 1, last - Int64(MessageLimits.placesPerCall) + 1)
        try self.markRead(Array(first...last), in: id, by: user)
    }

    /// - Returns: false when the person is one already.
    private func addReader(_ user: UserID, of place: MessagePlace) throws(StoreError) -> Bool {
        try self.transaction.connection.run(
            """
            INSERT INTO message_reader (conversation_id, sequence, user_id, read_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, place.conversation, place.sequence, user, self.transaction.wallMilliseconds)
        return self.transaction.connection.changes > 0
    }

    // MARK: Pieces

    static func checkCount(of places: Int) throws(StoreError) {
        guard places <= MessageLimits.placesPerCall else {
            throw .refused(.tooMany(limit: MessageLimits.placesPerCall))
        }
    }

    private func conversationOfMember(_ user: UserID, _ id: ConversationID) throws(StoreError) -> ConversationState {
        let conversation = try self.conversation(id, for: Actor(user))
        guard try self.role(of: user, in: conversation) != nil else { throw .refused(.notMember) }
        return conversation
    }

    private func isMarked(
        _ place: MessagePlace, for user: UserID
    ) throws(StoreError) -> (hidden: Bool, heard: Bool) {
        let sql: StaticString = """
            SELECT hidden, heard FROM message_mark WHERE user_id = ? AND conversation_id = ? AND sequence = ?
            """
        let known = try self.transaction.connection.first(sql, user, place.conversation, place.sequence) {
            row throws(StoreError) in (row.int64(0) != 0, row.int64(1) != 0)
        }
        return known ?? (false, false)
    }
}
