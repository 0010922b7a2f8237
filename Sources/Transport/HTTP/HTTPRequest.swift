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
}
