import Execution

/// Counters of the writer since it started, and the length of its queue.
package struct StoreMetrics: Sendable, Equatable {
    /// Transactions committed.
    package var commits: Int64 = 0
    /// Messages written.
    package var appended: Int64 = 0
    /// Resends answered with the first answer.
    package var duplicates: Int64 = 0
    /// Messages refused by a rule.
    package var refused: Int64 = 0
    /// Messages passed on without being written.
    package var transient: Int64 = 0
    /// Requests in one commit: the middle and the largest.
    package var batchP50: Int64 = 0
    /// Largest number of requests in one commit.
    package var batchMost: Int64 = 0
    /// Microseconds of COMMIT, sync included; within 12 %.
    package var commitP50Microseconds: Int64 = 0
    /// The 99th percentile of COMMIT, microseconds; within 12 %.
    package var commitP99Microseconds: Int64 = 0
    /// Sum over all commits, microseconds.
    package var commitAllMicroseconds: Int64 = 0
    /// Requests in the queue now.
    package var queueRequests: Int64 = 0
    /// Largest number of requests the queue has held.
    package var queueRequestsPeak: Int64 = 0
    /// Bound of the queue, requests.
    package var queueRequestsMaximum: Int64 = 0
    /// Bytes in the queue now.
    package var queueBytes: Int64 = 0
    /// Largest number of bytes the queue has held.
    package var queueBytesPeak: Int64 = 0
    /// Bound of the queue, bytes.
    package var queueBytesMaximum: Int64 = 0
    /// Requests refused because the queue was full.
    package var busyRefusals: Int64 = 0
    /// No room on the disk: messages are refused.
    package var isReadOnly = false
    /// Disk or database failed: nothing is taken any more.
    package var hasFailed = false
    /// State of the clock guard, which decides if rows may be deleted by age.
    package var clock = ClockState.settling
    /// Bytes of the write-ahead log in use.
    package var logBytes: Int64 = 0
    /// Copies of the write-ahead log into the database.
    package var checkpoints: Int64 = 0
    /// Records acknowledged from the log that the database does not hold yet.
    package var logRecords: Int64 = 0
    /// Bytes that they take in the log.
    package var logRecordBytes: Int64 = 0
    /// When the oldest of them was decided, UTC milliseconds; 0 for none.
    package var logOldestWallMilliseconds: Int64 = 0
    /// Age of the oldest of them, milliseconds; 0 for none.
    package var logOldestMilliseconds: Int64 = 0
    /// Files of the log.
    package var logSegments: Int64 = 0
    /// Records of the log that were applied to the database.
    package var logRecordsAll: Int64 = 0
    /// Syncs of the log, each of a group of records.
    package var logSyncs: Int64 = 0
    /// Sum over all writes and syncs of the log, microseconds.
    package var logSyncAllMicroseconds: Int64 = 0
    /// Transactions that have applied records of the log.
    package var logApplies: Int64 = 0
    /// Parts of such transactions between which messages were decided.
    package var logSlices: Int64 = 0
    /// Free bytes of the disk at the last look, at most a second ago.
    package var freeBytes: Int64 = 0
    /// Users in the writer's memory.
    package var cachedUsers: Int64 = 0
    /// Conversations in the writer's memory.
    package var cachedConversations: Int64 = 0

    /// Metrics of a store that has done nothing yet.
    package init() {}
}

/// Durations of one kind of work since the start, by size.
package struct DurationCounts: Hashable, Sendable {
    /// Bounds of the buckets, microseconds: powers of two, ascending.
    package static let boundsMicroseconds: [Int64] = (7...22).map { 1 << $0 }

    /// Number of durations below each bound.
    package var below: [Int64]
    /// Number of all durations.
    package var count: Int64
    /// Sum of all durations, microseconds.
    package var allMicroseconds: Int64

    package init(below: [Int64], count: Int64, allMicroseconds: Int64) {
        self.below = below
        self.count = count
        self.allMicroseconds = allMicroseconds
    }
}

/// Durations of what makes changes durable.
package struct StoreDurations: Hashable, Sendable {
    /// Time of COMMIT, sync included.
    package var commits: DurationCounts
    /// Time of writing and syncing a group of records in the log.
    package var syncs: DurationCounts

    package init(commits: DurationCounts, syncs: DurationCounts) {
        self.commits = commits
        self.syncs = syncs
    }
}

/// Counts of values by size, in steps of an eighth of a power of two: any percentile within 12 %.
struct Histogram {
    private var counts = [Int64](repeating: 0, count: 512)
    private(set) var total: Int64 = 0
    private(set) var most: Int64 = 0
    private(set) var sum: Int64 = 0

    mutating func add(_ value: Int64) {
        self.counts[Self.bucket(of: value)] += 1
        self.total += 1
        self.most = max(self.most, value)
        self.sum += value
    }

    /// Number of values below a power of two from 8 on.
    func count(below bound: Int64) -> Int64 {
        self.counts[..<Self.bucket(of: bound)].reduce(0, +)
    }

    /// The largest value of the bucket that holds the given share; 0 when empty.
    func percentile(_ share: Double) -> Int64 {
        let wanted = max(1, Int64((Double(self.total) * share).rounded(.up)))
        var seen: Int64 = 0
        for (bucket, count) in self.counts.enumerated() {
            seen += count
            if seen >= wanted { return min(Self.largest(in: bucket), self.most) }
        }
        return 0
    }

    private static func bucket(of value: Int64) -> Int {
        guard value >= 8 else { return Int(max(0, value)) }
        let exponent = 63 - value.leadingZeroBitCount
        return (exponent - 2) * 8 + Int(value >> (exponent - 3)) & 7
    }

    private static func largest(in bucket: Int) -> Int64 {
        guard bucket >= 8 else { return Int64(bucket) }
        let exponent = bucket / 8 + 2
        return (Int64(8 + bucket % 8 + 1) << (exponent - 3)) - 1
    }
}

/// The metrics as the writer keeps them; any thread reads.
final class StoreGauges: Sendable {
    struct State {
        var metrics = StoreMetrics()
        var batches = Histogram()
        var commits = Histogram()
        /// Time of groups of the log, microseconds.
        var syncs = Histogram()
    }

    private let queue: WriterQueue
    private let clock: Clock
    private let state = Lock(State())
    /// Copies of the database that are being made.
    let snapshots = Snapshots()

    init(queue: WriterQueue, _ clock: Clock) {
        self.queue = queue
        self.clock = clock
    }

    func update(_ change: (inout State) -> Void) { self.state.withLock { change(&$0) } }

    var metrics: StoreMetrics {
        var metrics = self.state.withLock { state in
            var metrics = state.metrics
            metrics.commits = state.commits.total
            metrics.commitAllMicroseconds = state.commits.sum
            metrics.batchP50 = state.batches.percentile(0.5)
            metrics.batchMost = state.batches.most
            metrics.commitP50Microseconds = state.commits.percentile(0.5)
            metrics.commitP99Microseconds = state.commits.percentile(0.99)
            return metrics
        }
        let oldest = metrics.logOldestWallMilliseconds
        if oldest > 0 { metrics.logOldestMilliseconds = max(0, self.clock.wallMilliseconds() - oldest) }
        metrics.queueRequests = self.queue.requests.current
        metrics.queueRequestsPeak = self.queue.requests.peak
        metrics.queueRequestsMaximum = self.queue.requests.maximum
        metrics.queueBytes = self.queue.bytes.current
        metrics.queueBytesPeak = self.queue.bytes.peak
        metrics.queueBytesMaximum = self.queue.bytes.maximum
        metrics.busyRefusals = self.queue.requests.refusals + self.queue.bytes.refusals
        return metrics
    }

    var durations: StoreDurations {
        self.state.withLock { state in
            StoreDurations(commits: DurationCounts(state.commits), syncs: DurationCounts(state.syncs))
        }
    }
}

extension DurationCounts {
    init(_ histogram: Histogram) {
        self.init(
            below: Self.boundsMicroseconds.map { histogram.count(below: $0) }, count: histogram.total,
            allMicroseconds: histogram.sum)
    }
}
