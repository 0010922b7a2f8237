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

/// `host` or `host:port` as it stands in Host, in origins and in absolute targets.
struct Authority: Hashable {
    /// In lower case, without a final dot; an IPv6 address in brackets.
    let host: String
    let port: UInt16?

    init?(_ text: String) {
        let lower = ASCII.lowercased(text)
        var host = Substring(lower)
        var port: UInt16?
        let closing = lower.lastIndex(of: "]") ?? lower.startIndex
        if let colon = lower[closing...].lastIndex(of: ":") {
            host = lower[..<colon]
            guard let number = UInt16(lower[lower.index(after: colon)...]) else { return nil }
            port = number
        }
        if host.hasSuffix(".") { host = host.dropLast() }
        let isLiteral = host.first == "[" && host.last == "]"
        let isName = host.utf8.allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "_") || byte >= 0x80
        }
        guard !host.isEmpty, host.utf8.count <= 255, isLiteral || isName else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// The port, without the scheme's own.
    func port(unless standard: UInt16?) -> UInt16? { self.port == standard ? nil : self.port }
}

/// Which browser pages may talk to us: our own, and those whose origin is configured.
struct OriginRule: Sendable {
    private let origins: Set<String>

    /// - Parameter origins: `https://app.example.com`, or `null`; from the configuration key `origins`.
    init(origins: [String]) { self.origins = Set(origins.map { ASCII.lowercased($0) }) }

    enum Verdict {
        /// No origin, or our own page.
        case own
        /// A configured one: it gets the headers that let it read answers.
        case configured
        case foreign
    }

    /// Source: RFC 6454 section 6 for the form of an origin.
    func judge(origin: String?, authority: String?) -> Verdict {
        guard let origin else { return .own }
        let lower = ASCII.lowercased(origin)
        if self.origins.contains(lower) { return .configured }
        for (scheme, standard) in [("http://", UInt16(80)), ("https://", 443)] where lower.hasPrefix(scheme) {
            guard let page = Authority(String(lower.dropFirst(scheme.count))),
                let own = authority.flatMap({ Authority($0) })
            else { return .foreign }
            let isOwn = page.host == own.host && page.port(unless: standard) == own.port(unless: standard)
            return isOwn ? .own : .foreign
        }
        return .foreign
    }
}
