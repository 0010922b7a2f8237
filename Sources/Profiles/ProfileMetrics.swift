/// How look-ups go.
package struct ProfileMetrics: Hashable, Sendable {
    /// People, conversations and lists of names in memory, and about how many bytes they take.
    package var entries: Int64 = 0
    /// Bytes in memory, estimated.
    package var bytes: Int64 = 0
    /// Thrown out for lack of room.
    package var evicted: Int64 = 0
    /// People and conversations that were found in memory.
    package var hits: Int64 = 0
    /// Look-ups that memory could not answer.
    package var misses: Int64 = 0
    /// Misses that joined a question already asked.
    package var coalesced: Int64 = 0
    /// Misses of what had been there and was too old.
    package var refreshes: Int64 = 0
    /// Entries thrown out after a change.
    package var invalidations: Int64 = 0
    /// Answers that were out of date when they came: something was invalidated meanwhile.
    package var outdated: Int64 = 0
    /// Answers given without the last word.
    package var placeholders: Int64 = 0
    /// Reads of the user table, each for a whole batch.
    package var tableReads: Int64 = 0
    /// Reads of the user table that failed.
    package var tableFailures: Int64 = 0
    /// Requests to the other user system, each for a whole batch.
    package var providerRequests: Int64 = 0
    /// Requests to the other user system that failed.
    package var providerFailures: Int64 = 0
    /// Mean duration of answered requests, microseconds.
    package var providerMeanMicroseconds: Int64 = 0
    /// Below this were 99 of 100 of them; rounded up to the next power of two.
    package var providerP99Microseconds: Int64 = 0
    /// Why the last request failed; `nil` since one succeeded.
    package var lastError: String?
    /// `nil` without another user system.
    package var provider: String?
    /// State of the connection to the other user system; `nil` without one.
    package var providerState: ProfileProviderState?
    /// Look-ups that wait for an answer.
    package var waiting: Int64 = 0
    /// Keys that are being asked for.
    package var flights: Int64 = 0
    /// Watchers now.
    package var watchers: Int64 = 0
    /// UTC milliseconds of the last invalidation; `nil` before the first.
    package var lastInvalidatedAtMilliseconds: Int64?

    package init() {}
}

/// Where an answer came from.
package enum ProfileSource: String, Hashable, Sendable {
    case table
    case provider
    /// Both knew something.
    case both
    /// Nobody knew the name.
    case nobody
}

/// Facts in memory about one person, for the operator.
package struct ProfileInspection: Hashable, Sendable {
    /// `nil` when nothing is in memory.
    package var info: ProfileInfo?
    /// Source of the profile.
    package var source: ProfileSource?
    /// Age of the entry, milliseconds.
    package var ageMilliseconds: Int64?
    /// Negative when it is out of date and only stands in until the next answer.
    package var leftMilliseconds: Int64?
    /// A question is under way.
    package var isBeingAsked: Bool
    /// Watchers who named this person; those who watch everybody are not counted.
    package var watchers: Int
}

/// Durations in powers of two of a microsecond.
struct LatencyHistogram {
    private var counts = [Int64](repeating: 0, count: 40)
    private var total: Int64 = 0
    private var sum: Int64 = 0

    mutating func add(microseconds: Int64) {
        let value = max(0, microseconds)
        self.counts[min(self.counts.count - 1, Int64.bitWidth - value.leadingZeroBitCount)] += 1
        self.total += 1
        self.sum += value
    }

    var mean: Int64 { self.total == 0 ? 0 : self.sum / self.total }

    /// The upper bound of the bucket that holds the hundredth part from above.
    var p99: Int64 {
        guard self.total > 0 else { return 0 }
        let target = self.total - self.total / 100
        var seen: Int64 = 0
        for (bucket, count) in self.counts.enumerated() {
            seen += count
            if seen >= target { return Int64(1) << Int64(bucket) }
        }
        return Int64(1) << Int64(self.counts.count)
    }
}
