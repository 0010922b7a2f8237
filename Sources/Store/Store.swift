package import ChatModel
import Diagnostics
import Execution
package import MessageLog

/// Everything teahouse keeps, in one SQLite database inside the data folder.
///
/// One writer thread takes what waits and decides it; messages are then synced to a log by a thread of its own, other changes
/// committed as one transaction (group commit), and that is said. The database follows the log; reader threads see
/// everything that was acknowledged. All methods may be called from any thread.
package final class Store: Sendable {
    let queue: WriterQueue
    private let observers: StoreObservers
    private let readers: ReaderPool
    private let writer: Thread
    private let gauges: StoreGauges
    private let applied: AppliedReads
    let snapshots: Snapshots
    let snapshotSource: SnapshotSource
    private let messageRules: Lock<MessageRules>
    let views: Lock<ViewRules>
    /// The bounds of files that it was opened with.
    package let fileLimits: FileLimits
    /// After how many quiet days a conversation is deleted; 0 for never.
    package let inactiveDays: Int
    /// Rules by which messages and attachments go for their age and number.
    package let retention: RetentionRules

    /// Opens the folder, or makes it, and starts the threads.
    ///
    /// - Throws: `alreadyRunning`, `schemaTooNew`, `invalid` when others may write to the folder, `full`, `fatal`.
    package init(_ options: StoreOptions) throws(StoreError) {
        self.fileLimits = options.files
        self.inactiveDays = options.inactiveDays
        self.retention = options.retention
        let rules = Lock(options.rules)
        self.messageRules = rules
        let views = Lock(ViewRules())
        views.withLock { $0.showsBeforeJoining = options.showsBeforeJoining }
        self.views = views
        let queue = WriterQueue(requests: options.queueRequests, bytes: options.queueBytes)
        let observers = StoreObservers()
        let gauges = StoreGauges(queue: queue, options.clock)
        let started = ConditionLock<Result<AppliedReads, StoreError>?>(nil)
        let thread = Thread(name: "store-writer") {
            do throws(StoreError) {
                let folder = try DataFolder(options.folder)
                try Self.write(options, folder, rules, views, queue, observers, gauges) { applied in
                    started.change { $0 = .success(applied) }
                }
                // The lock goes after the database was closed.
                withExtendedLifetime(folder) {}
            } catch {
                started.change { $0 = .failure(error) }
            }
        }
        let outcome = started.wait(until: { $0 != nil }, then: { $0 }) ?? .failure(.unavailable)
        switch outcome {
        case .success(let applied): self.applied = applied
        case .failure(let error):
            thread.join()
            throw error
        }
        self.queue = queue
        self.observers = observers
        self.gauges = gauges
        self.writer = thread
        self.snapshots = gauges.snapshots
        let path = DataFolder.databasePath(in: options.folder)
        self.snapshotSource = SnapshotSource(
            databasePath: path, keepsFreeBytes: options.stopWritingFreeBytes)
        let renames = observers.renames
        self.readers = ReaderPool(readers: options.readers, capacity: options.queuedReads) {
            ReaderSlot(path: path, views: views, renames: renames, clock: options.clock)
        }
    }

    /// The life of the writer's thread; the database is closed when it returns.
    private static func write(
        _ options: StoreOptions, _ folder: DataFolder, _ rules: Lock<MessageRules>, _ views: Lock<ViewRules>,
        _ queue: WriterQueue, _ observers: StoreObservers, _ gauges: StoreGauges,
        started: (AppliedReads) -> Void
    ) throws(StoreError) {
        let writer = try Writer(
            options, folder, rules: rules, views: views, queue: queue, observers: observers, gauges: gauges)
        started(writer.reads)
        writer.run()
    }

    /// Gets the outcomes of all messages of one batch in one call, in the order they were asked for; on the writer's or the
    /// log's thread, never both at once, or for what is refused at once (`busy`, `unavailable`) on the caller's thread
    /// before `append` returns. It must be short: post to a mailbox. Set it before the first `append`.
    package var onOutcomes: @Sendable ([AppendOutcome]) -> Void {
        get { self.observers.onOutcomes }
        set { self.observers.onOutcomes = newValue }
    }

    /// Gets the messages that a commit recalled or deleted for everyone, before who asked for it is answered; on the
    /// writer's thread, so it must be short. Copies of them that are on their way must not go out any more.
    package var onWithdrawn: @Sendable ([MessageID]) -> Void {
        get { self.observers.onWithdrawn }
        set { self.observers.onWithdrawn = newValue }
    }

    /// Gets what a change altered of how people and conversations are shown, after its commit and before who asked for
    /// it is answered; on the writer's thread, so it must be short. Whoever keeps copies throws them away then.
    package var onProfileChanges: @Sendable ([ProfileWrite]) -> Void {
        get { self.observers.onProfileChanges }
        set { self.observers.onProfileChanges = newValue }
    }

    /// Gets what happened to conversations, after the commit and after who asked for it was answered; on the writer's
    /// thread, so it must be short.
    package var onEvents: @Sendable ([ChangeEvent]) -> Void {
        get { self.observers.onEvents }
        set { self.observers.onEvents = newValue }
    }

    /// Gets the position of a batch, after everything up to it was told to the other observers, which are told of its
    /// messages and of its events in turn; on the writer's or the log's thread, so it must be short. Only now is it a
    /// position that a client may be given to go on from.
    package var onPosition: @Sendable (StorePosition) -> Void {
        get { self.observers.onPosition }
        set { self.observers.onPosition = newValue }
    }

    /// Called once when disk or database failed. Nothing is taken any more and nothing that was not acknowledged will
    /// be: end the process (exit code 74). Called at once when that happened before it was set.
    package var onFatal: @Sendable (StoreError) -> Void {
        get { self.observers.onFatal }
        set { self.observers.onFatal = newValue }
    }

    /// Queues messages, in order. Each gets exactly one outcome through `onOutcomes`, unless the store fails.
    package func append(_ requests: [Append]) {
        var rest = requests[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(WriterQueue.chunkRequests)
            guard let refusal = self.queue.post(Array(chunk)) else {
                rest = rest[chunk.endIndex...]
                continue
            }
            // What follows is refused too: a later message must not overtake one that has to be sent again.
            self.onOutcomes(rest.map { AppendOutcome(ticket: $0.ticket, result: .failed(refusal)) })
            return
        }
    }

    /// Queues a change. It joins the next group commit, in order with the messages around it.
    ///
    /// - Parameters:
    ///   - body: runs on the writer's thread, a second time when the batch has to be redone. When it throws, nothing of
    ///     it stays.
    ///   - then: runs on the writer's thread after the commit and must be short; on the caller's thread when the
    ///     request is refused at once.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value,
        then: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        self.post(body, movesPositions: false, then)
    }

    /// `write` for a change that moves positions of people, by `markRead`, `clearUnread` or `recordDelivered`, and changes
    /// nothing else. It becomes a record of the log where it can.
    ///
    /// - Parameters:
    ///   - body: as that of `write`. It must not read messages or heads of conversations: what only the log has is not seen.
    ///   - then: as that of `write`, on the writer's or the log's thread.
    package func mark<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value,
        then: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        self.post(body, movesPositions: true, then)
    }

    private func post<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value, movesPositions: Bool,
        _ then: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        var job = WriteJob(
            run: { transaction throws(StoreError) in
                let value = try body(transaction)
                return { then(.success(value)) }
            },
            fail: { then(.failure($0)) })
        job.movesPositions = movesPositions
        if let refusal = self.queue.post(job) { then(.failure(refusal)) }
    }

    /// Queues a read. `then` runs on a reader's thread; on the caller's when the request is refused at once (`busy`).
    ///
    /// - Parameters:
    ///   - lane: how long it may take.
    ///   - asker: who has asked: each has a share of the readers' time. What people ask for names them.
    ///   - scope: part of the database that it looks at: it sees what was acknowledged of that, and waits for nothing else.
    package func read<Value: Sendable>(
        as lane: ReadLane = .page, for asker: ReadAsker = .server, of scope: ReadScope = .everything,
        _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value,
        then: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        let applied = self.applied
        // Who somebody is stands in no record.
        let newest = applied.newest(of: lane == .signIn ? .applied : scope)
        let queued = self.readers.submit(lane, for: asker) { slot in
            guard let slot else { return then(.failure(.unavailable)) }
            do throws(StoreError) {
                if newest > 0 {
                    try applied.wait(through: newest)
                    slot.beginRead(lane, for: asker)
                }
                then(.success(try slot.read(body)))
            } catch {
                then(.failure(error))
            }
        }
        if !queued { then(.failure(.busy)) }
    }

    /// Blocks until the database holds everything that was acknowledged before the call.
    func waitUntilApplied() throws(StoreError) {
        try self.applied.wait(through: self.applied.newest(of: .everything))
    }

    /// Rules for changes that people make to messages after they were sent.
    package var rules: MessageRules { self.messageRules.withLock { $0 } }

    /// Holds to other rules from now on, also for what waits.
    package func setRules(_ rules: MessageRules) { self.messageRules.withLock { $0 = rules } }

    /// `write`, waiting for the commit. For tools, tests and start-up; never on a thread that must not block.
    @discardableResult
    package func writeAndWait<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let answer = Answer<Value>()
        self.write(body, then: answer.set)
        return try answer.get()
    }

    /// `read`, waiting for the answer. For tools, tests and start-up; never on a thread that must not block.
    package func readAndWait<Value: Sendable>(
        as lane: ReadLane = .page, of scope: ReadScope = .everything,
        _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let answer = Answer<Value>()
        self.read(as: lane, of: scope, body, then: answer.set)
        return try answer.get()
    }

    /// Does at once, and waits for, what the writer does when idle: free room, checkpoint, pruning of old tokens.
    package func runMaintenance() {
        let done = ConditionLock(false)
        guard self.queue.postMaintenance({ done.change { $0 = true } }) else { return }
        done.wait(until: { $0 }, then: { _ in })
    }

    /// Works off what waits, copies the log into the database and closes it. Later requests are refused as
    /// `unavailable`. Blocks; a second call returns at once.
    package func close() {
        guard self.queue.close() else { return }
        // Readers first: the log can be emptied only when nobody reads from it.
        self.snapshots.close()
        self.readers.stop()
        self.queue.stopWriter()
        self.writer.join()
    }

    /// Reads that wait in a lane now.
    package func waitingReads(in lane: ReadLane) -> Int { self.readers.waiting(in: lane) }

    /// Counters of the writer, and the length of its queue.
    package var metrics: StoreMetrics { self.gauges.metrics }

    /// Durations of commits, and of synced groups of the log.
    package var durations: StoreDurations { self.gauges.durations }
}

/// A place to wait for one result.
final class Answer<Value: Sendable>: Sendable {
    private let state = ConditionLock<Result<Value, StoreError>?>(nil)

    var set: @Sendable (Result<Value, StoreError>) -> Void {
        { result in self.state.change { $0 = result } }
    }

    func get() throws(StoreError) -> Value {
        guard let result = self.state.wait(until: { $0 != nil }, then: { $0 }) else { throw .unavailable }
        return try result.get()
    }
}
