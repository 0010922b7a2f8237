import Diagnostics
import Execution
import Store

/// Report of delivery for the operator: metrics, and a log line when delivery begins to fail, works again, or loses
/// events. Confined to the hooks thread, except for the gauge.
final class HookReporter {
    /// Between two lines about lost events.
    private static let silenceMilliseconds: Int64 = 60_000

    private let options: HooksOptions
    private let gauge: Lock<HookMetrics>
    private var failing: Int64 = 0
    private var lost: Int64 = 0
    private var speaksAgainAt: Instant

    init(_ options: HooksOptions, _ gauge: Lock<HookMetrics>) {
        self.options = options
        self.gauge = gauge
        self.speaksAgainAt = options.clock.now()
    }

    var hasQueue: Bool { self.gauge.withLock { $0.waiting > 0 } }

    func delivered(_ events: Int64) { self.gauge.withLock { $0.delivered += events } }

    func failed(_ event: HookEvent, _ reason: String) {
        self.gauge.withLock { metrics in
            metrics.failures += 1
            metrics.lastError = reason
        }
        self.failing += 1
        if self.failing == 1 {
            self.options.log.warning(
                "hook_failed",
                [
                    "event": .text(event.rawValue), "reason": .text(reason),
                    "help": .text("events wait in the queue and are sent again"),
                ])
        } else {
            self.options.log.debug("hook_failed", ["event": .text(event.rawValue), "reason": .text(reason)])
        }
    }

    /// Everything that waited for this receiver was taken.
    func recovered() {
        guard self.failing > 0 else { return }
        self.options.log.info("hook_recovered", ["failures": .number(self.failing)])
        self.failing = 0
        self.gauge.withLock { $0.lastError = nil }
    }

    func dropped(_ events: Int64, _ reason: String) {
        self.gauge.withLock { $0.dropped += events }
        self.lost += events
        let now = self.options.clock.now()
        guard now >= self.speaksAgainAt else { return }
        self.speaksAgainAt = now.advanced(byMilliseconds: Self.silenceMilliseconds)
        self.options.log.warning("hook_events_dropped", ["events": .number(self.lost), "reason": .text(reason)])
        self.lost = 0
    }

    func storeFailed(_ error: StoreError) {
        self.options.log.warning("hook_queue_unavailable", ["reason": .text(error.description)])
    }

    func queue(_ length: HookQueueLength) {
        let now = self.options.clock.wallMilliseconds()
        self.gauge.withLock { metrics in
            metrics.waiting = length.events
            metrics.oldestSeconds = length.oldestAtMilliseconds.map { max(0, now - $0) / 1000 } ?? 0
        }
    }
}
