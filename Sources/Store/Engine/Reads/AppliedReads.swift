import Execution
import MessageLog

/// Lets reads wait for what was acknowledged and is not in the database yet. The writer is asked to apply it, once for all
/// that wait. Any thread.
final class AppliedReads: Sendable {
    /// A read that waits: why it is given up, or nothing.
    private typealias Waiter = ConditionLock<Result<Void, StoreError>?>

    private let gate: ReadGate<ConditionLock<Result<Void, StoreError>?>>
    private let queue: WriterQueue
    /// Nothing is applied any more.
    private let failure = Lock<StoreError?>(nil)

    init(applied: UInt64, _ queue: WriterQueue) {
        self.gate = ReadGate(applied: applied)
        self.queue = queue
    }

    /// Position up to which a read has to see everything that is asked for now; 0 when the database holds it.
    func newest(of scope: ReadScope) -> UInt64 { self.gate.newest(of: scope) }

    /// Blocks until the database holds everything up to a position.
    ///
    /// - Throws: `full` and others: it cannot be applied now.
    func wait(through position: UInt64) throws(StoreError) {
        guard position > 0 else { return }
        let waiter = Waiter(nil)
        switch self.gate.pass(through: position, waiter) {
        case .open: return
        case .kept(let isFirst): if isFirst { self.queue.postLook() }
        }
        if let failure = self.failure.withLock({ $0 }) { self.giveUp(failure) }
        try waiter.waitForWork(until: { $0 != nil }, then: { $0 ?? .success(()) }).get()
    }

    /// Notes records that are on the disk, before anybody hears of them.
    func noteSynced(through position: UInt64) { self.gate.noteSynced([], through: position) }

    /// Notes a commit, and lets those begin who have waited for it.
    func noteApplied(through position: UInt64) {
        for waiter in self.gate.noteApplied(through: position) { waiter.change { $0 = .success(()) } }
    }

    /// True while reads wait.
    var hasWaiting: Bool { self.gate.hasWaiting }

    /// Gives up the reads that wait.
    func giveUp(_ error: StoreError) {
        for waiter in self.gate.takeWaiting() { waiter.change { $0 = .failure(error) } }
    }

    /// Gives up the reads that wait and those to come: the store has failed.
    func fail(_ error: StoreError) {
        self.failure.withLock { $0 = error }
        self.giveUp(error)
    }
}
