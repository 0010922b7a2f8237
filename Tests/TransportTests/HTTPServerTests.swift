import Execution
import Glibc
import Testing

@testable import Transport

@Suite("HTTP server")
struct HTTPServerTests {
    static let get = "GET /a HTTP/1.1\r\nHost: localhost\r\n"

    @Test("answers with length and date, and keeps the connection")
    func keepAlive() throws {
        let server = try TestServer()
        let client = try server.connect()
        for _ in 0..<3 {
            try client.send("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi")
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(response.text == "/a hi")
            #expect(response.headers["date"]?.hasSuffix(" GMT") == true)
            #expect(response.headers["connection"] == nil)
        }
    }

    @Test("reads a request that comes byte by byte")
    func cut() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.sendByteByByte(
            Array(
                "\r\nPOST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                    .utf8))
        #expect(try client.readResponse().text == "/a abc")
    }

    @Test("answers pipelined requests in their order, also when the answers come late")
    func pipelining() throws {
        let server = try TestServer(
            Behaviour(respond: { request, responder in
                if request.path == "/late" {
                    let reactor = responder.connection!.reactor
                    reactor.after(milliseconds: 1) { _ in responder.respond(status: 200, body: Array("late".utf8)) }
                } else {
                    responder.respond(status: 200, body: Array(request.path.utf8))
                }
                return true
            }))
        let client = try server.connect()
        let paths = ["/1", "/late", "/2", "/3", "/late", "/4"]
        try client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
        for path in paths {
            #expect(try client.readResponse().text == (path == "/late" ? "late" : path))
        }
    }

    @Test("answers what nobody knows with 404 in JSON")
    func notFound() throws {
        let server = try TestServer(Behaviour(respond: { _, _ in false }))
        let client = try server.connect()
        try client.send(Self.get + "\r\n")
        let response = try client.readResponse()
        #expect(response.status == 404)
        #expect(response.text == "{\"error\":\"not found\",\"msg\":\"not found\",\"status\":404,\"code\":1}\n")
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
    }

    @Test("sends no body to HEAD, but its length")
    func head() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send("HEAD /abc HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.get + "\r\n")
        #expect(try client.readResponse(toHead: true).headers["content-length"] == "5")
        #expect(try client.readResponse().text == "/a ")
    }

    @Test("closes after an HTTP/1.0 request, unless it asks to stay")
    func http10() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try client.readResponse().headers["connection"] == "keep-alive")
        try client.send("GET /2 HTTP/1.0\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.headers["connection"] == "close")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("closes when the client asks for it")
    func connectionClose() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send(Self.get + "Connection: close\r\n\r\n")
        #expect(try client.readResponse().headers["connection"] == "close")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("still answers a client that has shut its direction")
    func halfClose() throws {
        let server = try TestServer(
            Behaviour(respond: { _, responder in
                responder.connection!.reactor.after(milliseconds: 5) { _ in responder.respond(status: 200) }
                return true
            }))
        let client = try server.connect()
        try client.send(Self.get + "\r\n")
        client.finishSending()
        #expect(try client.readResponse().status == 200)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("asks for the body when it is expected to")
    func expectContinue() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send("POST /a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try client.readResponse().status == 100)
        try client.send("hi")
        #expect(try client.readResponse().text == "/a hi")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: String
        let status: Int

        init(_ status: Int, _ name: String, _ request: String) {
            (self.testDescription, self.request, self.status) = (name, request, status)
        }
    }

    static let refusals = [
        Refusal(400, "smuggling", get + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Refusal(400, "no Host", "GET / HTTP/1.1\r\n\r\n"),
        Refusal(413, "a body over the limit", get + "Content-Length: 1001\r\n\r\n"),
        Refusal(
            413, "chunks over the limit",
            get + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + String(repeating: "x", count: 1001) + "\r\n"),
        Refusal(415, "a compressed body", get + "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx"),
        Refusal(417, "an unknown expectation", get + "Expect: tea\r\n\r\n"),
        Refusal(421, "another name", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        Refusal(421, "another address", "GET / HTTP/1.1\r\nHost: 8.8.8.8\r\n\r\n"),
        Refusal(421, "another name in the target", "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Refusal(431, "a header over the limit", get + "X: " + String(repeating: "x", count: 16_400) + "\r\n\r\n"),
        Refusal(431, "fields over the limit", get + String(repeating: "X: y\r\n", count: 100) + "\r\n"),
        Refusal(403, "a foreign page", get + "Origin: http://evil.example\r\n\r\n"),
        Refusal(403, "a page without an origin", get + "Origin: null\r\n\r\n"),
        Refusal(
            403, "a foreign preflight",
            "OPTIONS /a HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: PUT\r\n\r\n"
        ),
        Refusal(505, "HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Refusal(400, "a PROXY header of a stranger", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n\r\n"),
    ]

    @Test("refuses and closes", arguments: refusals)
    func refuses(_ refusal: Refusal) throws {
        let server = try TestServer(limits: .with { $0.bodyBytes = .init(name: "body", unit: "bytes", maximum: 1000) })
        let client = try server.connect()
        try client.send(refusal.request)
        let response = try client.readResponse()
        #expect(response.status == refusal.status)
        #expect(response.text.hasPrefix("{\"error\":\""))
        #expect(response.headers["connection"] == "close")
        #expect(response.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("names the origin and the key that would allow it")
    func originHint() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send(Self.get + "Origin: http://evil.example\r\n\r\n")
        let text = try client.readResponse().text
        #expect(text.contains("http://evil.example") && text.contains("`origins`"))
    }

    @Test("gives configured origins what browsers need, and no one else")
    func configuredOrigin() throws {
        let server = try TestServer(origins: ["https://app.example.com"])
        let client = try server.connect()
        let origin = "Origin: https://app.example.com\r\n"
        try client.send(
            "OPTIONS /a HTTP/1.1\r\nHost: localhost\r\n\(origin)Access-Control-Request-Method: PUT\r\n"
                + "Access-Control-Request-Headers: x-token\r\n\r\n")
        let preflight = try client.readResponse()
        #expect(preflight.status == 204)
        #expect(preflight.headers["access-control-allow-methods"] == "PUT")
        #expect(preflight.headers["access-control-allow-headers"] == "x-token")
        #expect(preflight.headers["access-control-allow-credentials"] == nil)
        try client.send(Self.get + origin + "\r\n")
        let response = try client.readResponse()
        #expect(response.headers["access-control-allow-origin"] == "https://app.example.com")
        #expect(response.headers["vary"] == "Origin")
        try client.send(Self.get + "\r\n")
        #expect(try client.readResponse().headers["access-control-allow-origin"] == nil)
    }

    @Test("streams an answer in chunks, and to HTTP/1.0 until it closes")
    func chunks() throws {
        let server = try TestServer(
            Behaviour(respond: { _, responder in
                responder.start(status: 200, contentLength: nil)
                responder.write(Array("one".utf8))
                responder.write([])
                responder.write(shared: SharedBytes([UInt8](repeating: 0x78, count: 5000)))
                responder.finish()
                return true
            }))
        let client = try server.connect()
        try client.send(Self.get + "\r\n")
        let response = try client.readResponse()
        #expect(response.chunks == [3, 5000])
        #expect(response.text == "one" + String(repeating: "x", count: 5000))
        try client.send("GET / HTTP/1.0\r\n\r\n")
        let old = try client.readResponse()
        #expect(old.headers["transfer-encoding"] == nil && old.body == response.body)
    }

    @Test("lets a long answer wait for a slow reader")
    func longAnswer() throws {
        let piece = [UInt8](repeating: 0x79, count: 64 * 1024)
        let server = try TestServer(
            Behaviour(respond: { _, responder in
                responder.start(status: 200, contentLength: 400 * piece.count)
                let left = Counter(400)
                let more: () -> Void = { [unowned responder] in
                    while left.value > 0, !responder.isCongested {
                        responder.write(piece)
                        left.value -= 1
                    }
                    guard left.value == 0, let whole = left.hold else { return }
                    whole.finish()
                    left.hold = nil
                }
                left.hold = responder
                responder.whenDrained = more
                more()
                return true
            }))
        let client = try server.connect(receiveBufferBytes: 64 * 1024)
        try client.send(Self.get + "\r\n")
        #expect(try client.readResponse().body.count == 400 * piece.count)
        #expect(server.server.limits.outboxBytes.peak < 2 * 1024 * 1024)
    }

    /// A count that closures on one reactor share.
    private final class Counter {
        var value: Int
        var hold: HTTPResponder?
        init(_ value: Int) { self.value = value }
    }

    @Test("answers 500 when a gateway forgets to answer")
    func forgotten() throws {
        let server = try TestServer(Behaviour(respond: { _, _ in true }))
        let client = try server.connect()
        try client.send(Self.get + "\r\n" + Self.get + "\r\n")
        #expect(try client.readResponse().status == 500)
        #expect(try client.readResponse().status == 500)
    }

    @Test("tells a responder when its connection has gone")
    func whenEnded() throws {
        let ended = ConditionLock(false)
        let server = try TestServer(
            Behaviour(respond: { _, responder in
                responder.start(status: 200, contentLength: 10)
                responder.whenEnded = {
                    _ = responder
                    ended.change { $0 = true }
                }
                responder.connection!.abort()
                return true
            }))
        let client = try server.connect()
        try client.send(Self.get + "\r\n")
        ended.wait(until: { $0 }) { _ in }
        #expect(try client.readToEnd().count < 200)
    }

    @Test("streams a body of any size to its receiver, who can hold the client back")
    func streamedBody() throws {
        let server = try TestServer(
            Behaviour(
                plan: { _, connection, recorder in .streamed(SlowReceiver(connection, recorder)) },
                respond: { request, responder in
                    responder.respond(status: request.body.isEmpty ? 201 : 500)
                    return true
                }))
        let client = try server.connect()
        let total = 3 * 1024 * 1024
        try client.send("PUT /file HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(total)\r\n\r\n")
        let body = [UInt8](repeating: 1, count: total)
        try client.send(body)
        #expect(try client.readResponse().status == 201)
        #expect(server.recorder.all.last == "got \(total)")
        try client.send("PUT /file HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf")
        server.recorder.wait(for: "got 4")
        client.finishSending()
        server.recorder.wait(for: "cancelled")
    }

    /// Pauses after every piece, and goes on a little later.
    private final class SlowReceiver: BodyReceiver {
        private let connection: Connection
        private let recorder: Recorder
        private var total = 0

        init(_ connection: Connection, _ recorder: Recorder) {
            self.connection = connection
            self.recorder = recorder
        }

        func received(_ bytes: UnsafeRawBufferPointer) {
            self.total += bytes.count
            self.recorder.add("got \(self.total)")
            self.connection.pauseReading()
            let id = self.connection.id
            self.connection.reactor.after(milliseconds: 0) { $0.connection(id)?.resumeReading() }
        }

        func cancelled() { self.recorder.add("cancelled") }
    }

    @Test(
        "an answer that comes after its connection has gone is ignored, whole or in pieces", arguments: [true, false])
    func answersTooLate(isWhole: Bool) throws {
        let hasAnswered = ConditionLock(false)
        var behaviour = Behaviour()
        behaviour.respond = { _, responder in
            guard let connection = responder.connection else { return false }
            connection.abort()
            connection.reactor.after(milliseconds: 1) { _ in
                if isWhole {
                    responder.respond(status: 200)
                } else {
                    responder.start(status: 200, contentLength: nil)
                    responder.write(Array("late".utf8))
                    responder.finish()
                }
                responder.cancel()
                hasAnswered.change { $0 = true }
            }
            return true
        }
        let server = try TestServer(behaviour)
        let client = try server.connect()
        try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        hasAnswered.wait(until: { $0 }) { _ in }
        // The server is there for others.
        #expect(server.onReactor { $0.index } == 0)
    }

    @Test("refuses a body before it is read")
    func refusedPlan() throws {
        let server = try TestServer(Behaviour(plan: { _, _, _ in .refused(status: 507, text: "full") }))
        let client = try server.connect()
        try client.send("PUT / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
        #expect(try client.readResponse().status == 507)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("answers 408 to a header that is not whole after its deadline, however often a byte comes")
    func slowHeader() throws {
        let server = try TestServer(hands: ManualClock())
        let client = try server.connect()
        try client.send("GET / HTTP/1.1\r\n")
        server.wait { $0.onlyConnection?.input.count == 16 }
        server.advance(seconds: 6)
        try client.send("X")
        server.wait { $0.onlyConnection?.input.count == 17 }
        server.advance(seconds: 6)
        #expect(try client.readResponse().status == 408)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("gives a streamed body no deadline while its receiver holds it back, and one when it goes on")
    func pausedBody() throws {
        let server = try TestServer(
            Behaviour(plan: { _, connection, recorder in .streamed(HoldingReceiver(connection, recorder)) }),
            hands: ManualClock())
        let client = try server.connect()
        try client.send("PUT /file HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf")
        server.recorder.wait(for: "held")
        server.advance(seconds: 600)
        #expect(server.onReactor { $0.connectionCount } == 1)
        _ = server.onReactor { $0.onlyConnection?.resumeReading() }
        _ = server.onReactor { $0.index }
        server.advance(seconds: 31)
        #expect(try client.readResponse().status == 408)
        server.recorder.wait(for: "cancelled")
    }

    /// Pauses after the first piece, for good.
    private final class HoldingReceiver: BodyReceiver {
        private let connection: Connection
        private let recorder: Recorder

        init(_ connection: Connection, _ recorder: Recorder) {
            self.connection = connection
            self.recorder = recorder
        }

        func received(_ bytes: UnsafeRawBufferPointer) {
            self.connection.pauseReading()
            self.recorder.add("held")
        }

        func cancelled() { self.recorder.add("cancelled") }
    }

    @Test("closes a connection that asks nothing more")
    func idleKeepAlive() throws {
        let server = try TestServer(hands: ManualClock())
        let client = try server.connect()
        try client.send(Self.get + "\r\n")
        #expect(try client.readResponse().status == 200)
        server.wait { $0.onlyConnection?.http?.state.waiting == .nextRequest }
        server.advance(seconds: 12)
        #expect(try client.readToEnd().isEmpty)
    }
}

extension Reactor {
    /// The connection of a test that has one.
    var onlyConnection: Connection? { self.connection(ConnectionID(reactor: 0, generation: 0, slot: 0)) }
}
