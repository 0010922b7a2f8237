import ByteCodec
import Execution
import HTTPClient
import Store

/// Event for the hooks thread.
enum HookLoopEvent: Sendable {
    /// Messages were stored.
    case news
    /// Devices came or went.
    case lines
    case linesQueued(Result<Void, StoreError>)
    case page(Result<HookPage?, StoreError>)
    case answered(parcel: Int, Result<HTTPResponse, HTTPClientError>)
    case removed(Result<Void, StoreError>)
    case length(Result<HookQueueLength, StoreError>)
    case trimmed(Result<Int64, StoreError>)
    case stop
}

/// Works the queue off: read a page, send its parcels, remove it, and again. Confined to the hooks thread, which never
/// blocks on disk or network.
final class HookLoop {
    private enum Phase {
        /// Nothing to do that is known of.
        case idle
        /// Waits for company until then.
        case lingering(until: Instant)
        case reading
        case sending
        /// After a failure.
        case waiting(until: Instant)
        case removing
        /// The store was busy.
        case removingAgain(at: Instant)
    }

    /// Events removed at once from a queue that is too long.
    private static let trimmedTogether: Int64 = 1_000
    private static let tickMilliseconds: Int64 = 1_000
    /// Time that a stop gives to requests under way.
    private static let farewellMilliseconds: Int64 = 1_000

    private let options: HooksOptions
    private let store: Store
    private let client: HTTPClient
    private let presence: Presence
    private let news: HookNews
    private let mailbox: Mailbox<HookLoopEvent>
    private let reporter: HookReporter

    private var phase = Phase.idle
    private var page: HookPage?
    private var round = DeliveryRound([])
    private var backoff: Backoff
    private var hasNews = true
    /// When lines of presence are put into the queue; `nil` when none wait or some are on their way.
    private var linesDue: Instant?
    /// Lines on their way into the queue, as one body.
    private var linesUnderWay: [UInt8]?
    /// A body for which the store had no room; it goes before further lines.
    private var linesTurnedAway: [UInt8]?
    private var nextTick: Instant
    private var isLooking = false
    private var stopsAt: Instant?

    init(
        _ options: HooksOptions, store: Store, client: HTTPClient, presence: Presence, news: HookNews,
        _ mailbox: Mailbox<HookLoopEvent>, _ gauge: Lock<HookMetrics>
    ) {
        self.options = options
        self.store = store
        self.client = client
        self.presence = presence
        self.news = news
        self.mailbox = mailbox
        self.reporter = HookReporter(options, gauge)
        self.backoff = Backoff(
            firstMilliseconds: options.firstRetryMilliseconds, lastMilliseconds: options.lastRetryMilliseconds)
        self.nextTick = options.clock.now()
    }

    func run() {
        var batch: [HookLoopEvent] = []
        while true {
            self.proceed(at: self.options.clock.now())
            if self.mayStop { return self.putAway() }
            _ = self.mailbox.wait(milliseconds: self.millisecondsToNextDue())
            self.mailbox.takeMessages(into: &batch)
            for event in batch { self.handle(event) }
            batch.removeAll(keepingCapacity: true)
        }
    }

    private func handle(_ event: HookLoopEvent) {
        switch event {
        case .news: self.hasNews = true
        case .lines: self.linesDue = self.later(self.options.lingerMilliseconds)
        case .linesQueued(let result): self.linesQueued(result)
        case .page(let result): self.received(result)
        case .answered(let index, let result): self.answered(index, result)
        case .removed(let result): self.removed(result)
        case .length(let result): self.looked(result)
        case .trimmed(let result): self.trimmed(result)
        case .stop: self.stopsAt = self.later(Self.farewellMilliseconds)
        }
    }

    private func later(_ milliseconds: Int64) -> Instant {
        self.options.clock.now().advanced(byMilliseconds: milliseconds)
    }

    /// Time, UTC milliseconds, before which events are given up; the lowest value while the clock is in doubt.
    private var wallHorizon: Int64 {
        if case .doubted = self.store.metrics.clock { return .min }
        return self.options.clock.wallMilliseconds() - self.options.giveUpMilliseconds
    }

    // MARK: What is due

    private func proceed(at now: Instant) {
        if let due = self.linesDue, due <= now, self.linesUnderWay == nil { self.queueLines() }
        if self.stopsAt == nil { self.proceedWithQueue(at: now) }
        if self.nextTick <= now {
            self.nextTick = self.later(Self.tickMilliseconds)
            self.look()
        }
    }

    private func proceedWithQueue(at now: Instant) {
        switch self.phase {
        case .idle where self.hasNews:
            // At the start there may be events from before: no reason to wait.
            let isFull = self.news.current == 0 || self.news.current >= HookPage.maximumEvents
            if isFull {
                self.read()
            } else {
                self.phase = .lingering(until: self.later(self.options.lingerMilliseconds))
            }
        case .lingering(let end) where end <= now || self.news.current >= HookPage.maximumEvents: self.read()
        case .waiting(let end) where end <= now: self.send()
        case .removingAgain(let end) where end <= now: self.remove()
        case .idle, .lingering, .reading, .sending, .waiting, .removing, .removingAgain: break
        }
    }

    private func millisecondsToNextDue() -> Int32 {
        var due = [self.linesUnderWay == nil ? self.linesDue : nil, self.stopsAt].compactMap { $0 }
        switch self.phase {
        case .lingering(let end), .waiting(let end), .removingAgain(let end): due.append(end)
        case .idle, .reading, .sending, .removing: break
        }
        if self.needsTicks { due.append(self.nextTick) }
        guard let next = due.min() else { return -1 }
        let left = next.nanoseconds - self.options.clock.now().nanoseconds
        return Int32(clamping: max(0, (left + 999_999) / 1_000_000))
    }

    /// While nothing waits there is nothing to look at.
    private var needsTicks: Bool {
        if case .idle = self.phase { return self.reporter.hasQueue }
        return true
    }

    // MARK: The queue

    private func read() {
        self.phase = .reading
        self.hasNews = false
        self.news.reset()
        let horizon = self.wallHorizon
        let presence = self.options.events.contains(.offline) ? self.presence : nil
        self.store.read { transaction throws(StoreError) in
            var reader = HookPageReader(
                transaction, horizonMilliseconds: horizon,
                absent: presence.map { presence in { presence.withoutPrimaryDevice(among: $0) } })
            return try reader.page()
        } then: { [mailbox] result in
            mailbox.post(.page(result))
        }
    }

    private func received(_ result: Result<HookPage?, StoreError>) {
        switch result {
        case .failure(let error):
            self.reporter.storeFailed(error)
            self.hasNews = true
            self.phase = .lingering(until: self.later(self.options.firstRetryMilliseconds))
        case .success(nil):
            self.page = nil
            self.phase = .idle
            self.look()
        case .success(let page?):
            self.page = page
            if page.expired > 0 { self.reporter.dropped(page.expired, "too old") }
            self.round = DeliveryRound(Parcel.parcels(of: page, for: self.options.events))
            self.send()
        }
    }

    // MARK: The receiver

    private func send() {
        let lost = self.round.dropParcels(before: self.wallHorizon)
        if lost > 0 { self.reporter.dropped(lost, "too old") }
        let first = self.round.beginAttempt()
        guard !first.isEmpty else { return self.remove() }
        self.phase = .sending
        for index in first { self.post(index) }
    }

    private func post(_ index: Int) {
        let parcel = self.round.parcels[index]
        var fields = [("Content-Type", "application/json"), ("X-Teahouse-Event-Id", parcel.id)]
        if let secret = self.options.secret {
            let signature = RequestSignature.text(
                secret: secret, unixSeconds: self.options.clock.wallMilliseconds() / 1000, body: parcel.body)
            fields.append(("X-Teahouse-Signature", signature))
        }
        let request = HTTPRequestToSend(
            .post, self.options.address.adding(query: "event=\(parcel.event.rawValue)"), fields: fields,
            body: parcel.body, timeoutMilliseconds: self.options.timeoutMilliseconds)
        self.client.send(request) { [mailbox] result in mailbox.post(.answered(parcel: index, result)) }
    }

    private func answered(_ index: Int, _ result: Result<HTTPResponse, HTTPClientError>) {
        let parcel = self.round.parcels[index]
        switch result {
        case .success(let response) where response.status == 200:
            self.reporter.delivered(parcel.events)
            if let next = self.round.delivered(index) { return self.post(next) }
        case .success(let response):
            self.round.failed(index)
            self.reporter.failed(parcel.event, "\(self.options.address.host) answered \(response.status)")
        case .failure(let error):
            self.round.failed(index)
            if error != .stopped { self.reporter.failed(parcel.event, error.description) }
        }
        guard self.round.isQuiet else { return }
        if self.round.isDone {
            self.backoff.succeeded()
            self.reporter.recovered()
            self.remove()
        } else {
            let wait = self.backoff.failed(spread: Double.random(in: 0...1))
            self.phase = .waiting(until: self.later(wait))
        }
    }

    private func remove() {
        guard let sequences = self.page?.sequences else {
            self.phase = .idle
            return
        }
        self.phase = .removing
        self.store.write { transaction throws(StoreError) in
            try transaction.hooks.remove(sequences)
        } then: { [mailbox] result in
            mailbox.post(.removed(result))
        }
    }

    private func removed(_ result: Result<Void, StoreError>) {
        if case .failure(let error) = result {
            self.reporter.storeFailed(error)
            self.phase = .removingAgain(at: self.later(self.options.firstRetryMilliseconds))
            return
        }
        let hasMore = self.page?.isFull ?? false
        self.page = nil
        self.phase = .idle
        if hasMore && self.stopsAt == nil { self.read() } else { self.look() }
    }

    // MARK: Who is online

    /// The next lines as one body; `nil` when none wait.
    private func nextLines() -> [UInt8]? {
        if let body = self.linesTurnedAway {
            self.linesTurnedAway = nil
            return body
        }
        let (lines, dropped) = self.presence.takeLines()
        if dropped > 0 { self.reporter.dropped(dropped, "too many at once") }
        guard !lines.isEmpty else { return nil }
        var json = JSONWriter(capacity: 32 * lines.count)
        json.beginArray()
        for line in lines { json.string(line) }
        json.endArray()
        return json.bytes
    }

    private func queueLines() {
        self.linesDue = nil
        if let body = self.nextLines() { self.queue(lines: body) }
    }

    private func queue(lines body: [UInt8]) {
        self.linesUnderWay = body
        self.store.write { transaction throws(StoreError) in
            try transaction.hooks.add(body: body)
        } then: { [mailbox] result in
            mailbox.post(.linesQueued(result))
        }
    }

    private func linesQueued(_ result: Result<Void, StoreError>) {
        guard let body = self.linesUnderWay else { return }
        self.linesUnderWay = nil
        if case .failure(.busy) = result {
            self.linesTurnedAway = body
            self.linesDue = self.later(self.options.firstRetryMilliseconds)
            return
        }
        if case .failure(let error) = result {
            self.reporter.storeFailed(error)
            self.reporter.dropped(1, "not stored")
        }
        self.hasNews = true
        // More may have come than one event takes.
        self.linesDue = self.options.clock.now()
    }

    // MARK: The length of the queue

    private func look() {
        guard !self.isLooking, self.stopsAt == nil else { return }
        self.isLooking = true
        self.store.read { transaction throws(StoreError) in
            try transaction.hooks.length()
        } then: { [mailbox] result in
            mailbox.post(.length(result))
        }
    }

    private func looked(_ result: Result<HookQueueLength, StoreError>) {
        self.isLooking = false
        guard case .success(let length) = result else { return }
        self.reporter.queue(length)
        guard length.events > self.options.queueEvents else { return }
        self.isLooking = true
        let target = self.options.queueEvents
        self.store.write { transaction throws(StoreError) in
            try transaction.hooks.trim(to: target, most: Self.trimmedTogether)
        } then: { [mailbox] result in
            mailbox.post(.trimmed(result))
        }
    }

    private func trimmed(_ result: Result<Int64, StoreError>) {
        self.isLooking = false
        guard case .success(let count) = result, count > 0 else { return }
        self.reporter.dropped(count, "too many")
        if count == Self.trimmedTogether { self.look() }
    }

    // MARK: The end

    private var mayStop: Bool {
        guard let stopsAt = self.stopsAt else { return false }
        if self.options.clock.now() >= stopsAt { return true }
        switch self.phase {
        case .sending, .removing: return false
        case .idle, .lingering, .reading, .waiting, .removingAgain: return self.linesUnderWay == nil
        }
    }

    /// The last lines of presence go into the queue: that everybody is gone is told at the next start.
    private func putAway() {
        while let body = self.nextLines() {
            do throws(StoreError) {
                try self.store.writeAndWait { transaction throws(StoreError) in try transaction.hooks.add(body: body) }
            } catch {
                return self.reporter.storeFailed(error)
            }
        }
    }
}
