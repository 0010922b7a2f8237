import Execution

/// The thread that writes and syncs the log, so that the writer decides the next messages meanwhile.
///
/// Group commit: what was submitted while the last sync ran is one group with one sync; no timer. The outcomes are told in
/// the order of submission, on this thread; where `submit` writes itself, on the caller's. Nothing here is bounded: the
/// writer asks `LogTail.hasRoom` before it decides.
package final class LogThread: Sendable {
    /// Outcome of a batch: a success when all of its records are on the disk, and all before them.
    package typealias Outcome = Result<Void, LogError>

    /// Counts since the thread began.
    package struct Counts: Hashable, Sendable {
        /// Syncs, each of a group of records.
        package var syncs: Int64 = 0
        /// Sum over all writes and syncs, microseconds.
        package var microseconds: Int64 = 0
        /// Number of segments that exist.
        package var segments = 0
    }

    private struct Submission: Sendable {
        let batch: LogBatch
        /// Position up to which everything has to be on the disk.
        let last: UInt64
        let then: @Sendable (Outcome) -> Void
    }

    private struct State {
        var waiting: [Submission] = []
        /// Somebody has the log.
        var isBusy = false
        var isStopped = false
        /// Position that the next record gets.
        var next: UInt64
        /// Newest position of the batches that are on the disk as a whole.
        var synced: UInt64
        var counts = Counts()
        /// The database holds everything up to here, and segments were not told yet.
        var release: UInt64?
    }

    private let log: Lock<SegmentedLog>
    private let state: ConditionLock<State>
    private let measured: @Sendable (Int64) -> Void
    private let thread: Thread

    /// Starts the thread. The log has begun its run.
    ///
    /// - Parameter measured: is told how long each group with records took to write and sync, microseconds. It must be short.
    package init(
        _ log: sending SegmentedLog, name: String = "store-log",
        measured: @escaping @Sendable (_ microseconds: Int64) -> Void = { _ in }
    ) {
        let (synced, segments) = (log.synced, log.segmentCount)
        let shared = Lock(log)
        let state = ConditionLock(State(next: synced + 1, synced: synced, counts: Counts(segments: segments)))
        self.log = shared
        self.state = state
        self.measured = measured
        self.thread = Thread(name: name) { Self.work(shared, state, measured) }
    }

    /// Hands a batch to the log. One thread submits: the writer. A batch without records is told in its turn, when what was
    /// submitted before it is on the disk: refusals do not overtake acknowledgements, and a resend is answered no sooner
    /// than the message that it repeats.
    ///
    /// - Parameters:
    ///   - writesHere: the caller has nothing else to do: when the log is idle too it writes and syncs on its own thread,
    ///     which spares waking another one, twice.
    ///   - then: runs once. It must be short, and must not submit.
    /// - Returns: the positions of the records.
    @discardableResult
    package func submit(
        _ batch: LogBatch, writesHere: Bool = false, then: @escaping @Sendable (Outcome) -> Void
    ) -> Range<UInt64> {
        let (positions, isMine) = self.state.change { state in
            let positions = state.next..<state.next + UInt64(batch.count)
            state.next = positions.upperBound
            let isMine = writesHere && !state.isBusy && state.waiting.isEmpty
            if isMine {
                state.isBusy = true
            } else {
                state.waiting.append(Submission(batch: batch, last: positions.upperBound - 1, then: then))
            }
            return (positions, isMine)
        }
        if isMine {
            let submission = Submission(batch: batch, last: positions.upperBound - 1, then: then)
            Self.write([submission], self.log, self.state, self.measured)
            self.state.change { $0.isBusy = false }
        }
        return positions
    }

    /// Waits until everything submitted is on the disk and was told. Never in `then`.
    package func drain() {
        self.state.wait(until: { $0.waiting.isEmpty && !$0.isBusy }, then: { _ in })
    }

    /// After a commit: segments whose records the database holds may be written over. Does not wait.
    package func release(through applied: UInt64) {
        self.state.change { $0.release = max($0.release ?? 0, applied) }
    }

    /// Drains, and begins another run: see `SegmentedLog.beginRun`.
    package func beginRun(_ run: UInt32, after position: UInt64) throws(LogError) {
        self.drain()
        let segments = try self.log.withLock { log throws(LogError) in
            try log.beginRun(run, after: position)
            return log.segmentCount
        }
        self.state.change { state in
            state.next = position + 1
            state.synced = position
            state.counts.segments = segments
            state.release = nil
        }
    }

    /// Drains, and overwrites all records: see `SegmentedLog.wipe`.
    package func wipe(applied: UInt64) throws(LogError) {
        self.drain()
        try self.log.withLock { log throws(LogError) in try log.wipe(applied: applied) }
    }

    /// Newest position of the batches that are on the disk as a whole. Does not wait for a sync.
    package var synced: UInt64 { self.state.read { $0.synced } }

    /// Counts so far. Does not wait for a sync.
    package var counts: Counts { self.state.read { $0.counts } }

    /// Works off what was submitted and ends the thread. Once.
    package func stop() {
        self.state.change { $0.isStopped = true }
        self.thread.join()
    }

    // MARK: The thread

    private static func work(
        _ log: Lock<SegmentedLog>, _ state: ConditionLock<State>, _ measured: @Sendable (Int64) -> Void
    ) {
        while true {
            let submissions = state.waitForWork(
                until: { !$0.isBusy && (!$0.waiting.isEmpty || $0.isStopped) },
                then: { state in
                    let taken = state.waiting
                    state.waiting = []
                    state.isBusy = !taken.isEmpty
                    return taken
                })
            guard !submissions.isEmpty else { return }
            self.write(submissions, log, state, measured)
            let isIdle = state.change { state in
                state.isBusy = false
                return state.waiting.isEmpty
            }
            // A failure shows at the next submission.
            guard isIdle else { continue }
            let segments = log.withLock { log in
                try? log.prepareSpare()
                return log.segmentCount
            }
            state.change { $0.counts.segments = segments }
        }
    }

    private static func write(
        _ submissions: [Submission], _ log: Lock<SegmentedLog>, _ state: ConditionLock<State>,
        _ measured: @Sendable (Int64) -> Void
    ) {
        let release = state.change { state in
            defer { state.release = nil }
            return state.release
        }
        let start = Clock.system.now()
        let (synced, groups, segments, failure) = log.withLock { log -> (UInt64, Int64, Int, LogError?) in
            if let release { log.release(through: release) }
            do throws(LogError) {
                try log.append(submissions.map(\.batch))
                return (log.synced, log.groups, log.segmentCount, nil)
            } catch {
                return (log.synced, log.groups, log.segmentCount, error)
            }
        }
        let nanoseconds = Clock.system.now().nanoseconds - start.nanoseconds
        let whole = submissions.last { $0.last <= synced }?.last
        let isNew = state.change { state in
            state.synced = max(state.synced, whole ?? 0)
            // A batch without records is told, and nothing is written.
            let isNew = groups > state.counts.syncs
            if isNew { state.counts.microseconds += nanoseconds / 1_000 }
            state.counts.syncs = groups
            state.counts.segments = segments
            return isNew
        }
        if isNew { measured(nanoseconds / 1_000) }
        for submission in submissions {
            if submission.last <= synced {
                submission.then(.success(()))
            } else {
                submission.then(.failure(failure ?? .failed("the log lost a batch")))
            }
        }
    }
}
