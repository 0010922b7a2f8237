package import Transport

/// Where requests may go. Targets come from what the operator wrote, so loopback and private networks are
/// open: the business server of a local network is there. What no operator means is refused whatever name resolves to
/// it. See `docs/adr/0008-outgoing-http.md`.
package struct AddressRule: Sendable {
    /// Our own gateways: a hook to them would feed itself.
    private let ownPorts: Set<UInt16>
    private let ownAddresses: Set<IPAddress>
    private let reach: Reach

    private enum Reach {
        case everywhere
        case publicNetworks
        case privateNetworks
    }

    /// For addresses that come from somewhere else than the operator: nothing but public ones.
    package static let publicAddresses = AddressRule(.publicNetworks)
    /// For what may not cross the internet: loopback and private networks.
    package static let privateAddresses = AddressRule(.privateNetworks)

    private init(_ reach: Reach) {
        self.ownPorts = []
        self.ownAddresses = []
        self.reach = reach
    }

    /// - Parameters:
    ///   - ownPorts: where this server listens.
    ///   - ownAddresses: the addresses of this machine; loopback is always its own.
    package init(ownPorts: Set<UInt16> = [], ownAddresses: Set<IPAddress> = []) {
        self.ownPorts = ownPorts
        self.ownAddresses = ownAddresses
        self.reach = .everywhere
    }

    /// For a server that listens at `listening` on this machine.
    package init(listening: [BoundAddress]) {
        self.init(
            ownPorts: Set(listening.map(\.port)),
            ownAddresses: Set(SocketAddress.ofInterfaces() + listening.map(\.address)))
    }

    /// Why nothing may be sent there; `nil` when it may.
    package func refusal(of address: IPAddress, port: UInt16) -> String? {
        let place = Self.embedded(in: address) ?? address
        if let reason = Self.refusal(of: place) { return reason }
        switch (self.reach, place.scope) {
        case (.publicNetworks, .loopback), (.publicNetworks, .privateNetwork): return "an address of a private network"
        case (.privateNetworks, .publicNetwork): return "an address on the internet"
        case (.everywhere, _), (.publicNetworks, .publicNetwork), (.privateNetworks, .loopback),
            (.privateNetworks, .privateNetwork):
            break
        }
        let isOwn = address.scope == .loopback || self.ownAddresses.contains(address)
        return isOwn && self.ownPorts.contains(port) ? "teahouse itself" : nil
    }

    private static func refusal(of address: IPAddress) -> String? {
        if self.metadata.contains(address) { return "the metadata service of a cloud" }
        let bytes = address.bytes
        if address.isIPv4 {
            switch (bytes[0], bytes[1]) {
            case (0, _): return "no address of a host"
            case (169, 254): return "a link-local address"
            case (224...239, _): return "a multicast address"
            case (240..., _): return "no address of a host"
            default: return nil
            }
        }
        if bytes.allSatisfy({ $0 == 0 }) { return "no address of a host" }
        if bytes[0] == 0xFF { return "a multicast address" }
        return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 ? "a link-local address" : nil
    }

    /// The IPv4 address inside an IPv6 one that a translator of the network would take it to: `64:ff9b::/96` (RFC 6052)
    /// and `2002::/16` (RFC 3056).
    private static func embedded(in address: IPAddress) -> IPAddress? {
        guard !address.isIPv4 else { return nil }
        let bytes = address.bytes
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return IPAddress(bytes: bytes[12...])
        }
        return bytes.starts(with: [0x20, 0x02]) ? IPAddress(bytes: bytes[2..<6]) : nil
    }

    /// Services that hand out keys to whoever asks from inside a cloud.
    private static let metadata: Set<IPAddress> = Set(
        ["169.254.169.254", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16"].compactMap {
            IPAddress($0)
        })
}
