import COpenSSL
import Diagnostics
import Execution
import Glibc
import Testing

@testable import Transport

/// A folder that goes with the object.
final class TemporaryFolder {
    let path: String

    init() {
        var template = Array("/tmp/transport-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("no temporary folder") }
        self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in self.names { unlink("\(self.path)/\(name)") }
        rmdir(self.path)
    }

    var names: [String] {
        guard let folder = opendir(self.path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func mode(_ name: String) -> mode_t {
        var status = stat()
        lstat("\(self.path)/\(name)", &status)
        return status.st_mode & 0o777
    }

    func write(_ name: String, _ content: [UInt8]) throws {
        try PrivateFolder(path: self.path).write(name, content)
    }

    func read(_ name: String) throws -> [UInt8] { try PrivateFolder(path: self.path).read(name) ?? [] }
}

@Suite("TLS")
struct TLSTests {
    let folder = TemporaryFolder()

    func store(_ certificates: [TLSSettings.Files] = [], hands: ManualClock? = nil) throws -> TLSStore {
        try TLSStore(
            TLSSettings(folder: self.folder.path, certificates: certificates), log: .silent,
            clock: hands?.clock ?? .system)
    }

    @Test("makes an authority and a certificate at the first start, and keeps them")
    func firstStart() throws {
        let first = try self.store()
        #expect(self.folder.names == ["ca.key", "ca.pem", "server.key", "server.pem"])
        #expect(self.folder.names.allSatisfy { self.folder.mode($0) == 0o600 })
        #expect(self.folder.mode(".") == 0o700)
        #expect(first.authorityPin.count == 32)
        let leaf = try self.folder.read("server.pem")
        #expect(try self.store().authorityPin == first.authorityPin)
        #expect(try self.folder.read("server.pem") == leaf)
    }

    @Test("serves a certificate that verifies under every name of this machine", arguments: ["localhost", "127.0.0.1"])
    func verifies(name: String) throws {
        let store = try self.store()
        let server = try TestServer(tls: store)
        let client = try TLSClient(try server.connect(), authority: store.authorityPEM, name: name)
        #expect(client.version == "TLSv1.3")
        #expect(client.chainCount == 2)
        #expect(throws: ClientError.self) {
            try TLSClient(try server.connect(), authority: store.authorityPEM, name: "other.local")
        }
    }

    /// Signs a leaf for `names` and verifies it as a client does.
    private func verification(of names: [String]) throws -> Int32 {
        let now = Clock.system.wallMilliseconds() / 1000
        let authority = try CertificateAuthority(
            folder: try PrivateFolder(path: self.folder.path), hostName: "box", unixSeconds: now)
        let leaf = try authority.sign(try PrivateKey.new(), names: names, unixSeconds: now)
        let trusted = X509_STORE_new()
        let context = X509_STORE_CTX_new()
        defer {
            X509_STORE_CTX_free(context)
            X509_STORE_free(trusted)
        }
        X509_STORE_add_cert(trusted, authority.certificate.pointer)
        X509_STORE_CTX_init(context, trusted, leaf.pointer, nil)
        X509_verify_cert(context)
        return X509_STORE_CTX_get_error(context)
    }

    @Test(
        "its authority can sign for the house",
        arguments: [
            "localhost", "box", "teahouse.local", "a.b.lan", "x.home.arpa", "x.internal", "127.0.0.1", "::1",
            "10.1.2.3",
            "172.16.0.1", "172.31.255.255", "192.168.1.5", "100.64.0.1", "169.254.3.4", "fd00::2", "fe80::1",
        ])
    func permitted(name: String) throws { #expect(try self.verification(of: [name]) == X509_V_OK) }

    @Test(
        "its authority can sign for nobody else",
        arguments: [
            "bank.example.com", "example.com", "notlocal", "local.example.com", "8.8.8.8", "172.32.0.1", "100.128.0.1",
            "2001:db8::1", "::2",
        ])
    func forbidden(name: String) throws {
        #expect(try self.verification(of: [name]) == X509_V_ERR_PERMITTED_VIOLATION)
        #expect(try self.verification(of: ["localhost", name]) == X509_V_ERR_PERMITTED_VIOLATION)
    }

    @Test("leaves names out of its certificate that the authority may not sign")
    func filtered() throws {
        let store = try TLSStore(
            TLSSettings(folder: self.folder.path, hosts: ["im.example.com", "8.8.8.8", "tea.lan", "10.9.9.9"]),
            log: .silent)
        let server = try TestServer(tls: store)
        for name in ["localhost", "tea.lan", "10.9.9.9"] {
            _ = try TLSClient(try server.connect(), authority: store.authorityPEM, name: name)
        }
        #expect(throws: ClientError.self) {
            try TLSClient(try server.connect(), authority: store.authorityPEM, name: "im.example.com")
        }
    }

    @Test("makes no new authority when only its key is missing, and says which file")
    func missingKey() throws {
        _ = try self.store()
        let certificate = try self.folder.read("ca.pem")
        unlink("\(self.folder.path)/ca.key")
        let expected = TransportError.authorityKeyMissing(path: "\(self.folder.path)/ca.key")
        #expect(throws: expected) { try self.store() }
        #expect(expected.description.contains("ca.key"))
        #expect(try self.folder.read("ca.pem") == certificate)
    }

    @Test("refuses an authority whose key is another's")
    func wrongKey() throws {
        _ = try self.store()
        try self.folder.write("ca.key", try PrivateKey.new().pem())
        #expect(throws: TransportError.self) { try self.store() }
    }

    @Test("goes on with the key that a broken first start left")
    func halfFirstStart() throws {
        let pin = try self.store().authorityPin
        for name in ["ca.pem", "server.pem"] { unlink("\(self.folder.path)/\(name)") }
        #expect(try self.store().authorityPin == pin)
    }

    @Test(
        "renews its certificate after two thirds of its life, and keeps the pin",
        arguments: [(264, false), (266, true)])
    func renewal(days: Int64, isRenewed: Bool) throws {
        let hands = ManualClock(wallMilliseconds: Clock.system.wallMilliseconds())
        let store = try self.store(hands: hands)
        let (pin, leaf) = (store.authorityPin, try self.folder.read("server.pem"))
        hands.advance(milliseconds: days * 86_400_000)
        try store.reload()
        #expect(try (self.folder.read("server.pem") != leaf) == isRenewed)
        #expect(store.authorityPin == pin)
    }

    @Test("replaces a certificate that is damaged or from another authority")
    func damagedLeaf() throws {
        _ = try self.store()
        try self.folder.write("server.pem", Array("rubbish".utf8))
        _ = try self.store()
        #expect(try self.folder.read("server.pem").starts(with: Array("-----BEGIN CERTIFICATE".utf8)))
    }

    /// An operator's certificate for one name, from another authority; returns that authority.
    private func operatorFiles(_ name: String) throws -> (files: TLSSettings.Files, authority: [UInt8]) {
        let now = Clock.system.wallMilliseconds() / 1000
        let key = try PrivateKey.new()
        let authority = try CertificateMaker.authority(key: key, hostName: name, unixSeconds: now)
        let leafKey = try PrivateKey.new()
        let leaf = try CertificateMaker.leaf(
            key: leafKey, names: [name], authority: authority, authorityKey: key, unixSeconds: now)
        try self.folder.write("\(name).pem", try leaf.pem())
        try self.folder.write("\(name).key", try leafKey.pem())
        let path = "\(self.folder.path)/\(name)"
        return (TLSSettings.Files(certificate: "\(path).pem", key: "\(path).key"), try authority.pem())
    }

    @Test("chooses the operator's certificate by the name that is asked for, and its own for the rest")
    func byName() throws {
        let (one, two) = (try self.operatorFiles("one.example.com"), try self.operatorFiles("two.example.com"))
        let store = try self.store([one.files, two.files])
        let server = try TestServer(tls: store)
        for (authority, name) in [
            (one.authority, "one.example.com"), (two.authority, "two.example.com"), (store.authorityPEM, "localhost"),
            (store.authorityPEM, "127.0.0.1"),
        ] { _ = try TLSClient(try server.connect(), authority: authority, name: name) }
    }

    @Test("gives new certificates to new connections without touching the old ones")
    func reload() throws {
        let one = try self.operatorFiles("one.example.com")
        let store = try self.store([one.files])
        let server = try TestServer(tls: store)
        let old = try TLSClient(try server.connect(), authority: one.authority, name: "one.example.com")
        let replaced = try self.operatorFiles("one.example.com")
        try server.server.reloadTLS()
        let fresh = try TLSClient(try server.connect(), authority: replaced.authority, name: "one.example.com")
        #expect(fresh.certificateDigest != old.certificateDigest)
        old.send("{}")
        #expect(try old.read(exactly: 2) == Array("{}".utf8))
        unlink(one.files.key)
        #expect(throws: TransportError.self) { try server.server.reloadTLS() }
        _ = try TLSClient(try server.connect(), authority: replaced.authority, name: "one.example.com")
    }

    @Test("names the file of a certificate that cannot be used")
    func badFiles() throws {
        let missing = TLSSettings.Files(certificate: "/nowhere/a.pem", key: "/nowhere/a.key")
        #expect { try self.store([missing]) } throws: { "\($0)".contains("/nowhere/a.pem") }
    }

    @Test("speaks every protocol inside, also in TLS 1.2", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func inside(version: Int32) throws {
        let store = try self.store()
        let server = try TestServer(tls: store)
        func open() throws -> TLSClient {
            try TLSClient(
                try server.connect(), authority: store.authorityPEM, name: "localhost", maximumVersion: version)
        }
        let stream = try open()
        stream.send(" {\"a\":1}")
        #expect(try stream.read(exactly: 7) == Array("{\"a\":1}".utf8))
        let web = try open()
        web.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: web.readToEnd(), as: UTF8.self).hasSuffix("\r\n\r\n/a "))
        let chat = try open()
        chat.send(TestClient.handshake + "\r\n")
        let head = String(decoding: chat.readSome(), as: UTF8.self)
        #expect(head.hasPrefix("HTTP/1.1 101 "))
        let big = [UInt8](repeating: 0x62, count: 200_000)
        chat.send(clientFrame(2, big))
        #expect(try chat.read(exactly: 10 + big.count).suffix(big.count).elementsEqual(big))
    }

    @Test("refuses TLS 1.1 and TLS inside TLS")
    func refusals() throws {
        let store = try self.store()
        let server = try TestServer(tls: store)
        #expect(throws: ClientError.self) {
            try TLSClient(try server.connect(), authority: nil, name: "localhost", maximumVersion: TLS1_1_VERSION)
        }
        let nested = try TLSClient(try server.connect(), authority: nil, name: "localhost")
        nested.send([0x16, 0x03, 0x01, 0, 0])
        #expect(nested.readToEnd().isEmpty)
    }

    @Test("ends a handshake that stalls, and has its place back")
    func stalledHandshake() throws {
        let server = try TestServer(tls: try self.store(), hands: ManualClock())
        let client = try server.connect()
        try client.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
        server.wait { $0.onlyConnection?.stage == .tlsHandshake }
        #expect(server.server.limits.tlsHandshakes.current == 1)
        server.advance(seconds: 11)
        #expect(try client.readToEnd().isEmpty)
        server.waitForConnections(0)
        #expect(server.server.limits.tlsHandshakes.current == 0)
    }

    @Test("gives the place of a handshake that stalls to the next one, while others go on")
    func handshakeLimit() throws {
        let server = try TestServer(
            limits: .with { $0.tlsHandshakes = Limit(name: "tls_handshakes", unit: "handshakes", maximum: 1) },
            tls: try self.store())
        let known = try TLSClient(try server.connect(), authority: nil, name: "localhost")
        let stalled = try server.connect()
        try stalled.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
        server.wait { $0.limits.tlsHandshakes.current == 1 }
        let next = try TLSClient(try server.connect(), authority: nil, name: "localhost")
        #expect(try stalled.readToEnd().isEmpty)
        next.send("{}")
        #expect(try next.read(exactly: 2).count == 2)
        known.send("{}")
        #expect(try known.read(exactly: 2).count == 2)
    }

    @Test("survives a client that goes away while it is being sent to")
    func noPipeSignal() throws {
        let server = try TestServer(
            Behaviour(received: { connection, _, _ in
                let id = connection.id
                connection.pauseReading()
                connection.reactor.after(milliseconds: 20) { reactor in
                    guard let connection = reactor.connection(id) else { return }
                    for _ in 0..<20 { WebSocketServerTests.flood(connection, 1) }
                }
            }), tls: try self.store())
        for _ in 0..<5 {
            let client = try TLSClient(try server.connect(), authority: nil, name: "localhost")
            client.send("{}")
        }
        server.waitForConnections(0)
        _ = try TLSClient(try server.connect(), authority: nil, name: "localhost")
    }
}
