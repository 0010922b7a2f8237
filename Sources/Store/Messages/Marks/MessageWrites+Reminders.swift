import ByteCodec
package import ChatModel

extension MessageWrites {
    /// Makes a reminder for each of these people. Mentions in messages make theirs by themselves.
    ///
    /// - Throws: `refused`: `notApplicable` for a person (reminders are made by the server and the business server
    ///   only), `noSuchConversation`, `noSuchMessage`, `notMember` when one of the people is none, `tooMany` above
    ///   `groupMembers`; `invalid` for kind, text or data.
    /// - Returns: their numbers and the newest change number.
    @discardableResult
    package func addReminder(
        _ reminder: NewReminder, for users: [UserID], by actor: Actor
    ) throws(StoreError) -> ReminderChange {
        guard actor.isPrivileged else { throw .refused(.notApplicable) }
        guard users.count <= self.transaction.options.groupMembers else {
            throw .refused(.tooMany(limit: self.transaction.options.groupMembers))
        }
        try Self.check(reminder)
        let conversation = try self.conversation(reminder.conversation, for: actor)
        if reminder.sequence != 0 {
            _ = try self.target(MessagePlace(reminder.conversation, reminder.sequence), by: actor)
        }
        let people = Set(users).sorted()
        let members = try self.transaction.memory.home(of: conversation).roles
        for user in people where members[user] == nil { throw .refused(.notMember) }
        var made = ReminderChange(ids: [], change: 0)
        for user in people {
            made.change = self.transaction.nextChange()
            try self.transaction.connection.insert(
                reminder, for: user, publisher: actor.user, change: made.change, at: self.transaction.wallMilliseconds)
            made.ids.append(self.transaction.connection.lastInsertedID)
        }
        try self.transaction.notePeople(.reminders, by: .system, to: people)
        return made
    }

    private static func check(_ reminder: NewReminder) throws(StoreError) {
        guard reminder.kind.isKnown else { throw .invalid("an app's own kind of reminder is a number from 100 on") }
        guard reminder.text.utf8.count <= MessageLimits.reminderTextBytes else {
            throw .invalid("the text of a reminder has at most \(MessageLimits.reminderTextBytes) bytes")
        }
        guard let data = reminder.data else { return }
        guard data.count <= MessageLimits.reminderDataBytes, let value = try? JSONValue(parsing: data),
            value.object != nil
        else {
            throw .invalid(
                "the data of a reminder is a JSON object of at most \(MessageLimits.reminderDataBytes) bytes")
        }
    }

    /// Marks reminders of a person as done; those of others, and those done before, are skipped.
    ///
    /// - Throws: `refused(.tooMany)` above `MessageLimits.placesPerCall`.
    @discardableResult
    package func finishReminders(_ ids: [Int64], by user: UserID) throws(StoreError) -> ReminderChange {
        try Self.checkCount(of: ids.count)
        var done = ReminderChange(ids: [], change: 0)
        for id in ids {
            let change = self.transaction.nextChange()
            try self.transaction.connection.run(
                "UPDATE reminder SET done = 1, change = ? WHERE id = ? AND user_id = ? AND done = 0", change, id, user)
            guard self.transaction.connection.changes > 0 else { continue }
            done.ids.append(id)
            done.change = change
        }
        if !done.ids.isEmpty { try self.transaction.notePeople(.reminders, by: user, to: [user]) }
        return done
    }

    /// Ends reminders for whom they were made: by the business server. Those that are over are skipped.
    ///
    /// - Returns: whose they were, each once.
    /// - Throws: `refused(.tooMany)` above `MessageLimits.placesPerCall`.
    @discardableResult
    package func endReminders(_ ids: [Int64]) throws(StoreError) -> [UserID] {
        try Self.checkCount(of: ids.count)
        var users: Set<UserID> = []
        for id in ids {
            let owner = try self.transaction.connection.first(
                "SELECT user_id FROM reminder WHERE id = ? AND done = 0", id
            ) {
                row throws(StoreError) in row.userID(0)
            }
            guard let owner else { continue }
            try self.transaction.connection.run(
                "UPDATE reminder SET done = 1, change = ? WHERE id = ?", self.transaction.nextChange(), id)
            users.insert(owner)
        }
        let owners = users.sorted()
        try self.transaction.notePeople(.reminders, by: .system, to: owners)
        return owners
    }

    /// Ends the reminders of a message that was taken back. Each gets a change number of its own, so that nobody's page
    /// of them ends between two.
    func finishReminders(of place: MessagePlace) throws(StoreError) {
        let open = try self.transaction.connection.query(
            "SELECT id FROM reminder WHERE conversation_id = ? AND sequence = ? AND done = 0", place.conversation,
            place.sequence
        ) { row throws(StoreError) in row.int64(0) }
        for id in open {
            try self.transaction.connection.run(
                "UPDATE reminder SET done = 1, change = ? WHERE id = ?", self.transaction.nextChange(), id)
        }
    }
}

extension Connection {
    func insert(
        _ reminder: NewReminder, for user: UserID, publisher: UserID, change: Int64, at milliseconds: Int64
    ) throws(StoreError) {
        try self.run(
            """
            INSERT INTO reminder
                (user_id, conversation_id, sequence, publisher_id, kind, text, data, locates, change, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, user, reminder.conversation, reminder.sequence == 0 ? nil : reminder.sequence, publisher,
            reminder.kind.rawValue, reminder.text, reminder.data.map { String(decoding: $0, as: UTF8.self) },
            reminder.locates, change, milliseconds)
    }
}
