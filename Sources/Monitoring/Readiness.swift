import Execution
package import Store

/// Ability of the server to take messages, for load balancers and supervisors. Any thread.
package final class Readiness: Sendable {
    private let store: Store
    private let draining = Lock(false)

    /// The store is open already.
    package init(_ store: Store) { self.store = store }

    /// The server takes no new connections from now on.
    package func beginDraining() { self.draining.withLock { $0 = true } }

    /// Words for what stands in the way of messages; empty when nothing does.
    package var obstacles: [String] {
        let metrics = self.store.metrics
        var obstacles: [String] = []
        if self.draining.withLock({ $0 }) { obstacles.append("draining") }
        if metrics.hasFailed { obstacles.append("store_failed") }
        if metrics.isReadOnly { obstacles.append("disk_full") }
        return obstacles
    }
}
