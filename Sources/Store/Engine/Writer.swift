import ByteCodec
import ChatModel
import Diagnostics
import Execution
import Glibc
import MessageLog

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
    /// `nil` when every batch is written to the database.
    private let log: WriterLog?
    let reads: AppliedReads
    private var expiry: ConversationExpiry
    private var retention: RetentionRun
    /// Retention has more to do, and lets conversations end that are over.
    private var isTurnOfExpiry = false
    private var nextRequestLook: Instant
    /// Requests taken from the mailbox, from `next` on still to be done.
    private var waiting: [WriterRequest] = []
    private var next = 0
    /// Answers of the batch so far.
    private var told = Told()
    /// A quiet second has passed and there is work for quiet times.
    private var hasIdleWork = false
    /// The last conversation whose times were looked at; `nil` when all were.
    private var repairPlace: ConversationID?? = .some(nil)
    private var hasFailed = false
    /// Position that the open transaction has written; `nil` when it has none.
    private var writtenPosition: StorePosition?
    /// Position of a commit of which people are still to be told.
    private var untoldPosition: StorePosition?
    /// Messages were recalled or deleted whose bytes may still be in segments of the log.
    private var owesWipe: Bool
    /// Records were applied, and SQLite's log was not looked at since.
    private var owesCheckpoint = false
    /// When the oldest record of the tail was decided, or the last ones were applied.
    private var tailSince: Instant
    private var nextWipe: Instant
    /// A transaction that only reads is open: what a batch asks the database for costs no locks of the file then.
    private var isReading = false
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
        let stored = try ReadTransaction(self.connection, UserNames(), views).moderation.filterRules()
        if !stored.isEmpty { views.withLock { $0.filter = ReceiveFilter(stored, texts: options.readableTexts) } }
        let rows = try MessageRows(self.connection)
        var sequencer = try Sequencer(self.connection)
        // A killed server may have owed a wipe.
        self.owesWipe = try self.connection.meta("log_segments") > 0
        let started = try Self.startLog(options, folder, self.connection, rows, &sequencer)
        let reads = AppliedReads(applied: UInt64(clamping: try self.connection.meta("log_applied")), queue)
        self.reads = reads
        var log: WriterLog?
        if let started, options.usesLog {
            var bounds = LogTail.Bounds()
            // Twice: applying writes to SQLite's log first and to the database afterwards.
            bounds.pages = min(bounds.pages, options.logRoomBytes ?? Int(options.ballastBytes) / 2)
            bounds.applyPages = min(bounds.applyPages, bounds.pages / 2)
            bounds.applyRecords = options.logAppliedRecords
            log = WriterLog(
                started.log, run: started.run, bounds: bounds, reads: reads, observers: observers, queue: queue,
                gauges: gauges)
        }
        self.log = log
        let known = log
        self.memory = WriterMemory(
            self.connection, options, rules: rules, views: views, clock: guardian,
            sequenceFloor: try self.connection.sequenceFloor(), newestGap: try self.connection.newestGap()
        ) { id in known?.tail.pin(of: id) }
        self.tokens = try TokenIndex(self.connection, sequencer, roundKeys: options.recentTokens) { place in
            known?.tail.message(at: place)
        }
        self.appender = Appender(
            self.connection, self.memory, self.tokens, sequencer, rows,
            queuesHooks: options.queuesHooks, readableCharacters: options.readableCharacters,
            contentKinds: options.contentKinds,
            completed: options.completed)
        self.maintenance = try DiskMaintenance(options, folder, self.connection, guardian, gauges)
        self.expiry = ConversationExpiry(options)
        self.retention = RetentionRun(options)
        self.nextRequestLook = options.clock.now()
        self.nextWipe = self.nextRequestLook
        self.tailSince = self.nextRequestLook
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
            case .look:
                self.next += 1
                self.settleLogFailures()
                if self.reads.hasWaiting { self.guarded { () throws(StoreError) in try self.applyLog() } }
            case .maintenance(let done):
                self.next += 1
                self.guarded { () throws(StoreError) in try self.runMaintenanceRound() }
                done()
            case .drain(let request):
                self.next += 1
                self.drain(request)
            case .appends, .job: self.runStep()
            }
        }
    }

    /// A batch, and then one piece of the work that waits behind it: a checkpoint that an earlier commit has left, or a part of
    /// the log. Between a commit of records and its checkpoint, which each take long, a batch is decided and handed over.
    private func runStep() {
        let owedCheckpoint = self.owesCheckpoint
        let decided = self.runBatch()
        if owedCheckpoint {
            self.owesCheckpoint = false
        } else if self.isLogDue {
            self.guarded { () throws(StoreError) in try self.applySlice(after: decided) }
        }
        guard !self.owesCheckpoint else { return }
        self.guarded { () throws(StoreError) in try self.maintain() }
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

    /// Time without a request after which the log is applied although nobody waits for it.
    private static let quietMilliseconds: Int32 = 50
    /// Time between two applies where requests never end: what looks at the database alone, as the search index does, is
    /// not farther behind.
    private static let longestTailMilliseconds: Int64 = 1_000

    /// True when the log is to be applied although requests wait.
    private var isLogDue: Bool {
        guard let log = self.log, !log.tail.isEmpty, !self.options.appliesOnlyWhenAsked else { return false }
        return log.isPartlyApplied || log.tail.isSealed || log.tail.isDue
            || self.options.clock.now().milliseconds(since: self.tailSince) >= Self.longestTailMilliseconds
    }

    /// Nothing waits: sleeps until something comes. After a quiet moment the log is applied. After a quiet second, and until
    /// the next request, there is time for other work, a slice at a time.
    private func rest() {
        let hasTail = self.log.map { !$0.tail.isEmpty } ?? false
        let appliesSoon = hasTail && !self.maintenance.isReadOnly && !self.hasFailed
        let pause = appliesSoon ? Self.quietMilliseconds : DiskMaintenance.tickMilliseconds
        let hasWork = self.hasIdleWork || self.log?.isPartlyApplied == true && !self.hasFailed
        let waits = self.queue.mailbox.wait(milliseconds: hasWork ? 0 : pause)
        guard !waits else { return }
        self.settleLogFailures()
        if hasTail {
            if !self.options.appliesOnlyWhenAsked {
                self.drainLog()
                self.guarded { () throws(StoreError) in try self.applySlice(after: 0) }
            }
            self.guarded { () throws(StoreError) in try self.maintain() }
            return
        }
        // What was applied may still be being told.
        self.log?.drain()
        let isFirst = !self.hasIdleWork
        self.hasIdleWork = false
        self.guarded { () throws(StoreError) in
            if isFirst { try self.maintenance.tick(isIdle: true) }
            self.hasIdleWork = try self.idleSlice(all: false)
        }
    }

    /// After a batch or a slice: keeps SQLite's log short, and looks at the disk once a second. Not within a transaction.
    private func maintain() throws(StoreError) {
        guard !self.connection.isInTransaction else { return }
        self.owesCheckpoint = false
        try self.maintenance.afterCommit()
    }

    /// - Returns: whether there is more.
    private func idleSlice(all: Bool) throws(StoreError) -> Bool {
        // Nothing that the log knows of may go before it is applied.
        guard !self.maintenance.isReadOnly, self.log?.tail.isEmpty ?? true else { return false }
        if try self.tokens.mergeIdle(all: all, self.appender.sequencer) { return true }
        if try self.tokens.learnIdle() { return true }
        try self.wipeLog(atOnce: all)
        if try self.maintenance.idleSlice() { return true }
        if try self.putTimesRight() { return true }
        if try self.expireRequests() { return true }
        // A run of retention may be long: what is over has every other slice.
        let isPurging = self.isTurnOfExpiry
        self.isTurnOfExpiry = false
        if !isPurging, try self.purgeHistory() {
            self.isTurnOfExpiry = true
            return true
        }
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
        case .nothing:
            if isPurging { return true }
            return try self.maintenance.returnFreePages()
        case .more: return true
        case .deleted(let id):
            self.memory.forget(id)
            self.owesWipe = true
            self.observers.onProfileChanges([.team(id, .existence)])
            self.observers.onEvents(events)
            self.noteCommit()
            self.tellPosition()
            return true
        }
    }

    /// Deletes some of what the rules of retention say.
    ///
    /// - Returns: whether there is more.
    private func purgeHistory() throws(StoreError) -> Bool {
        let tools = RetentionRun.Tools(
            connection: self.connection, memory: self.memory, tokens: self.tokens, clock: self.options.clock)
        let mayRun = self.maintenance.wallIsSteady && !self.gauges.snapshots.areHeld
        let slice = try self.retention.slice(tools, mayRun: mayRun)
        if slice.hasDeleted { self.owesWipe = true }
        // A long run would else fill SQLite's log: no batch comes that looks at it.
        if slice.hasMore { try self.maintain() }
        return slice.hasMore
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

    /// Answers when everything before is in the database.
    private func drain(_ request: DrainRequest) {
        let result: Result<StoreStanding, StoreError>
        do throws(StoreError) {
            result = .success(try self.drainedStanding(isErasing: request.isErasing))
        } catch {
            self.giveUpWork(because: error)
            result = .failure(error)
        }
        request.then(result)
    }

    private func drainedStanding(isErasing: Bool) throws(StoreError) -> StoreStanding {
        try self.applyLog()
        guard !self.hasFailed else { throw Self.hasFailedBefore }
        // What is left waits for room on the disk.
        guard self.log.map({ $0.tail.isEmpty && !$0.hasFailures }) ?? true else { throw .full }
        if isErasing {
            self.owesWipe = true
            try self.wipeLog(atOnce: true)
        }
        return try StoreStanding(self.connection)
    }

    private static let hasFailedBefore = StoreError.fatal("the store has failed before: see the log")

    private func runMaintenanceRound() throws(StoreError) {
        try self.applyLog()
        try self.maintenance.tick(isIdle: false)
        while try self.idleSlice(all: true) {}
        try self.maintenance.emptyLog()
    }

    // MARK: One batch

    /// - Returns: how many messages and changes it was.
    private func runBatch() -> Int {
        var batch = self.nextBatch()
        let count = batch.count
        self.hasIdleWork = false
        guard !self.hasFailed else {
            self.failAfterFailure(batch.requests)
            return count
        }
        if let log = self.log, self.acknowledgesFromLog { self.runLogged(&batch, log) }
        if !batch.requests.isEmpty && !self.hasFailed { self.runDrained(batch) }
        self.memory.enforceBounds()
        return count
    }

    private struct Batch {
        var requests: [WriterRequest] = []
        var count = 0
        var bytes = 0
        /// All of it is for one transaction, also what the log could take.
        var isForDatabase = false

        /// True when the log may take what is at the front.
        var beginsForLog: Bool { !self.isForDatabase && self.requests.first?.isForLog ?? false }

        /// Takes messages and changes away from the front.
        mutating func drop(_ dropped: Int) {
            guard dropped < self.count else { return self = Batch() }
            var left = dropped
            var whole = 0
            while left > 0, whole < self.requests.count {
                guard case .appends(let appends) = self.requests[whole] else {
                    self.bytes -= WriterQueue.fixedBytes
                    left -= 1
                    whole += 1
                    continue
                }
                let gone = appends.prefix(left)
                self.bytes -= WriterQueue.cost(gone)
                left -= gone.count
                if gone.count == appends.count {
                    whole += 1
                } else {
                    self.requests[whole] = .appends(Array(appends.dropFirst(gone.count)))
                }
            }
            self.requests.removeFirst(whole)
            self.count -= dropped
        }
    }

    private func nextBatch() -> Batch {
        var batch = Batch()
        while self.next < self.waiting.count {
            let size: (count: Int, bytes: Int)
            var drainsFront = false
            switch self.waiting[self.next] {
            case .appends(let appends): size = (appends.count, WriterQueue.cost(appends))
            case .job(let job):
                drainsFront = batch.beginsForLog && !job.movesPositions && self.acknowledgesFromLog
                // Messages in front of it do not wait for a long tail to be applied.
                if drainsFront, !self.hasShortTail { return batch }
                size = (1, WriterQueue.fixedBytes)
            case .maintenance, .look, .drain, .stop: return batch
            }
            let isTooMuch = batch.count + size.count > Self.batchRequests || batch.bytes >= Self.batchBytes
            if batch.count > 0 && isTooMuch { return batch }
            if drainsFront { batch.isForDatabase = true }
            batch.requests.append(self.waiting[self.next])
            batch.count += size.count
            batch.bytes += size.bytes
            self.next += 1
        }
        return batch
    }

    /// True when the tail is at most what one slice applies. A change then takes the messages in front of it into its own
    /// transaction: they would be synced to the log only to be applied at once, before the change, with a second sync.
    private var hasShortTail: Bool { (self.log?.tail.count ?? 0) <= self.options.logSliceRecords }

    private func runTogether(_ requests: [WriterRequest]) throws(StoreError) {
        self.maintenance.observeClock()
        let wall = self.options.clock.wallMilliseconds()
        for request in requests {
            switch request {
            case .appends(let appends):
                for append in appends {
                    let result = try self.append(append, at: wall)
                    self.told.outcomes.append(AppendOutcome(ticket: append.ticket, result: result))
                }
            case .job(let job): try self.run(job, at: wall)
            case .maintenance, .look, .drain, .stop: break
            }
        }
        try self.commitAndPublish(at: wall)
    }

    private func append(_ append: Append, at wall: Int64) throws(StoreError) -> AppendResult {
        let result = try self.appender.append(append, at: wall, canWrite: self.canWrite) {
            () throws(StoreError) in try self.beginTransaction()
        }
        if let note = append.note?.note, case .accepted(let accepted) = result, !accepted.isDuplicate {
            try self.beginTransaction()
            try self.connection.addAudit(note, .done, before: nil, after: Self.place(of: accepted), at: wall)
        }
        // Of a stored message they are among its own rows.
        if let words = append.screening?.flagged, !words.isEmpty, case .accepted(let accepted) = result,
            accepted.message.sequence == 0, !self.maintenance.isReadOnly
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

    /// True when messages may be taken. Not while the log has failed for want of room: until its run has ended, its records
    /// could come back, in the places of others.
    private var canWrite: Bool { !self.maintenance.isReadOnly && !(self.log?.hasFailures ?? false) }

    private func beginTransaction() throws(StoreError) {
        if self.connection.isInTransaction {
            guard self.log?.isPartlyApplied == true else { return }
        } else {
            try self.connection.run("BEGIN IMMEDIATE")
        }
        // What the log holds comes first: whatever is read or changed from here on stands on it.
        if let log = self.log { _ = try log.apply(self.appender.rows, self.connection, &self.appender.sequencer) }
        self.changesAtBegin = self.connection.totalChanges
    }

    /// Stores the position of this commit, unless nothing was changed: then there is nothing to commit.
    private func writePosition(at wall: Int64) throws(StoreError) {
        guard self.connection.totalChanges != self.changesAtBegin else { return }
        self.writtenPosition = try self.appender.sequencer.writePosition(self.connection, at: wall)
    }

    /// After a commit: its position counts, and what it has applied is in the log no more.
    ///
    /// - Returns: how many records that are.
    @discardableResult
    private func noteCommit() -> Int {
        self.untoldPosition = self.writtenPosition ?? self.untoldPosition
        self.writtenPosition = nil
        guard let (count, newest) = self.log?.noteCommit() else { return 0 }
        if let newest { self.tokens.applied(through: newest) }
        if self.reads.hasWaiting { self.queue.postLook() }
        return count
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
            if transaction.hasRenamed { self.tellRenames() }
            self.tellProfiles(transaction.profileWrites)
            self.told.answers.append(answer)
            self.tellEvents(transaction.events)
        } catch {
            try self.undoRequest(after: error, changedNothing: self.connection.totalChanges == changesBefore)
            self.told.answers.append { job.fail(error) }
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
            self.told.outcomes.append(AppendOutcome(ticket: message.ticket, result: result))
        }
        switch self.told.outcomes.last?.result {
        case .accepted, nil: return
        case .refused(let refusal):
            self.options.log.warning("system_message_left_out", ["why": .text("\(refusal)")])
        case .failed(let error): self.options.log.warning("system_message_left_out", ["why": .text("\(error)")])
        }
    }

    private func tellWithdrawn(_ messages: [MessageID]) {
        guard !messages.isEmpty else { return }
        self.owesWipe = true
        let observers = self.observers
        self.told.answers.append { observers.onWithdrawn(messages) }
    }

    private func tellRenames() {
        let observers = self.observers
        self.told.answers.append { observers.renames.withLock { $0 += 1 } }
    }

    private func tellProfiles(_ writes: [ProfileWrite]) {
        guard !writes.isEmpty else { return }
        let observers = self.observers
        self.told.answers.append { observers.onProfileChanges(writes) }
    }

    /// After the answer: a gateway replies first and tells others then.
    private func tellEvents(_ events: [ChangeEvent]) {
        guard !events.isEmpty else { return }
        let observers = self.observers
        self.told.answers.append { observers.onEvents(events) }
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
        // A transaction that applies the log has its own bound of pages.
        let merges = !self.maintenance.isReadOnly && self.log?.tail.isApplying != true
        if merges { try self.tokens.mergeAlong(self.told.room.count) }
        guard let hook = self.options.commitHook else {
            let count = try self.commit()
            self.publish()
            if count > 0 { self.guarded { () throws(StoreError) in try self.mergeTokens(count) } }
            return
        }
        try hook({ () throws(StoreError) in try self.commit() }, { self.publish() })
    }

    /// Commits the open transaction and notes what it has made of the log and of the tokens.
    ///
    /// - Returns: how many records of the log it has applied.
    @discardableResult
    private func commit() throws(StoreError) -> Int {
        let start = Clock.system.now()
        try self.connection.run("COMMIT")
        try Connection.checkFolderSync()
        let nanoseconds = Clock.system.now().nanoseconds - start.nanoseconds
        let applied = self.noteCommit()
        if applied > 0 {
            self.tailSince = self.options.clock.now()
            self.owesCheckpoint = true
        }
        // Ids of messages that are in the log alone are above those that were applied.
        let sequencer = self.appender.sequencer
        let newest = self.log?.tail.oldestMessage.map { $0.rawValue - 1 } ?? sequencer.newestID
        self.tokens.transactionCommitted(newest: newest, change: sequencer.newestChange)
        self.gauges.update {
            $0.commits.add(nanoseconds / 1_000)
            $0.metrics.logRecordsAll += Int64(applied)
            if applied > 0 { $0.metrics.logApplies += 1 }
            self.log?.note(in: &$0.metrics)
        }
        return applied
    }

    /// Says what became of the batch.
    private func publish() {
        self.count(self.told.room.count)
        var told = self.told
        self.told = Told()
        self.told.outcomes.reserveCapacity(told.outcomes.count)
        told.position = self.untoldPosition
        self.untoldPosition = nil
        told.tell(self.observers, self.queue)
    }

    /// Tells how far everything was told; nothing when nothing was committed since.
    private func tellPosition() {
        guard let position = self.untoldPosition else { return }
        self.untoldPosition = nil
        self.observers.onPosition(position)
    }

    // MARK: From the log

    /// True when messages may be acknowledged from the log now.
    private var acknowledgesFromLog: Bool {
        guard let log = self.log, !self.hasFailed, !self.maintenance.isReadOnly, !log.hasFailures else { return false }
        return self.options.logRoomBytes != nil || self.maintenance.hasReserve
    }

    /// Decides the messages at the front of a batch and hands them to the log, up to one that the database has to be asked
    /// for. What is left in the batch is for a transaction.
    private func runLogged(_ batch: inout Batch, _ log: WriterLog) {
        guard batch.beginsForLog else { return }
        if log.tail.isEmpty { self.tailSince = self.options.clock.now() }
        self.maintenance.observeClock()
        let wall = self.options.clock.wallMilliseconds()
        do throws(StoreError) {
            if batch.count > 1 { try self.beginReading() }
            try self.decideFront(of: &batch, at: wall, log)
            try self.endReading()
            self.submit(&batch, log)
        } catch {
            self.rollBack()
            self.tokens.dropLogged(behind: log.dropUnsynced())
            self.told.room = (batch.count, batch.bytes)
            self.recover(from: error, batch.requests)
            batch = Batch()
        }
    }

    private func beginReading() throws(StoreError) {
        guard !self.connection.isInTransaction else { return }
        try self.connection.run("BEGIN")
        self.isReading = true
    }

    private func endReading() throws(StoreError) {
        guard self.isReading else { return }
        self.isReading = false
        try self.connection.run("COMMIT")
    }

    private func decideFront(of batch: inout Batch, at wall: Int64, _ log: WriterLog) throws(StoreError) {
        for request in batch.requests {
            guard request.isForLog else { return }
            if case .job(let job) = request {
                guard try self.record(job, at: wall, log) else { return }
                self.told.room.count += 1
                self.told.room.bytes += WriterQueue.fixedBytes
            }
            guard case .appends(let appends) = request else { continue }
            for append in appends {
                if !log.hasRoom(for: append) {
                    try self.endReading()
                    self.submit(&batch, log)
                    try self.applyLog()
                    guard log.hasRoom(for: append) else { return }
                }
                guard try self.decide(append, at: wall, log) else { return }
                self.told.room.count += 1
                self.told.room.bytes += WriterQueue.cost(CollectionOfOne(append))
            }
        }
    }

    /// - Returns: false, and nothing is decided, when it has to be in a transaction.
    private func decide(_ append: Append, at wall: Int64, _ log: WriterLog) throws(StoreError) -> Bool {
        switch try self.appender.decide(append, at: wall, canWrite: self.canWrite) {
        case .answered(let result):
            self.told.outcomes.append(AppendOutcome(ticket: append.ticket, result: result))
        case .taken(let taken):
            guard (taken.message.lists?.count ?? 0) <= WriterLog.listedPeople, log.add(taken.message) else {
                return false
            }
            self.appender.noteLogged(taken)
            self.told.outcomes.append(AppendOutcome(ticket: append.ticket, result: .accepted(taken.accepted)))
            self.told.position = StorePosition(rawValue: taken.message.id.rawValue)
        case .drains: return false
        }
        return true
    }

    /// Takes a change of positions as records.
    ///
    /// - Returns: false, and nothing is taken, when it has to be in a transaction.
    private func record(_ job: WriteJob, at wall: Int64, _ log: WriterLog) throws(StoreError) -> Bool {
        let recorder = PositionRecorder(log)
        let transaction = WriteTransaction(
            self.connection, self.memory, self.appender, self.options, wall: wall, recorder: recorder)
        let answer: @Sendable () -> Void
        do throws(StoreError) {
            answer = try job.run(transaction)
        } catch {
            if recorder.needsDatabase { return false }
            guard error.reach == .request else { throw error }
            self.told.answers.append { job.fail(error) }
            self.told.refusals.append { _ in job.fail(error) }
            return true
        }
        guard log.hasRoom(positions: recorder.records) else { return false }
        for entry in recorder.records {
            guard log.add(entry) else { throw .fatal("a position is too large for the log") }
            if case .delivered(let delivered) = entry, delivered.acknowledges {
                self.memory.noteAcknowledged(delivered.user, in: delivered.conversation, delivered.sequence)
            }
            if entry.number > 0 { self.told.position = StorePosition(rawValue: entry.number) }
        }
        self.told.answers.append(answer)
        self.told.refusals.append { job.fail($0) }
        self.tellEvents(transaction.events)
        return true
    }

    /// Hands over what was decided, and takes it from the batch.
    private func submit(_ batch: inout Batch, _ log: WriterLog) {
        let told = self.told
        guard told.room.count > 0 else { return }
        self.told = Told()
        batch.drop(told.room.count)
        self.count(told.room.count)
        let isAlone = told.room.count == 1 && batch.requests.isEmpty && self.next == self.waiting.count
        log.submit(told, isAlone: isAlone)
    }

    /// Runs a batch in one transaction, on top of what the log holds. What was handed to the log is told before.
    private func runDrained(_ batch: Batch) {
        self.told.room = (batch.count, batch.bytes)
        do throws(StoreError) {
            self.drainLog()
            guard !self.hasFailed else { return self.failAfterFailure(batch.requests) }
            if self.log?.isPartlyApplied == true { try self.beginTransaction() }
            try self.runTogether(batch.requests)
        } catch {
            self.rollBack()
            self.recover(from: error, batch.requests)
        }
    }

    /// Waits until what was handed to the log is on the disk and told.
    private func drainLog() {
        guard let log = self.log else { return }
        log.drain()
        self.settleLogFailures()
    }

    /// Writes all that the log holds to the database, and commits.
    private func applyLog() throws(StoreError) {
        guard let log = self.log else { return }
        self.drainLog()
        guard !log.tail.isEmpty, !self.hasFailed else { return }
        if !self.connection.isInTransaction { try self.connection.run("BEGIN IMMEDIATE") }
        guard try log.apply(self.appender.rows, self.connection, &self.appender.sequencer) else {
            try self.connection.run("ROLLBACK")
            return
        }
        try self.commitApplied()
    }

    private func commitApplied() throws(StoreError) {
        try self.appender.sequencer.reserve(self.connection)
        try self.mergeTokens(try self.commit())
    }

    /// Bytes of bodies after which a slice ends, unless the batch before was large.
    private static let sliceBytes = 256 * 1024

    /// Applies a part of what the log holds, so that nobody waits for the whole: the batches between two parts are decided
    /// on top of the open transaction. The last part commits.
    ///
    /// - Parameter decided: how many messages the batch before had. A quarter more are applied, so that what comes
    ///   meanwhile is less than what goes.
    private func applySlice(after decided: Int) throws(StoreError) {
        guard let log = self.log, !self.hasFailed else { return }
        if !log.isPartlyApplied {
            guard log.sealForSlices() else { return }
            try self.connection.run("BEGIN IMMEDIATE")
            log.beginSlices()
        } else if log.tail.isDue {
            return try self.applyLog()
        }
        let slice = LayerApplication.Slice(
            records: max(self.options.logSliceRecords, decided + decided / 4),
            bytes: max(Self.sliceBytes, 2 * Self.batchBytes * decided / Self.batchRequests))
        let isWhole = try log.applySlice(
            slice, self.appender.rows, self.connection, &self.appender.sequencer)
        // The tokens of as many messages go along. Where they leave no room for the records, these come again without.
        if !self.maintenance.isReadOnly { try self.tokens.mergeAlong(slice.records) }
        self.gauges.update { $0.metrics.logSlices += 1 }
        guard isWhole else { return }
        try self.appender.sequencer.reserve(self.connection)
        try self.commit()
    }

    /// After records were applied: merges about as many tokens.
    private func mergeTokens(_ count: Int) throws(StoreError) {
        guard !self.maintenance.isReadOnly else { return }
        try self.tokens.mergeAfterApplying(count)
    }

    /// Ends a run of the log that could not be written for want of room: what is on the disk is applied, what is not is
    /// forgotten, and only then its senders hear of it. A record that may be whole on the disk cannot come back then.
    private func settleLogFailures() {
        guard let log = self.log, log.hasFailures, !self.hasFailed else { return }
        log.drain()
        if let failure = log.failure, failure != .full { return self.fail(StoreError(failure)) }
        self.tokens.dropLogged(behind: log.dropUnsynced())
        self.memory.drop()
        self.maintenance.diskIsFull()
        self.guarded { () throws(StoreError) in
            try self.beginTransaction()
            try self.connection.setMeta("log_run", Int64(log.nextRun()))
            try self.appender.sequencer.reserve(self.connection)
            try self.commit()
            let failed: [Told]
            do throws(LogError) { failed = try log.beginRun() } catch { throw StoreError(error) }
            for told in failed { told.tell(self.observers, self.queue) }
        }
    }

    /// Time between two wipes of the log: each writes over all of it.
    private static let wipeMilliseconds: Int64 = 60_000

    /// Overwrites what the log holds of messages that are gone; all of it is in the database.
    private func wipeLog(atOnce: Bool) throws(StoreError) {
        guard let log = self.log, self.owesWipe, !log.hasFailures, log.tail.isEmpty else { return }
        let now = self.options.clock.now()
        guard atOnce || now >= self.nextWipe else { return }
        do throws(LogError) { try log.wipe() } catch { throw StoreError(error) }
        self.owesWipe = false
        self.nextWipe = now.advanced(byMilliseconds: Self.wipeMilliseconds)
    }

    private static func startLog(
        _ options: StoreOptions, _ folder: DataFolder, _ connection: Connection, _ rows: MessageRows,
        _ sequencer: inout Sequencer
    ) throws(StoreError) -> (log: SegmentedLog, run: UInt32)? {
        let path = LogStart.path(in: folder.path)
        if !options.usesLog, access(path, F_OK) != 0, try connection.meta("log_segments") == 0 { return nil }
        let disk: any LogDisk
        do throws(LogError) {
            if let make = options.logDisk { disk = try make(path) } else { disk = try FolderDisk(path) }
        } catch {
            // A folder that cannot be made has no records either.
            if error == .full, try connection.meta("log_segments") == 0 { return nil }
            throw StoreError(error)
        }
        return try LogStart.begin(disk, connection, rows, &sequencer, options) { folder.releaseBallast() }
    }

    // MARK: When it fails

    private func rollBack() {
        if self.connection.isInTransaction { try? self.connection.run("ROLLBACK") }
        self.isReading = false
        self.writtenPosition = nil
        self.log?.noteRollback()
        self.appender.forget()
        self.tokens.rolledBack()
        self.appender.counts = Appender.Counts()
        self.told.outcomes.removeAll()
        self.told.answers.removeAll()
        self.told.refusals.removeAll()
        self.told.position = nil
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
                case .maintenance, .look, .drain, .stop: break
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
            self.told.outcomes.append(AppendOutcome(ticket: append.ticket, result: .failed(error)))
            return
        }
        self.told.outcomes.append(AppendOutcome(ticket: append.ticket, result: result))
    }

    private func refuse(_ requests: [WriterRequest], _ error: StoreError) {
        for request in requests {
            switch request {
            case .appends(let appends):
                self.told.outcomes += appends.map { AppendOutcome(ticket: $0.ticket, result: .failed(error)) }
            case .job(let job): self.told.answers.append { job.fail(error) }
            case .maintenance, .look, .drain, .stop: break
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
        self.reads.fail(error)
    }

    /// Messages get no outcome: theirs is unknown. Whoever waits for a change is told that it failed.
    private func failAfterFailure(_ requests: [WriterRequest]) {
        for case .job(let job) in requests { job.fail(Self.hasFailedBefore) }
    }

    private func guarded(_ body: () throws(StoreError) -> Void) {
        guard !self.hasFailed else { return }
        do throws(StoreError) { try body() } catch { self.giveUpWork(because: error) }
    }

    /// Takes back work that nobody has asked for with a request of their own.
    private func giveUpWork(because error: StoreError) {
        self.rollBack()
        self.reads.giveUp(error)
        switch error.reach {
        case .disk: self.maintenance.diskIsFull()
        case .server: self.fail(error)
        case .batch, .request: self.options.log.error("housekeeping_failed", ["reason": .text(error.description)])
        }
    }

    // MARK: The end

    private func end() {
        self.guarded { () throws(StoreError) in
            try self.applyLog()
            if !self.maintenance.isReadOnly { _ = try self.tokens.mergeIdle(all: true, self.appender.sequencer) }
            try self.wipeLog(atOnce: true)
            try self.beginTransaction()
            // All of it is in the database: a copy of that alone is whole.
            try self.connection.setMeta("log_segments", 0)
            try self.appender.sequencer.writeExactly(self.connection)
            try self.maintenance.noteBelievedTime(isLast: true)
            try self.commit()
            try self.connection.checkpoint(truncating: true)
        }
        self.log?.stop()
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
            self.log?.note(in: &state.metrics)
            state.metrics.cachedUsers = Int64(self.memory.userCount)
            state.metrics.cachedConversations = Int64(self.memory.conversationCount)
        }
    }
}
