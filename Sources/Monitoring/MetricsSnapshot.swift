package import Broker
package import ChatModel
package import Diagnostics
package import Hooks
package import Profiles
package import Search
package import Store
package import Transfers
package import Transport

/// Everything that is told to Prometheus, at one moment.
package struct MetricsSnapshot: Sendable {
    /// Version of the program.
    package var version: String
    /// This process.
    package var process = ProcessReading()
    /// Sessions and messages.
    package var broker = BrokerMetrics()
    /// Counts of the writer.
    package var store = StoreMetrics()
    /// Durations of what makes changes durable.
    package var durations = StoreDurations(commits: .none, syncs: .none)
    /// Connections and bytes.
    package var transport = TransportMetrics()
    /// Uploads and downloads.
    package var transfers = TransferMetrics()
    /// Look-ups of profiles.
    package var profiles = ProfileMetrics()
    /// State of the search index.
    package var search = SearchStatus.unopened
    /// Sign-ins, by result.
    package var signIns = SignInReading()
    /// Hooks and cloud functions.
    package var outbound = OutboundReading()
    /// Bounds with their use.
    package var limits: [LimitReading] = []
    /// Certificates that are in use.
    package var certificates: [CertificateReading] = []
    /// `nil` until it could be read.
    package var slow: SlowReading?

    package init(version: String) { self.version = version }
}

extension DurationCounts {
    /// Snapshot of no work.
    package static let none = DurationCounts(
        below: Self.boundsMicroseconds.map { _ in 0 }, count: 0, allMicroseconds: 0)
}

/// Figures that cost more: read once a minute at most, on a reader's thread.
package struct SlowReading: Sendable {
    /// Rows of the database.
    package var counts: StoreCounts
    /// Files and their contents.
    package var files: FileTotals
    /// Free and all bytes of the disk with the data folder; `nil` where the system does not say.
    package var room: (freeBytes: Int64, totalBytes: Int64)?
    /// The same of the disk that takes new files, with the bound below which uploads are refused.
    package var filesRoom: (freeBytes: Int64, totalBytes: Int64, stopsBelowBytes: Int64)?
    /// Last verification; `nil` for none.
    package var lastVerify: LastVerify?
    /// Last scrub of the database; `nil` for none.
    package var lastScrub: LastScrub?
    /// Last backup that was verified; `nil` for none.
    package var lastBackup: LastBackup?
    /// Open descriptors and their bound.
    package var descriptors: (open: Int64, maximum: Int64)?

    package init(counts: StoreCounts, files: FileTotals) {
        self.counts = counts
        self.files = files
    }
}

/// Sign-ins since the start, by what became of them.
package struct SignInReading: Hashable, Sendable {
    /// Words and counts, in a fixed order.
    package var results: [Result] = []

    /// One of them.
    package struct Result: Hashable, Sendable {
        /// Word of the result: `signed_in`.
        package var word: String
        /// Sign-ins with it.
        package var count: Int64

        package init(_ word: String, _ count: Int64) {
            self.word = word
            self.count = count
        }
    }

    package init() {}
}

/// How what is told to other servers goes.
package struct OutboundReading: Hashable, Sendable {
    /// `nil` without hooks.
    package var hooks: HookMetrics?
    /// Cloud functions of LeanCloud's apps that are called.
    package var functions: [LeanCloudHookMetrics]
    /// News of them that were dropped.
    package var functionsDropped: Int64

    package init(hooks: HookMetrics? = nil, functions: [LeanCloudHookMetrics] = [], functionsDropped: Int64 = 0) {
        self.hooks = hooks
        self.functions = functions
        self.functionsDropped = functionsDropped
    }
}

/// A bound and its use.
package struct LimitReading: Hashable, Sendable {
    /// Name of the limit.
    package var name: String
    /// Unit of the numbers.
    package var unit: String
    /// Use now.
    package var current: Int64
    /// Highest use since the start.
    package var peak: Int64
    /// Bound.
    package var maximum: Int64
    /// Times that the bound refused something.
    package var refusals: Int64

    package init(name: String, unit: String, current: Int64, peak: Int64, maximum: Int64, refusals: Int64) {
        self.name = name
        self.unit = unit
        self.current = current
        self.peak = peak
        self.maximum = maximum
        self.refusals = refusals
    }

    package init(_ limit: Limit) {
        self.init(
            name: limit.name, unit: limit.unit, current: limit.current, peak: limit.peak, maximum: limit.maximum,
            refusals: limit.refusals)
    }
}
