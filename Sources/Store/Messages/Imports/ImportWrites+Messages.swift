package import ChatModel
import MessageLog

// Messages that another server kept.
extension ImportWrites {
    /// Most messages of one call.
    package static let mostMessages = 1_000

    /// Appends messages of one conversation, with their ids, times and senders; those that are here already get a later
    /// state when their source has one. They count as unread for nobody.
    ///
    /// - Parameters:
    ///   - messages: at most `mostMessages`, the earliest first.
    ///   - objectID: name of the conversation.
    /// - Returns: `nil` when there is no such conversation.
    /// - Throws: `notFound` for an import that is not under way; `invalid` for too many.
    package func addMessages(
        _ messages: [ImportedMessage], in objectID: ObjectID, to number: Int64
    ) throws(StoreError) -> ImportedMessagesOutcome? {
        guard let conversation = try self.memory.conversation(objectID) else { return nil }
        return try self.addMessages(messages, in: conversation.id, to: number)
    }

    /// The same for a conversation that is known by its number.
    package func addMessages(
        _ messages: [ImportedMessage], in id: ConversationID, to number: Int64
    ) throws(StoreError) -> ImportedMessagesOutcome {
        _ = try self.underWay(number)
        guard messages.count <= Self.mostMessages else {
            throw .invalid("at most \(Self.mostMessages) messages at a time")
        }
        let conversation = try self.transaction.knownConversation(id)
        var run = ImportedRun(conversation)
        if let newest = try self.newest(of: conversation) {
            (run.lastID, run.newestSentAt, run.isForeign) = newest
        }
        var outcome = ImportedMessagesOutcome()
        for (index, message) in messages.enumerated() {
            if let reason = try self.add(message, to: number, &run, &outcome) {
                outcome.refused.append(.init(index: index, reason: reason))
            }
        }
        guard run.head > conversation.head else { return outcome }
        try self.write(run, of: conversation, to: number)
        return outcome
    }

    /// - Returns: why it cannot be here; `nil` when it is.
    private func add(
        _ message: ImportedMessage, to number: Int64, _ run: inout ImportedRun, _ outcome: inout ImportedMessagesOutcome
    ) throws(StoreError) -> String? {
        let conversation = run.conversation
        guard (1...ImportedMessage.maximumIDBytes).contains(message.foreignID.utf8.count) else {
            return "its id has more than \(ImportedMessage.maximumIDBytes) bytes, or none"
        }
        guard message.content.body.count <= Appender.maximumBodyBytes else {
            return "it has \(message.content.body.count) bytes, a message here at most \(Appender.maximumBodyBytes)"
        }
        guard message.sentAtMilliseconds > 0 else { return "it has no time" }
        if let known = try self.transaction.reading.messages.imported(message.foreignID) {
            guard known.conversation == conversation.id else { return "a message of another conversation has its id" }
            try self.update(known, to: message, &run, &outcome)
            return nil
        }
        // What was said here, and comes back in a folder that was exported from here.
        if let id = message.id, id.rawValue <= run.lastID,
            try self.transaction.reading.messages.place(of: id, in: conversation.id) != nil
        {
            outcome.known += 1
            return nil
        }
        if let obstacle = Self.obstacle(to: message, in: run) { return obstacle }
        guard let sender = try self.person(message.sender, of: number) else {
            return "the account of its sender was deleted"
        }
        let content = self.content(message, in: conversation)
        let id = self.id(of: message, after: run.lastID)
        run.lastID = id.rawValue
        let sequence = message.sequence ?? max(run.head, self.memory.sequenceFloor) + 1
        if sequence > run.head + 1 {
            try self.connection.noteGap(in: conversation.id, after: run.head, before: sequence)
            self.memory.newestGap = max(self.memory.newestGap, sequence - 1)
        }
        run.first = run.first ?? (message.sequence == nil ? sequence : run.head + 1)
        run.head = sequence
        run.newestSentAt = max(message.sentAtMilliseconds, run.newestSentAt)
        if conversation.roles[sender] != nil { run.newestOwn[sender] = run.head }
        var body = content.body
        if message.isRecalled { body = [] }
        try self.connection.run(
            """
            INSERT INTO message (conversation_id, sequence, id, sender_id, sent_at, kind, flags, countable, wire, expire,
                client_token, topic, foreign_id, body, body_hash, envelope, sent_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, NULL)
            """, conversation.id, run.head, id.rawValue, sender, run.newestSentAt,
            Int64(content.kind.rawValue), content.flags.rawValue, conversation.headCountable, content.wire.rawValue,
            Int64(content.expireSeconds), content.topic, message.foreignID, body, XXHash.of(body),
            content.envelope?.stored)
        let place = MessagePlace(conversation.id, run.head)
        // A time to come would be the newest change for every client.
        let patchedAt = min(message.patchedAtMilliseconds, self.transaction.wallMilliseconds - 1)
        if message.isRecalled {
            try self.noteRecall(of: message, at: place, sender, patchedAt: patchedAt, &run)
        } else if patchedAt > 0 {
            try self.noteExtra(at: place, withdrawn: nil, at: patchedAt, &run)
        }
        try self.keepFiles(of: place, body)
        outcome.added += 1
        return nil
    }

    /// Why there is no place for a message.
    private static func obstacle(to message: ImportedMessage, in run: ImportedRun) -> String? {
        guard let sequence = message.sequence else {
            return message.sentAtMilliseconds >= run.newestSentAt
                ? nil : "messages here are later: it was sent at a time for which there is no place any more"
        }
        guard (1...ImportedMessage.maximumSequence).contains(sequence) else {
            return "its sequence is not one of 1 to \(ImportedMessage.maximumSequence)"
        }
        guard run.head == 0 || run.isForeign else {
            return "people have written here before it came: their messages have its sequence, or would stand before it"
        }
        return sequence > run.head ? nil : "another message has sequence \(sequence), or a later one is here"
    }

    /// Content as it is stored: for some only where it names them, never unread, and empty when it was recalled.
    private func content(_ message: ImportedMessage, in conversation: ConversationState) -> MessageContent {
        var content = message.content
        content.flags.subtract(.ofTheServer)
        content.flags.subtract([.countsAsUnread, .transient, .withdrawn])
        if conversation.kind != .direct, content.envelope?.visibleTo != nil { content.flags.insert(.restricted) }
        if message.isRecalled {
            content.flags.insert(.withdrawn)
            content.flags.subtract([.bodyIsJSONObject, .binary])
        }
        let before = content.envelope
        content.envelope = MessageEnvelope(
            mentionsAll: before?.mentionsAll ?? false, mentions: before?.mentions ?? [], visibleTo: before?.visibleTo,
            pushData: before?.pushData, shownID: message.id == nil ? message.foreignID : nil,
            shownNumber: message.clientNumber)
        if content.envelope?.isEmpty == true { content.envelope = nil }
        return content
    }

    /// A number that rises within the conversation: of the time, and of what tells messages of one millisecond apart.
    /// Numbers given here have another node.
    private func id(of message: ImportedMessage, after last: Int64) -> MessageID {
        if let id = message.id, id.rawValue > last { return id }
        guard message.sentAtMilliseconds < self.transaction.wallMilliseconds else {
            return self.transaction.nextMessageID()
        }
        let low = XXHash.of(Array(message.foreignID.utf8)) & 0x1F_FFFF | 0x20_0000
        let first = MessageID.first(ofMillisecond: message.sentAtMilliseconds, node: 0) | low
        return MessageID(rawValue: max(first, last + 1))
    }

    /// Number and time of the newest message, and whether it was imported; `nil` for none.
    private func newest(
        of conversation: ConversationState
    ) throws(StoreError) -> (id: Int64, sentAt: Int64, isForeign: Bool)? {
        guard conversation.head > 0 else { return nil }
        return try self.connection.first(
            """
            SELECT id, sent_at, foreign_id IS NOT NULL FROM message WHERE conversation_id = ? AND sequence <= ?
            ORDER BY sequence DESC LIMIT 1
            """, conversation.id, conversation.head
        ) { row throws(StoreError) in (row.int64(0), row.int64(1), row.int64(2) != 0) }
    }

    /// Writes the newest numbers of the conversation, of its members who wrote, and of what the import has brought.
    private func write(
        _ run: ImportedRun, of conversation: ConversationState, to number: Int64
    ) throws(StoreError) {
        let (first, last) = (run.first ?? run.head, run.head)
        for (user, sequence) in run.newestOwn.sorted(by: { $0.key < $1.key }) {
            try self.connection.run(
                """
                UPDATE member SET own_last_sequence = ?, own_last_countable = ?
                WHERE conversation_id = ? AND user_id = ?
                """, sequence, conversation.headCountable, conversation.id, user)
        }
        // Where its last messages are not kept at the source, the conversation keeps their place in lists.
        let activeAt = max(conversation.activeAt, run.newestSentAt)
        try self.connection.run(
            """
            UPDATE conversation SET head = ?, active_at = ?, change = ?, position = max(position, ?) WHERE id = ?
            """, run.head, activeAt, self.transaction.nextChange(), run.lastID, conversation.id)
        conversation.head = run.head
        conversation.activeAt = activeAt
        try self.raiseRevision(of: conversation, to: run.revision)
        try self.connection.run(
            """
            INSERT INTO import_conversation (conversation_id, import, is_new, revision, first_sequence, last_sequence)
            VALUES (?, ?, 0, ?, ?, ?)
            ON CONFLICT DO UPDATE SET
                first_sequence = CASE WHEN first_sequence = 0 THEN excluded.first_sequence
                    WHEN first_sequence > 0 AND last_sequence = excluded.first_sequence - 1 THEN first_sequence
                    ELSE -1 END,
                last_sequence = CASE WHEN first_sequence = 0 OR (first_sequence > 0
                    AND last_sequence = excluded.first_sequence - 1) THEN excluded.last_sequence ELSE -1 END
            """, conversation.id, number, conversation.revision, first, last)
    }

    private func raiseRevision(of conversation: ConversationState, to revision: Int64) throws(StoreError) {
        guard revision != conversation.revision else { return }
        try self.connection.run(
            "UPDATE conversation SET revision = ?, change = ? WHERE id = ?", revision, self.transaction.nextChange(),
            conversation.id)
        let before = conversation.revision
        conversation.revision = revision
        try self.noteOwnRevision(of: conversation, before: before)
    }

    // MARK: Edits and recalls

    /// Form in which people see an imported message that was changed at its source.
    private func noteExtra(
        at place: MessagePlace, withdrawn sender: UserID?, at time: Int64, _ run: inout ImportedRun
    ) throws(StoreError) {
        run.revision += 1
        var moment = time
        // No two changes share a moment.
        while moment > 0,
            try self.connection.first("SELECT 1 FROM message_extra WHERE patched_at = ?", moment, read: { $0.int64(0) })
                != nil
        {
            moment += 1
        }
        try self.connection.run(
            """
            INSERT INTO message_extra (conversation_id, sequence, revision, withdrawn, withdrawn_by, withdrawn_at,
                patched_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, withdrawn = excluded.withdrawn,
                withdrawn_by = excluded.withdrawn_by, withdrawn_at = excluded.withdrawn_at,
                patched_at = excluded.patched_at
            """, place.conversation, place.sequence, run.revision, sender == nil ? 0 : Withdrawal.recalled.rawValue,
            sender, sender == nil ? nil : time, moment)
    }

    /// A message that was recalled at its source, where nothing is left of its body.
    private func noteRecall(
        of message: ImportedMessage, at place: MessagePlace, _ sender: UserID, patchedAt time: Int64,
        _ run: inout ImportedRun
    ) throws(StoreError) {
        try self.noteExtra(at: place, withdrawn: sender, at: time, &run)
        try self.connection.run(
            """
            INSERT OR IGNORE INTO message_edit (conversation_id, sequence, number, editor_id, edited_at, is_json, body)
            VALUES (?, ?, 0, ?, ?, 0, x'')
            """, place.conversation, place.sequence, sender, message.sentAtMilliseconds)
    }

    /// A message that is here: its source may have another state of it than it had.
    private func update(
        _ known: MessageReads.ImportedPlace, to message: ImportedMessage, _ run: inout ImportedRun,
        _ outcome: inout ImportedMessagesOutcome
    ) throws(StoreError) {
        let body = message.isRecalled ? [] : message.content.body
        let isSame = known.isWithdrawn == message.isRecalled && (message.isRecalled || known.hash == XXHash.of(body))
        if isSame {
            outcome.known += 1
            return
        }
        guard !known.isChangedHere, !known.isWithdrawn else {
            outcome.kept += 1
            return
        }
        let conversation = run.conversation
        let content = self.content(message, in: conversation)
        let place = MessagePlace(conversation.id, known.sequence)
        try self.transaction.files.removeFileReferences(of: place)
        let moment = self.transaction.nextMoment(after: 0)
        if message.isRecalled {
            try self.noteRecall(of: message, at: place, known.sender, patchedAt: moment, &run)
            // The body that was here stays for the operator, as of any message that is recalled.
            try self.connection.run(
                """
                UPDATE message_edit SET body = (SELECT body FROM message m WHERE m.conversation_id = ?1
                    AND m.sequence = ?2) WHERE conversation_id = ?1 AND sequence = ?2 AND number = 0
                """, place.conversation, place.sequence)
            try self.connection.run(
                "UPDATE message SET body = x'', flags = ? WHERE conversation_id = ? AND sequence = ?",
                content.flags.rawValue, place.conversation, place.sequence)
        } else {
            try self.noteExtra(at: place, withdrawn: nil, at: moment, &run)
            try self.connection.run(
                """
                UPDATE message SET body = ?, body_hash = ?, flags = ?, kind = ?, envelope = ?
                WHERE conversation_id = ? AND sequence = ?
                """, body, XXHash.of(body), content.flags.rawValue, Int64(content.kind.rawValue),
                content.envelope?.stored, place.conversation, place.sequence)
        }
        try self.keepFiles(of: place, body)
        try self.raiseRevision(of: conversation, to: run.revision)
        outcome.changed += 1
    }

    /// Files that a body names belong to its message.
    private func keepFiles(of place: MessagePlace, _ body: [UInt8]) throws(StoreError) {
        let mentions = body.isEmpty ? [] : FileMention.scan(body)
        guard !mentions.isEmpty else { return }
        let references = FileReferences(connection: self.connection)
        // What only looks like a file of ours is text.
        guard case .named(let named) = try references.find(mentions, by: .application) else { return }
        try references.add(named, to: place, at: self.transaction.wallMilliseconds)
    }

    // MARK: Read positions

    /// Conversations that `settle` looks at.
    private static let settledConversations = 5

    /// Does `markRead` for the next conversations of an import. One from WuKongIM has brought positions of its own: who has
    /// none there has read nothing.
    ///
    /// - Parameter id: conversation that came last.
    /// - Returns: the last one of these; `nil` when there is none left.
    package func settle(_ number: Int64, after id: ConversationID) throws(StoreError) -> ConversationID? {
        guard try self.underWay(number).source != ImportRecord.wuKongIM else { return nil }
        let page = try self.transaction.reading.imports.conversations(
            of: number, after: id, limit: Self.settledConversations)
        try self.markRead(page, of: number)
        return page.last
    }

    /// Everybody in the conversations of an import has read what it brought, as far as they had read what stood before.
    ///
    /// - Parameter conversations: at most 1000.
    package func markRead(_ conversations: [ConversationID], of number: Int64) throws(StoreError) {
        for id in conversations {
            let range = try self.connection.first(
                """
                SELECT first_sequence, last_sequence FROM import_conversation WHERE conversation_id = ? AND import = ?
                """, id, number
            ) { row throws(StoreError) in (first: row.int64(0), last: row.int64(1)) }
            guard let range, range.first > 0 else { continue }
            // What came does not count, so that no other number of theirs changes.
            try self.connection.run(
                """
                UPDATE member SET read_sequence = ?2
                WHERE conversation_id = ?1 AND read_sequence >= ?3 - 1 AND read_sequence < ?2
                """, id, range.last, range.first)
        }
    }
}

/// Newest numbers of a conversation while messages are added.
struct ImportedRun {
    let conversation: ConversationState
    var head: Int64
    /// When the newest message was sent, UTC milliseconds.
    var newestSentAt: Int64 = 0
    /// True where the newest message was imported.
    var isForeign = true
    /// Sequence that was given first, or that the first gap begins with.
    var first: Int64?
    /// Number of the newest message.
    var lastID: Int64 = 0
    var revision: Int64
    /// Sequence of the newest message of each member who wrote.
    var newestOwn: [UserID: Int64] = [:]

    init(_ conversation: ConversationState) {
        self.conversation = conversation
        self.head = conversation.head
        self.revision = conversation.revision
    }
}

extension MessageReads {
    /// Place and state of an imported message.
    struct ImportedPlace {
        let conversation: ConversationID
        let sequence: Int64
        let sender: UserID
        let hash: Int64
        let isWithdrawn: Bool
        /// People have edited it here.
        let isChangedHere: Bool
    }

    /// Finds a message by its id at the source it was imported from; `nil` for none.
    func imported(_ foreignID: String) throws(StoreError) -> ImportedPlace? {
        try self.transaction.connection.first(
            """
            SELECT m.conversation_id, m.sequence, m.sender_id, m.body_hash, m.flags, coalesce(e.edit_count, 0)
            FROM message m LEFT JOIN message_extra e
                ON e.conversation_id = m.conversation_id AND e.sequence = m.sequence
            WHERE m.foreign_id = ?
            """, foreignID
        ) { row throws(StoreError) in
            ImportedPlace(
                conversation: row.conversationID(0), sequence: row.int64(1), sender: row.userID(2), hash: row.int64(3),
                isWithdrawn: MessageFlags(rawValue: row.int64(4)).contains(.withdrawn),
                isChangedHere: row.int64(5) > 0)
        }
    }
}
