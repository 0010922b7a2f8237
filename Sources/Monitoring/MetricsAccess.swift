package import Transport

/// Addresses from `192.168.1.0/24` on, or a single one.
package struct AddressRange: Hashable, Sendable {
    private let bytes: [UInt8]
    private let bits: Int

    /// Reads an address, or a network as `ADDRESS/BITS`; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        self.bytes = address.bytes
        let all = self.bytes.count * 8
        guard parts.count == 2 else {
            self.bits = all
            return
        }
        guard let bits = Int(parts[1]), (0...all).contains(bits), parts[1].utf8.allSatisfy(ASCII.isDigit) else {
            return nil
        }
        self.bits = bits
    }

    /// True for an address of the range; an IPv4 address inside IPv6 is the IPv4 address.
    package func contains(_ address: IPAddress) -> Bool {
        let other = address.bytes
        guard other.count == self.bytes.count else { return false }
        for place in 0..<self.bytes.count {
            let left = self.bits - place * 8
            guard left > 0 else { return true }
            let mask: UInt8 = left >= 8 ? 0xFF : ~(0xFF >> left)
            guard other[place] & mask == self.bytes[place] & mask else { return false }
        }
        return true
    }
}

/// Rule of who may read metrics.
package struct MetricsAccess: Sendable {
    /// Result of a look at a request.
    package enum Verdict: Hashable, Sendable {
        case allowed
        /// The address is not in the list: 403.
        case foreignAddress
        /// The token is missing or wrong: 401.
        case badToken
    }

    /// Addresses that may; they count only where there is no token.
    package var ranges: [AddressRange]
    /// Token that has to be shown; `nil` for none.
    package var token: [UInt8]?

    package init(ranges: [AddressRange], token: [UInt8]? = nil) {
        self.ranges = ranges
        self.token = token
    }

    /// Judges a request. With a token the address does not count: a proxy in front would lend everybody its own.
    package func verdict(address: IPAddress, authorization: String?) -> Verdict {
        guard let token = self.token else {
            return self.ranges.contains { $0.contains(address) } ? .allowed : .foreignAddress
        }
        guard let authorization, ASCII.lowercased(authorization.prefix(7)) == "bearer " else { return .badToken }
        let shown = Array(ASCII.trimmed(authorization.dropFirst(7)).utf8)
        return Self.areEqual(shown, token) ? .allowed : .badToken
    }

    /// Takes as long for any two of the same length.
    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for place in left.indices { difference |= left[place] ^ right[place] }
        return difference == 0
    }
}
