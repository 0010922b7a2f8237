import Accounts
package import ByteCodec

/// An answer over HTTP.
package struct HTTPReply {
    /// Status of the answer.
    package var status: Int
    /// Names in lower case.
    package var headers: [String: String]
    /// Body of the answer.
    package var body: [UInt8]

    /// The body as JSON; `null` when it is none.
    package var json: JSONValue { (try? JSONValue(parsing: self.body)) ?? .null }
    /// Body as text.
    package var text: String { String(decoding: self.body, as: UTF8.self) }
}

/// One request over a connection of its own, blocking. Raw sockets: what the server reads is what stands here.
package enum HTTPTestClient {
    /// - Parameter headers: besides Content-Length, `Connection: close`, and Host where none is given.
    package static func ask(
        port: UInt16, _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) throws -> HTTPReply {
        let client = try TestClient(port: port)
        var head = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n"
        if !headers.contains(where: { $0.0 == "Host" }) { head += "Host: 127.0.0.1:\(port)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        try client.send(raw: Array((head + "\r\n").utf8) + body)
        return try Self.parse(try client.allBytes())
    }

    /// Takes a whole answer apart.
    package static func parse(_ bytes: [UInt8]) throws -> HTTPReply {
        let end = Array("\r\n\r\n".utf8)
        guard let split = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
            throw TestClientError(description: "no HTTP answer: \(String(decoding: bytes, as: UTF8.self))")
        }
        let lines = String(decoding: bytes[..<split], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]) else {
            throw TestClientError(description: "no status line: \(lines.first ?? "")")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers[line[..<colon].lowercased()] = String(value)
        }
        return HTTPReply(status: status, headers: headers, body: Array(bytes[(split + 4)...]))
    }
}

extension TestServer {
    /// The manager's token of this server.
    package func managerToken() throws -> String {
        guard let text = try ManagerToken.text(in: self.folder.path) else {
            throw TestClientError(description: "the server made no manager's token")
        }
        return text
    }

    /// One request; `token` goes into the header field of that name.
    package func http(
        _ method: String, _ target: String, token: String? = nil, headers: [(String, String)] = [],
        body: [UInt8] = []
    ) throws -> HTTPReply {
        var headers = headers
        if let token { headers.append(("token", token)) }
        return try HTTPTestClient.ask(port: self.port, method, target, headers: headers, body: body)
    }

    /// One request with JSON text as its body.
    package func http(
        _ method: String, _ target: String, token: String? = nil, json: String
    ) throws -> (status: Int, json: JSONValue) {
        let reply = try self.http(method, target, token: token, body: Array(json.utf8))
        return (reply.status, reply.json)
    }

    /// A POST of the manager.
    package func manage(_ target: String, _ json: String) throws -> (status: Int, json: JSONValue) {
        try self.http("POST", target, token: try self.managerToken(), json: json)
    }
}
