import Execution

/// Keeps contents that nothing refers to on the disk for a while, as for a backup that has still to read them. Any thread.
package final class RemovalHold: Sendable {
    private let state = ConditionLock((holds: 0, isRemoving: false))
    private let pause = Lock<@Sendable () -> Bool>({ false })

    package init() {}

    /// Nothing is removed while `isPaused` says so; it is asked before each round, on the thread that removes.
    package func pause(while isPaused: @escaping @Sendable () -> Bool) { self.pause.withLock { $0 = isPaused } }

    /// Begins or ends a hold. A removal that is under way is waited for, so that nothing goes after the begin.
    package func hold(_ isHeld: Bool) {
        guard isHeld else { return self.state.change { $0.holds = max(0, $0.holds - 1) } }
        self.state.wait(until: { !$0.isRemoving }, then: { $0.holds += 1 })
    }

    /// True when removing may begin; then `end` is due.
    func begin() -> Bool {
        let isPaused = self.pause.withLock { $0 }
        guard !isPaused() else { return false }
        return self.state.change { state in
            guard state.holds == 0 else { return false }
            state.isRemoving = true
            return true
        }
    }

    func end() { self.state.change { $0.isRemoving = false } }
}
