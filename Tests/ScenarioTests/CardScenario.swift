import Configuration
import Glibc
import TeahouseTesting
import Testing

@testable import Server

/// The printed card, and the authority in the forms that phones install.
struct CardScenario {
    func get(_ path: String, from server: TestServer) throws -> HTTPReply {
        try HTTPTestClient.ask(port: server.port, "GET", path)
    }

    @Test("the card has the name, the address, its QR code, the fingerprint and the steps, in both languages")
    func card() throws {
        let server = try TestServer {
            $0.servesTLS = true
            $0.name = "茶馆 <b>&\"'"
            $0.publicURL = "http://chat.lan:7677"
        }
        let card = try self.get("/card", from: server)
        #expect(card.status == 200 && card.headers["content-type"] == "text/html; charset=utf-8")
        #expect(card.text.contains("<h1>茶馆 &lt;b&gt;&amp;&quot;&#39;</h1>") && !card.text.contains("<b>"))
        for piece in [
            "http://chat.lan:7677</p>", "<svg ", "http://chat.lan:7677/ca.mobileconfig", "http://chat.lan:7677/ca.crt",
            "https://chat.lan:7677", "SHA-256", "iPhone", "HarmonyOS", "扫码", "Scan the code",
        ] {
            #expect(card.text.contains(piece), "\(piece)")
        }
        #expect(!card.text.contains("card."))
        let policy = card.headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"))
    }

    @Test("a card is made once, and again when something on it is another one")
    func madeOnce() {
        var (page, made) = (KeptPage(), [String]())
        for address in ["http://a", "http://a", "http://b", "http://b"] {
            let bytes = page.bytes(of: Card(name: "茶馆", address: address)) { card in
                made.append(card.address)
                return Array(card.address.utf8)
            }
            #expect(bytes == Array(address.utf8))
        }
        #expect(made == ["http://a", "http://b"])
    }

    @Test("without TLS the card asks for no certificate")
    func plain() throws {
        let server = try TestServer { $0.publicURL = "http://chat.lan:7677" }
        let card = try self.get("/card", from: server)
        #expect(card.status == 200 && !card.text.contains("SHA-256") && !card.text.contains("/ca."))
        #expect(try self.get("/ca.crt", from: server).status == 404)
        #expect(try self.get("/ca.mobileconfig", from: server).status == 404)
    }

    @Test("an address that is not configured is the one of the listener")
    func ownAddress() throws {
        let server = try TestServer()
        #expect(try self.get("/card", from: server).text.contains("http://127.0.0.1:\(server.port)</p>"))
    }

    @Test("phones get the authority with the types that they install by")
    func authority() throws {
        let server = try TestServer {
            $0.servesTLS = true
            $0.name = "茶馆 & co"
        }
        let certificate = try self.get("/ca.crt", from: server)
        #expect(certificate.headers["content-type"] == "application/x-x509-ca-cert")
        // A DER sequence with a length of two bytes, as long as it says.
        #expect(certificate.body.prefix(2) == [0x30, 0x82])
        #expect(certificate.body.count == Int(certificate.body[2]) << 8 + Int(certificate.body[3]) + 4)
        let profile = try self.get("/ca.mobileconfig", from: server)
        #expect(profile.headers["content-type"] == "application/x-apple-aspen-config")
        #expect(profile.text.contains("com.apple.security.root") && profile.text.contains("茶馆 &amp; co"))
        #expect(try self.get("/ca.mobileconfig", from: server).body == profile.body)
    }

    @Test(
        "a name of a server is short, visible and on one line",
        arguments: [
            ("茶馆", true), ("Tea house 2", true), (String(repeating: "茶", count: 40), true),
            (String(repeating: "茶", count: 41), false), ("", false), (" tea", false), ("tea ", false),
            ("tea\nhouse", false), ("tea\u{202E}house", false), ("\u{1B}[2J", false),
        ])
    func names(_ name: String, _ isGood: Bool) {
        #expect(ServerOptions.isName(name) == isGood)
    }
}
