import Broker
import ByteCodec
import Server
import TeahouseTesting

/// Steps that scenarios of files share.
extension TestServer {
    /// Questions may follow each other as fast as they can.
    static func withFiles(_ configure: @escaping (inout ServerOptions) -> Void = { _ in }) throws -> TestServer {
        try TestServer { options in
            options.wuKongAPI.perPerson = RateLimit(perSecond: 1e6, burst: 1e6)
            configure(&options)
        }
    }

    /// A request of tus.
    func tus(
        _ method: String, _ path: String, token: String?, _ headers: [(String, String)] = [], body: [UInt8] = []
    ) throws -> HTTPReply {
        try self.http(method, path, token: token, headers: [("Tus-Resumable", "1.0.0")] + headers, body: body)
    }

    /// Begins an upload; its path.
    func beginUpload(_ token: String, size: Int, metadata: String? = nil) throws -> String {
        var headers = [("Upload-Length", String(size))]
        if let metadata { headers.append(("Upload-Metadata", metadata)) }
        let reply = try self.tus("POST", "/api/v1/files", token: token, headers)
        guard reply.status == 201, let place = reply.headers["location"] else {
            throw TestClientError(description: "no upload was begun: \(reply.status) \(reply.text)")
        }
        return place
    }

    func patch(
        _ path: String, token: String, at offset: Int, _ bytes: [UInt8], _ headers: [(String, String)] = []
    ) throws -> HTTPReply {
        let fields = [("Upload-Offset", String(offset)), ("Content-Type", "application/offset+octet-stream")]
        return try self.tus("PATCH", path, token: token, fields + headers, body: bytes)
    }

    /// Uploads a whole file; its path.
    func upload(
        _ token: String, _ bytes: [UInt8], name: String = "a.bin", type: String = "application/octet-stream"
    ) throws -> String {
        let reply = try self.http(
            "PUT", "/api/v1/files?name=\(name)", token: token,
            headers: [("Content-Type", type)] + (bytes.isEmpty ? [("Content-Length", "0")] : []), body: bytes)
        guard reply.status == 201, let path = reply.headers["location"] else {
            throw TestClientError(description: "no file was made: \(reply.status) \(reply.text)")
        }
        return path
    }

    /// Asks after a transfer until it is as wanted.
    func transfer(_ path: String, token: String, until isWanted: (JSONValue) -> Bool) throws -> JSONValue {
        let key = path.split(separator: "/").last ?? ""
        var last = JSONValue.null
        do {
            try waitUntil {
                last = try self.http("GET", "/api/v1/transfers/\(key)", token: token).json
                return isWanted(last)
            }
        } catch {
            throw TestClientError(description: "\(error); the transfer was \(last)")
        }
        return last
    }

    /// One's transfers that are not over.
    func openTransfers(token: String) throws -> [JSONValue] {
        try self.http("GET", "/api/v1/transfers", token: token).json["transfers"]?.array ?? []
    }
}

/// A request whose body comes bit by bit.
final class SlowRequest {
    private let client: TestClient

    init(
        _ server: TestServer, _ method: String, _ path: String, token: String, _ headers: [(String, String)],
        length: Int?
    ) throws {
        self.client = try server.socket()
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n"
        head += "token: \(token)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += length.map { "Content-Length: \($0)\r\n\r\n" } ?? "Transfer-Encoding: chunked\r\n\r\n"
        try self.client.send(raw: head)
    }

    /// A PATCH of tus.
    convenience init(_ server: TestServer, _ path: String, token: String, at offset: Int, length: Int) throws {
        try self.init(
            server, "PATCH", path, token: token,
            [
                ("Tus-Resumable", "1.0.0"), ("Upload-Offset", String(offset)),
                ("Content-Type", "application/offset+octet-stream"),
            ], length: length)
    }

    func send(_ bytes: [UInt8]) throws { try self.client.send(raw: bytes) }

    /// The connection is cut.
    func drop() { self.client.drop() }

    func reply() throws -> HTTPReply { try HTTPTestClient.parse(try self.client.allBytes()) }
}

/// Contents for files.
enum Sample {
    /// The same for the same seed; does not shrink.
    static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }

    /// Shrinks well, and no two lines are the same.
    static func text(_ count: Int) -> [UInt8] {
        var text: [UInt8] = []
        var number = 0
        while text.count < count {
            text += Array("line \(number) of the house of tea \u{8336}\u{9986}\n".utf8)
            number += 1
        }
        return Array(text.prefix(count))
    }
}
