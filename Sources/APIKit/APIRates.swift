package import Broker
package import ChatModel
package import Execution

/// How fast people and addresses may ask, over all reactors. Any thread.
package final class APIRates: Sendable {
    private struct State {
        var people: [UserName: TokenBucket] = [:]
        var addresses: [String: TokenBucket] = [:]
    }

    /// Most people, and addresses, that are remembered; then those who owe nothing are forgotten, and if that is not
    /// enough, all.
    private static let maximumEntries = 10_000

    private let perPerson: RateLimit
    private let perAddress: RateLimit
    private let state = Lock(State())

    package init(perPerson: RateLimit, perAddress: RateLimit) {
        self.perPerson = perPerson
        self.perAddress = perAddress
    }

    /// Takes one request of a person's rate; false when it is used up.
    package func takeToken(person: UserName, at now: Instant) -> Bool {
        self.state.withLock { state in Self.take(person, &state.people, self.perPerson, now) }
    }

    /// Takes one request of an address's rate; false when it is used up.
    package func takeToken(address: String, at now: Instant) -> Bool {
        self.state.withLock { state in Self.take(address, &state.addresses, self.perAddress, now) }
    }

    private static func take<Key>(
        _ key: Key, _ buckets: inout [Key: TokenBucket], _ limit: RateLimit, _ now: Instant
    ) -> Bool {
        if buckets.count >= Self.maximumEntries, buckets[key] == nil {
            buckets = buckets.filter { entry in
                var bucket = entry.value
                return !bucket.isFull(limit, at: now)
            }
            if buckets.count >= Self.maximumEntries { buckets.removeAll(keepingCapacity: true) }
        }
        return buckets[key, default: TokenBucket(full: limit, at: now)].takeToken(limit, at: now)
    }
}
