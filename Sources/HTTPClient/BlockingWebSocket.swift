import ByteCodec
import Execution
import Glibc
package import Transport

/// A WebSocket to a server, for a command that tries one: blocks, and gives up after a time. Confined to its thread.
///
/// Source: RFC 6455 sections 4.1 and 5.
package final class BlockingWebSocket {
    /// Message of a WebSocket.
    package enum Message: Hashable, Sendable {
        case text([UInt8])
        case binary([UInt8])
    }

    /// Maximum bytes of one message.
    private static let maximumMessageBytes = 1 << 20
    /// Maximum bytes of the answer's head.
    private static let maximumHeadBytes = 16 * 1024

    private let connection: OutgoingConnection
    private let host: String
    private let cancellation: HTTPCancellation
    private let timeoutMilliseconds: Int64
    private var input: [UInt8] = []
    /// Subprotocol that the server chose; `nil` for none.
    package private(set) var subprotocol: String?

    /// Connects and shakes hands.
    ///
    /// - Parameters:
    ///   - address: where it is, `http://` and not encrypted.
    ///   - via: address to connect to.
    ///   - origin: of the page that would open it; `nil` for none, as apps.
    ///   - timeoutMilliseconds: for the handshake, and for each wait for a message.
    /// - Throws: `badResponse` with the status when the server refuses.
    package init(
        _ address: HTTPAddress, via: IPAddress, subprotocol: String, origin: String? = nil,
        timeoutMilliseconds: Int64, cancellation: HTTPCancellation
    ) throws(HTTPClientError) {
        guard !address.isEncrypted else { throw .badAddress("\(address) is encrypted") }
        self.host = address.host
        self.cancellation = cancellation
        self.timeoutMilliseconds = timeoutMilliseconds
        let patience = Self.patience(address.host, timeoutMilliseconds, cancellation)
        self.connection = try OutgoingConnection(to: via, port: address.port, patience)
        let key = String(decoding: Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255) }), as: UTF8.self)
        var head = "GET \(address.target) HTTP/1.1\r\nHost: \(address.authority)\r\nUser-Agent: teahouse\r\n"
        head +=
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"
        head += "Sec-WebSocket-Protocol: \(subprotocol)\r\n"
        if let origin { head += "Origin: \(origin)\r\n" }
        precondition(!head.utf8.contains { $0 < 0x20 && $0 != 0x0D && $0 != 0x0A }, "control character in a header")
        try self.connection.write(Array((head + "\r\n").utf8), patience)
        try self.readHead(key, patience)
    }

    private static func patience(
        _ host: String, _ milliseconds: Int64, _ cancellation: HTTPCancellation
    ) -> Patience {
        Patience(
            host: host, deadline: Clock.system.now().advanced(byMilliseconds: milliseconds),
            cancellation: cancellation.descriptor)
    }

    private func readHead(_ key: String, _ patience: Patience) throws(HTTPClientError) {
        let end = Array("\r\n\r\n".utf8)
        var searched = 0
        while true {
            let last = self.input.count - end.count
            if last >= searched, let start = (searched...last).first(where: { self.input[$0...].starts(with: end) }) {
                let head = String(decoding: self.input[..<start], as: UTF8.self)
                self.input.removeFirst(start + end.count)
                return try self.judge(head, key)
            }
            searched = max(0, last + 1)
            guard self.input.count <= Self.maximumHeadBytes else {
                throw .badResponse(host: self.host, reason: "its answer has no end")
            }
            let more = try self.connection.read(patience)
            guard !more.isEmpty else { throw .brokenOff(host: self.host) }
            self.input += more
        }
    }

    private func judge(_ head: String, _ key: String) throws(HTTPClientError) {
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1.1") else {
            throw .badResponse(host: self.host, reason: "its answer has no status")
        }
        guard words[1] == "101" else {
            throw .badResponse(host: self.host, reason: "it refuses the WebSocket with \(words[1])")
        }
        var accept: Substring?
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon].lowercased() {
            case "sec-websocket-accept": accept = value
            case "sec-websocket-protocol": self.subprotocol = String(value)
            default: continue
            }
        }
        guard let accept, accept == WebSocketHandshake.accept(key: key) else {
            throw .badResponse(host: self.host, reason: "it does not prove that it has read the handshake")
        }
    }

    // MARK: Messages

    /// Sends a message.
    package func send(_ message: Message) throws(HTTPClientError) {
        switch message {
        case .text(let bytes): try self.send(.text, bytes)
        case .binary(let bytes): try self.send(.binary, bytes)
        }
    }

    private func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) throws(HTTPClientError) {
        var frame: [UInt8] = [0x80 | opcode.rawValue]
        if payload.count < 126 {
            frame.append(0x80 | UInt8(payload.count))
        } else if payload.count <= 0xFFFF {
            frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        } else {
            frame.append(0x80 | 127)
            for shift in stride(from: 56, through: 0, by: -8) { frame.append(UInt8(payload.count >> shift & 0xFF)) }
        }
        let mask = (0..<4).map { _ in UInt8.random(in: 0...255) }
        frame += mask
        frame += payload.enumerated().map { $1 ^ mask[$0 & 3] }
        try self.connection.write(frame, Self.patience(self.host, self.timeoutMilliseconds, self.cancellation))
    }

    /// Waits for a message; `nil` when the server has closed.
    ///
    /// - Throws: `timedOut`, `badResponse` for a message over 1 MiB or in pieces.
    package func receive() throws(HTTPClientError) -> Message? {
        let patience = Self.patience(self.host, self.timeoutMilliseconds, self.cancellation)
        while true {
            while let (first, payload) = try self.takeFrame() {
                switch WebSocketOpcode(rawValue: first & 0x0F) {
                case .text? where first & 0x80 != 0: return .text(payload)
                case .binary? where first & 0x80 != 0: return .binary(payload)
                case .close?: return nil
                case .ping?: try self.send(.pong, payload)
                case .pong?: continue
                case .text?, .binary?, .continuation?, nil:
                    throw .badResponse(host: self.host, reason: "a frame of its WebSocket is in pieces")
                }
            }
            let more = try self.connection.read(patience)
            guard !more.isEmpty else { return nil }
            self.input += more
        }
    }

    /// The first byte and the payload of the next frame; `nil` before it is whole.
    private func takeFrame() throws(HTTPClientError) -> (first: UInt8, payload: [UInt8])? {
        guard self.input.count >= 2 else { return nil }
        let short = Int(self.input[1] & 0x7F)
        let lengthBytes = short == 126 ? 2 : short == 127 ? 8 : 0
        guard self.input.count >= 2 + lengthBytes else { return nil }
        var count: UInt64 = lengthBytes == 0 ? UInt64(short) : 0
        for byte in self.input[2..<(2 + lengthBytes)] { count = count << 8 | UInt64(byte) }
        guard self.input[1] & 0x80 == 0, count <= UInt64(Self.maximumMessageBytes) else {
            throw .badResponse(host: self.host, reason: "a message of its WebSocket is too long, or masked")
        }
        let start = 2 + lengthBytes
        guard self.input.count >= start + Int(count) else { return nil }
        let first = self.input[0]
        let payload = Array(self.input[start..<(start + Int(count))])
        self.input.removeFirst(start + Int(count))
        return (first, payload)
    }
}
