package import ChatModel

/// How much one step of a person tells those who wrote.
package enum ReceiptBounds {
    /// Messages whose senders are told by one acknowledgement: the newest.
    package static let perAcknowledgement = 100
    /// Members of the largest group in which senders are told that a message has arrived.
    package static let groupMembers = 100
    /// How far back is looked for messages whose senders asked.
    static let lookedThrough: Int64 = 1_000
}

// Receipts: senders who asked are told how far their messages came. Where two people talk that is what the one does; in a
// group it would be a word per member and message, so there apps ask for it.
extension MessageWrites {
    /// Notes that a device of a person has got everything up to and including `sequence`. The position only rises, and
    /// ends at the head. Senders of newly reached messages who asked for it are told.
    ///
    /// - Parameter tellsGroups: also in groups, up to `ReceiptBounds.groupMembers`.
    /// - Returns: whether the position has moved; it never does for who is no member, and in rooms.
    /// - Throws: `notFound` when there is no such conversation.
    @discardableResult
    package func acknowledge(
        _ user: UserID, in id: ConversationID, upTo sequence: Int64, tellsGroups: Bool = false
    ) throws(StoreError) -> Bool {
        let conversation = try self.transaction.knownConversation(id)
        if let recorder = self.transaction.recorder {
            return try self.recordAcknowledged(
                user, in: conversation, upTo: sequence, tellsGroups: tellsGroups, recorder)
        }
        guard conversation.kind != .room, conversation.roles[user] != nil else { return false }
        let before = try self.transaction.connection.first(
            "SELECT acked_sequence FROM member WHERE conversation_id = ? AND user_id = ?", id, user
        ) { row throws(StoreError) in row.int64(0) }
        let target = try self.transaction.standing(at: sequence, in: conversation)
        guard let before, target > before else { return false }
        try self.transaction.connection.moveAcknowledged(
            user, in: id, to: target, at: self.transaction.wallMilliseconds)
        conversation.acknowledged[user] = target
        guard self.tellsArrival(in: conversation, tellsGroups: tellsGroups) else { return true }
        let reached = try self.transaction.connection.receiptsAsked(
            in: id, of: user, after: before, upTo: target, limit: ReceiptBounds.perAcknowledgement)
        for message in reached { try self.tellReceipt(message, isRead: false, by: user, in: conversation) }
        return true
    }

    /// True when senders who asked are told that a message has arrived.
    func tellsArrival(in conversation: ConversationState, tellsGroups: Bool) -> Bool {
        let tells =
            conversation.isOfTwo || tellsGroups && conversation.roles.count <= ReceiptBounds.groupMembers
        return tells && self.allowsReceipts(in: conversation)
    }

    /// Tells the other one of two people that their messages have been read: the newest one for which they asked.
    func noteReadReceipt(
        of user: UserID, in conversation: ConversationState, after low: Int64, upTo high: Int64
    ) throws(StoreError) {
        guard conversation.isOfTwo, self.allowsReceipts(in: conversation) else { return }
        let newest = try self.transaction.connection.receiptsAsked(
            in: conversation.id, of: user, after: low, upTo: high, limit: 1)
        for message in newest { try self.tellReceipt(message, isRead: true, by: user, in: conversation) }
    }

    func allowsReceipts(in conversation: ConversationState) -> Bool {
        let rules = self.transaction.memory.rules
        return conversation.kind == .direct ? rules.receiptsInDirect : rules.receiptsInGroups
    }

    private func tellReceipt(
        _ message: AskedReceipt, isRead: Bool, by user: UserID, in conversation: ConversationState
    ) throws(StoreError) {
        try self.transaction.noteChange(
            .receipt(try self.receipt(of: message, isRead: isRead, by: user)), in: conversation, by: user,
            to: .people([message.sender]), about: [(message.sequence, message.sender)])
    }

    /// Receipt of a message that a person has got, or read, now.
    func receipt(of message: AskedReceipt, isRead: Bool, by user: UserID) throws(StoreError) -> MessageReceipt {
        MessageReceipt(
            message: message.id, sequence: message.sequence, receiver: try self.transaction.name(user), isRead: isRead,
            atMilliseconds: self.transaction.wallMilliseconds)
    }
}

extension ConversationState {
    /// Two people talk, whatever the conversation is.
    var isOfTwo: Bool { self.kind == .direct || self.kind != .room && self.roles.count == 2 }
}

/// A message whose sender asked to be told.
struct AskedReceipt {
    let id: MessageID
    let sequence: Int64
    let sender: UserID
}

extension Connection {
    /// Messages of others in a range for which a receipt was asked: the newest, oldest first.
    func receiptsAsked(
        in id: ConversationID, of user: UserID, after low: Int64, upTo high: Int64, limit: Int
    ) throws(StoreError) -> [AskedReceipt] {
        let sql: StaticString = """
            SELECT id, sequence, sender_id FROM message
            WHERE conversation_id = ? AND sequence > ? AND sequence <= ? AND sender_id <> ? AND flags & ? = ?
            ORDER BY sequence DESC LIMIT ?
            """
        let asked = MessageFlags.receiptRequested.rawValue
        return try self.query(
            sql, id, max(low, high - ReceiptBounds.lookedThrough), high, user,
            asked | MessageFlags.withdrawn.rawValue, asked, limit
        ) { row throws(StoreError) in
            AskedReceipt(id: MessageID(rawValue: row.int64(0)), sequence: row.int64(1), sender: row.userID(2))
        }.reversed()
    }
}
