import Glibc

/// Surprise of a test client.
package struct TestClientError: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

/// A TCP connection to a server on loopback, in bytes. It waits for what must come and gives up loudly.
package final class ClientSocket {
    /// For who puts TLS over it. Open as long as this is.
    package let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Most milliseconds to wait for something that must come.
    private static let patienceMilliseconds: Int32 = 120_000

    /// - Parameter receiveBufferBytes: how much the kernel keeps for who does not read; `nil` for as it likes.
    package init(port: UInt16, receiveBufferBytes: Int32? = nil) throws {
        self.descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var bytes = receiveBufferBytes {
            setsockopt(self.descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw TestClientError(description: "connect failed: errno \(errno)") }
    }

    deinit { Glibc.close(self.descriptor) }

    /// Cuts the connection without a word.
    package func drop() { shutdown(self.descriptor, Int32(SHUT_RDWR)) }

    /// Sends bytes.
    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestClientError(description: "send failed: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for some bytes; `nil` when the server has closed.
    package func receive() throws -> ArraySlice<UInt8>? {
        var entry = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Self.patienceMilliseconds) > 0 else {
            throw TestClientError(description: "nothing came in \(Self.patienceMilliseconds) ms")
        }
        let count = recv(self.descriptor, &self.buffer, self.buffer.count, 0)
        return count > 0 ? self.buffer[..<count] : nil
    }
}

/// A WebSocket to a server on loopback, in whole messages.
package final class ClientWebSocket {
    /// Message of a WebSocket.
    package enum Message: Hashable {
        case text([UInt8])
        case binary([UInt8])
    }

    private let socket: ClientSocket
    private var input: [UInt8] = []
    /// The answer to the handshake.
    private var head = ""
    /// Code of the server's close frame; `nil` before.
    package private(set) var closeCode: UInt16?

    /// Connects and shakes hands.
    ///
    /// - Parameter fields: of the header besides those of the handshake.
    package init(port: UInt16, path: String = "/", fields: [(String, String)] = [], receiveBufferBytes: Int32? = nil)
        throws
    {
        self.socket = try ClientSocket(port: port, receiveBufferBytes: receiveBufferBytes)
        let request = """
            GET \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            \(fields.map { "\($0.0): \($0.1)\r\n" }.joined())\r

            """
        try self.socket.send(Array(request.utf8))
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let start = self.input.indices.first(where: { self.input[$0...].starts(with: end) }) {
                self.head = String(decoding: self.input[..<start], as: UTF8.self)
                self.input.removeFirst(start + end.count)
                guard self.head.hasPrefix("HTTP/1.1 101") else {
                    throw TestClientError(description: "refused: \(self.head)")
                }
                return
            }
            guard let more = try self.socket.receive() else { throw TestClientError(description: "no WebSocket") }
            self.input += more
        }
    }

    /// A field of the answer to the handshake.
    package func field(_ name: String) -> String? {
        for line in self.head.split(separator: "\r\n") where line.lowercased().hasPrefix("\(name): ") {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }

    /// Cuts the connection without a word.
    package func drop() { self.socket.drop() }

    /// Sends a message.
    package func send(_ message: Message) throws {
        switch message {
        case .text(let bytes): try self.send(1, bytes)
        case .binary(let bytes): try self.send(2, bytes)
        }
    }

    /// A final frame, masked with zeros as RFC 6455 section 5.3 allows.
    private func send(_ opcode: UInt8, _ payload: [UInt8]) throws {
        var frame: [UInt8] = [0x80 | opcode]
        if payload.count < 126 {
            frame.append(0x80 | UInt8(payload.count))
        } else if payload.count <= 65_535 {
            frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        } else {
            frame.append(0x80 | 127)
            for shift in stride(from: 56, through: 0, by: -8) { frame.append(UInt8(payload.count >> shift & 0xFF)) }
        }
        try self.socket.send(frame + [0, 0, 0, 0] + payload)
    }

    /// Waits for a message; `nil` when the server has closed.
    package func receive() throws -> Message? {
        while true {
            if let (opcode, payload) = self.takeFrame() {
                switch opcode {
                case 1: return .text(payload)
                case 2: return .binary(payload)
                case 8:
                    if payload.count >= 2 { self.closeCode = UInt16(payload[0]) << 8 | UInt16(payload[1]) }
                    return nil
                default: continue
                }
            }
            guard let more = try self.socket.receive() else { return nil }
            self.input += more
        }
    }

    /// Takes the frame that the input starts with; servers send no fragments and mask nothing.
    private func takeFrame() -> (opcode: UInt8, payload: [UInt8])? {
        guard self.input.count >= 2 else { return nil }
        var start = 2
        var length = Int(self.input[1] & 0x7F)
        if length >= 126 {
            let bytes = length == 126 ? 2 : 8
            guard self.input.count >= 2 + bytes else { return nil }
            length = self.input[2..<2 + bytes].reduce(0) { $0 << 8 | Int($1) }
            start += bytes
        }
        guard self.input.count >= start + length else { return nil }
        let frame = (self.input[0] & 0x0F, Array(self.input[start..<start + length]))
        self.input.removeFirst(start + length)
        return frame
    }
}
