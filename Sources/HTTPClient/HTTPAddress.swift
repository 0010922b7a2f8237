import Transport

/// Where a request goes: `http://host:port/path?query`, or `https`.
package struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// True for `https`.
    package let isEncrypted: Bool
    /// A name, or an address without brackets; ASCII.
    package let host: String
    /// Port, given or the scheme's own.
    package let port: UInt16
    /// Path and query, as they are sent; begins with `/`.
    package let target: String

    /// Most bytes of an address.
    package static let maximumBytes = 2048

    /// - Throws: `badAddress` with what is wrong, for the operator who wrote it.
    package init(_ text: String) throws(HTTPClientError) {
        guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .badAddress("an address has at most \(Self.maximumBytes) characters, all of them visible ASCII")
        }
        guard let (isEncrypted, rest) = Self.scheme(text) else {
            throw .badAddress("\(text) begins with neither http:// nor https://")
        }
        guard !rest.contains("#") else { throw .badAddress("\(text) has a fragment (#), which is never sent") }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else {
            throw .badAddress("write the address without a user and password: requests are signed instead")
        }
        guard let (host, port) = Self.hostAndPort(authority, standard: isEncrypted ? 443 : 80) else {
            throw .badAddress("\(text) has no host, or a port that is no number from 1 to 65535")
        }
        self.isEncrypted = isEncrypted
        self.host = host
        self.port = port
        self.target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
    }

    private init(_ other: HTTPAddress, target: String) {
        self.isEncrypted = other.isEncrypted
        self.host = other.host
        self.port = other.port
        self.target = target
    }

    private static func scheme(_ text: String) -> (isEncrypted: Bool, rest: Substring)? {
        let lower = text.prefix(8).lowercased()
        if lower.hasPrefix("http://") { return (false, text.dropFirst(7)) }
        return lower == "https://" ? (true, text.dropFirst(8)) : nil
    }

    private static func hostAndPort(_ authority: Substring, standard: UInt16) -> (host: String, port: UInt16)? {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<close]
            let rest = authority[authority.index(after: close)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty else { return nil }
        guard let port else { return (host.lowercased(), standard) }
        guard let number = UInt16(port), number > 0 else { return nil }
        return (host.lowercased(), number)
    }

    /// The same address with one more part of the query; `part` is sent as it is.
    package func adding(query part: String) -> HTTPAddress {
        HTTPAddress(self, target: self.target + (self.target.contains("?") ? "&" : "?") + part)
    }

    /// True when the host is written as a loopback or private address; a name is not looked up.
    package var isPrivateLiteral: Bool {
        self.host == "localhost" || IPAddress(self.host).map { $0.scope != .publicNetwork } ?? false
    }

    /// Where a `Location` field leads to. Source: RFC 3986 section 5.2, without dots in paths.
    package func following(location: String) throws(HTTPClientError) -> HTTPAddress {
        if location.hasPrefix("//") { return try HTTPAddress((self.isEncrypted ? "https:" : "http:") + location) }
        guard location.hasPrefix("/") else { return try HTTPAddress(location) }
        return HTTPAddress(self, target: location)
    }

    /// Host and port as the `Host` field has them.
    var authority: String {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        return self.port == (self.isEncrypted ? 443 : 80) ? host : "\(host):\(self.port)"
    }

    /// Without the query, which may hold somebody's key.
    package var description: String {
        "\(self.isEncrypted ? "https" : "http")://\(self.authority)\(self.target.prefix { $0 != "?" })"
    }
}
