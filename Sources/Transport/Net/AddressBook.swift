import Diagnostics
import Execution

/// How many connections each address has open. Any thread; touched when a connection opens or ends only.
final class AddressBook: Sendable {
    private let counts = Lock<[IPAddress: Int]>([:])
    private let limit: Limit
    private let proxies: Set<IPAddress>

    init(limit: Limit, proxies: Set<IPAddress>) {
        self.limit = limit
        self.proxies = proxies
    }

    func isProxy(_ address: IPAddress) -> Bool { self.proxies.contains(address) }

    /// Loopback and configured proxies stand for many people.
    func isExempt(_ address: IPAddress) -> Bool { address.scope == .loopback || self.isProxy(address) }

    /// Counts one more connection, or none and answers false when the address has its share.
    func enter(_ address: IPAddress) -> Bool {
        guard !self.isExempt(address) else { return true }
        return self.counts.withLock { counts in
            let after = counts[address.throttled, default: 0] + 1
            guard self.limit.allows(Int64(after)) else { return false }
            counts[address.throttled] = after
            return true
        }
    }

    func leave(_ address: IPAddress) {
        guard !self.isExempt(address) else { return }
        self.counts.withLock { counts in
            let after = counts[address.throttled, default: 1] - 1
            counts[address.throttled] = after == 0 ? nil : after
        }
    }
}
