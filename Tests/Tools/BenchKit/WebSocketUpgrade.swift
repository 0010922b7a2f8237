import Glibc

/// How a connection becomes a WebSocket, with the same key each time: the answer is known, and no SHA-1 is needed.
///
/// Source: RFC 6455, section 1.3, whose sample key and answer these are.
struct WebSocketUpgrade {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let acceptance = StaticBytes("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")

    /// Request of the client.
    let request: [UInt8]
    /// Subprotocol that the server has to choose; `nil` when none is offered.
    private let subprotocol: String?

    /// - Parameters:
    ///   - host: goes into the request: the server's address and port.
    ///   - subprotocol: the only one that is offered.
    init(host: String, subprotocol: String? = nil) {
        let offer = subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""
        self.subprotocol = subprotocol
        self.request = Array(
            """
            GET / HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Key: \(Self.key)\r\n\(offer)Sec-WebSocket-Version: 13\r\n\r\n
            """.utf8)
    }

    /// How many bytes the server's answer has; 0 while it is not whole.
    ///
    /// - Throws: `server` with its first line when it is not a yes, and when it is one to another subprotocol.
    func answerCount(in bytes: UnsafeRawBufferPointer) throws(BenchError) -> Int {
        var emptyLine = KeyFinder("\r\n\r\n")
        guard let end = emptyLine.end(in: bytes) else { return 0 }
        let status = KeyFinder("HTTP/1.1 101")
        let head = bytes.part(0, end)
        guard status.isWhereItWas(in: bytes), Self.contains(Self.acceptance.array, head) else {
            let line = String(decoding: bytes.prefix(while: { $0 >= 0x20 }), as: UTF8.self)
            throw .server("the server did not upgrade to WebSocket: \(line)")
        }
        if let subprotocol, !Self.contains(Array(": \(subprotocol)\r\n".utf8), head) {
            throw .server("the server does not speak \(subprotocol)")
        }
        return end
    }

    private static func contains(_ needle: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= needle.count, let start = bytes.baseAddress else { return false }
        return (0...(bytes.count - needle.count)).contains { memcmp(start + $0, needle, needle.count) == 0 }
    }
}

extension LoadConnection {
    /// Answers a ping.
    ///
    /// - Throws: `server` with the code of a close.
    func handleControl(_ kind: WebSocketFrame.Kind, _ payload: UnsafeRawBufferPointer) throws(BenchError) {
        switch kind {
        case .text, .binary, .pong: break
        case .ping: self.unsent.append(WebSocketFrame.bytes(0x0a, Array(payload)))
        case .close:
            let code = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 1005
            throw .server("the server closed \(self.account.user) with WebSocket code \(code)")
        }
    }
}
