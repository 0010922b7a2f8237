import COpenSSL

/// The opening handshake. Source: RFC 6455 section 4.2.
package enum WebSocketHandshake {
    /// Verdict on a request that may ask for a WebSocket.
    enum Verdict {
        /// The value for `Sec-WebSocket-Accept`.
        case valid(accept: String)
        case invalid(status: Int, reason: String)
    }

    static func isAsked(by head: HTTPRequestHead) -> Bool {
        head.headers.hasToken("websocket", in: "upgrade") && head.headers.hasToken("upgrade", in: "connection")
    }

    static func judge(_ head: HTTPRequestHead) -> Verdict {
        guard head.method == "GET", head.minorVersion == 1, head.framing == .none else {
            return .invalid(status: 400, reason: "a WebSocket is asked for with GET, in HTTP/1.1 and without a body")
        }
        guard head.headers.all("sec-websocket-version") == ["13"] else {
            return .invalid(status: 426, reason: "only version 13 of the WebSocket protocol is spoken here")
        }
        let keys = head.headers.all("sec-websocket-key")
        guard keys.count == 1, Self.isKey(keys[0]) else {
            return .invalid(status: 400, reason: "Sec-WebSocket-Key is not 16 bytes in base64")
        }
        return .valid(accept: Self.accept(key: keys[0]))
    }

    /// The subprotocols that the client offers, best first.
    static func offeredProtocols(_ head: HTTPRequestHead) -> [String] {
        head.headers.all("sec-websocket-protocol").flatMap { value in
            value.split(separator: ",").map { ASCII.trimmed($0) }
        }
    }

    /// base64 of 16 bytes: 22 characters and `==`.
    private static func isKey(_ key: String) -> Bool {
        key.utf8.count == 24 && key.hasSuffix("==")
            && key.utf8.prefix(22).allSatisfy { byte in
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
            }
    }

    /// Value of `Sec-WebSocket-Accept` that answers a key.
    package static func accept(key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        SHA1(text, text.count, &digest)
        var encoded = [UInt8](repeating: 0, count: 29)
        EVP_EncodeBlock(&encoded, digest, 20)
        return String(decoding: encoded.prefix(28), as: UTF8.self)
    }
}

extension HTTPRequest {
    /// The WebSocket subprotocols that the client offers, best first; a gateway accepts with one of them or none.
    package var offeredSubprotocols: [String] { WebSocketHandshake.offeredProtocols(self.head) }
}
