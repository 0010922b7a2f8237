import ChatModel
import MessageLog

// The statements that move positions of people, inside the open transaction: the one place of them, for what is written at
// once and for what comes from the log.
extension Connection {
    /// Moves the reading position of a member up.
    ///
    /// - Parameter moment: UTC milliseconds, not before any other change.
    func moveRead(
        _ user: UserID, in id: ConversationID, to sequence: Int64, countable: Int64, ownSince: Int64, change: Int64,
        moment: Int64
    ) throws(StoreError) {
        try self.run(
            """
            UPDATE member SET read_from = read_sequence, read_sequence = ?, read_countable = ?,
                own_countable_since_read = ?, change = ?, read_at = ?
            WHERE conversation_id = ? AND user_id = ?
            """, sequence, countable, ownSince, change, moment, id, user)
        // Positions only rise: what is behind them is never counted again.
        try self.run(
            "DELETE FROM shown_count WHERE user_id = ? AND conversation_id = ? AND sequence <= ?", user, id, sequence)
    }

    /// Notes the position of the event that tells a person's own devices what they have read.
    func setReadPosition(_ user: UserID, in id: ConversationID, _ position: StorePosition) throws(StoreError) {
        try self.run(
            "UPDATE member SET read_position = ? WHERE conversation_id = ? AND user_id = ?", position.rawValue, id, user
        )
    }

    /// Moves the position of a class of devices up, unless it is as far.
    func moveDelivered(_ position: DeliveredPosition, at wall: Int64) throws(StoreError) {
        try self.run(
            """
            INSERT INTO delivered (user_id, device_class, conversation_id, sequence, at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET from_sequence = sequence, sequence = excluded.sequence, at = excluded.at
                WHERE excluded.sequence > sequence
            """, position.user, position.deviceClass, position.conversation, position.sequence, wall)
    }

    /// Moves the newest message up that any device of a member has, unless it is as far.
    func moveAcknowledged(
        _ user: UserID, in id: ConversationID, to sequence: Int64, at wall: Int64
    ) throws(StoreError) {
        try self.run(
            """
            UPDATE member SET acked_from = acked_sequence, acked_sequence = ?1, acked_at = ?2
            WHERE conversation_id = ?3 AND user_id = ?4 AND acked_sequence < ?1
            """, sequence, wall, id, user)
    }
}

// From the log.
extension Connection {
    /// Writes what a record says that a person has read.
    func apply(_ read: LoggedRead, change: Int64) throws(StoreError) {
        guard !read.clearsMark else { throw Self.unknownPosition }
        try self.moveRead(
            read.user, in: read.conversation, to: read.sequence, countable: read.countable,
            ownSince: read.ownCountableSinceRead, change: change, moment: read.readAtMilliseconds)
        try self.tell(
            read.receipts, isRead: true, by: read.user, in: read.conversation, wall: read.wallMilliseconds)
        try self.setReadPosition(read.user, in: read.conversation, read.position)
    }

    /// Writes what a record says that devices of a person have got.
    func apply(_ delivered: LoggedDelivered) throws(StoreError) {
        if let deviceClass = delivered.deviceClass {
            try self.moveDelivered(
                DeliveredPosition(
                    user: delivered.user, deviceClass: deviceClass, conversation: delivered.conversation,
                    sequence: delivered.sequence), at: delivered.wallMilliseconds)
        }
        try self.tell(
            delivered.receipts, isRead: false, by: delivered.user, in: delivered.conversation,
            wall: delivered.wallMilliseconds)
        guard delivered.acknowledges else { return }
        try self.moveAcknowledged(
            delivered.user, in: delivered.conversation, to: delivered.sequence, at: delivered.wallMilliseconds)
    }

    /// Writes the rows of receipts: an event for who is away, and a place in the feed of each sender.
    ///
    /// - Parameter wall: when the messages arrived or were read, UTC milliseconds.
    private func tell(
        _ receipts: [LoggedReceipt], isRead: Bool, by user: UserID, in conversation: ConversationID, wall: Int64
    ) throws(StoreError) {
        guard !receipts.isEmpty else { return }
        guard let name = try self.name(of: user) else { throw .fatal("the log has receipts of nobody") }
        for receipt in receipts {
            let told = MessageReceipt(
                message: receipt.message, sequence: receipt.sequence, receiver: name, isRead: isRead,
                atMilliseconds: wall)
            try self.log(
                .receipt(told), receipt.position, in: conversation, by: user, at: receipt.atMilliseconds,
                concerning: [receipt.sender])
            try self.addReceiptToFeed(
                at: receipt.position, in: conversation, sequence: receipt.sequence, sender: receipt.sender)
        }
    }

    private func name(of user: UserID) throws(StoreError) -> UserName? {
        try self.first("SELECT name FROM user WHERE id = ?", user) { row throws(StoreError) in try row.userName(0) }
    }

    private static let unknownPosition = StoreError.fatal(
        "the log takes away badges set by hand, which this version writes to the database directly")
}
