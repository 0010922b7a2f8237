import ChatModel
import MessageLog

/// The statements that write new messages and what goes with them, inside the open transaction: the one place of them,
/// for what is written at once and for what comes from the log. Confined to the writer's thread.
struct MessageRows {
    /// Newest numbers of a conversation.
    struct Head {
        var sequence: Int64
        var countable: Int64
        /// UTC milliseconds.
        var activeAt: Int64
        /// At least the id of its newest message, and at most the position of the commit.
        var position: Int64
    }

    private let connection: Connection
    private let insertMessage: Statement
    private let insertHook: Statement

    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        self.insertMessage = try connection.statement(
            """
            INSERT INTO message (conversation_id, sequence, id, sender_id, sent_at, kind, flags, countable, wire, expire,
                client_token, topic, body, body_hash, envelope, sent_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        self.insertHook = try connection.statement(Self.insertHookSQL)
    }

    private static let insertHookSQL = SQL(
        """
        INSERT INTO hook_queue (event, conversation_id, message_sequence, created_at)
        VALUES (\(HookEventNumber.message), ?, ?, ?)
        """)

    /// Writes a message and the rows beside it, but for its conversation's and its sender's.
    ///
    /// - Parameter nextChange: gives a change number that nothing else has.
    func insert(_ message: LoggedMessage, nextChange: () -> Int64) throws(StoreError) {
        let statement = self.insertMessage
        statement.bind(1, message.conversation.rawValue)
        statement.bind(2, message.sequence)
        statement.bind(3, message.id.rawValue)
        statement.bind(4, message.sender.rawValue)
        statement.bind(5, message.sentAtMilliseconds)
        statement.bind(6, Int64(message.messageKind.rawValue))
        statement.bind(7, message.flags.rawValue)
        statement.bind(8, message.countable)
        statement.bind(9, message.wire.rawValue)
        statement.bind(10, Int64(message.expireSeconds))
        if let token = message.clientToken { statement.bind(11, token.bytes) } else { statement.bindNull(11) }
        if let topic = message.topic { statement.bind(12, topic) } else { statement.bindNull(12) }
        statement.bind(13, message.body)
        statement.bind(14, message.bodyHash)
        if let envelope = message.envelope { statement.bind(15, envelope) } else { statement.bindNull(15) }
        if let sentHash = message.sentHash { statement.bind(16, sentHash) } else { statement.bindNull(16) }
        try statement.run()
        if message.isHooked {
            self.insertHook.bind(1, message.conversation.rawValue)
            self.insertHook.bind(2, message.sequence)
            self.insertHook.bind(3, message.wallMilliseconds)
            try self.insertHook.run()
        }
        if let lists = message.lists { try self.insert(lists, of: message, nextChange) }
    }

    private func insert(
        _ lists: LoggedLists, of message: LoggedMessage, _ nextChange: () -> Int64
    ) throws(StoreError) {
        for user in lists.shownTo {
            try self.connection.run(
                "INSERT INTO shown_count (user_id, conversation_id, sequence) VALUES (?, ?, ?)", user,
                message.conversation, message.sequence)
        }
        for user in lists.hiddenFrom {
            try self.connection.run(
                "INSERT INTO hidden_count (user_id, conversation_id, sequence) VALUES (?, ?, ?)", user,
                message.conversation, message.sequence)
        }
        let reminder = NewReminder(
            in: message.conversation, sequence: message.sequence, kind: .mention, text: "", locates: true)
        for user in lists.reminded {
            try self.connection.insert(
                reminder, for: user, publisher: message.sender, change: nextChange(), at: message.sentAtMilliseconds)
        }
        guard !lists.flaggedWords.isEmpty else { return }
        try self.connection.addFlagged(
            lists.flaggedWords, at: MessagePlace(message.conversation, message.sequence), by: message.sender,
            wall: message.wallMilliseconds)
    }

    /// Writes the newest numbers of a conversation and of those of its members who have written: one update for each.
    func update(
        _ id: ConversationID, _ head: Head, own: [UserID: OwnMessages], change: Int64
    ) throws(StoreError) {
        try self.connection.run(
            """
            UPDATE conversation SET head = ?, head_countable = ?, active_at = ?, change = ?, position = ? WHERE id = ?
            """, head.sequence, head.countable, head.activeAt, change, head.position, id)
        for (sender, own) in own {
            try self.connection.run(
                """
                UPDATE member SET own_countable_since_read = own_countable_since_read + ?,
                    own_last_sequence = ?, own_last_countable = ?
                WHERE conversation_id = ? AND user_id = ?
                """, own.countable, own.lastSequence, own.lastCountable, id, sender)
        }
    }

    // MARK: From the log

    /// Writes what a record says of the positions of a person.
    func write(_ entry: LogEntry, _ nextChange: () -> Int64) throws(StoreError) {
        switch entry {
        case .message(let message): try self.insert(message, nextChange: nextChange)
        case .read(let read): try self.connection.apply(read, change: nextChange())
        case .delivered(let delivered): try self.connection.apply(delivered)
        case .mentions(let mentions): try self.connection.apply(mentions, nextChange)
        }
    }

    /// Writes the newest numbers of a conversation and of its members, after its records.
    func finish(_ run: LogRun, _ nextChange: () -> Int64) throws(StoreError) {
        guard let pin = run.pin else { return }
        var own: [UserID: OwnMessages] = [:]
        for (user, pin) in run.members {
            guard let sequence = pin.ownLastSequence else { continue }
            // A reading position among the records has counted what they had written up to there.
            own[user] = OwnMessages(
                countable: pin.ownCountable, lastSequence: sequence, lastCountable: pin.ownLastCountable)
        }
        let head = Head(
            sequence: pin.head, countable: pin.headCountable, activeAt: pin.activeAtMilliseconds,
            position: pin.newestID.rawValue)
        try self.update(run.conversation, head, own: own, change: nextChange())
    }
}

// A message as the store hands it out, and as it travels in the log.
extension LoggedMessage {
    /// - Parameters:
    ///   - sentHash: of the body that the sender sent; `nil` when it is the stored one.
    ///   - wall: the wall clock of the batch, UTC milliseconds.
    init(_ message: Message, countable: Int64, bodyHash: Int64, sentHash: Int64?, wall: Int64) {
        let content = message.content
        self.init(
            conversation: message.conversation, sequence: message.sequence, id: message.id, sender: message.sender,
            sentAtMilliseconds: message.sentAtMilliseconds, messageKind: content.kind, flags: content.flags,
            countable: countable, wire: content.wire, expireSeconds: content.expireSeconds, body: content.body,
            bodyHash: bodyHash, wallMilliseconds: wall)
        self.sentHash = sentHash
        self.clientToken = message.clientToken
        self.topic = content.topic
        self.envelope = content.envelope?.stored
    }

    /// The message as its row would give it.
    func message(senderName: UserName) throws(StoreError) -> Message {
        var content = MessageContent(
            kind: self.messageKind, flags: self.flags, wire: self.wire, body: self.body,
            expireSeconds: self.expireSeconds, topic: self.topic)
        if let envelope = self.envelope { content.envelope = try MessageEnvelope(stored: envelope) }
        return Message(
            conversation: self.conversation, sequence: self.sequence, id: self.id, sender: self.sender,
            senderName: senderName, sentAtMilliseconds: self.sentAtMilliseconds, clientToken: self.clientToken,
            content: content)
    }
}
