package import ChatModel

/// Changes that become durable together, inside one group commit. Valid only inside the closure it is handed to.
///
/// Each method throws before it changes anything when a rule is broken; when the closure throws, nothing of it stays.
package final class WriteTransaction {
    let connection: Connection
    let memory: WriterMemory
    private let appender: Appender
    let options: StoreOptions
    /// Takes what is done as records of the log; `nil` in a transaction. Only requests that `Store.mark` takes have one.
    let recorder: PositionRecorder?
    /// UTC milliseconds, the same for the whole batch.
    package let wallMilliseconds: Int64
    /// Reads what was committed and what this batch has changed so far.
    package let reading: ReadTransaction
    /// Messages that this change recalls or deletes for everyone.
    var withdrawn: [MessageID] = []
    /// Events of conversations that this change has caused.
    var events: [ChangeEvent] = []
    /// Events that a group may show a line about.
    var worded: [ChangeEvent] = []
    /// Messages that go with this change.
    var said: [Append] = []
    /// Origin of the change.
    package var origin = EventOrigin.server
    /// Changes to the profiles of people and conversations.
    var profileWrites: [ProfileWrite] = []
    /// True when somebody has got another name.
    var hasRenamed = false

    init(
        _ connection: Connection, _ memory: WriterMemory, _ appender: Appender, _ options: StoreOptions, wall: Int64,
        recorder: PositionRecorder? = nil
    ) {
        self.recorder = recorder
        self.connection = connection
        self.memory = memory
        self.appender = appender
        self.options = options
        self.wallMilliseconds = wall
        self.reading = ReadTransaction(connection, UserNames(), memory.views, clock: options.clock)
    }

    /// Says whether the wall clock is believed whatever it says.
    package func trustClock(_ isTrusted: Bool) { self.memory.clock.setTrusted(isTrusted, self.options.clock) }

    /// Tells, after the commit, that somebody or something is shown otherwise. Not twice in a row.
    func noteProfile(_ write: ProfileWrite) {
        if self.profileWrites.last != write { self.profileWrites.append(write) }
    }

    func nextChange() -> Int64 { self.appender.sequencer.nextChange() }

    /// The times that clients may have of what was said or done in a conversation are taken along this far ahead of the
    /// clock. What is farther ahead was imported, or given while the clock was wrong, and must not drag others along.
    private static let maximumLeadMilliseconds: Int64 = 60_000

    /// A moment that no other change has (see `Sequencer`), later than a time that clients may know already.
    func nextMoment(after known: Int64) -> Int64 {
        let isNear = known - self.wallMilliseconds < Self.maximumLeadMilliseconds
        return self.appender.sequencer.nextMoment(
            at: isNear ? max(known + 1, self.wallMilliseconds) : self.wallMilliseconds)
    }

    /// A moment that is not before any other change.
    func moment() -> Int64 { self.appender.sequencer.moment(at: self.wallMilliseconds) }

    /// An id for something that is no message but goes out like one.
    func nextMessageID() -> MessageID { self.appender.sequencer.nextID(at: self.wallMilliseconds) }

    /// True when a person could send a message here now.
    func maySend(_ user: UserID, in id: ConversationID) throws(StoreError) -> Bool {
        try self.appender.publishRefusal(for: user, in: id, at: self.wallMilliseconds) == nil
    }

    /// - Throws: `notFound`, also for somebody whose account was deleted.
    func knownUser(_ id: UserID) throws(StoreError) -> UserState {
        guard let user = try self.memory.user(id) else { throw .notFound("user number \(id.rawValue)") }
        guard !user.isDeleted else { throw .notFound("an account called \(user.name) (it was deleted)") }
        return user
    }

    /// - Throws: `notFound`.
    func knownConversation(_ id: ConversationID) throws(StoreError) -> ConversationState {
        guard let conversation = try self.memory.conversation(id), !conversation.isOver(at: self.wallMilliseconds)
        else { throw .notFound("conversation number \(id.rawValue)") }
        return conversation
    }
}

// MARK: Settings

extension WriteTransaction {
    /// Stores what the operator changed at run time; `nil` removes it.
    package func setSetting(_ key: String, _ value: String?) throws(StoreError) {
        if let value {
            try self.connection.run("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", key, value)
        } else {
            try self.connection.run("DELETE FROM setting WHERE key = ?", key)
        }
    }
}
