import Accounts
import ByteCodec
import ChatModel
import Execution
import Server
import Store
import TeahouseTesting

/// A whole server whose app has keys, and requests to its LeanCloud API over real sockets.
struct LeanCloudApp {
    let server: TestServer
    let app: AppDescription

    init(_ configure: @escaping (inout ServerOptions) -> Void = { _ in }) throws {
        self.server = try TestServer(configure)
        guard let app = self.server.server.accounts.app.application else {
            throw TestClientError(description: "the server made no app")
        }
        self.app = app
    }

    /// Replaces a key and waits for it.
    func rotate(_ kind: AppKeyKind, overlapSeconds: Int64) throws {
        let done = ConditionLock<Result<AppDescription, StoreError>?>(nil)
        self.server.server.accounts.app.rotate(kind, overlapSeconds: overlapSeconds) { result in
            done.change { $0 = result }
        }
        _ = try done.wait(until: { $0 != nil }, then: { $0 })?.get()
    }

    var asClient: [(String, String)] { [("X-LC-Id", self.app.appID), ("X-LC-Key", self.app.appKey)] }
    var asMaster: [(String, String)] {
        [("X-LC-Id", self.app.appID), ("X-LC-Key", "\(self.app.masterKey),master")]
    }

    /// With the header fields that are given, and no others.
    func ask(
        _ method: String, _ target: String, _ headers: [(String, String)], _ body: JSONValue? = nil
    ) throws -> HTTPReply {
        let type = body == nil ? [] : [("Content-Type", "application/json")]
        return try HTTPTestClient.ask(
            port: self.server.port, method, target, headers: headers + type, body: body?.serialized() ?? [])
    }

    /// As a client of another machine of a private network, whose connection a proxy here tells of. The server must
    /// believe proxies on loopback.
    func askFromElsewhere(
        _ method: String, _ target: String, _ headers: [(String, String)], _ body: JSONValue? = nil
    ) throws -> HTTPReply {
        let bytes = body?.serialized() ?? []
        let client = try self.server.socket()
        var head = "PROXY TCP4 192.168.1.5 192.168.1.1 56324 \(self.server.port)\r\n"
        head += "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(self.server.port)\r\nConnection: close\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += "Content-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n"
        try client.send(raw: Array(head.utf8) + bytes)
        return try HTTPTestClient.parse(try client.allBytes())
    }

    /// With the master key.
    func master(_ method: String, _ target: String, _ body: JSONValue? = nil) throws -> HTTPReply {
        try self.ask(method, target, self.asMaster, body)
    }
}

extension JSONValue {
    /// A value written as JSON text.
    static func of(_ text: String) -> JSONValue { (try? JSONValue(parsing: text)) ?? .null }
}

extension HTTPReply {
    var code: Int64? { self.json["code"]?.integer }
}
