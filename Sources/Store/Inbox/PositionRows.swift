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
        guard !read.clearsMark, read.receipts.isEmpty else { throw Self.unknownPosition }
        try self.moveRead(
            read.user, in: read.conversation, to: read.sequence, countable: read.countable,
            ownSince: read.ownCountableSinceRead, change: change, moment: read.readAtMilliseconds)
        try self.setReadPosition(read.user, in: read.conversation, read.position)
    }

    /// Writes what a record says that devices of a person have got.
    func apply(_ delivered: LoggedDelivered) throws(StoreError) {
        guard delivered.receipts.isEmpty else { throw Self.unknownPosition }
        if let deviceClass = delivered.deviceClass {
            try self.moveDelivered(
                DeliveredPosition(
                    user: delivered.user, deviceClass: deviceClass, conversation: delivered.conversation,
                    sequence: delivered.sequence), at: delivered.wallMilliseconds)
        }
        guard delivered.acknowledges else { return }
        try self.moveAcknowledged(
            delivered.user, in: delivered.conversation, to: delivered.sequence, at: delivered.wallMilliseconds)
    }

    private static let unknownPosition = StoreError.fatal(
        "the log has receipts or marks, which this version writes to the database directly")
}
