import ChatModel
import Execution
import MessageLog

/// The log as the writer has it: what it has decided and handed over, what is on the disk, and what the database does not
/// hold yet. Confined to the writer's thread, but for what the log's thread tells.
final class WriterLog {
    private(set) var tail: LogTail
    private let thread: LogThread
    private let reads: AppliedReads
    private let observers: StoreObservers
    private let queue: WriterQueue
    /// Records that were decided and not handed over.
    private var batch = LogBatch()
    /// Position of the newest record that was handed over.
    private var submitted: UInt64
    /// Records that are being applied in the open transaction.
    private var applying: [LogEntry] = []
    /// Newest number among those.
    private var applyingNewest: MessageID?
    /// Batches that were not written, and why; the log's thread adds them.
    private let failures = Lock<[(Told, LogError)]>([])
    private(set) var run: UInt32

    init(
        _ log: SegmentedLog, run: UInt32, bounds: LogTail.Bounds, reads: AppliedReads,
        observers: StoreObservers, queue: WriterQueue
    ) {
        let applied = log.synced
        self.tail = LogTail(applied: applied, bounds: bounds)
        self.submitted = applied
        self.run = run
        // SAFETY: the start has made it on this thread, and nothing but its own thread has it from here on.
        nonisolated(unsafe) let started = log
        self.thread = LogThread(started)
        self.reads = reads
        self.observers = observers
        self.queue = queue
    }

    // MARK: Growing

    /// Takes a decided message into the batch.
    ///
    /// - Returns: false, and nothing is taken, when it is too large for a record.
    func add(_ message: LoggedMessage) -> Bool { self.add(.message(message)) }

    /// The same for any record.
    func add(_ entry: LogEntry) -> Bool {
        let before = self.batch.bytes.count
        do throws(LogError) { try self.batch.add(entry) } catch { return false }
        // The rest of the last page of a group is counted with the first record.
        let page = before == 0 ? LogFormat.pageBytes : 0
        self.tail.add(
            [entry], at: self.tail.newest + 1, bytes: self.batch.bytes.count - before + page)
        return true
    }

    /// True when a message of so many bytes may be decided; otherwise the log is to be applied first.
    func hasRoom(for append: Append) -> Bool {
        let words = append.screening?.flagged.count ?? 0
        let mentions = append.content.mentions
        let isForMany = mentions.all || append.content.envelope?.visibleTo != nil
        let people = isForMany ? Self.listedPeople : mentions.users.count
        let bytes =
            append.content.body.count + Self.recordBytes + words * Self.wordBytes + people * Self.personBytes
        return self.tail.hasRoom(bytes: bytes, records: 1, listed: people + words)
    }

    /// True when so many positions of people may be taken.
    func hasRoom(positions: Int) -> Bool {
        self.tail.hasRoom(bytes: positions * Self.positionBytes, records: positions)
    }

    private static let positionBytes = 256

    /// Rows beside a message that concerns many people, about, and bytes of one of them in its record.
    private static let listedPeople = 512
    private static let personBytes = 8

    /// Bytes of a record beside the body, and of a watched word, about.
    private static let recordBytes = 1_024
    private static let wordBytes = 256

    /// Hands over what was decided, with what is to be told when it is on the disk.
    ///
    /// - Parameter isAlone: nothing else waits: the writer writes it itself when the log is idle.
    func submit(_ told: Told, isAlone: Bool) {
        let batch = self.batch
        self.batch = LogBatch(capacity: min(batch.bytes.count, Self.keptBytes))
        let last = self.tail.newest
        self.submitted = last
        let (reads, observers, queue, failures) = (self.reads, self.observers, self.queue, self.failures)
        self.thread.submit(batch, writesHere: isAlone || batch.isEmpty) { outcome in
            switch outcome {
            case .success:
                reads.noteSynced(through: last)
                told.tell(observers, queue)
            case .failure(let error):
                failures.withLock { $0.append((told, error)) }
                queue.postLook()
            }
        }
    }

    private static let keptBytes = 256 * 1024

    /// Waits until everything that was handed over is on the disk and told, or has failed.
    func drain() {
        self.thread.drain()
        guard !self.hasFailures else { return }
        self.tail.noteSynced(through: self.submitted)
    }

    /// True when batches were not written.
    var hasFailures: Bool { self.failures.withLock { !$0.isEmpty } }

    /// The first failure; after `drain`.
    var failure: LogError? { self.failures.withLock { $0.first?.1 } }

    /// Forgets what was decided and not handed over, when a decision could not be ended.
    ///
    /// - Returns: the newest message that is left; `nil` when none is.
    func dropUndecided() -> MessageID? {
        self.drain()
        self.batch = LogBatch()
        return self.dropUnsynced()
    }

    /// Forgets what is not on the disk.
    ///
    /// - Returns: the newest message that is left; `nil` when none is.
    func dropUnsynced() -> MessageID? {
        self.thread.drain()
        self.tail.noteSynced(through: max(self.tail.synced, min(self.thread.synced, self.tail.newest)))
        self.batch = LogBatch()
        self.tail.dropUnsynced()
        self.submitted = self.tail.newest
        return self.tail.newestMessage
    }

    /// After `dropUnsynced` and the commit of everything that was left: the log takes records again.
    ///
    /// - Returns: what is to be told of the batches that were not written.
    func beginRun() throws(LogError) -> [Told] {
        try self.thread.beginRun(self.run, after: self.tail.applied)
        return self.failures.withLock { failures in
            defer { failures = [] }
            return failures.map { $0.0.failed(because: .full) }
        }
    }

    /// Run that is written to the database next.
    func nextRun() -> UInt32 {
        self.run += 1
        return self.run
    }

    // MARK: Applying

    /// Writes what is on the disk and not in the database, inside the open transaction.
    ///
    /// - Returns: whether there was anything.
    func apply(
        _ rows: MessageRows, _ connection: Connection, _ sequencer: inout Sequencer
    ) throws(StoreError) -> Bool {
        self.tail.noteSynced(through: min(max(self.tail.synced, self.thread.synced), self.tail.newest))
        guard self.tail.applying == nil, self.tail.synced > self.tail.applied else { return false }
        self.applying = self.tail.beginApplying()
        var numbers = sequencer
        defer { sequencer = numbers }
        try rows.apply(self.applying) { numbers.nextChange() }
        self.applyingNewest = self.applying.newestNumber
        if let newest = self.applyingNewest { try numbers.writeApplied(newest.rawValue, connection) }
        try connection.setMeta("log_applied", Int64(self.tail.synced))
        try connection.setMeta("log_segments", Int64(self.thread.segmentCount))
        return true
    }

    /// After the commit of a transaction.
    ///
    /// - Returns: how many records it has applied, and the newest number of a message or event among them.
    func noteCommit() -> (count: Int, newest: MessageID?) {
        guard self.tail.applying != nil else { return (0, nil) }
        let result = (self.applying.count, self.applyingNewest)
        self.applying = []
        let position = self.tail.finishApplying()
        self.thread.release(through: position)
        self.reads.noteApplied(through: position)
        return result
    }

    /// After the rollback of a transaction.
    func noteRollback() {
        guard self.tail.applying != nil else { return }
        self.applying = []
        self.tail.cancelApplying()
    }

    /// Overwrites all records with zeros. Only while the database holds all of them.
    func wipe() throws(LogError) {
        precondition(self.tail.isEmpty, "what is not in the database stays in the log")
        try self.thread.wipe(applied: self.tail.applied)
    }

    /// Ends the thread. Once.
    func stop() { self.thread.stop() }
}

extension LogEntry {
    /// The newest number of the sequencer in it; 0 for none.
    var number: Int64 {
        switch self {
        case .message(let message): message.id.rawValue
        case .read(let read): read.receipts.reduce(read.position.rawValue) { Swift.max($0, $1.position.rawValue) }
        case .delivered(let delivered): delivered.receipts.reduce(0) { Swift.max($0, $1.position.rawValue) }
        }
    }
}

extension [LogEntry] {
    /// The newest number of a message or event among them; `nil` when there is none.
    var newestNumber: MessageID? {
        var newest: Int64 = 0
        for entry in self { newest = Swift.max(newest, entry.number) }
        return newest == 0 ? nil : MessageID(rawValue: newest)
    }

    /// The newest moment that they say and that later ones have to be behind; 0 for none.
    var newestMoment: Int64 {
        var newest: Int64 = 0
        for entry in self {
            switch entry {
            case .message(let message) where message.flags.contains(.masked):
                newest = Swift.max(newest, message.sentAtMilliseconds)
            case .read(let read): newest = Swift.max(newest, read.readAtMilliseconds)
            case .message, .delivered: continue
            }
        }
        return newest
    }
}

extension StoreError {
    /// The meaning of a failure of the log for who asked the store.
    init(_ error: LogError) {
        switch error {
        case .full: self = .full
        case .failed(let text): self = .fatal("the log: \(text); check the disk, then run teahouse verify")
        case .damaged, .segmentLost, .gap:
            self = .fatal(
                """
                \(error): keep a copy of the folder and restore the last backup, or start once with \
                --accept-damaged-log to go on without what is lost
                """)
        case .foreign, .newerThanDatabase:
            self = .fatal("\(error): keep a copy of the folder, then put the log's folder or the database away")
        case .unreadable, .tooLarge: self = .fatal("\(error)")
        }
    }
}
