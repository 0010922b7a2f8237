import ChatModel
import Diagnostics
import Execution
import Store

/// Event for the thread of the profiles.
enum ProfileEvent: Sendable {
    case changes([ProfileChange])
    /// There is an earlier timer, or somebody turned the clock.
    case wake
    case stop
}

/// The shell around the core: does what it decides, and owns what several threads share.
final class ProfileEngine: Sendable {
    let store: Store
    let options: ProfileOptions
    let provider: (any ProfileProvider)?
    let clock: Clock
    private let log: Log
    let core: Lock<ProfileCore>
    let watchers: Lock<ProfileWatchers>
    private let latency = Lock<(histogram: LatencyHistogram, failures: Int64, error: String?)>(
        (LatencyHistogram(), 0, nil))
    private let mailbox = Mailbox<ProfileEvent>()

    init(_ store: Store, _ options: ProfileOptions, _ provider: (any ProfileProvider)?, _ clock: Clock, _ log: Log) {
        self.store = store
        self.options = options
        self.provider = provider
        self.clock = clock
        self.log = log
        let mailbox = self.mailbox
        self.core = Lock(
            ProfileCore(
                options, asksProvider: provider != nil,
                tell: { changes in
                    // With the core's lock held: that keeps the changes in their order.
                    if !changes.isEmpty { mailbox.post(.changes(changes)) }
                }))
        self.watchers = Lock(ProfileWatchers(maximumNamed: options.watchedPerWatcher))
    }

    // MARK: The thread

    /// Tells watchers and looks at the clock, until it is stopped.
    func run() {
        var events: [ProfileEvent] = []
        while true {
            let due = self.core.withLock { $0.nextDue }
            let milliseconds = due.map { due in
                Int32(clamping: (max(0, due.nanoseconds - self.clock.now().nanoseconds) + 999_999) / 1_000_000)
            }
            _ = self.mailbox.wait(milliseconds: milliseconds)
            self.mailbox.takeMessages(into: &events)
            for event in events {
                switch event {
                case .changes(let changes): for change in changes { self.tellChange(change) }
                case .wake: break
                case .stop: return
                }
            }
            events.removeAll(keepingCapacity: true)
            let now = self.clock.now()
            self.perform(self.core.withLock { $0.passTime(to: now) })
        }
    }

    private func tellChange(_ change: ProfileChange) {
        for listener in self.watchers.withLock({ $0.listeners(for: change) }) { listener(change) }
    }

    func wake() { self.mailbox.post(.wake) }

    func stop() {
        self.perform(self.core.withLock { $0.stop() })
        self.mailbox.post(.stop)
    }

    // MARK: What the core decided

    func perform(_ actions: [ProfileAction]) {
        var isWoken = false
        for action in actions {
            switch action {
            case .call(let call): call()
            case .ask(let batch): self.ask(batch)
            case .wake:
                if !isWoken { self.wake() }
                isWoken = true
            }
        }
    }

    private func ask(_ batch: ProfileBatch) {
        // Profiles stand in no record of the log.
        self.store.read(
            for: .server, of: .applied, { reading throws(StoreError) in try batch.read(reading) }
        ) { result in
            let now = self.clock.now()
            self.perform(self.core.withLock { $0.tableAnswered(batch, try? result.get(), at: now) })
        }
        guard let provider = self.provider, !batch.names.isEmpty else { return }
        let start = self.clock.now()
        provider.fetch(batch.names) { result in
            let now = self.clock.now()
            self.noteResult(result, milliseconds: now.milliseconds(since: start), from: start, to: now)
            let answer = (try? result.get()).map { people in
                Dictionary(people.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            }
            self.perform(self.core.withLock { $0.providerAnswered(batch, answer, at: now) })
        }
    }

    private func noteResult(
        _ result: Result<[FetchedProfile], ProfileProviderError>, milliseconds: Int64, from start: Instant,
        to now: Instant
    ) {
        let failure: ProfileProviderError? =
            if case .failure(let error) = result { error } else { nil }
        let isFirst = self.latency.withLock { state in
            guard let failure else {
                state.histogram.add(microseconds: (now.nanoseconds - start.nanoseconds) / 1_000)
                state.error = nil
                return false
            }
            let isFirst = state.error == nil
            state.failures += 1
            state.error = failure.description
            return isFirst
        }
        if let failure, isFirst {
            self.log.warning(
                "profiles_unanswered",
                ["milliseconds": .milliseconds(milliseconds), "reason": .name(failure.description)])
        }
    }

    var metrics: ProfileMetrics {
        var metrics = self.core.withLock { $0.currentMetrics }
        metrics.watchers = Int64(self.watchers.withLock { $0.count })
        self.latency.withLock { state in
            metrics.providerFailures = state.failures
            metrics.providerMeanMicroseconds = state.histogram.mean
            metrics.providerP99Microseconds = state.histogram.p99
            metrics.lastError = state.error
        }
        metrics.provider = self.provider?.name
        metrics.providerState = self.provider?.state
        return metrics
    }
}
