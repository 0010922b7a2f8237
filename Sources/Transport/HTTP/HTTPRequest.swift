/// A request with its body. What crosses to other threads is this value; the responder stays on the reactor.
package struct HTTPRequest: Sendable {
    package let head: HTTPRequestHead
    /// Empty for a WebSocket handshake and for a streamed body.
    package internal(set) var body: [UInt8] = []
    package let peer: PeerAddress
    package let isEncrypted: Bool
    /// The browser page that asks comes from an origin that is neither ours nor configured. Only a gateway that said
    /// so with `acceptsForeignOrigin` ever sees such a request, and it must refuse in its own words.
    package internal(set) var isFromForeignOrigin = false

    init(head: HTTPRequestHead, peer: PeerAddress, isEncrypted: Bool) {
        self.head = head
        self.peer = peer
        self.isEncrypted = isEncrypted
    }

    package var method: String { self.head.method }
    package var path: String { self.head.path }
    package var query: String? { self.head.query }
    package var headers: HTTPHeaders { self.head.headers }

    /// The path's segments, percent-decoded; `nil` when one is not valid UTF-8 or badly encoded. `/a//b/` has the
    /// segments `a`, empty, `b` and empty.
    package var pathSegments: [String]? {
        var segments: [String] = []
        for part in self.head.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = PercentEncoding.decoded(part, plusIsBlank: false) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    /// The first value of `name` in the query, decoded as HTML forms encode it; `nil` when absent or badly encoded.
    package func queryValue(_ name: String) -> String? {
        for item in (self.head.query ?? "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard PercentEncoding.decoded(parts[0], plusIsBlank: true) == name else { continue }
            return parts.count == 1 ? "" : PercentEncoding.decoded(parts[1], plusIsBlank: true)
        }
        return nil
    }
}

/// `%41` for `A`. Source: RFC 3986 section 2.1.
package enum PercentEncoding {
    /// The text behind an encoded one; `nil` for a broken escape or bytes that are not UTF-8.
    package static func decoded(_ text: some StringProtocol, plusIsBlank: Bool) -> String? {
        var bytes: [UInt8] = []
        var source = text.utf8.makeIterator()
        while let byte = source.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = source.next().flatMap(ASCII.hexDigit), let low = source.next().flatMap(ASCII.hexDigit)
                else { return nil }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsBlank && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
