import Execution
import Glibc
import Testing

@testable import Transport

@Suite("WebSocket server")
struct WebSocketServerTests {
    @Test("opens as the RFC's example does, and echoes")
    func echo() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send(TestClient.handshake + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.status == 101)
        #expect(response.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(response.headers["sec-websocket-extensions"] == nil)
        #expect(response.headers["sec-websocket-protocol"] == nil)
        try client.send(clientFrame(text: "茶馆") + clientFrame(2, [1, 2, 3]))
        #expect(try client.readFrame() == .text("茶馆"))
        #expect(try client.readFrame() == TestFrame(opcode: 2, payload: [1, 2, 3]))
        #expect(server.recorder.all.first == "open websocket /chat")
    }

    @Test("takes frames that came with the handshake, byte by byte")
    func cut() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.sendByteByByte(Array((TestClient.handshake + "\r\n").utf8) + clientFrame(text: "early"))
        #expect(try client.readResponse().status == 101)
        #expect(try client.readFrame() == .text("early"))
    }

    @Test("of many messages that came at once, those that take long let others have their turn")
    func sharesTheThread() throws {
        let hands = ManualClock()
        let isOtherHere = ConditionLock(false)
        let heard = Recorder()
        var behaviour = Behaviour()
        behaviour.received = { _, bytes, _ in
            let text = String(decoding: bytes, as: UTF8.self)
            heard.add(text)
            guard text != "other" else { return }
            // The first one lasts until the other client has said something.
            if text == "busy 0" { isOtherHere.wait(until: { $0 }) { _ in } }
            hands.advance(milliseconds: 2)
        }
        let server = try TestServer(behaviour, hands: hands)
        let (busy, other) = (try server.connect(), try server.connect())
        try busy.openWebSocket()
        try other.openWebSocket()
        try busy.send((0..<10).flatMap { clientFrame(text: "busy \($0)") })
        heard.wait(for: "busy 0")
        try other.send(clientFrame(text: "other"))
        isOtherHere.change { $0 = true }
        heard.wait(for: "busy 9")
        let all = heard.all
        #expect(all.filter { $0 != "other" } == (0..<10).map { "busy \($0)" })
        let turn = try #require(all.firstIndex(of: "other"))
        #expect(turn < 9, "the other one waited for all of them: \(all)")
    }

    @Test("echoes the chosen subprotocol exactly")
    func subprotocol() throws {
        let server = try TestServer(Behaviour(subprotocol: "lc.protobuf2.3"))
        let client = try server.connect()
        try client.send(TestClient.handshake + "Sec-WebSocket-Protocol: lc.json.3, lc.protobuf2.3\r\n\r\n")
        #expect(try client.readResponse().headers["sec-websocket-protocol"] == "lc.protobuf2.3")
    }

    @Test(
        "refuses a handshake that is not right",
        arguments: [
            ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 8", 426),
            ("Sec-WebSocket-Version: 13\r\n", "", 426),
            ("dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ=", 400),
            ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "", 400),
            ("GET /chat", "POST /chat", 400),
            ("Host: localhost", "Host: evil.example", 421),
            ("Host: localhost", "Host: localhost\r\nOrigin: http://evil.example", 403),
            ("Host: localhost", "Host: localhost\r\nOrigin: null", 403),
        ] as [(String, String, Int)])
    func badHandshake(old: String, new: String, status: Int) throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send(TestClient.handshake.replacing(old, with: new) + "\r\n")
        let response = try client.readResponse()
        #expect(response.status == status)
        #expect(response.headers["sec-websocket-version"] == (status == 426 ? "13" : nil))
        #expect(try client.readToEnd().isEmpty)
        #expect(server.recorder.all.isEmpty)
    }

    @Test(
        "takes its own page's origin and configured ones", arguments: ["http://localhost", "https://app.example.com"])
    func goodOrigin(origin: String) throws {
        let server = try TestServer(origins: ["https://app.example.com"])
        try server.connect().openWebSocket("Origin: \(origin)\r\n")
        #expect(server.recorder.all.first == "open websocket /chat")
    }

    @Test("lets a dialect in that refuses foreign pages in its own words")
    func foreignOrigin() throws {
        let server = try TestServer(Behaviour(acceptsForeignOrigin: true))
        try server.connect().openWebSocket("Origin: http://evil.example\r\n")
        #expect(server.recorder.all.first == "open foreign websocket /chat")
    }

    @Test("gives the gateway's refusal as the status")
    func refusal() throws {
        let server = try TestServer(Behaviour(refusal: (503, "full")))
        let client = try server.connect()
        try client.send(TestClient.handshake + "\r\n")
        let response = try client.readResponse()
        #expect(response.status == 503 && response.text.contains("full"))
    }

    @Test("answers pings, also inside a fragmented message")
    func ping() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.openWebSocket()
        try client.send(
            clientFrame(1, [0x61], isFinal: false) + clientFrame(9, [9, 9]) + clientFrame(0, [0x62]))
        #expect(try client.readFrame() == TestFrame(opcode: 10, payload: [9, 9]))
        #expect(try client.readFrame() == .text("ab"))
    }

    static let violations: [(String, [UInt8], Int)] = [
        ("no mask", [0x81, 0x01, 0x61], 1002),
        ("bad UTF-8", clientFrame(1, [0xFF]), 1007),
        ("2^63 bytes", clientFrame(2, [], length: 1 << 63), 1009),
        (
            "a tiny fragment too many",
            clientFrame(2, [], isFinal: false) + (0..<100_000).flatMap { _ in clientFrame(0, [1], isFinal: false) },
            1009
        ),
    ]

    @Test("closes a client that breaks the protocol with the right code, and reads no further", arguments: violations)
    func violation(name: String, bytes: [UInt8], code: Int) throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.openWebSocket()
        // A server that has closed may cut a long write short.
        try? client.send(bytes)
        try? client.send(clientFrame(text: "not read"))
        #expect(try client.readFrame().closeCode == code)
        client.finishSending()
        #expect(try client.readToEnd().isEmpty)
        let code = WebSocketCloseCode(rawValue: UInt16(code))
        server.recorder.wait(for: "ended \(ConnectionEnd.protocolError(code))")
    }

    @Test("answers a close with the same code and then ends", arguments: [1000, 1001, 4001])
    func peerCloses(code: Int) throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.openWebSocket()
        try client.send(clientFrame(8, [UInt8(code >> 8), UInt8(code & 0xFF)]) + clientFrame(text: "after the close"))
        let frame = try client.readFrame()
        #expect(frame.closeCode == code && frame.payload.count == 2)
        #expect(try client.readToEnd().isEmpty)
        let code = WebSocketCloseCode(rawValue: UInt16(code))
        server.recorder.wait(for: "ended \(ConnectionEnd.peerClosed(code))")
        #expect(server.recorder.all.count == 2)
    }

    @Test("tells of a client that vanishes")
    func vanishes() throws {
        let server = try TestServer()
        var client: TestClient? = try server.connect()
        try client?.openWebSocket()
        client = nil
        server.recorder.wait(for: "ended \(ConnectionEnd.peerClosed(nil))")
        server.waitForConnections(0)
    }

    @Test("closes with code and reason, waits for the answer, and hears nothing more")
    func ownClose() throws {
        let server = try TestServer(
            Behaviour(received: { connection, _, _ in
                connection.sendText(Array("last".utf8))
                connection.close(code: .policyViolation, reason: "go")
                connection.sendText(Array("too late".utf8))
                connection.close(code: .normal, reason: "twice")
            }))
        let client = try server.connect()
        try client.openWebSocket()
        try client.send(clientFrame(text: "one") + clientFrame(text: "two"))
        #expect(try client.readFrame() == .text("last"))
        #expect(try client.readFrame() == TestFrame(opcode: 8, payload: [0x03, 0xF0] + Array("go".utf8)))
        #expect(server.onReactor { $0.connectionCount } == 1)
        try client.send(clientFrame(8, [0x03, 0xF0]))
        #expect(try client.readToEnd().isEmpty)
        #expect(server.recorder.all == ["open websocket /chat", "ended \(ConnectionEnd.closed(.policyViolation))"])
    }

    @Test("drops a client that does not answer a close")
    func unansweredClose() throws {
        let server = try TestServer(
            Behaviour(received: { connection, _, _ in connection.close(code: .normal, reason: "") }),
            hands: ManualClock())
        let client = try server.connect()
        try client.openWebSocket()
        try client.send(clientFrame(text: "x"))
        #expect(try client.readFrame().closeCode == 1000)
        server.recorder.wait(for: "ended")
        for _ in 0..<3 { server.advance(seconds: 6) }
        #expect(try client.readToEnd().isEmpty)
        server.waitForConnections(0)
    }

    @Test("bounds messages before sign-in more tightly")
    func preAuthMessage() throws {
        let server = try TestServer(Behaviour(signsInAtOnce: false))
        let client = try server.connect()
        try client.openWebSocket()
        try client.send(clientFrame(2, [UInt8](repeating: 0, count: 16 * 1024)))
        #expect(try client.readFrame().payload.count == 16 * 1024)
        try client.send(clientFrame(2, [], length: 16 * 1024 + 1))
        #expect(try client.readFrame().closeCode == 1009)
    }

    @Test("closes when nobody signs in")
    func signInDeadline() throws {
        let server = try TestServer(Behaviour(signsInAtOnce: false), hands: ManualClock())
        let client = try server.connect()
        try client.openWebSocket()
        server.advance(seconds: 11)
        #expect(try client.readFrame().closeCode == 1008)
        server.recorder.wait(for: "ended timedOut")
    }

    @Test("does not count the time for which the server owes an answer; who is refused has all of it anew")
    func heldSignIn() throws {
        let server = try TestServer(
            Behaviour(
                signsInAtOnce: false,
                received: { connection, bytes, _ in
                    if bytes == Array("who".utf8) {
                        connection.holdSignInDeadline()
                    } else {
                        connection.restartSignInDeadline()
                    }
                    connection.sendText(bytes)
                }), hands: ManualClock())
        let client = try server.connect()
        try client.openWebSocket()
        server.advance(seconds: 9)
        try client.send(clientFrame(text: "who"))
        #expect(try client.readFrame() == .text("who"))
        server.advance(seconds: 60)
        try client.send(clientFrame(text: "nobody"))
        #expect(try client.readFrame() == .text("nobody"))
        server.advance(seconds: 9)
        try client.send(clientFrame(text: "nobody"))
        #expect(try client.readFrame() == .text("nobody"))
        server.advance(seconds: 11)
        #expect(try client.readFrame().closeCode == 1008)
    }

    @Test("closes an idle client with 1001, and any bytes keep it")
    func idle() throws {
        let server = try TestServer(
            Behaviour(received: { connection, bytes, _ in
                connection.idleDeadlineSeconds = 45
                connection.sendText(bytes)
            }), hands: ManualClock())
        let client = try server.connect()
        try client.openWebSocket()
        for _ in 0..<3 {
            try client.send(clientFrame(text: "x"))
            #expect(try client.readFrame() == .text("x"))
            server.advance(seconds: 40)
        }
        try client.send(clientFrame(10, []))
        server.wait { $0.onlyConnection?.lastReceived == $0.now.nanoseconds }
        server.advance(seconds: 40)
        server.advance(seconds: 6)
        #expect(try client.readFrame().closeCode == 1001)
        server.recorder.wait(for: "ended idle")
    }

    @Test("keeps what arrives while reading is paused, in order")
    func pause() throws {
        let server = try TestServer(
            Behaviour(received: { connection, bytes, _ in
                connection.sendText(bytes)
                connection.pauseReading()
                let id = connection.id
                connection.reactor.after(milliseconds: 0) { $0.connection(id)?.resumeReading() }
            }))
        let client = try server.connect()
        try client.openWebSocket()
        try client.send((0..<50).flatMap { clientFrame(text: "\($0)") })
        for number in 0..<50 { #expect(try client.readFrame() == .text("\(number)")) }
    }

    /// Sends `count` messages of 64 KiB.
    static func flood(_ connection: Connection, _ count: Int) {
        // More than the kernel buffers of both ends take.
        let message = SharedBytes([UInt8](repeating: 0x7A, count: 64 * 1024))
        for _ in 0..<count { connection.sendText(shared: message) }
    }

    @Test("tells the handler of a slow reader, once each way, and loses nothing")
    func slowReader() throws {
        let server = try TestServer(
            Behaviour(received: { connection, _, _ in Self.flood(connection, 200) }),
            limits: .with { $0.outboxCeilingBytes = 16 << 20 })
        let client = try server.connect(receiveBufferBytes: 16 * 1024)
        try client.openWebSocket()
        try client.send(clientFrame(text: "go"))
        server.recorder.wait(for: "rose")
        for _ in 0..<200 {
            let frame = try client.readFrame()
            #expect(frame.payload.count == 64 * 1024 && frame.payload.last == 0x7A)
        }
        server.recorder.wait(for: "drained")
        #expect(server.recorder.all == ["open websocket /chat", "rose", "drained"])
    }

    @Test("ends a reader that has stalled")
    func stall() throws {
        let server = try TestServer(
            Behaviour(received: { connection, _, _ in Self.flood(connection, 200) }),
            limits: .with { $0.outboxCeilingBytes = 16 << 20 }, hands: ManualClock())
        let client = try server.connect(receiveBufferBytes: 16 * 1024)
        try client.openWebSocket()
        try client.send(clientFrame(text: "go"))
        server.recorder.wait(for: "rose")
        server.advance(seconds: 31)
        server.recorder.wait(for: "ended stalled")
        server.waitForConnections(0)
    }

    @Test("ends a connection whose handler sends without end")
    func ceiling() throws {
        let server = try TestServer(Behaviour(received: { connection, _, _ in Self.flood(connection, 1000) }))
        let client = try server.connect(receiveBufferBytes: 16 * 1024)
        try client.openWebSocket()
        try client.send(clientFrame(text: "go"))
        server.recorder.wait(for: "ended stalled")
        #expect(server.server.limits.outboxBytes.current == 0)
    }

    @Test("keeps no buffers when it is silent")
    func memory() throws {
        let server = try TestServer()
        let clients = try (0..<50).map { _ in try server.connect() }
        for client in clients {
            try client.openWebSocket()
            try client.send(clientFrame(text: String(repeating: "x", count: 10_000)))
            #expect(try client.readFrame().payload.count == 10_000)
        }
        let held = server.onReactor { reactor in
            (0..<50).compactMap { reactor.connection(ConnectionID(reactor: 0, generation: 0, slot: $0)) }.allSatisfy {
                $0.input.bytes.baseAddress == nil && $0.outbox.isEmpty && $0.http == nil
            }
        }
        #expect(held)
    }
}
