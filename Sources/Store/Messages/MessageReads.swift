package import ChatModel

extension ReadTransaction {
    /// Reads of messages and what people add to them.
    package var messages: MessageReads { MessageReads(transaction: self) }
}

/// Reads of messages and what people add to them. Valid as long as its transaction.
package struct MessageReads {
    let transaction: ReadTransaction
}

/// By whose right history is read.
package enum HistoryAccess: Hashable, Sendable {
    /// A member or listener of the conversation; to anyone else it does not exist. They see all of it, also what was said
    /// before they joined unless the operator has set otherwise (F109), but not what they cleared. What is not for them,
    /// and what the operator's rules have them see otherwise, is replaced by a stand-in (`MessageFlags.standIn`).
    case member(UserID)
    /// A business server that reads for somebody, in the conversation or not: all of the history, each message as they
    /// would be shown it.
    case onBehalf(of: UserID)
    /// The operator, the server itself.
    case unrestricted
}

extension MessageReads {
    /// So many messages are looked through for one page.
    package static let maximumLookedThrough = 20_000

    /// The newest messages, oldest first; `limit` is 1...1000.
    ///
    /// Each page of messages, here and below, ends where its bodies have `maximumBytes`, with one message at least; `nil`
    /// is the bound of `PageRoom()`, which leaves a page of up to `ReadBounds.wholePageMessages` whole. Otherwise a page
    /// that is not full says nothing about whether there are more. Whoever pages goes on from its outermost sequence until
    /// a page is empty, or the head of the conversation is reached.
    ///
    /// - Parameter skippingUnseen: for protocols that need no sequences: what the person is shown nothing of is left out,
    ///   and the page is filled from further away, through `maximumLookedThrough` messages at most. Otherwise it is there
    ///   as `MessageFlags.unseen`.
    /// - Throws: `notFound` without access; `invalid` for the limit.
    package func latest(
        in id: ConversationID, limit: Int, as access: HistoryAccess, skippingUnseen: Bool = false,
        maximumBytes: Int? = nil
    ) throws(StoreError) -> [Message] {
        try self.page(
            in: id, before: Int64.max, limit: limit, as: access, skippingUnseen: skippingUnseen,
            maximumBytes: maximumBytes)
    }

    /// The messages just before `sequence`, without it, oldest first; `limit` is 1...1000.
    package func page(
        in id: ConversationID, before sequence: Int64, limit: Int, as access: HistoryAccess,
        skippingUnseen: Bool = false, maximumBytes: Int? = nil
    ) throws(StoreError) -> [Message] {
        let view = try self.view(of: id, for: access)
        let page = Int(try ReadTransaction.page(limit))
        var found: [Message] = []
        var before = sequence
        var lookedThrough = 0
        repeat {
            var room = PageRoom(bytes: maximumBytes)
            let rows = try self.page(
                in: id, before: before, from: view.start, view, limit: Int64(page), &room)
            let seen = try self.seen(rows, view)
            found = (skippingUnseen ? seen.filter { !$0.isUnseen } : seen).suffix(page - found.count) + found
            guard let first = rows.first, rows.count == page || room.isFull else { break }
            if !found.isEmpty, room.isFull || self.transaction.isOverTime { break }
            before = first.sequence
            lookedThrough += rows.count
        } while found.count < page && lookedThrough < Self.maximumLookedThrough
        return found
    }

    /// The messages just after `sequence`, without it, oldest first; `limit` is 1...1000.
    package func page(
        in id: ConversationID, after sequence: Int64, limit: Int, as access: HistoryAccess,
        skippingUnseen: Bool = false, maximumBytes: Int? = nil
    ) throws(StoreError) -> [Message] {
        let view = try self.view(of: id, for: access)
        let page = Int(try ReadTransaction.page(limit))
        var found: [Message] = []
        var from = max(view.start, sequence &+ 1)
        var lookedThrough = 0
        repeat {
            var room = PageRoom(bytes: maximumBytes)
            let rows = try self.page(in: id, from: from, view, limit: Int64(page), &room)
            let seen = try self.seen(rows, view)
            found += (skippingUnseen ? seen.filter { !$0.isUnseen } : seen).prefix(page - found.count)
            guard let last = rows.last, rows.count == page || room.isFull else { break }
            if !found.isEmpty, room.isFull || self.transaction.isOverTime { break }
            from = last.sequence + 1
            lookedThrough += rows.count
        } while found.count < page && lookedThrough < Self.maximumLookedThrough
        return found
    }

    /// A message with its neighbours, oldest first: (limit - 1) / 2 before it, rounded down, itself, and the rest after
    /// it; 10 are 4 + 1 + 5. At an end of the conversation there are fewer: the other side does not make up for them.
    /// Empty when there is no such message.
    package func page(
        in id: ConversationID, around sequence: Int64, limit: Int, as access: HistoryAccess
    ) throws(StoreError) -> [Message] {
        let page = try ReadTransaction.page(limit)
        let before = Int((page - 1) / 2)
        guard try self.one(in: id, sequence: sequence, as: access) != nil else { return [] }
        let earlier = before == 0 ? [] : try self.page(in: id, before: sequence, limit: before, as: access)
        return earlier + (try self.page(in: id, after: sequence - 1, limit: Int(page) - before, as: access))
    }

    package func one(
        in id: ConversationID, sequence: Int64, as access: HistoryAccess
    ) throws(StoreError) -> Message? {
        let view = try self.view(of: id, for: access)
        guard sequence >= view.start else { return nil }
        guard
            let message = try self.transaction.connection.message(
                in: id, sequence: sequence, senderName: self.transaction.name)
        else {
            return nil
        }
        return try self.seen(message, view)
    }

    /// The message with this id. Ids rise with the sequence, so it is found by halving: about 20 steps in a million.
    package func one(
        _ message: MessageID, in id: ConversationID, as access: HistoryAccess
    ) throws(StoreError) -> Message? {
        try self.check(access, to: id)
        guard let place = try self.place(of: message, in: id) else { return nil }
        return try self.one(in: id, sequence: place.sequence, as: access)
    }

    /// Where the message with this id is, found in the same way; `nil` when it is not in this conversation. Says nothing
    /// about who may know.
    package func place(of message: MessageID, in id: ConversationID) throws(StoreError) -> MessagePlace? {
        var low: Int64 = 1
        var high = try self.transaction.conversations.one(id)?.head ?? 0
        while low <= high {
            let middle = low + (high - low) / 2
            let found = try self.transaction.connection.first(
                """
                SELECT id, sequence FROM message WHERE conversation_id = ? AND sequence BETWEEN ? AND ?
                ORDER BY sequence DESC LIMIT 1
                """, id, low, middle
            ) { row throws(StoreError) in (id: row.int64(0), sequence: row.int64(1)) }
            // A restore has passed over a range: nothing is in this half.
            guard let found else {
                low = middle + 1
                continue
            }
            if found.id == message.rawValue { return MessagePlace(id, found.sequence) }
            if found.id < message.rawValue { low = middle + 1 } else { high = found.sequence - 1 }
        }
        // Clients of another server know what was imported from it by the number that it had there.
        return try self.transaction.connection.first(
            "SELECT sequence FROM message WHERE foreign_id = ? AND conversation_id = ?", String(message.rawValue), id
        ) { row throws(StoreError) in MessagePlace(id, row.int64(0)) }
    }

    /// Messages of a conversation whose ids are above one position and not above another, oldest first. Says nothing
    /// about who may see them.
    func page(
        in id: ConversationID, after position: StorePosition, through last: StorePosition, limit: Int
    ) throws(StoreError) -> [(sequence: Int64, id: MessageID)] {
        var low: Int64 = 1
        var high = try self.transaction.conversations.one(id)?.head ?? 0
        while low <= high {
            let middle = low + (high - low) / 2
            let found = try self.transaction.connection.first(
                """
                SELECT id <= ?4, sequence FROM message WHERE conversation_id = ?1 AND sequence BETWEEN ?2 AND ?3
                ORDER BY sequence DESC LIMIT 1
                """, id, low, middle, position.rawValue
            ) { row throws(StoreError) in (isKnown: row.int64(0) != 0, sequence: row.int64(1)) }
            if let found, !found.isKnown { high = found.sequence - 1 } else { low = middle + 1 }
        }
        let found = try self.transaction.connection.query(
            "SELECT sequence, id FROM message WHERE conversation_id = ? AND sequence >= ? ORDER BY sequence LIMIT ?",
            id, low, limit
        ) { row throws(StoreError) in (sequence: row.int64(0), id: MessageID(rawValue: row.int64(1))) }
        return found.filter { StorePosition($0.id) <= last }
    }

    /// - Throws: `notFound` without access.
    func check(_ access: HistoryAccess, to id: ConversationID) throws(StoreError) {
        _ = try self.view(of: id, for: access)
    }

    private static let messagesSQL = SQL(
        """
        SELECT \(Row.messageColumns)
        FROM message m WHERE conversation_id = ?1 AND sequence < ?2 AND sequence >= ?3
            AND (?5 IS NULL OR flags & \(MessageFlags.restricted) = 0 OR sender_id = ?6
                OR EXISTS (SELECT 1 FROM json_each(m.envelope, '$.visible') v WHERE v.value = ?5))
        ORDER BY sequence DESC LIMIT ?4
        """)

    private func page(
        in id: ConversationID, before sequence: Int64, from start: Int64, _ view: HistoryView, limit: Int64,
        _ room: inout PageRoom
    ) throws(StoreError) -> [Message] {
        return try self.transaction.connection.messages(
            Self.messagesSQL, id, sequence, start, limit, view.onlyFor?.text, view.viewer?.user, room: &room,
            senderName: self.transaction.name
        ).reversed()
    }

    private static let messages2SQL = SQL(
        """
        SELECT \(Row.messageColumns)
        FROM message m WHERE conversation_id = ?1 AND sequence >= ?2
            AND (?4 IS NULL OR flags & \(MessageFlags.restricted) = 0 OR sender_id = ?5
                OR EXISTS (SELECT 1 FROM json_each(m.envelope, '$.visible') v WHERE v.value = ?4))
        ORDER BY sequence LIMIT ?3
        """)

    private func page(
        in id: ConversationID, from sequence: Int64, _ view: HistoryView, limit: Int64, _ room: inout PageRoom
    ) throws(StoreError) -> [Message] {
        return try self.transaction.connection.messages(
            Self.messages2SQL, id, sequence, limit, view.onlyFor?.text, view.viewer?.user, room: &room,
            senderName: self.transaction.name)
    }

    // MARK: Numbers for status

    /// Counts the rows of the database: for screens, not for each message.
    package func counts() throws(StoreError) -> StoreCounts {
        let sql: StaticString = """
            SELECT (SELECT count(*) - 1 FROM user), (SELECT count(*) FROM conversation),
                (SELECT coalesce(sum(head), 0) FROM conversation)
                    - (SELECT coalesce(sum(last - first + 1), 0) FROM sequence_gap)
                    - (SELECT coalesce(sum(messages), 0) FROM purged_history),
                (SELECT count(*) FROM device_token),
                (SELECT value FROM meta WHERE key = 'epoch')
            """
        let counts = try self.transaction.connection.first(sql) { row throws(StoreError) in
            StoreCounts(
                users: row.int64(0), conversations: row.int64(1), messages: row.int64(2), tokens: row.int64(3),
                epoch: row.int64(4))
        }
        return counts ?? StoreCounts(users: 0, conversations: 0, messages: 0, tokens: 0, epoch: 0)
    }
}

/// Numbers of rows in the database.
package struct StoreCounts: Hashable, Sendable {
    /// Without the system.
    package var users: Int64
    /// Conversations of every kind.
    package var conversations: Int64
    /// Messages of all conversations: the sum of their newest sequences, without what restores have passed over and what has
    /// gone for its age or number.
    package var messages: Int64
    /// Tokens that sign devices in.
    package var tokens: Int64
    /// Names this database; a restored backup gets another.
    package var epoch: Int64
}

/// Room that a page of messages still has. The last message may be longer than that.
package struct PageRoom: Sendable {
    /// Bytes that a message takes besides its body, about.
    static let overheadBytes = 200

    private(set) var bytes: Int
    /// Messages that still fit when the bytes are used up, as long as these are not overdrawn by more.
    private var wholeMessages: Int
    private let overdraftBytes: Int

    /// The room of a page of history: `ReadBounds.pageBytes`, but the first `ReadBounds.wholePageMessages` have
    /// `ReadBounds.wholePageBytes`.
    package init() {
        self.bytes = ReadBounds.pageBytes
        self.wholeMessages = ReadBounds.wholePageMessages
        self.overdraftBytes = ReadBounds.wholePageBytes - ReadBounds.pageBytes
    }

    /// - Parameter bytes: `nil` for the room of a page of history.
    package init(bytes: Int?) {
        self.init()
        guard let bytes else { return }
        self = PageRoom(exactly: bytes)
    }

    private init(exactly bytes: Int) {
        self.bytes = bytes
        self.wholeMessages = 0
        self.overdraftBytes = 0
    }

    /// True when no further message fits.
    package var isFull: Bool {
        self.bytes <= 0 && (self.wholeMessages <= 0 || self.bytes <= -self.overdraftBytes)
    }

    /// Bytes for the next page that is read for the same room; `nil` for those of a page of history.
    package var bytesOfNextPage: Int? { self.overdraftBytes > 0 ? nil : max(1, self.bytes) }

    /// Counts a message of the page.
    package mutating func takeMessage(_ message: Message) {
        self.bytes -= message.content.body.count + Self.overheadBytes
        self.wholeMessages -= 1
    }
}

extension Connection {
    /// Messages of a query whose columns are those of `Row.message`, until the room is full.
    func messages<each Value: Bindable>(
        _ sql: SQL, _ values: repeat each Value, room: inout PageRoom,
        senderName: (UserID) throws(StoreError) -> UserName
    ) throws(StoreError) -> [Message] {
        let statement = try self.statement(sql)
        statement.bindAll(repeat each values)
        defer { statement.reset() }
        var messages: [Message] = []
        while !room.isFull {
            guard try statement.step() else { break }
            let message = try statement.row.message(senderName: senderName)
            room.takeMessage(message)
            messages.append(message)
        }
        return messages
    }
}

extension Connection {
    private static let messageSQL = SQL(
        """
        SELECT \(Row.messageColumns)
        FROM message WHERE conversation_id = ? AND sequence = ?
        """)

    func message(
        in id: ConversationID, sequence: Int64, senderName: (UserID) throws(StoreError) -> UserName
    ) throws(StoreError) -> Message? {
        return try self.first(Self.messageSQL, id, sequence) { row throws(StoreError) in
            try row.message(senderName: senderName)
        }
    }
}

extension Connection {
    private static let messageWithHashSQL = SQL(
        """
        SELECT \(Row.messageColumns), body_hash, sent_hash
        FROM message WHERE conversation_id = ? AND sequence = ?
        """)

    /// A message with the hash of its stored body, and that of the body it was sent with; `nil` for the same one.
    func messageWithHash(
        in id: ConversationID, sequence: Int64, senderName: UserName
    ) throws(StoreError) -> (message: Message, bodyHash: Int64, sentHash: Int64?)? {
        return try self.first(Self.messageWithHashSQL, id, sequence) { row throws(StoreError) in
            (try row.message { (_) throws(StoreError) in senderName }, row.int64(13), row.optionalInt64(14))
        }
    }
}

extension Row {
    static let messageColumns: SQLText = """
        conversation_id, sequence, id, sender_id, sent_at, kind, flags, wire, expire, client_token, topic, body, \
        envelope
        """

    /// A message from `messageColumns`.
    func message(senderName: (UserID) throws(StoreError) -> UserName) throws(StoreError) -> Message {
        guard let wire = WireFormat(rawValue: self.int64(7)) else { throw Self.damaged("wire format") }
        var content = MessageContent(
            kind: MessageKind(rawValue: Int32(truncatingIfNeeded: self.int64(5))),
            flags: MessageFlags(rawValue: self.int64(6)), wire: wire, body: self.blob(11),
            expireSeconds: UInt32(truncatingIfNeeded: self.int64(8)), topic: self.optionalText(10))
        content.envelope = try self.envelope(12)
        let sender = self.userID(3)
        return Message(
            conversation: self.conversationID(0), sequence: self.int64(1), id: MessageID(rawValue: self.int64(2)),
            sender: sender, senderName: try senderName(sender), sentAtMilliseconds: self.int64(4),
            clientToken: self.optionalBlob(9).flatMap(ClientToken.init), content: content)
    }
}
