package import Accounts
package import Broker
package import Diagnostics
package import Execution
import FileStore
import Glibc
package import Profiles
package import Search
package import Store
package import Transfers
package import Transport

/// Gathers the figures of all parts of a server. Any thread.
///
/// A storm of questions costs no more than one a second: all that come meanwhile get one answer, and figures that cost more
/// are read once a minute.
package final class ServerMetrics: Sendable {
    /// Parts that are asked.
    package struct Parts: Sendable {
        /// Store, read for what the database holds.
        package var store: Store
        /// Accounts, for their sign-ins.
        package var accounts: Accounts
        /// Broker.
        package var broker: Broker
        /// Uploads and downloads.
        package var transfers: Transfers
        /// Profiles.
        package var profiles: Profiles
        /// Search index.
        package var search: SearchIndex
        /// Data folder.
        package var folder: String
        /// Version of the program.
        package var version: String
        /// Bounds of other parts than the store.
        package var limits: [Limit]

        package init(
            store: Store, accounts: Accounts, broker: Broker, transfers: Transfers, profiles: Profiles,
            search: SearchIndex, folder: String, version: String, limits: [Limit]
        ) {
            self.store = store
            self.accounts = accounts
            self.broker = broker
            self.transfers = transfers
            self.profiles = profiles
            self.search = search
            self.folder = folder
            self.version = version
            self.limits = limits
        }
    }

    private typealias Answer = @Sendable (MetricsSnapshot) -> Void

    private struct State {
        /// Weak: its gateways hold these metrics.
        weak var transport: TransportServer?
        var outbound: @Sendable () -> OutboundReading = { OutboundReading() }
        var certificates: @Sendable () -> [CertificateReading] = { [] }
        /// Callers that wait for the answer that is being gathered; empty when none is.
        var waiting: [Answer] = []
        var last: (snapshot: MetricsSnapshot, at: Instant)?
        var slow: (reading: SlowReading, at: Instant)?
    }

    private static let freshMilliseconds: Int64 = 1_000
    private static let slowMilliseconds: Int64 = 60_000

    private let parts: Parts
    private let clock: Clock
    private let state = Lock(State())

    /// Gathers nothing before `open`.
    package init(_ parts: Parts, clock: Clock) {
        self.parts = parts
        self.clock = clock
    }

    /// Names the parts that are made last. Once.
    package func open(
        _ transport: TransportServer, certificates: @escaping @Sendable () -> [CertificateReading],
        outbound: @escaping @Sendable () -> OutboundReading
    ) {
        self.state.withLock { state in
            state.transport = transport
            state.certificates = certificates
            state.outbound = outbound
        }
    }

    /// Passes on the figures of now, a second old at most. `then` is called on any thread, and must be short; never when the
    /// server stops meanwhile.
    package func gather(then: @escaping @Sendable (MetricsSnapshot) -> Void) {
        let now = self.clock.now()
        enum Next { case answered(MetricsSnapshot), joined, begin }
        let next: Next = self.state.withLock { state in
            if let last = state.last, now.milliseconds(since: last.at) < Self.freshMilliseconds {
                return .answered(last.snapshot)
            }
            state.waiting.append(then)
            return state.waiting.count == 1 ? .begin : .joined
        }
        switch next {
        case .answered(let snapshot): then(snapshot)
        case .joined: break
        case .begin: self.parts.broker.metrics { self.haveBroker($0) }
        }
    }

    private func haveBroker(_ broker: BrokerMetrics) {
        guard let transport = self.state.withLock({ $0.transport }) else {
            return self.haveTransport(TransportMetrics(), broker)
        }
        transport.metrics { self.haveTransport($0, broker) }
    }

    private func haveTransport(_ transport: TransportMetrics, _ broker: BrokerMetrics) {
        let now = self.clock.now()
        let slow = self.state.withLock { $0.slow }
        if let slow, now.milliseconds(since: slow.at) < Self.slowMilliseconds {
            return self.finish(transport, broker)
        }
        let parts = self.parts
        // What is applied will do: a look at the figures makes no commit.
        parts.store.read(as: .long, for: .operator, of: .applied) { transaction throws(StoreError) in
            var reading = SlowReading(
                counts: try transaction.messages.counts(), files: try transaction.files.fileTotals())
            reading.room = Self.room(of: parts.folder)
            if let (room, bound) = parts.transfers.room() {
                reading.filesRoom = (room.freeBytes, room.totalBytes, bound)
            }
            reading.lastVerify = LastVerify.read(in: parts.folder)
            reading.lastScrub = LastScrub.read(in: parts.folder)
            reading.lastBackup = LastBackup.read(in: parts.folder)
            reading.descriptors = ProcessReading.descriptors()
            return reading
        } then: { result in
            // A store that does not answer leaves the figures of before.
            if case .success(let reading) = result { self.state.withLock { $0.slow = (reading, now) } }
            self.finish(transport, broker)
        }
    }

    private func finish(_ transport: TransportMetrics, _ broker: BrokerMetrics) {
        let parts = self.parts
        let (outbound, certificates, slow) = self.state.withLock { ($0.outbound, $0.certificates, $0.slow) }
        var snapshot = MetricsSnapshot(version: parts.version)
        snapshot.process = ProcessReading.now()
        snapshot.broker = broker
        snapshot.store = parts.store.metrics
        snapshot.durations = parts.store.durations
        snapshot.transport = transport
        snapshot.transfers = parts.transfers.metrics
        snapshot.profiles = parts.profiles.metrics
        snapshot.search = parts.search.currentStatus
        snapshot.signIns = SignInReading(parts.accounts.authenticator.metrics)
        snapshot.outbound = outbound()
        snapshot.limits = LimitReading.queues(of: snapshot.store) + parts.limits.map { LimitReading($0) }
        snapshot.certificates = certificates()
        snapshot.slow = slow?.reading
        let waiting = self.state.withLock { state in
            state.last = (snapshot, self.clock.now())
            defer { state.waiting = [] }
            return state.waiting
        }
        for then in waiting { then(snapshot) }
    }

    private static func room(of folder: String) -> (freeBytes: Int64, totalBytes: Int64)? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return (
            Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize)),
            Int64(clamping: UInt64(status.f_blocks) &* UInt64(status.f_frsize))
        )
    }
}

extension SignInReading {
    init(_ metrics: SignInMetrics) {
        self.init()
        self.results = [
            Result("signed_in", metrics.signedIn.current),
            Result("wrong_credentials", metrics.wrongCredentials.current),
            Result("expired", metrics.expired.current), Result("disabled", metrics.disabled.current),
            Result("throttled", metrics.throttled.current),
            Result("plain_not_allowed", metrics.plainNotAllowed.current),
            Result("busy", metrics.busy.current), Result("unavailable", metrics.unavailable.current),
        ]
    }
}

extension LimitReading {
    /// The two bounds of the writer's queue.
    static func queues(of store: StoreMetrics) -> [LimitReading] {
        [
            LimitReading(
                name: "commit_queue_requests", unit: "requests", current: store.queueRequests,
                peak: store.queueRequestsPeak, maximum: store.queueRequestsMaximum, refusals: store.busyRefusals),
            LimitReading(
                name: "commit_queue_bytes", unit: "bytes", current: store.queueBytes, peak: store.queueBytesPeak,
                maximum: store.queueBytesMaximum, refusals: store.busyRefusals),
        ]
    }
}
