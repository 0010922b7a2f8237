import TeahouseTesting
import Testing

/// What a browser meets at the port.
struct FrontDoorScenario {
    func get(_ path: String, from house: House) throws -> String {
        let client = try house.socket()
        try client.send(raw: "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return try client.everything()
    }

    @Test("the first page says where one is, and how to trust it")
    func page() throws {
        let house = try House { $0.servesTLS = true }
        let page = try self.get("/", from: house)
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("teahouse") && page.contains("SHA-256 "))
        let certificate = try self.get("/ca.pem", from: house)
        #expect(certificate.contains("-----BEGIN CERTIFICATE-----") && !certificate.contains("PRIVATE"))
    }

    @Test("health is ok, what is not there is 404, also the authority of a server without TLS")
    func others() throws {
        let house = try House()
        #expect(try self.get("/health", from: house).hasSuffix("{\"status\":\"ok\"}"))
        #expect(try self.get("/ca.pem", from: house).hasPrefix("HTTP/1.1 404 "))
        #expect(try self.get("/admin", from: house).hasPrefix("HTTP/1.1 404 "))
    }
}
