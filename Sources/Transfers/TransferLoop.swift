import ChatModel
import Diagnostics
import Execution
import Store

/// Owns the states of all transfers: what each may do next, who is told, and what time it is. Confined to the
/// `transfers` thread, which never waits for disk or network.
final class TransferLoop {
    private static let tickMilliseconds = TransferProgressReport.tellMilliseconds
    private static let restMilliseconds: Int64 = 1_000
    /// Time that a stop gives to work under way, milliseconds.
    private static let farewellMilliseconds: Int64 = 10_000

    let tools: TransferTools
    let maintenance: Maintenance
    private let watchers: TransferWatchers
    var uploads: [TransferKey: LiveUpload] = [:]
    var downloads: [TransferKey: LiveDownload] = [:]
    /// Callers who wait for a row that is being read.
    var asking: [TransferKey: [(Result<Found, TransferError>) -> Void]] = [:]
    var departures = Departures()
    private var nextTick: Instant
    private var nextRest: Instant
    private var nextCollection: Instant
    private var nextScrub: Instant
    private(set) var isStopping = false
    private var stopsAt = Instant(nanoseconds: Int64.max)
    private var isHalted = false

    init(_ tools: TransferTools, _ maintenance: Maintenance, _ watchers: TransferWatchers) {
        self.tools = tools
        self.maintenance = maintenance
        self.watchers = watchers
        let now = tools.clock.now()
        self.nextTick = now
        self.nextRest = now
        self.nextCollection = now
        self.nextScrub = now.advanced(byMilliseconds: tools.options.collectMilliseconds)
    }

    var now: Instant { self.tools.clock.now() }

    func run() {
        var jobs: [LoopJob] = []
        while !self.isDone {
            self.lookAtClock()
            _ = self.tools.mailbox.wait(milliseconds: self.millisecondsToNextDue())
            self.tools.mailbox.takeMessages(into: &jobs)
            for job in jobs { job(self) }
            jobs.removeAll(keepingCapacity: true)
            self.tools.tally.live.withLock { $0 = self.countsOfLive }
        }
    }

    private var countsOfLive: (uploads: Int64, downloads: Int64) {
        let uploads = self.uploads.values.count(where: { $0.flow != .none })
        return (Int64(uploads), Int64(self.openDownloads))
    }

    /// The mailbox had something in it: the loop looks at the clock again.
    func wake() {}

    // MARK: Time

    func lookAtClock() {
        let now = self.now
        self.tools.lanes.release()
        if self.nextTick <= now {
            self.nextTick = now.advanced(byMilliseconds: Self.tickMilliseconds)
            self.tick(at: now)
        }
        if self.nextRest <= now {
            self.nextRest = now.advanced(byMilliseconds: Self.restMilliseconds)
            self.settleQuietUploads(at: now)
            self.restIdleUploads(at: now)
        }
        guard !self.isStopping else { return }
        if self.nextCollection <= now {
            self.nextCollection = now.advanced(byMilliseconds: self.tools.options.collectMilliseconds)
            self.maintenance.collect()
        }
        if self.nextScrub <= now {
            self.nextScrub = now.advanced(byMilliseconds: self.tools.options.collectMilliseconds)
            self.maintenance.scrub()
        }
    }

    private func millisecondsToNextDue() -> Int32 {
        var due = [self.nextCollection, self.nextScrub, self.stopsAt]
        if let lane = self.tools.lanes.nextDue { due.append(lane) }
        if !self.uploads.isEmpty { due.append(self.nextRest) }
        if !self.downloads.isEmpty || self.uploads.values.contains(where: { $0.flow != .none || $0.report.hasNews }) {
            due.append(self.nextTick)
        }
        let next = due.min() ?? self.stopsAt
        let left = next.nanoseconds - self.now.nanoseconds
        guard left > 0 else { return 0 }
        return Int32(clamping: left / 1_000_000 + 1)
    }

    /// Five times a second: speeds, and news for who watches.
    private func tick(at now: Instant) {
        var news: [TransferView] = []
        for upload in self.uploads.values {
            if upload.flow != .none {
                Self.noteOffset(upload.task.offset, upload.record.state, &upload.report, at: now)
            }
            guard upload.report.mayTell(at: now) else { continue }
            upload.report.told(at: now)
            news.append(upload.view)
        }
        for download in self.downloads.values {
            Self.noteOffset(download.task.offset, download.record.state, &download.report, at: now)
            self.noteNowAndThen(download, at: now)
            guard download.report.mayTell(at: now) else { continue }
            download.report.told(at: now)
            news.append(download.view)
        }
        self.watchers.tellViews(news)
    }

    private static func noteOffset(
        _ offset: Int64, _ state: TransferState, _ report: inout TransferProgressReport, at now: Instant
    ) {
        guard state == .progressing else { return }
        report.meter.noteOffset(offset, at: now)
        report.changed()
    }

    /// Reports a change at once when the last report is old enough, and at the next tick otherwise.
    func tellWatchers(_ upload: LiveUpload) {
        upload.report.changed()
        guard upload.record.state.isOver || upload.report.mayTell(at: self.now) else { return }
        upload.report.told(at: self.now)
        self.watchers.tellViews([upload.view])
    }

    func tellWatchers(_ download: LiveDownload) {
        download.report.changed()
        guard download.record.state.isOver || download.report.mayTell(at: self.now) else { return }
        download.report.told(at: self.now)
        self.watchers.tellViews([download.view])
    }

    func tellWatchers(stored view: TransferView) { self.watchers.tellViews([view]) }

    // MARK: Leaving

    func remove(_ upload: LiveUpload) {
        self.uploads[upload.record.key] = nil
        self.departures.add(upload.view)
    }

    func remove(_ download: LiveDownload) {
        self.downloads[download.record.key] = nil
        self.departures.add(download.view)
    }

    func count(_ state: TransferState) {
        switch state {
        case .succeeded: self.tools.tally.succeeded.add()
        case .failed: self.tools.tally.failed.add()
        case .cancelled: self.tools.tally.cancelled.add()
        case .waiting, .progressing, .suspended: break
        }
    }

    // MARK: The end

    /// Ends all flows; what came is made durable.
    func stop() {
        guard !self.isStopping else { return }
        self.isStopping = true
        self.stopsAt = self.now.advanced(byMilliseconds: Self.farewellMilliseconds)
        for download in Array(self.downloads.values) where !download.isClosing { self.fail(download, .stopping) }
        for upload in Array(self.uploads.values) {
            if upload.flow != .none {
                upload.flow = .none
                upload.task.failFlow(.stopping)
            }
            self.rest(upload)
        }
    }

    /// Ends the thread with nothing made durable and nobody told, as when the process is killed.
    func halt() { self.isHalted = true }

    private var isDone: Bool {
        if self.isHalted { return true }
        return self.isStopping && (self.uploads.isEmpty || self.now >= self.stopsAt)
    }
}
