/// The names under which this server may be asked for: a page from elsewhere that points its own name at our address
/// (DNS rebinding) is refused.
struct HostRule: Sendable {
    private let names: Set<String>
    private let addresses: Set<IPAddress>

    /// - Parameters:
    ///   - configured: further names, from the configuration key `hosts`.
    ///   - hostName: of this machine; `<name>` and `<name>.local` are accepted.
    ///   - addresses: of this machine's interfaces.
    init(configured: [String], hostName: String, addresses: [IPAddress]) {
        let own = ASCII.lowercased(hostName)
        let short = own.split(separator: ".").first.map(String.init) ?? own
        self.names = Set(["localhost", own, "\(short)", "\(short).local"] + configured.map { ASCII.lowercased($0) })
            .subtracting(["", ".local"])
        self.addresses = Set(addresses + configured.compactMap { IPAddress($0) })
    }

    /// - Parameters:
    ///   - authority: a Host value, with or without a port.
    ///   - local: our end of the connection that asks; its address may be newer than the list of interfaces.
    func allows(_ authority: String, local: @autoclosure () -> IPAddress?) -> Bool {
        guard let parts = Authority(authority) else { return false }
        if let address = IPAddress(parts.host) {
            return address.scope == .loopback || self.addresses.contains(address) || address == local()
        }
        return self.names.contains(parts.host)
    }
}
