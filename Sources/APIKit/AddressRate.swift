import Broker
package import Execution

/// How often something may be done from one address, such as making accounts. Any thread.
package final class AddressRate: Sendable {
    private let limit: RateLimit
    /// Most addresses remembered; beyond it all are forgotten at once.
    private static let maximumEntries = 10_000

    private let buckets = Lock([String: TokenBucket]())

    package init(perSecond: Double, burst: Double) { self.limit = RateLimit(perSecond: perSecond, burst: burst) }

    /// - Parameter address: for IPv6 its /64.
    /// - Returns: false when it is too often.
    package func takeToken(_ address: String, at now: Instant) -> Bool {
        self.buckets.withLock { buckets in
            if buckets.count >= Self.maximumEntries, buckets[address] == nil { buckets.removeAll() }
            return buckets[address, default: TokenBucket(full: self.limit, at: now)].takeToken(self.limit, at: now)
        }
    }
}
