import ByteCodec
import ChatModel
import Server
import TeahouseTesting
import Testing

/// A client of the native API: one person, over real sockets.
struct NativeClient {
    let server: TestServer
    var token: String?

    init(_ server: TestServer, _ name: String? = nil) throws {
        self.server = server
        self.token = try name.map { try server.token($0, .web) }
    }

    /// One request; the body is JSON text.
    func ask(
        _ method: String, _ path: String, _ json: String = "", language: String? = nil
    ) throws -> HTTPReply {
        var headers: [(String, String)] = []
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if let language { headers.append(("Accept-Language", language)) }
        return try self.server.http(method, "/api/v1\(path)", headers: headers, body: Array(json.utf8))
    }

    func get(_ path: String) throws -> JSONValue { try self.ask("GET", path).json }

    /// A request that is done with this status, and its answer.
    @discardableResult
    func done(
        _ method: String, _ path: String, _ json: String = "", status: Int = 200,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        let reply = try self.ask(method, path, json)
        #expect(reply.status == status, "\(reply.text)", sourceLocation: location)
        return reply.json
    }

    /// A request that is refused, and its code.
    func refused(
        _ method: String, _ path: String, _ json: String = "", _ location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let reply = try self.ask(method, path, json)
        #expect(reply.headers["content-type"] == "application/problem+json", "\(reply.text)", sourceLocation: location)
        #expect(reply.json["status"]?.integer == Int64(reply.status), sourceLocation: location)
        return reply.json["code"]?.string ?? "(none)"
    }
}
