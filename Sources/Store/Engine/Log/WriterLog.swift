import ChatModel
import Execution
import MessageLog

/// The log as the writer has it: what it has decided and handed over, what is on the disk, and what the database does not
/// hold yet. Confined to the writer's thread, but for what the log's thread tells.
final class WriterLog {
    let tail: LogTail
    private let thread: LogThread
    private let reads: AppliedReads
    private let observers: StoreObservers
    private let queue: WriterQueue
    /// Records that were decided and not handed over.
    private var batch = LogBatch()
    /// Position of the newest record that was handed over.
    private var submitted: UInt64
    /// Layer of which the open transaction has written a part.
    private var application: LayerApplication?
    /// Records of layers that it has written whole, and the newest number of a message or event among them.
    private var written: (records: Int, newest: Int64) = (0, 0)
    /// Batches that were not written, and why; the log's thread adds them.
    private let failures = Lock<[(Told, LogError)]>([])
    private(set) var run: UInt32

    init(
        _ log: SegmentedLog, run: UInt32, bounds: LogTail.Bounds, reads: AppliedReads,
        observers: StoreObservers, queue: WriterQueue, gauges: StoreGauges
    ) {
        let applied = log.synced
        self.tail = LogTail(applied: applied, bounds: bounds)
        self.submitted = applied
        self.run = run
        // SAFETY: the start has made it on this thread, and nothing but its own thread has it from here on.
        nonisolated(unsafe) let started = log
        self.thread = LogThread(started) { microseconds in gauges.update { $0.syncs.add(microseconds) } }
        self.reads = reads
        self.observers = observers
        self.queue = queue
    }

    // MARK: Growing

    /// Takes a decided message into the batch.
    ///
    /// - Returns: false, and nothing is taken, when it is too large for a record.
    func add(_ message: LoggedMessage) -> Bool {
        let before = self.batch.bytes.count
        do throws(LogError) { try self.batch.add(message) } catch { return false }
        self.tail.add(message, bytes: self.addedBytes(since: before))
        return true
    }

    /// Takes a position of a person into the batch.
    ///
    /// - Returns: false, and nothing is taken, when it is too large for a record.
    func add(_ entry: LogEntry) -> Bool {
        let before = self.batch.bytes.count
        do throws(LogError) { try self.batch.add(entry) } catch { return false }
        self.tail.add(entry, bytes: self.addedBytes(since: before))
        return true
    }

    /// The rest of the last page of a group is counted with the first record.
    private func addedBytes(since before: Int) -> Int {
        self.batch.bytes.count - before + (before == 0 ? LogFormat.pageBytes : 0)
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

    /// True when positions of people may be taken.
    func hasRoom(positions: [LogEntry]) -> Bool {
        // Everybody in a large group acknowledges at once.
        let conversations = positions.count < 2 ? positions.count : Set(positions.map(\.conversation)).count
        let receipts = positions.reduce(0) { $0 + $1.receipts.count }
        let mentions = positions.reduce(0) { count, entry in
            if case .mentions(let ended) = entry { count + Int(clamping: ended.count) } else { count }
        }
        return self.tail.hasRoom(
            bytes: positions.count * Self.positionBytes + receipts * Self.receiptBytes, records: positions.count,
            conversations: conversations, listed: mentions, receipts: receipts)
    }

    /// Bytes of the record of a position, and of a receipt in it, at most.
    private static let positionBytes = 256
    private static let receiptBytes = 64

    /// Rows beside a message that concerns many people, about, and bytes of one of them in its record.
    static let listedPeople = 512
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

    /// Notes what an operator is shown of the log.
    func note(in metrics: inout StoreMetrics) {
        let counts = self.thread.counts
        metrics.logRecords = Int64(self.tail.count)
        metrics.logRecordBytes = Int64(self.tail.bytes)
        metrics.logOldestWallMilliseconds = self.tail.oldestWallMilliseconds
        metrics.logSegments = Int64(counts.segments)
        metrics.logSyncs = counts.syncs
        metrics.logSyncAllMicroseconds = counts.microseconds
    }

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

    /// Forgets what is not on the disk once everything that was handed over is, or has failed.
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

    /// True while the open transaction has written a part of a layer: it ends with `apply` or with more slices.
    var isPartlyApplied: Bool { self.application != nil }

    /// Seals what was decided so far, so that it is applied in slices.
    ///
    /// - Returns: whether all of it is on the disk: `beginSlices` may follow.
    func sealForSlices() -> Bool {
        self.noteSynced()
        return !self.tail.isApplying && self.tail.seal()
    }

    /// Begins to apply what was sealed, in the transaction that was just opened.
    func beginSlices() { self.application = LayerApplication(self.tail.beginApplyingSealed()) }

    /// Writes the next slice.
    ///
    /// - Returns: whether all that was sealed is written: the commit follows.
    func applySlice(
        _ slice: LayerApplication.Slice, _ rows: MessageRows, _ connection: Connection, _ sequencer: inout Sequencer
    ) throws(StoreError) -> Bool {
        guard try self.write(slice, rows, &sequencer) else { return false }
        try self.notePosition(connection, &sequencer)
        return true
    }

    /// Writes what is on the disk and not in the database, inside the open transaction, which may have begun with it.
    ///
    /// - Returns: whether there was anything.
    func apply(
        _ rows: MessageRows, _ connection: Connection, _ sequencer: inout Sequencer
    ) throws(StoreError) -> Bool {
        self.noteSynced()
        guard self.isPartlyApplied || !self.tail.isApplying && self.tail.synced > self.tail.applied else {
            return false
        }
        for layer in self.tail.beginApplying() {
            // The first one may have been begun.
            if self.application == nil { self.application = LayerApplication(layer) }
            _ = try self.write(.everything, rows, &sequencer)
        }
        try self.notePosition(connection, &sequencer)
        return true
    }

    private func noteSynced() {
        self.tail.noteSynced(through: min(max(self.tail.synced, self.thread.synced), self.tail.newest))
    }

    private func write(
        _ slice: LayerApplication.Slice, _ rows: MessageRows, _ sequencer: inout Sequencer
    ) throws(StoreError) -> Bool {
        guard var application = self.application else { return true }
        var numbers = sequencer
        defer { sequencer = numbers }
        let isWhole = try application.write(slice, rows) { numbers.nextChange() }
        self.application = isWhole ? nil : application
        guard isWhole else { return false }
        self.written.records += application.layer.count
        self.written.newest = max(self.written.newest, application.layer.newestNumber)
        self.writtenPosition = application.layer.last
        return true
    }

    /// Position up to which the open transaction has written everything.
    private var writtenPosition: UInt64 = 0

    private func notePosition(_ connection: Connection, _ sequencer: inout Sequencer) throws(StoreError) {
        if self.written.newest > 0 { try sequencer.writeApplied(self.written.newest, connection) }
        try connection.setMeta("log_applied", Int64(self.writtenPosition))
        try connection.setMeta("log_segments", Int64(self.thread.counts.segments))
    }

    /// After the commit of a transaction.
    ///
    /// - Returns: how many records it has applied, and the newest number of a message or event among them.
    func noteCommit() -> (count: Int, newest: MessageID?) {
        guard self.tail.isApplying else { return (0, nil) }
        precondition(!self.isPartlyApplied, "no commit has a part of a layer")
        let (records, newest) = self.written
        self.written = (0, 0)
        let position = self.tail.finishApplying()
        self.thread.release(through: position)
        self.reads.noteApplied(through: position)
        return (records, newest == 0 ? nil : MessageID(rawValue: newest))
    }

    /// After the rollback of a transaction.
    func noteRollback() {
        guard self.tail.isApplying else { return }
        self.application = nil
        self.written = (0, 0)
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

extension [LogEntry] {
    /// The newest moment that they say and that later ones have to be behind; 0 for none.
    var newestMoment: Int64 {
        var newest: Int64 = 0
        for entry in self {
            for receipt in entry.receipts { newest = Swift.max(newest, receipt.atMilliseconds) }
            switch entry {
            case .message(let message) where message.flags.contains(.masked):
                newest = Swift.max(newest, message.sentAtMilliseconds)
            case .read(let read): newest = Swift.max(newest, read.readAtMilliseconds)
            case .message, .delivered, .mentions: continue
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
