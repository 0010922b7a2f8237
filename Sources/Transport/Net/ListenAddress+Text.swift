extension ListenAddress {
    /// Reads `HOST:PORT`: an IPv4 address, an IPv6 address in brackets, `localhost`, or `*` for every address.
    ///
    /// - Returns: `nil` when it is neither.
    package init?(parsing text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" { host = "127.0.0.1" }
        guard host == "*" || IPAddress(host) != nil else { return nil }
        self.init(host: host, port: port)
    }
}

extension BoundAddress: CustomStringConvertible {
    /// As a URL has it: an IPv6 address in brackets.
    package var description: String {
        self.address.isIPv4 ? "\(self.address.text):\(self.port)" : "[\(self.address.text)]:\(self.port)"
    }
}
