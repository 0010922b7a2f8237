import AdminAPI
import Broker
import Execution
import Profiles
import Store
import Transfers

/// Metrics of the server's parts since their start, at one moment.
struct MetricsReading {
    var at: Instant
    var wallMilliseconds: Int64
    var broker: BrokerMetrics
    var store: StoreMetrics
    var transfers: TransferMetrics?
    var profiles: ProfileMetrics?
}

/// The last ten minutes of the server, a point for each second. Confined to the admin thread.
struct MetricsHistory {
    static let intervalMilliseconds: Int64 = 1_000

    private var last: MetricsReading?
    /// A ring: the oldest is at `oldest` once it is full.
    private var ring: [AdminLivePoint] = []
    private var oldest = 0

    /// The oldest first.
    var points: [AdminLivePoint] { Array(self.ring[self.oldest...] + self.ring[..<self.oldest]) }

    /// Takes a reading.
    ///
    /// - Returns: the point that it makes with the one before; `nil` for the first.
    mutating func takeReading(_ reading: MetricsReading) -> AdminLivePoint? {
        defer { self.last = reading }
        guard let last = self.last else { return nil }
        let point = Self.point(from: last, to: reading)
        if self.ring.count < AdminProtocol.livePoints {
            self.ring.append(point)
        } else {
            self.ring[self.oldest] = point
            self.oldest = (self.oldest + 1) % self.ring.count
        }
        return point
    }

    private static func point(from last: MetricsReading, to now: MetricsReading) -> AdminLivePoint {
        let milliseconds = max(1, now.at.milliseconds(since: last.at))
        let perSecond: (Int64, Int64) -> Int64 = { before, after in
            (max(0, after - before) * 1_000 + milliseconds / 2) / milliseconds
        }
        let (broker, store) = (now.broker, now.store)
        var point = AdminLivePoint(atMilliseconds: now.wallMilliseconds)
        point.messages = perSecond(last.broker.published, broker.published)
        point.deliveries = perSecond(last.broker.delivered, broker.delivered)
        point.refusals = perSecond(last.broker.allRefusals, broker.allRefusals)
        point.sessions = Int64(broker.sessions)
        point.usersOnline = Int64(broker.usersOnline)
        point.commits = perSecond(last.store.commits, store.commits)
        let commits = store.commits - last.store.commits
        if commits > 0 {
            point.commitMicroseconds = (store.commitAllMicroseconds - last.store.commitAllMicroseconds) / commits
        }
        point.queueRequests = store.queueRequests
        point.queueBytes = store.queueBytes
        point.freeBytes = store.freeBytes
        if let before = last.profiles, let after = now.profiles {
            point.profileHits = perSecond(before.hits, after.hits)
            point.profileLookUps = perSecond(before.hits + before.misses, after.hits + after.misses)
        }
        if let before = last.transfers, let after = now.transfers {
            point.uploads = after.liveUploads
            point.downloads = after.liveDownloads
            point.uploadedBytes = perSecond(before.uploadedBytes, after.uploadedBytes)
            point.downloadedBytes = perSecond(before.downloadedBytes, after.downloadedBytes)
        }
        return point
    }
}

extension BrokerMetrics {
    fileprivate var allRefusals: Int64 { self.refused + self.rateLimited + self.busy }
}

/// The pulse of the server: measured once a second, told to who watches.
extension AdminLoop {
    /// How long the loop may sleep.
    var millisecondsUntilReading: Int32 {
        let left = self.nextReading.nanoseconds - self.options.clock.now().nanoseconds
        // Rounded up, so that the loop does not spin.
        return Int32(clamping: max(0, (left + 999_999) / 1_000_000))
    }

    /// Asks the broker for its metrics when a second has passed; one question at a time.
    func readMetricsIfDue() {
        let now = self.options.clock.now()
        guard now >= self.nextReading else { return }
        self.nextReading = now.advanced(byMilliseconds: MetricsHistory.intervalMilliseconds)
        self.handler.announcer.goOn()
        guard !self.isReadingMetrics else { return }
        self.isReadingMetrics = true
        let mailbox = self.mailbox
        self.handler.broker.metrics { mailbox.post(.liveMetrics($0)) }
    }

    func tookMetrics(_ broker: BrokerMetrics) {
        self.isReadingMetrics = false
        let clock = self.options.clock
        let reading = MetricsReading(
            at: clock.now(), wallMilliseconds: clock.wallMilliseconds(), broker: broker,
            store: self.handler.store.metrics,
            transfers: self.handler.transfers?.metrics, profiles: self.handler.profiles?.metrics)
        guard let point = self.liveMetrics.takeReading(reading) else { return }
        for client in self.clients.values { client.tellPoint(point, self.options) }
    }

    func start(_ request: AdminLiveRequest, _ key: Int, _ id: Int64) {
        if request == .start { self.clients[key]?.pulses.insert(id) }
        let limits = self.handler.limits
        self.answered(key, id, .success(.live(AdminLiveHistory(points: self.liveMetrics.points, limits: limits))))
    }
}
