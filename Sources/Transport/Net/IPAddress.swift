import Glibc

/// An IPv4 or IPv6 address; an IPv4 address inside IPv6 (`::ffff:192.168.1.5`) is the IPv4 address.
package struct IPAddress: Hashable, Sendable {
    /// The 16 bytes of the IPv6 form, high half and low half.
    private let high: UInt64
    private let low: UInt64

    private static let mappedPrefix: UInt64 = 0xFFFF << 32

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter bytes: 4 or 16 bytes in network order.
    package init?(bytes: some Collection<UInt8>) {
        func number(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(high: 0, low: Self.mappedPrefix | number(bytes))
        case 16: self.init(high: number(bytes.prefix(8)), low: number(bytes.suffix(8)))
        default: return nil
        }
    }

    /// Reads `192.168.1.5`, `fd00::2` or `[fd00::2]`; no names, no zone.
    package init?(_ text: String) {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: four) { Array($0) })
            return
        }
        let plain = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        var six = in6_addr()
        guard inet_pton(AF_INET6, plain, &six) == 1 else { return nil }
        self.init(bytes: withUnsafeBytes(of: six) { Array($0) })
    }

    /// True for an IPv4 address, which is stored in its IPv6-mapped form.
    package var isIPv4: Bool { self.high == 0 && self.low >> 32 == 0xFFFF }

    /// 4 or 16 bytes in network order.
    package var bytes: [UInt8] {
        let all = [self.high, self.low].flatMap { half in withUnsafeBytes(of: half.bigEndian) { Array($0) } }
        return self.isIPv4 ? Array(all[12...]) : all
    }

    /// Address as text: dotted for IPv4, RFC 5952 for IPv6.
    package var text: String {
        var bytes = self.bytes
        var room = [CChar](repeating: 0, count: 46)
        let family = self.isIPv4 ? AF_INET : AF_INET6
        guard inet_ntop(family, &bytes, &room, socklen_t(room.count)) != nil else { return "" }
        return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The address itself, or the /64 of an IPv6 address: one household or machine has a whole /64.
    var throttled: IPAddress { self.isIPv4 ? self : IPAddress(high: self.high, low: 0) }

    /// True for `0.0.0.0` and `::`, every address of a machine.
    var isUnspecified: Bool { self.high == 0 && (self.low == 0 || self.low == Self.mappedPrefix) }

    /// True for fe80::/10.
    var isLinkLocalIPv6: Bool { self.high >> 54 == 0xFE80 >> 6 }

    /// Part of the network that the address belongs to.
    package var scope: PeerAddress.Scope {
        if self.isIPv4 {
            let number = UInt32(truncatingIfNeeded: self.low)
            func isIn(_ network: UInt32, _ bits: UInt32) -> Bool { number >> (32 - bits) == network >> (32 - bits) }
            if isIn(0x7F00_0000, 8) { return .loopback }
            let isPrivate =
                isIn(0x0A00_0000, 8) || isIn(0xAC10_0000, 12) || isIn(0xC0A8_0000, 16) || isIn(0xA9FE_0000, 16)
                || isIn(0x6440_0000, 10)
            return isPrivate ? .privateNetwork : .publicNetwork
        }
        if self.high == 0 && self.low == 1 { return .loopback }
        let isPrivate = self.high >> 57 == 0xFC >> 1 || self.high >> 54 == 0xFE80 >> 6
        return isPrivate ? .privateNetwork : .publicNetwork
    }
}

/// The other end of a connection.
package struct PeerAddress: Hashable, Sendable {
    /// Part of the network that an address belongs to.
    package enum Scope: Sendable {
        case loopback
        /// RFC 1918, link-local, unique-local and 100.64/10 addresses.
        case privateNetwork
        case publicNetwork
    }

    /// IP address of the peer.
    package let address: IPAddress
    /// Port of the peer.
    package let port: UInt16

    package init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// The address without the port.
    package var text: String { self.address.text }
    /// Part of the network that the peer's address belongs to.
    package var scope: Scope { self.address.scope }
    /// Key by which limits per address count: the IPv4 address, or the /64 of an IPv6 address.
    package var throttleKey: String {
        let throttled = self.address.throttled
        return throttled.isIPv4 ? throttled.text : throttled.text + "/64"
    }
}
