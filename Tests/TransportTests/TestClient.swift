import CLinux
import Glibc

struct ClientError: Error, CustomStringConvertible {
    let description: String
}

/// A blocking socket on loopback. A read that takes 20 seconds fails the test.
final class TestClient {
    let descriptor: Int32

    /// - Parameter receiveBufferBytes: small ones make a reader that is soon full.
    init(port: UInt16, receiveBufferBytes: Int32? = nil) throws {
        signal(SIGPIPE, SIG_IGN)
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if let receiveBufferBytes { self.set(SOL_SOCKET, SO_RCVBUF, receiveBufferBytes) }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        self.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let failure = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard failure == 0 else { throw ClientError(description: "connect failed: errno \(clinux_errno())") }
    }

    deinit { close(self.descriptor) }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(self.descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The port on this side, which names the connection to the server.
    var localPort: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(self.descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(self.descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw ClientError(description: "write failed: errno \(clinux_errno())") }
            rest = rest.dropFirst(count)
        }
    }

    func send(_ text: String) throws { try self.send(Array(text.utf8)) }

    /// Each byte in a write of its own.
    func sendByteByByte(_ bytes: [UInt8]) throws { for byte in bytes { try self.send([byte]) } }

    func finishSending() { shutdown(self.descriptor, Int32(SHUT_WR)) }

    /// Up to `count` bytes; empty at the end of the connection, also when it was reset.
    func readSome(_ count: Int = 65_536) throws -> [UInt8] {
        var room = [UInt8](repeating: 0, count: count)
        let got = Glibc.read(self.descriptor, &room, count)
        if got < 0, clinux_errno() == ECONNRESET { return [] }
        guard got >= 0 else { throw ClientError(description: "read failed: errno \(clinux_errno())") }
        return Array(room[..<got])
    }

    func read(exactly count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = try self.readSome(count - bytes.count)
            guard !piece.isEmpty else { throw ClientError(description: "the end after \(bytes.count) of \(count)") }
            bytes += piece
        }
        return bytes
    }

    func readToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try self.readSome()
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    func readLine() throws -> String {
        var line: [UInt8] = []
        while !line.suffix(2).elementsEqual([0x0D, 0x0A]) { line += try self.read(exactly: 1) }
        return String(decoding: line.dropLast(2), as: UTF8.self)
    }
}

/// A response as a client sees it.
struct TestResponse {
    var status = 0
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    /// Sizes of the chunks, when it came in chunks.
    var chunks: [Int] = []
    var text: String { String(decoding: self.body, as: UTF8.self) }
}

extension TestClient {
    func readResponse(toHead: Bool = false) throws -> TestResponse {
        var response = TestResponse()
        let parts = try self.readLine().split(separator: " ")
        guard parts.count >= 2, let status = Int(parts[1]) else {
            throw ClientError(description: "no status line: \(parts)")
        }
        response.status = status
        while true {
            let line = try self.readLine()
            if line.isEmpty { break }
            let field = line.split(separator: ":", maxSplits: 1)
            response.headers[field[0].lowercased()] = String(field[1].drop { $0 == " " })
        }
        if toHead || status == 204 || status == 101 || status == 100 { return response }
        if let length = response.headers["content-length"].flatMap({ Int($0) }) {
            response.body = try self.read(exactly: length)
        } else if response.headers["transfer-encoding"] == "chunked" {
            try self.readChunks(into: &response)
        } else {
            response.body = try self.readToEnd()
        }
        return response
    }

    private func readChunks(into response: inout TestResponse) throws {
        while true {
            let line = try self.readLine()
            guard let size = Int(line, radix: 16) else { throw ClientError(description: "no chunk size: \(line)") }
            if size > 0 {
                response.chunks.append(size)
                response.body += try self.read(exactly: size)
            }
            guard try self.readLine().isEmpty else { throw ClientError(description: "no line end after a chunk") }
            if size == 0 { return }
        }
    }
}

/// A frame as it came from the server.
struct TestFrame: Equatable {
    var opcode: UInt8
    var payload: [UInt8]
    var isFinal = true

    static func text(_ text: String) -> TestFrame { TestFrame(opcode: 1, payload: Array(text.utf8)) }

    /// Code of a close frame.
    var closeCode: Int? {
        self.opcode == 8 && self.payload.count >= 2 ? Int(self.payload[0]) << 8 | Int(self.payload[1]) : nil
    }
}

/// WebSocket, client side, by hand.
extension TestClient {
    static let handshake = """
        GET /chat HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n
        """

    func openWebSocket(_ more: String = "") throws {
        try self.send(Self.handshake + more + "\r\n")
        let response = try self.readResponse()
        guard response.status == 101 else { throw ClientError(description: "status \(response.status)") }
    }

    func readFrame() throws -> TestFrame {
        let head = try self.read(exactly: 2)
        var count = Int(head[1])
        if count == 126 { count = try self.read(exactly: 2).reduce(0) { $0 << 8 | Int($1) } }
        if count == 127 { count = try self.read(exactly: 8).reduce(0) { $0 << 8 | Int($1) } }
        return TestFrame(opcode: head[0] & 0x0F, payload: try self.read(exactly: count), isFinal: head[0] & 0x80 != 0)
    }
}

/// A masked client frame; `length` may lie.
func clientFrame(
    _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, length: UInt64? = nil, key: [UInt8] = [1, 2, 3, 4]
) -> [UInt8] {
    let count = length ?? UInt64(payload.count)
    var bytes = [opcode | (isFinal ? 0x80 : 0)]
    func bigEndian(_ number: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
    switch count {
    case 0..<126: bytes.append(0x80 | UInt8(count))
    case 126...0xFFFF: bytes += [0xFE] + bigEndian(count, 2)
    default: bytes += [0xFF] + bigEndian(count, 8)
    }
    return bytes + key + payload.enumerated().map { $0.element ^ key[$0.offset % 4] }
}

func clientFrame(text: String) -> [UInt8] { clientFrame(1, Array(text.utf8)) }
