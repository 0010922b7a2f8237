import Execution

/// Metrics of the network part: counts since the start, and what is open now.
package struct TransportMetrics: Hashable, Sendable {
    /// Connections that were accepted and not turned away.
    package var accepted: Int64 = 0
    /// Bytes that came, without TLS around them.
    package var receivedBytes: Int64 = 0
    /// Bytes that the kernel took, without TLS around them.
    package var sentBytes: Int64 = 0
    /// Connections that ended, by the word of `words`.
    package var ended = [Int64](repeating: 0, count: TransportMetrics.words.count)
    /// Connections now.
    package var connections: Int64 = 0
    /// Bytes that wait to be sent now, of all connections.
    package var outboxBytes: Int64 = 0
    /// Connections over the high-water mark now.
    package var congested: Int64 = 0

    /// Makes metrics of zero.
    package init() {}

    /// Words for why connections end, in the order of `ended`.
    package static let words = [
        "peer_closed", "closed", "aborted", "idle", "timed_out", "stalled", "protocol_error", "failed", "drained",
    ]

    /// Connections that were ended because they did not read.
    package var stalled: Int64 { self.ended[Self.place(of: .stalled)] }

    mutating func noteEnd(_ end: ConnectionEnd) { self.ended[Self.place(of: end)] += 1 }

    private static func place(of end: ConnectionEnd) -> Int {
        switch end {
        case .peerClosed: 0
        case .closed: 1
        case .aborted: 2
        case .idle: 3
        case .timedOut: 4
        case .stalled: 5
        case .protocolError: 6
        case .failed: 7
        case .drained: 8
        }
    }

    /// Adds what another reactor has counted.
    mutating func add(_ other: TransportMetrics) {
        self.accepted += other.accepted
        self.receivedBytes += other.receivedBytes
        self.sentBytes += other.sentBytes
        for place in self.ended.indices { self.ended[place] += other.ended[place] }
        self.connections += other.connections
        self.outboxBytes += other.outboxBytes
        self.congested += other.congested
    }
}

extension TransportServer {
    /// Passes on the metrics of all reactors together, on the thread of the last one that answers; never, once they have
    /// stopped.
    package func metrics(then: @escaping @Sendable (TransportMetrics) -> Void) {
        let gathered = Lock((awaited: self.jobs.count, metrics: TransportMetrics()))
        for jobs in self.jobs {
            jobs.post { reactor in
                let own = reactor.measure()
                let all = gathered.withLock { gathered -> TransportMetrics? in
                    gathered.metrics.add(own)
                    gathered.awaited -= 1
                    return gathered.awaited == 0 ? gathered.metrics : nil
                }
                if let all { then(all) }
            }
        }
    }
}
