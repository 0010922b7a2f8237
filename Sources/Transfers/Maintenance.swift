import Execution
import Glibc

/// Removes what nothing refers to and checks what is kept, on threads of its own and of low priority, so that no
/// transfer waits for it. Any thread may ask.
///
/// Removing, checking now and then, and checking when asked have a thread each: a gentle check of everything takes
/// hours, and neither an operator nor a full disk can wait for it.
final class Maintenance: Sendable {
    private struct Waits {
        /// A round is queued, and these wait for its end.
        var collects = false
        var collected: [@Sendable () -> Void] = []
        var scrubs = false
    }

    private let waits = Lock(Waits())
    private let isStopped: Lock<Bool>
    private let collector: WorkerPool<MaintenanceRounds>
    private let scrubber: WorkerPool<MaintenanceRounds>
    private let checker: WorkerPool<MaintenanceRounds>

    init(_ tools: TransferTools) {
        let isStopped = Lock(false)
        let pool: (String) -> WorkerPool<MaintenanceRounds> = { name in
            WorkerPool(name: name, threads: 1, capacity: 64) {
                // On Linux the priority is the calling thread's. Source: setpriority(2), "C library/kernel
                // differences".
                setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, 19)
                return MaintenanceRounds(tools) { isStopped.withLock { $0 } }
            }
        }
        self.isStopped = isStopped
        self.collector = pool("files-gc")
        self.scrubber = pool("files-scrub")
        self.checker = pool("files-check")
    }

    /// - Parameter then: runs after a round that began after the call.
    func collect(then: (@Sendable () -> Void)? = nil) {
        let isQueued = self.waits.withLock { waits in
            if let then { waits.collected.append(then) }
            defer { waits.collects = true }
            return waits.collects
        }
        guard !isQueued else { return }
        let takes = self.collector.submit { [self] rounds in
            let collected = self.takeCollected()
            rounds.collect()
            for then in collected { then() }
        }
        if !takes { for then in self.takeCollected() { then() } }
    }

    private func takeCollected() -> [@Sendable () -> Void] {
        self.waits.withLock { waits in
            defer { (waits.collects, waits.collected) = (false, []) }
            return waits.collected
        }
    }

    /// Reads gently what was not checked for long.
    func scrub() {
        let isQueued = self.waits.withLock { waits in
            defer { waits.scrubs = true }
            return waits.scrubs
        }
        guard !isQueued else { return }
        _ = self.scrubber.submit { [self] rounds in
            rounds.scrub()
            self.waits.withLock { $0.scrubs = false }
        }
    }

    /// Reads at once what was asked for.
    func check(_ order: ContentCheckOrder) {
        if !self.checker.submit({ $0.check(order) }) { order.then(nil) }
    }

    /// Ends the threads after the objects they are at. Who waits for the rest is answered.
    func stop() {
        self.isStopped.withLock { $0 = true }
        self.collector.stop()
        self.scrubber.stop()
        self.checker.stop()
    }
}
