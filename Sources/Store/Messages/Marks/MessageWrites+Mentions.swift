package import ChatModel
import MessageLog

// A mention of a person is a reminder, which ends when they have read the message.
extension MessageWrites {
    /// Most mentions that one step of a person ends.
    fileprivate static let mentionsPerStep = 1_000

    /// Ends a person's own mentions in a conversation up to a message that they have read; at most 1,000 at a time.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func finishMentions(
        of user: UserID, in id: ConversationID, upTo sequence: Int64
    ) throws(StoreError) -> Int {
        if let recorder = self.transaction.recorder {
            return try self.recordMentions(of: user, in: id, upTo: sequence, recorder)
        }
        let open = try self.transaction.connection.openMentions(of: user, in: id, after: 0, upTo: sequence)
        for reminder in open {
            try self.transaction.connection.finishReminder(reminder, change: self.transaction.nextChange())
        }
        if !open.isEmpty { try self.transaction.notePeople(.reminders, by: user, to: [user]) }
        return open.count
    }

    /// `finishMentions` as a record: also those of messages that only the log has. In a transaction where there are too many.
    private func recordMentions(
        of user: UserID, in id: ConversationID, upTo sequence: Int64, _ recorder: PositionRecorder
    ) throws(StoreError) -> Int {
        let tail = recorder.log.tail
        let target = try self.transaction.standing(at: sequence, in: self.transaction.knownConversation(id))
        let ended = recorder.mentionsEnded(of: user, in: id)
        // Of what is half applied the log says it.
        let lastRow = min(target, tail.firstSequence(in: id).map { $0 - 1 } ?? target)
        let rows = try self.transaction.connection.openMentions(of: user, in: id, after: ended, upTo: lastRow)
        let count = rows.count + tail.mentions(of: user, in: id, after: ended, upTo: target)
        guard count < Self.mentionsPerStep else { throw recorder.giveUp() }
        guard count > 0 else { return 0 }
        let event = try self.transaction.personEvent(.reminders, by: user, to: .people([user]), [user])
        self.transaction.events.append(event)
        recorder.add(
            .mentions(
                LoggedMentions(
                    user: user, conversation: id, sequence: target, count: Int64(count), position: event.position,
                    wallMilliseconds: self.transaction.wallMilliseconds)))
        return count
    }
}

extension Connection {
    /// Reminders of mentions that are not done, by number.
    fileprivate func openMentions(
        of user: UserID, in id: ConversationID, after low: Int64, upTo high: Int64
    ) throws(StoreError) -> [Int64] {
        let sql: StaticString = """
            SELECT id FROM reminder
            WHERE conversation_id = ? AND sequence > ? AND sequence <= ? AND user_id = ? AND kind = ? AND done = 0
            ORDER BY id LIMIT ?
            """
        return try self.query(
            sql, id, low, high, user, ReminderKind.mention.rawValue, Int64(MessageWrites.mentionsPerStep)
        ) { row throws(StoreError) in row.int64(0) }
    }

    fileprivate func finishReminder(_ id: Int64, change: Int64) throws(StoreError) {
        try self.run("UPDATE reminder SET done = 1, change = ? WHERE id = ?", change, id)
    }

    /// Ends the mentions that a record of the log says have ended; those of messages before it are rows by now.
    func apply(_ ended: LoggedMentions, _ nextChange: () -> Int64) throws(StoreError) {
        let open = try self.openMentions(of: ended.user, in: ended.conversation, after: 0, upTo: ended.sequence)
        for reminder in open { try self.finishReminder(reminder, change: nextChange()) }
    }
}
