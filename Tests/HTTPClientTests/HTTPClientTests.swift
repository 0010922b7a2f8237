import Diagnostics
import Execution
import Glibc
import TeahouseTesting
import Testing

@testable import HTTPClient
@testable import Transport

/// A client that a test asks and waits for.
final class TestHTTPClient {
    let client: HTTPClient

    init(_ change: (inout HTTPClientOptions) -> Void = { _ in }) throws {
        var options = HTTPClientOptions()
        options.threads = 1
        change(&options)
        self.client = try HTTPClient(options)
    }

    deinit { self.client.stop() }

    func send(_ request: HTTPRequestToSend) throws(HTTPClientError) -> HTTPResponse {
        let answer = ConditionLock<Result<HTTPResponse, HTTPClientError>?>(nil)
        self.client.send(request) { result in answer.change { $0 = result } }
        return try answer.wait(until: { $0 != nil }, then: { $0! }).get()
    }

    func get(_ address: String, timeout: Int64 = 30_000) throws(HTTPClientError) -> HTTPResponse {
        try self.send(HTTPRequestToSend(.get, try HTTPAddress(address), timeoutMilliseconds: timeout))
    }
}

@Suite("HTTP client")
struct HTTPClientTests {
    @Test("posts a body with its fields and keeps the connection for the next")
    func keepAlive() throws {
        let receiver = HTTPReceiver { .body("got \($0.text)") }
        let client = try TestHTTPClient()
        for body in ["one", "two", "three"] {
            let response = try client.send(
                HTTPRequestToSend(
                    .post, try HTTPAddress(receiver.address), fields: [("X-Name", "value")], body: Array(body.utf8)))
            #expect(response.status == 200)
            #expect(response.body == Array("got \(body)".utf8))
        }
        let requests = receiver.requests
        #expect(requests.map(\.connection) == [1, 1, 1])
        #expect(requests.map(\.method) == ["POST", "POST", "POST"])
        #expect(requests[0].fields["x-name"] == "value")
        #expect(requests[0].fields["host"] == "127.0.0.1:\(receiver.port)")
        #expect(requests[0].target == "/hook")
    }

    @Test("a connection that the server closed in the meantime is replaced")
    func staleConnection() throws {
        let receiver = HTTPReceiver { request in
            request.connection == 1
                ? .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)) : .body("second")
        }
        let client = try TestHTTPClient()
        #expect(try client.get(receiver.address).body.isEmpty)
        #expect(try client.get(receiver.address).body == Array("second".utf8))
    }

    @Test("a redirect is an answer, and is not followed")
    func redirect() throws {
        let other = HTTPReceiver()
        let location = other.address
        let receiver = HTTPReceiver { _ in
            .raw(Array("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        let response = try TestHTTPClient().get(receiver.address)
        #expect(response.status == 302)
        #expect(response.field("location") == location)
        #expect(other.requests.isEmpty)
    }

    @Test("does not connect to what the rule refuses, by address or by name")
    func rule() throws {
        let receiver = HTTPReceiver()
        let client = try TestHTTPClient { $0.rule = AddressRule(ownPorts: [receiver.port]) }
        for host in ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"] {
            let error = #expect(throws: HTTPClientError.self) { try client.get("http://\(host):\(receiver.port)/") }
            guard case .refusedAddress = error else {
                Issue.record("\(host): \(String(describing: error))")
                continue
            }
        }
        let metadata = HTTPClientError.refusedAddress(
            host: "169.254.169.254", address: "169.254.169.254", reason: "the metadata service of a cloud")
        #expect(throws: metadata) { try client.get("http://169.254.169.254/latest/meta-data/") }
        #expect(receiver.requests.isEmpty)
    }

    @Test("says when nobody listens, when nothing answers, and when the answer breaks off")
    func failures() throws {
        let receiver = HTTPReceiver { request in
            switch request.target {
            case "/silence": .silence
            case "/half": .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf".utf8))
            default: .close
            }
        }
        let base = "http://127.0.0.1:\(receiver.port)"
        let client = try TestHTTPClient()
        #expect(throws: HTTPClientError.timedOut(host: "127.0.0.1")) { try client.get("\(base)/silence", timeout: 50) }
        #expect(throws: HTTPClientError.brokenOff(host: "127.0.0.1")) { try client.get("\(base)/half") }
        #expect(throws: HTTPClientError.brokenOff(host: "127.0.0.1")) { try client.get("\(base)/close") }
        let port = receiver.port
        receiver.stop()
        #expect(throws: HTTPClientError.cannotConnect(host: "127.0.0.1", port: port, code: ECONNREFUSED)) {
            try client.get("\(base)/")
        }
        #expect(throws: HTTPClientError.self) { try client.get("http://nobody.invalid/") }
    }

    @Test("a huge response is cut at the bound")
    func huge() throws {
        let endless = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: 4 << 20)
        let receiver = HTTPReceiver { _ in .raw(endless) }
        let response = try TestHTTPClient().get(receiver.address)
        #expect(response.isCut)
        #expect(response.body.count == 64 * 1024)
    }

    @Test("stopping breaks off what is under way, and refuses what follows")
    func stop() throws {
        let receiver = HTTPReceiver { _ in .silence }
        let client = try HTTPClient(HTTPClientOptions())
        let answers = Mailbox<Result<HTTPResponse, HTTPClientError>>()
        let request = HTTPRequestToSend(.get, try HTTPAddress(receiver.address), timeoutMilliseconds: 600_000)
        client.send(request) { answers.post($0) }
        #expect(receiver.wait { $0.count == 1 } != nil)
        client.stop()
        client.send(request) { answers.post($0) }
        var taken: [Result<HTTPResponse, HTTPClientError>] = []
        answers.takeMessages(into: &taken)
        #expect(taken == [.failure(.stopped), .failure(.busy)])
    }

    @Test("a signature is what another HMAC computes")
    func signature() {
        // python3: hmac.new(b"0123456789abcdef", b'1700000000.[{"a":1}]', "sha256").hexdigest()
        #expect(
            RequestSignature.text(
                secret: Array("0123456789abcdef".utf8), unixSeconds: 1_700_000_000, body: Array("[{\"a\":1}]".utf8))
                == "t=1700000000,v1=57a18806c44eaa9d93120117dcf1da437058c342c13c57b0fa782dbda5f18c4c")
    }
}

@Suite("HTTP client, encrypted")
struct HTTPSClientTests {
    /// A server with an authority of its own, and the file that names the authority.
    final class Served {
        let folder = TemporaryFolder()
        let server: TransportServer
        let caFile: String

        init() throws {
            let tls = try TLSStore(TLSSettings(folder: self.folder.path + "/tls"), log: .silent)
            self.caFile = self.folder.path + "/tls/ca.pem"
            let file = fopen(self.caFile, "w")!
            fwrite(tls.authorityPEM, 1, tls.authorityPEM.count, file)
            fclose(file)
            self.server = try TransportServer(
                settings: TransportSettings(listeners: [ListenAddress(host: "127.0.0.1", port: 0)], reactors: 1),
                limits: TransportLimits(), tls: tls, log: .silent, clock: .system
            ) { _ in [Echo()] }
            self.server.start()
        }

        deinit { self.server.stop() }

        func address(_ host: String) -> String { "https://\(host):\(self.server.addresses[0].port)/a" }
    }

    final class Echo: Gateway {
        func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer { .notMine }
        func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
            responder.respond(status: 200, body: request.body)
            return true
        }
    }

    @Test(
        "speaks to a server that the CA file vouches for, by address and by name",
        arguments: ["127.0.0.1", "localhost"])
    func trusted(host: String) throws {
        let served = try Served()
        let client = try TestHTTPClient { $0.caFile = served.caFile }
        for _ in 0..<2 {
            let response = try client.send(
                HTTPRequestToSend(.post, try HTTPAddress(served.address(host)), body: Array("hi".utf8)))
            #expect(response.body == Array("hi".utf8))
        }
    }

    @Test("does not speak to a server that nobody vouches for")
    func untrusted() throws {
        let served = try Served()
        let error = #expect(throws: HTTPClientError.self) { try TestHTTPClient().get(served.address("127.0.0.1")) }
        #expect(error == .tls(host: "127.0.0.1", reason: "self-signed certificate in certificate chain"))
    }

    @Test("does not speak to a server that is vouched for under another name")
    func wrongName() throws {
        let served = try Served()
        let client = try TestHTTPClient { $0.caFile = served.caFile }
        // Resolves to 127.0.0.1, and is a name of its own to whoever compares it with a certificate.
        let error = #expect(throws: HTTPClientError.self) { try client.get(served.address("127.1")) }
        #expect(error == .tls(host: "127.1", reason: "hostname mismatch"))
    }

    @Test("refuses a CA file that holds none")
    func badFile() {
        #expect(throws: HTTPClientError.badTrust(path: "/dev/null")) { try TestHTTPClient { $0.caFile = "/dev/null" } }
    }
}
