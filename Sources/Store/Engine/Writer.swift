import ByteCodec
import ChatModel
import Diagnostics
import Execution

/// The one thread that writes: takes what waits, commits it together, says so, and keeps the log short when idle.
final class Writer {
    /// Most requests in one commit.
    static let batchRequests = 2_048
    /// Bytes of bodies after which a batch takes nothing more.
    static let batchBytes = 1024 * 1024

    /// Time between two looks for requests to join teams that have waited too long.
    private static let requestLookMilliseconds: Int64 = 60_000
    /// Requests to join teams that one slice of idle work ends at most.
    private static let requestsPerSlice = 100

    private let options: StoreOptions
    private let queue: WriterQueue
    private let observers: StoreObservers
    private let gauges: StoreGauges
    private let connection: Connection
    private let memory: WriterMemory
    private let appender: Appender
    private let tokens: TokenIndex
    private let maintenance: DiskMaintenance
    private var expiry: ConversationExpiry
    private var nextRequestLook: Instant
    /// Requests taken from the mailbox, from `next` on still to be done.
    private var waiting: [WriterRequest] = []
    private var next = 0
    private var outcomes: [AppendOutcome] = []
    private var answers: [@Sendable () -> Void] = []
    /// Share of the queue's bounds that the batch holds.
    private var room = (count: 0, bytes: 0)
    /// A quiet second has passed and there is work for quiet times.
    private var hasIdleWork = false
    /// The last conversation whose times were looked at; `nil` when all were.
    private var repairPlace: ConversationID?? = .some(nil)
    private var hasFailed = false
    /// Position that the open transaction has written; `nil` when it has none.
    private var writtenPosition: StorePosition?
    /// Position of a commit of which people are still to be told.
    private var untoldPosition: StorePosition?
    /// Rows that the connection had changed when the transaction began.
    private var changesAtBegin: Int64 = 0

    /// Opens the database on the thread that will write. The folder's lock must outlive the writer.
    init(
        _ options: StoreOptions, _ folder: DataFolder, rules: Lock<MessageRules>, views: Lock<ViewRules>,
        queue: WriterQueue, observers: StoreObservers, gauges: StoreGauges
    ) throws(StoreError) {
        self.options = options
        self.queue = queue
        self.observers = observers
        self.gauges = gauges
        self.connection = try Connection.openForWriting(folder, options)
        try self.connection.haltTransfers()
        let guardian = ClockGuard(
            lastBelieved: try self.connection.lastBelievedMilliseconds(), isTrusted: options.trustsClock, options.clock)
        self.memory = WriterMemory(self.connection, options, rules: rules, views: views, clock: guardian)
        let stored = try ReadTransaction(self.connection, UserNames(), views).moderation.filterRules()
        if !stored.isEmpty { views.withLock { $0.filter = ReceiveFilter(stored, texts: options.readableTexts) } }
        let sequencer = try Sequencer(self.connection)
        self.tokens = try TokenIndex(self.connection, sequencer, roundKeys: options.recentTokens)
        self.appender = try Appender(
            self.connection, self.memory, self.tokens, sequencer, queuesHooks: options.queuesHooks,
            readableCharacters: options.readableCharacters, contentKinds: options.contentKinds,
            completed: options.completed)
        self.maintenance = try DiskMaintenance(options, folder, self.connection, guardian, gauges)
        self.expiry = ConversationExpiry(options)
        self.nextRequestLook = options.clock.now()
    }

    /// Works until the queue was closed and is empty.
    func run() {
        while true {
            self.takeWhatWaits()
            if self.next == self.waiting.count {
                self.rest()
                continue
            }
            switch self.waiting[self.next] {
            case .stop:
                self.end()
                return
            case .maintenance(let done):
                self.next += 1
                self.guarded { () throws(StoreError) in try self.runMaintenanceRound() }
                done()
            case .appends, .job:
                self.runBatch()
                self.guarded { () throws(StoreError) in try self.maintenance.afterCommit() }
            }
        }
    }

    private func takeWhatWaits() {
        if self.next == self.waiting.count {
            self.waiting.removeAll(keepingCapacity: true)
            self.next = 0
            self.queue.mailbox.takeMessages(into: &self.waiting)
        } else {
            var more: [WriterRequest] = []
            self.queue.mailbox.takeMessages(into: &more)
            self.waiting.append(contentsOf: more)
        }
    }

    /// Nothing waits: sleeps until something comes. After a quiet second, and until the next request, there is time for
    /// other work, a slice at a time.
    private func rest() {
        let waits = self.queue.mailbox.wait(milliseconds: self.hasIdleWork ? 0 : DiskMaintenance.tickMilliseconds)
        guard !waits else { return }
        let isFirst = !self.hasIdleWork
        self.hasIdleWork = false
        self.guarded { () throws(StoreError) in
            if isFirst { try self.maintenance.tick(isIdle: true) }
            self.hasIdleWork = try self.idleSlice(all: false)
        }
    }

    /// - Returns: whether there is more.
    private func idleSlice(all: Bool) throws(StoreError) -> Bool {
        guard !self.maintenance.isReadOnly else { return false }
        if try self.tokens.mergeIdle(all: all, self.appender.sequencer) { return true }
        if try self.maintenance.idleSlice() { return true }
        if try self.putTimesRight() { return true }
        if try self.expireRequests() { return true }
        var events: [ChangeEvent] = []
        let outcome = try self.expiry.slice(
            self.connection, self.tokens, self.options.clock, wallIsSteady: self.maintenance.wallIsSteady
        ) { id, wall throws(StoreError) in
            let transaction = WriteTransaction(self.connection, self.memory, self.appender, self.options, wall: wall)
            try transaction.noteEnd(of: id)
            events = transaction.events
            self.writtenPosition = try self.appender.sequencer.writePosition(self.connection, at: wall)
            try self.appender.sequencer.reserve(self.connection)
        }
        switch outcome {
        case .nothing: return false
        case .more: return true
        case .deleted(let id):
            self.memory.forget(id)
            self.observers.onProfileChanges([.team(id, .existence)])
            self.observers.onEvents(events)
            self.noteCommit()
            self.tellPosition()
            return true
        }
    }

    /// Ends some of the requests to join teams that have waited too long, and tells whom they concern.
    ///
    /// - Returns: whether there may be more.
    private func expireRequests() throws(StoreError) -> Bool {
        let now = self.options.clock.now()
        guard self.maintenance.wallIsSteady, now >= self.nextRequestLook else { return false }
        let wall = self.options.clock.wallMilliseconds()
        guard try self.connection.hasOverdueRequest(at: wall) else {
            self.nextRequestLook = now.advanced(byMilliseconds: Self.requestLookMilliseconds)
            return false
        }
        try self.connection.run("BEGIN IMMEDIATE")
        let transaction = WriteTransaction(self.connection, self.memory, self.appender, self.options, wall: wall)
        try transaction.teams.expireRequests(limit: Self.requestsPerSlice)
        self.writtenPosition = try self.appender.sequencer.writePosition(self.connection, at: wall)
        try self.appender.sequencer.reserve(self.connection)
        try self.connection.run("COMMIT")
        self.observers.onEvents(transaction.events)
        self.noteCommit()
        self.tellPosition()
        return true
    }

    /// Puts the times of one conversation right that is far ahead of a clock that is believed; one round through all
    /// after a start, and after the clock went back.
    ///
    /// - Returns: whether there may be more.
    private func putTimesRight() throws(StoreError) -> Bool {
        guard self.memory.clock.agrees else {
            self.repairPlace = .some(nil)
            return false
        }
        guard let place = self.repairPlace else { return false }
        let wall = self.options.clock.wallMilliseconds()
        guard let next = try self.connection.conversationAhead(after: place, of: wall) else {
            self.repairPlace = nil
            return false
        }
        try self.beginTransaction()
        let activeAt = try self.connection.putTimesRight(
            in: next.id, head: next.head, activeAt: next.activeAt, at: wall)
        try self.writePosition(at: wall)
        try self.connection.run("COMMIT")
        self.noteCommit()
        self.tellPosition()
        try self.memory.conversation(next.id)?.activeAt = activeAt
        self.options.log.info("times_put_right", ["conversation": .number(next.id.rawValue)])
        self.repairPlace = .some(next.id)
        return true
    }

    private func runMaintenanceRound() throws(StoreError) {
        try self.maintenance.tick(isIdle: false)
        while try self.idleSlice(all: true) {}
        try self.maintenance.emptyLog()
    }

    // MARK: One batch

    private func runBatch() {
        let batch = self.nextBatch()
        self.hasIdleWork = false
        guard !self.hasFailed else { return self.failAfterFailure(batch.requests) }
        self.room = (batch.count, batch.bytes)
        do throws(StoreError) {
            try self.runTogether(batch.requests)
        } catch {
            self.rollBack()
            self.recover(from: error, batch.requests)
        }
        self.memory.enforceBounds()
    }

    private struct Batch {
        var requests: [WriterRequest] = []
        var count = 0
        var bytes = 0
    }

    private func nextBatch() -> Batch {
        var batch = Batch()
        while self.next < self.waiting.count {
            let size: (count: Int, bytes: Int)
            switch self.waiting[self.next] {
            case .appends(let appends): size = (appends.count, WriterQueue.cost(appends))
            case .job: size = (1, WriterQueue.fixedBytes)
            case .maintenance, .stop: return batch
            }
            let isTooMuch = batch.count + size.count > Self.batchRequests || batch.bytes >= Self.batchBytes
            if batch.count > 0 && isTooMuch { return batch }
            batch.requests.append(self.waiting[self.next])
            batch.count += size.count
            batch.bytes += size.bytes
            self.next += 1
        }
        return batch
    }

    private func runTogether(_ requests: [WriterRequest]) throws(StoreError) {
        self.maintenance.observeClock()
        let wall = self.options.clock.wallMilliseconds()
        for request in requests {
            switch request {
            case .appends(let appends):
                for append in appends {
                    let result = try self.append(append, at: wall)
                    self.outcomes.append(AppendOutcome(ticket: append.ticket, result: result))
                }
            case .job(let job): try self.run(job, at: wall)
            case .maintenance, .stop: break
            }
        }
        try self.commitAndPublish(at: wall)
    }

    private func append(_ append: Append, at wall: Int64) throws(StoreError) -> AppendResult {
        let result = try self.appender.append(append, at: wall, canWrite: !self.maintenance.isReadOnly) {
            () throws(StoreError) in try self.beginTransaction()
        }
        if let note = append.note?.note, case .accepted(let accepted) = result, !accepted.isDuplicate {
            try self.beginTransaction()
            try self.connection.addAudit(note, .done, before: nil, after: Self.place(of: accepted), at: wall)
        }
        if let words = append.screening?.flagged, !words.isEmpty, case .accepted(let accepted) = result,
            !accepted.isDuplicate, !self.maintenance.isReadOnly
        {
            try self.beginTransaction()
            let place = MessagePlace(accepted.message.conversation, accepted.message.sequence)
            try self.connection.addFlagged(words, at: place, by: accepted.message.sender, wall: wall)
        }
        return result
    }

    /// Where a message came to stand, for the audit log.
    private static func place(of accepted: Accepted) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.key("conversation")
        json.integer(accepted.message.conversation.rawValue)
        json.key("sequence")
        json.integer(accepted.message.sequence)
        json.key("id")
        json.decimalString(accepted.message.id.rawValue)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func beginTransaction() throws(StoreError) {
        guard !self.connection.isInTransaction else { return }
        try self.connection.run("BEGIN IMMEDIATE")
        self.changesAtBegin = self.connection.totalChanges
    }

    /// Stores the position of this commit, unless nothing was changed: then there is nothing to commit.
    private func writePosition(at wall: Int64) throws(StoreError) {
        guard self.connection.totalChanges != self.changesAtBegin else { return }
        self.writtenPosition = try self.appender.sequencer.writePosition(self.connection, at: wall)
    }

    /// After a commit: its position counts.
    private func noteCommit() {
        self.untoldPosition = self.writtenPosition ?? self.untoldPosition
        self.writtenPosition = nil
    }

    /// Runs a change in its own savepoint: when a rule refuses it, it alone is undone. What the system says about it
    /// follows in the same commit.
    ///
    /// - Parameter alone: each message has a savepoint of its own.
    private func run(_ job: WriteJob, at wall: Int64, alone: Bool = false) throws(StoreError) {
        var messages: [Append] = []
        try self.beginTransaction()
        try self.appender.flush()
        try self.connection.run("SAVEPOINT request")
        let changesBefore = self.connection.totalChanges
        do throws(StoreError) {
            let transaction = WriteTransaction(self.connection, self.memory, self.appender, self.options, wall: wall)
            let answer = try job.run(transaction)
            let worded = try transaction.systemMessages()
            try self.connection.run("RELEASE request")
            messages = transaction.said + worded
            self.tellWithdrawn(transaction.withdrawn)
            self.tellProfiles(transaction.profileWrites)
            self.answers.append(answer)
            self.tellEvents(transaction.events)
        } catch {
            try self.undoRequest(after: error, changedNothing: self.connection.totalChanges == changesBefore)
            self.answers.append { job.fail(error) }
        }
        for message in messages { try self.say(message, at: wall, alone: alone) }
    }

    /// Appends a message that goes with a change. One that is not taken (a banned group, a full disk) is no reason to undo
    /// the change that it is about.
    private func say(_ message: Append, at wall: Int64, alone: Bool) throws(StoreError) {
        if alone {
            try self.appendAlone(message, at: wall)
        } else {
            let result = try self.append(message, at: wall)
            self.outcomes.append(AppendOutcome(ticket: message.ticket, result: result))
        }
        switch self.outcomes.last?.result {
        case .accepted, nil: return
        case .refused(let refusal):
            self.options.log.warning("system_message_left_out", ["why": .text("\(refusal)")])
        case .failed(let error): self.options.log.warning("system_message_left_out", ["why": .text("\(error)")])
        }
    }

    private func tellWithdrawn(_ messages: [MessageID]) {
        guard !messages.isEmpty else { return }
        let observers = self.observers
        self.answers.append { observers.onWithdrawn(messages) }
    }

    private func tellProfiles(_ writes: [ProfileWrite]) {
        guard !writes.isEmpty else { return }
        let observers = self.observers
        self.answers.append { observers.onProfileChanges(writes) }
    }

    /// After the answer: a gateway replies first and tells others then.
    private func tellEvents(_ events: [ChangeEvent]) {
        guard !events.isEmpty else { return }
        let observers = self.observers
        self.answers.append { observers.onEvents(events) }
    }

    /// - Throws: `error` itself when it concerns the whole batch.
    private func undoRequest(after error: StoreError, changedNothing: Bool) throws(StoreError) {
        guard error.reach == .request else { throw error }
        guard self.connection.isInTransaction else { throw error }
        try self.connection.run("ROLLBACK TO request")
        try self.connection.run("RELEASE request")
        if !changedNothing { self.memory.drop() }
    }

    private func commitAndPublish(at wall: Int64) throws(StoreError) {
        guard self.connection.isInTransaction else { return self.publish() }
        try self.appender.flush()
        try self.writePosition(at: wall)
        try self.appender.sequencer.reserve(self.connection)
        if !self.maintenance.isReadOnly { try self.tokens.mergeAlong(self.room.count) }
        try self.options.commitHook(
            { () throws(StoreError) in
                let start = Clock.system.now()
                try self.connection.run("COMMIT")
                try Connection.checkFolderSync()
                self.noteCommit()
                self.tokens.transactionCommitted(self.appender.sequencer)
                let nanoseconds = Clock.system.now().nanoseconds - start.nanoseconds
                self.gauges.update {
                    $0.commits.add(nanoseconds / 1_000)
                    $0.metrics.commitAllMicroseconds += nanoseconds / 1_000
                }
            },
            { self.publish() })
    }

    /// Says what became of the batch: all messages in one call, then the other changes in their order.
    private func publish() {
        self.settle()
        let outcomes = self.outcomes
        let answers = self.answers
        self.outcomes = []
        self.answers = []
        self.outcomes.reserveCapacity(outcomes.count)
        if !outcomes.isEmpty { self.observers.onOutcomes(outcomes) }
        for answer in answers { answer() }
        self.tellPosition()
    }

    /// Tells how far everything was told; nothing when nothing was committed since.
    private func tellPosition() {
        guard let position = self.untoldPosition else { return }
        self.untoldPosition = nil
        self.observers.onPosition(position)
    }

    /// Counts the batch and frees its room in the queue, before anyone is told: whoever sends again at once for each
    /// answer finds room.
    private func settle() {
        self.count(self.room.count)
        self.queue.giveBack(count: self.room.count, bytes: self.room.bytes)
        self.room = (0, 0)
    }

    // MARK: When it fails

    private func rollBack() {
        if self.connection.isInTransaction { try? self.connection.run("ROLLBACK") }
        self.writtenPosition = nil
        self.appender.forget()
        self.tokens.rolledBack()
        self.appender.counts = Appender.Counts()
        self.outcomes.removeAll()
        self.answers.removeAll()
    }

    private func recover(from error: StoreError, _ requests: [WriterRequest]) {
        switch error.reach {
        case .server, .disk: self.giveUp(requests, because: error)
        case .batch:
            self.options.log.error("database_busy", ["help": .text("another program writes to the database: stop it")])
            self.giveUp(requests, because: error)
        case .request:
            self.options.log.error("batch_redone", ["reason": .text(error.description)])
            self.runOneByOne(requests)
        }
    }

    /// Answers a batch that was rolled back and is not tried again.
    private func giveUp(_ requests: [WriterRequest], because error: StoreError) {
        switch error.reach {
        case .server:
            self.fail(error)
            self.failAfterFailure(requests)
        case .disk:
            self.maintenance.diskIsFull()
            self.refuse(requests, error)
        case .batch, .request: self.refuse(requests, error)
        }
    }

    /// Redoes a batch that failed, each message in its own savepoint, so that only the one at fault is refused.
    private func runOneByOne(_ requests: [WriterRequest]) {
        let wall = self.options.clock.wallMilliseconds()
        do throws(StoreError) {
            for request in requests {
                switch request {
                case .appends(let appends): for append in appends { try self.appendAlone(append, at: wall) }
                case .job(let job): try self.run(job, at: wall, alone: true)
                case .maintenance, .stop: break
                }
            }
            try self.commitAndPublish(at: wall)
        } catch {
            self.rollBack()
            self.giveUp(requests, because: error)
        }
    }

    private func appendAlone(_ append: Append, at wall: Int64) throws(StoreError) {
        try self.beginTransaction()
        try self.connection.run("SAVEPOINT request")
        let tokensBefore = self.tokens.added.count
        let result: AppendResult
        do throws(StoreError) {
            result = try self.append(append, at: wall)
            try self.appender.flush()
            try self.connection.run("RELEASE request")
        } catch {
            try self.undoRequest(after: error, changedNothing: true)
            self.appender.forget()
            self.tokens.rolledBack(to: tokensBefore)
            self.options.log.error("message_refused_by_database", ["reason": .text(error.description)])
            self.outcomes.append(AppendOutcome(ticket: append.ticket, result: .failed(error)))
            return
        }
        self.outcomes.append(AppendOutcome(ticket: append.ticket, result: result))
    }

    private func refuse(_ requests: [WriterRequest], _ error: StoreError) {
        for request in requests {
            switch request {
            case .appends(let appends):
                self.outcomes += appends.map { AppendOutcome(ticket: $0.ticket, result: .failed(error)) }
            case .job(let job): self.answers.append { job.fail(error) }
            case .maintenance, .stop: break
            }
        }
        self.publish()
    }

    /// Disk or database failed: from here on nothing is written and no outcome is given. Trying again would be wrong:
    /// after a failed sync the kernel may call lost pages clean.
    private func fail(_ error: StoreError) {
        guard !self.hasFailed else { return }
        self.hasFailed = true
        self.connection.leaveLogAlone()
        self.gauges.update { $0.metrics.hasFailed = true }
        self.options.log.error("store_failed", ["reason": .text(error.description)])
        self.observers.tellFatal(error)
    }

    /// Messages get no outcome: theirs is unknown. Whoever waits for a change is told that it failed.
    private func failAfterFailure(_ requests: [WriterRequest]) {
        for case .job(let job) in requests { job.fail(.fatal("the store has failed before: see the log")) }
    }

    private func guarded(_ body: () throws(StoreError) -> Void) {
        guard !self.hasFailed else { return }
        do throws(StoreError) {
            try body()
        } catch {
            self.rollBack()
            switch error.reach {
            case .disk: self.maintenance.diskIsFull()
            case .server: self.fail(error)
            case .batch, .request: self.options.log.error("housekeeping_failed", ["reason": .text(error.description)])
            }
        }
    }

    // MARK: The end

    private func end() {
        self.guarded { () throws(StoreError) in
            if !self.maintenance.isReadOnly { _ = try self.tokens.mergeIdle(all: true, self.appender.sequencer) }
            try self.beginTransaction()
            try self.appender.sequencer.writeExactly(self.connection)
            try self.maintenance.noteBelievedTime(isLast: true)
            try self.connection.run("COMMIT")
            try self.connection.checkpoint(truncating: true)
        }
    }

    private func count(_ requests: Int) {
        let counts = self.appender.counts
        self.appender.counts = Appender.Counts()
        self.gauges.update { state in
            state.batches.add(Int64(requests))
            state.metrics.appended += counts.appended
            state.metrics.duplicates += counts.duplicates
            state.metrics.refused += counts.refused
            state.metrics.transient += counts.transient
            state.metrics.logBytes = self.connection.logBytes
            state.metrics.cachedUsers = Int64(self.memory.userCount)
            state.metrics.cachedConversations = Int64(self.memory.conversationCount)
        }
    }
}

extension Connection {
    /// The writing connection of a locked folder, with the newest schema.
    static func openForWriting(_ folder: DataFolder, _ options: StoreOptions) throws(StoreError) -> Connection {
        let role = Connection.Role.writer(synchronous: options.synchronous)
        let now = options.clock.wallMilliseconds()
        // The epoch only has to differ between a database and its restored copies.
        let epoch = Int64.random(in: 1...Int64(UInt32.max))
        if try isNewFolder(folder.path) {
            try folder.makeDatabase { path throws(StoreError) in
                let connection = try Connection(path: path, role: role)
                try connection.migrate(clock: now, epoch: epoch)
                try connection.checkpoint(truncating: true)
            }
        }
        if !options.acceptsDamagedLog, let damage = try folder.logDamage() {
            throw .fatal(
                """
                \(damage): keep a copy of the folder and restore the last backup, or start once with \
                --accept-damaged-log to go on without them
                """)
        }
        try folder.syncLog()
        let connection = try Connection(path: folder.databasePath, role: role)
        guard try connection.schemaVersion() > 0 else { throw LostDatabase.hasNoTables(folder.path).error }
        try connection.migrate(clock: now, epoch: epoch)
        // The name of the log has to be on the disk before a commit counts.
        try DataFolder.sync(folder.path)
        try Connection.checkFolderSync()
        return connection
    }
}
