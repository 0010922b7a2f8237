import Execution

/// Snapshots of the database that are being copied. While there is one, SQLite's log is not truncated: that would wait for the
/// snapshot's reader, and every message with it. Any thread.
final class Snapshots: Sendable {
    private let state = ConditionLock((held: 0, isClosed: false))

    /// - Throws: `unavailable` once the store is closing.
    func begin() throws(StoreError) {
        let isTaken = self.state.change { state in
            if !state.isClosed { state.held += 1 }
            return !state.isClosed
        }
        guard isTaken else { throw .unavailable }
    }

    func end() { self.state.change { $0.held -= 1 } }

    /// True while one is being copied.
    var areHeld: Bool { self.state.read { $0.held > 0 } }

    /// True once the store is closing: who copies gives up.
    var isClosed: Bool { self.state.read { $0.isClosed } }

    /// Refuses later ones and waits for those that are being copied.
    func close() {
        self.state.change { $0.isClosed = true }
        self.state.wait(until: { $0.held == 0 }, then: { _ in })
    }
}
