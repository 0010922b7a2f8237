/// A request with its body. What crosses to other threads is this value; the responder stays on the reactor.
package struct HTTPRequest: Sendable {
    package internal(set) var head: HTTPRequestHead
    /// Empty for a WebSocket handshake and for a streamed body.
    package internal(set) var body: [UInt8] = []
    /// Address of the peer, as a trusted proxy gave it where there is one.
    package let peer: PeerAddress
    /// True when the connection carries TLS.
    package let isEncrypted: Bool
    /// The browser page that asks comes from an origin that is neither ours nor configured. Only a gateway that said
    /// so with `acceptsForeignOrigin` ever sees such a request, and it must refuse in its own words.
    package internal(set) var isFromForeignOrigin = false
    /// The page that asks is of a configured origin, as Origin or, for pictures, Referer says.
    package internal(set) var isFromListedPage = false
    /// The connection is one of a configured proxy, whether or not it introduced a client.
    package internal(set) var isFromProxy = false

    init(head: HTTPRequestHead, peer: PeerAddress, isEncrypted: Bool) {
        self.head = head
        self.peer = peer
        self.isEncrypted = isEncrypted
    }

    /// The request that this one carries in its body, to the same path.
    ///
    /// - Parameters:
    ///   - query: as it stands behind `?`; `nil` for none.
    ///   - fields: header fields that count before those that were sent.
    package func carrying(
        method: String, query: String?, fields: [(String, String)], body: [UInt8]
    ) -> HTTPRequest {
        var request = self
        request.head = HTTPRequestHead(
            method: method, path: self.head.path, query: query, targetAuthority: self.head.targetAuthority,
            minorVersion: self.head.minorVersion, headers: self.head.headers.preceded(by: fields),
            framing: self.head.framing)
        request.body = body
        return request
    }

    /// Method, in capitals as sent.
    package var method: String { self.head.method }
    /// Path, percent-encoded as sent, without the query.
    package var path: String { self.head.path }
    /// Text behind `?`, as sent; `nil` without one.
    package var query: String? { self.head.query }
    /// Header fields of the request.
    package var headers: HTTPHeaders { self.head.headers }
}
