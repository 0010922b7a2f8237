import Glibc
import Store
import TeahouseTesting
import Testing

/// What a browser meets at the port.
struct LandingPageScenario {
    func get(_ path: String, from server: TestServer) throws -> String {
        let client = try server.socket()
        try client.send(raw: "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return try client.everything()
    }

    @Test("the first page says where one is, and how to trust it")
    func page() throws {
        let server = try TestServer { $0.servesTLS = true }
        let page = try self.get("/", from: server)
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("teahouse") && page.contains("SHA-256 "))
        let certificate = try self.get("/ca.pem", from: server)
        #expect(certificate.contains("-----BEGIN CERTIFICATE-----") && !certificate.contains("PRIVATE"))
    }

    @Test("health is ok, what is not there is 404, also the authority of a server without TLS")
    func others() throws {
        let server = try TestServer()
        #expect(try self.get("/health", from: server).hasSuffix("{\"status\":\"ok\"}"))
        #expect(try self.get("/ca.pem", from: server).hasPrefix("HTTP/1.1 404 "))
        #expect(try self.get("/admin", from: server).hasPrefix("HTTP/1.1 404 "))
    }

    func setUp(_ server: TestServer, token: String, password: String = "tea for two people") throws -> String {
        let body = "{\"token\":\"\(token)\",\"name\":\"lady\",\"password\":\"\(password)\"}"
        let client = try server.socket()
        try client.send(
            raw: "POST /api/v1/setup HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.everything()
    }

    @Test("the setup token makes one administrator; afterwards there is no such route")
    func setup() throws {
        let server = try TestServer()
        let token = try #require(Self.firstLine(of: server.folder.path + "/setup-token"))
        #expect(try self.setUp(server, token: "wrong").hasPrefix("HTTP/1.1 403 "))
        #expect(try self.setUp(server, token: token, password: "short").hasPrefix("HTTP/1.1 400 "))
        #expect(try self.setUp(server, token: token).hasPrefix("HTTP/1.1 201 "))
        let lady = try server.id("lady")
        let role = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.people.user(lady)?.role
        }
        #expect(role == .administrator)
        #expect(try self.setUp(server, token: token).hasPrefix("HTTP/1.1 404 "))
    }

    static func firstLine(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return nil }
        let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
