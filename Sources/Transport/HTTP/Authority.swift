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
