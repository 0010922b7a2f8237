import Diagnostics
import Execution
import Glibc
import Testing

@testable import Transport

@Suite("One port")
struct OnePortTests {
    @Test(
        "opens a stream by its first byte and hands it all bytes but the white space",
        arguments: [
            (" \r\n{\"a\":1}", "{\"a\":1}", "open json 127.0.0.1"),
            ("\u{10}\u{01}x", "\u{10}\u{01}x", "open binary 127.0.0.1"),
            ("\u{16}\u{01}x", "\u{16}\u{01}x", "open binary 127.0.0.1"),
        ])
    func streams(sent: String, received: String, opened: String) throws {
        let server = try TestServer()
        for byteByByte in [false, true] {
            let client = try server.connect()
            if byteByByte { try client.sendByteByByte(Array(sent.utf8)) } else { try client.send(sent) }
            #expect(try client.read(exactly: received.utf8.count) == Array(received.utf8))
        }
        #expect(server.recorder.all.filter { $0.hasPrefix("open") } == [opened, opened])
    }

    @Test("closes what it does not know", arguments: ["\u{0}", "1234", "<a>", "\u{7F}"])
    func unknown(sent: String) throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send(sent)
        #expect(try client.readToEnd().isEmpty)
        server.waitForConnections(0)
        #expect(server.recorder.all.isEmpty)
    }

    @Test("closes TLS where there is none")
    func noTLS() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send([0x16, 0x03, 0x01, 0x02, 0x00])
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("closes a connection that says nothing, or too little to know", arguments: ["", " ", "\u{16}"])
    func silent(sent: String) throws {
        let server = try TestServer(hands: ManualClock())
        let client = try server.connect()
        try client.send(sent)
        server.waitForConnections(1)
        server.advance(seconds: 11)
        #expect(try client.readToEnd().isEmpty)
        server.waitForConnections(0)
        #expect(server.server.limits.preAuthConnections.current == 0)
    }

    @Test("closes a stream with what waits before it")
    func streamClose() throws {
        let server = try TestServer(
            Behaviour(received: { connection, bytes, _ in
                connection.sendText(bytes)
                connection.close(code: .normal, reason: "")
            }))
        let client = try server.connect()
        try client.send("{}")
        #expect(try client.readToEnd() == Array("{}".utf8))
        server.recorder.wait(for: "ended \(ConnectionEnd.closed(.normal))")
    }

    @Test("sends what waits to a peer that has shut its direction")
    func halfClosed() throws {
        let server = try TestServer(
            Behaviour(received: { connection, bytes, _ in WebSocketServerTests.flood(connection, 60) }))
        let client = try server.connect(receiveBufferBytes: 16 * 1024)
        try client.send("{}")
        client.finishSending()
        #expect(try client.readToEnd().count == 60 * 64 * 1024)
        server.recorder.wait(for: "ended \(ConnectionEnd.peerClosed(nil))")
    }

    @Test("drops an aborted connection at once")
    func abort() throws {
        let server = try TestServer(
            Behaviour(received: { connection, bytes, _ in
                connection.sendText(bytes)
                connection.abort()
            }))
        let client = try server.connect()
        try client.send("{}")
        #expect(try client.readToEnd().isEmpty)
        server.recorder.wait(for: "ended aborted")
    }

    @Test("believes a configured proxy about the client, before any protocol")
    func proxy() throws {
        let server = try TestServer(proxies: ["127.0.0.1"])
        let client = try server.connect()
        try client.sendByteByByte(Array("PROXY TCP4 192.168.1.5 192.168.1.1 56324 7677\r\n{}".utf8))
        #expect(try client.read(exactly: 2) == Array("{}".utf8))
        #expect(server.recorder.all == ["open json 192.168.1.5"])
        let web = try server.connect()
        try web.send("PROXY TCP4 192.168.1.5 192.168.1.1 56324 7677\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try web.readResponse().status == 200)
    }

    @Test("counts the clients of a proxy one by one, and gives the places back")
    func proxyCounts() throws {
        let server = try TestServer(
            limits: .with { $0.connectionsPerAddress = Limit(name: "per", unit: "connections", maximum: 1) },
            proxies: ["127.0.0.1"])
        func open(_ address: String) throws -> TestClient {
            let client = try server.connect()
            try client.send("PROXY TCP4 \(address) 192.168.1.1 1 2\r\n{}")
            return client
        }
        var first: TestClient? = try open("192.168.1.5")
        #expect(try first?.read(exactly: 2).count == 2)
        #expect(try open("192.168.1.5").readToEnd().isEmpty)
        #expect(try open("192.168.1.6").read(exactly: 2).count == 2)
        #expect(server.server.limits.connectionsPerAddress.refusals == 1)
        first = nil
        server.recorder.wait(for: "ended")
        server.waitForConnections(0)
        #expect(try open("192.168.1.5").read(exactly: 2).count == 2)
    }
}

@Suite("Connection limits")
struct ConnectionLimitTests {
    @Test("refuses the newest connection over the total, and takes one again when another has gone")
    func total() throws {
        let server = try TestServer(
            limits: .with { $0.connections = Limit(name: "connections", unit: "connections", maximum: 2) })
        var clients = try (0..<2).map { _ in try server.connect() }
        for client in clients { try client.openWebSocket() }
        #expect(try server.connect().readToEnd().isEmpty)
        #expect(server.server.limits.connections.refusals == 1)
        clients.removeLast()
        server.waitForConnections(1)
        try server.connect().openWebSocket()
    }

    @Test("gives the place of the oldest to the newest when too many have not signed in; those who have do not count")
    func preAuth() throws {
        let server = try TestServer(
            limits: .with { $0.preAuthConnections = Limit(name: "pre", unit: "connections", maximum: 2) })
        let known = try (0..<3).map { _ in
            let client = try server.connect()
            try client.openWebSocket()
            return client
        }
        let silent = try (0..<2).map { _ in try server.connect() }
        server.waitForConnections(5)
        let newest = try server.connect()
        #expect(try silent[0].readToEnd().isEmpty)
        #expect(server.server.limits.preAuthConnections.refusals == 1)
        #expect(server.server.limits.preAuthConnections.current == 2)
        try newest.openWebSocket()
        try newest.send(clientFrame(text: "in its place"))
        #expect(try newest.readFrame() == .text("in its place"))
        for client in known {
            try client.send(clientFrame(text: "still here"))
            #expect(try client.readFrame() == .text("still here"))
        }
        #expect(silent.count == 2)
    }

    @Test("gives every place back when all connections have gone")
    func balance() throws {
        let server = try TestServer(Behaviour(signsInAtOnce: false))
        for round in 0..<30 {
            let client = try server.connect()
            switch round % 3 {
            case 0: try client.openWebSocket()
            case 1:
                try client.send("{}")
                #expect(try client.read(exactly: 2).count == 2)
            default: try client.send("GET / HTTP/1.1\r\n")
            }
        }
        server.waitForConnections(0)
        #expect(server.server.limits.connections.current == 0)
        #expect(server.server.limits.preAuthConnections.current == 0)
    }

    @Test("never gives a connection's name to another one")
    func names() throws {
        let server = try TestServer()
        var seen = Set<UInt64>()
        for _ in 0..<20 {
            let client = try server.connect()
            try client.openWebSocket()
            let port = client.localPort
            let id = server.onReactor { reactor in
                (0..<64).lazy.compactMap { generation in
                    reactor.connection(ConnectionID(reactor: 0, generation: generation, slot: 0))
                }.first { $0.peer.port == port }?.id.rawValue
            }
            seen.insert(try #require(id))
            client.finishSending()
            server.waitForConnections(0)
        }
        #expect(seen.count == 20)
    }
}
