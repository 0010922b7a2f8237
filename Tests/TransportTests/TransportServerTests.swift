import Diagnostics
import Execution
import Glibc
import Testing

@testable import Transport

@Suite("Server")
struct TransportServerTests {
    static func make(_ host: String, _ port: UInt16) throws(TransportError) -> TransportServer {
        try TransportServer(
            settings: TransportSettings(listeners: [ListenAddress(host: host, port: port)]), log: .silent
        ) { _ in [] }
    }

    @Test(
        "others reach it by an address of the network, IPv4 first; by loopback when there is no other",
        arguments: [
            (["0.0.0.0"], "192.168.1.5:1"), (["::"], "192.168.1.5:1"), (["fd00::2"], "[fd00::2]:1"),
            (["127.0.0.1"], "127.0.0.1:1"), (["127.0.0.1", "10.0.0.7"], "10.0.0.7:1"),
        ])
    func reachable(_ bound: [String], _ expected: String) throws {
        let interfaces = try ["127.0.0.1", "::1", "fe80::1", "fd00::2", "192.168.1.5"].map {
            try #require(IPAddress($0))
        }
        let listeners = try bound.map { BoundAddress(address: try #require(IPAddress($0)), port: 1) }
        #expect(BoundAddress.reachable(among: listeners, interfaces: interfaces)?.description == expected)
        #expect(BoundAddress.reachable(among: [], interfaces: interfaces) == nil)
    }

    @Test("tells a second server on the same port what is wrong")
    func portInUse() throws {
        let server = try TestServer()
        let port = server.port
        #expect(throws: TransportError.cannotListen(host: "127.0.0.1", port: port, code: EADDRINUSE)) {
            try Self.make("127.0.0.1", port)
        }
        let text = TransportError.cannotListen(host: "127.0.0.1", port: port, code: EADDRINUSE).description
        #expect(text.contains("\(port)") && text.contains("in use"))
    }

    @Test("can listen again on its port right after it stopped")
    func restart() throws {
        var server: TestServer? = try TestServer()
        let port = try #require(server?.port)
        let client = try server?.connect()
        try client?.openWebSocket()
        server = nil
        _ = try Self.make("127.0.0.1", port)
    }

    @Test(
        "refuses what is not an address of this machine",
        arguments: [
            ("chat.example.com", TransportError.notAnAddress("chat.example.com")),
            ("192.0.2.1", .cannotListen(host: "192.0.2.1", port: 0, code: EADDRNOTAVAIL)),
        ])
    func badAddress(host: String, expected: TransportError) {
        #expect(throws: expected) { try Self.make(host, 0) }
    }

    @Test("listens on all addresses, in both families")
    func allAddresses() throws {
        let server = try Self.make("*", 0)
        server.start()
        defer { server.stop() }
        let client = try TestClient(port: server.addresses[0].port)
        try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try client.readResponse().status == 404)
    }

    @Test("says goodbye to everybody when it drains, and then is gone")
    func drain() throws {
        let server = try TestServer()
        let port = server.port
        let clients = try (0..<3).map { _ in try server.connect() }
        for client in clients { try client.openWebSocket() }
        let stream = try server.connect()
        try stream.send("{}")
        #expect(try stream.read(exactly: 2).count == 2)
        let silent = try server.connect()
        server.waitForConnections(5)
        let drained = ConditionLock(false)
        let transport = server.server
        let thread = Thread(name: "drain") {
            transport.drain(deadlineMilliseconds: 20_000)
            drained.change { $0 = true }
        }
        for client in clients {
            #expect(try client.readFrame().closeCode == 1012)
            #expect(!drained.read { $0 })
            try client.send(clientFrame(8, [0x03, 0xF4]))
            #expect(try client.readToEnd().isEmpty)
        }
        #expect(try stream.readToEnd().isEmpty)
        #expect(try silent.readToEnd().isEmpty)
        stream.finishSending()
        thread.join()
        #expect(server.recorder.all.filter { $0 == "going away" }.count == 4)
        #expect(server.recorder.all.filter { $0 == "ended drained" }.count == 4)
        #expect(server.server.limits.connections.current == 0)
        server.server.stop()
        #expect(port == server.port)
    }

    @Test("lets a request be answered while it drains")
    func drainAnswers() throws {
        let held = ConditionLock(false)
        let server = try TestServer(
            Behaviour(respond: { _, responder in
                responder.connection!.reactor.after(milliseconds: 50) { _ in responder.respond(status: 200) }
                held.change { $0 = true }
                return true
            }))
        let client = try server.connect()
        try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        held.wait(until: { $0 }) { _ in }
        client.finishSending()
        server.server.drain(deadlineMilliseconds: 20_000)
        let response = try client.readResponse()
        #expect(response.status == 200)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("does not wait longer than the deadline for a client that ignores the goodbye")
    func drainDeadline() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.openWebSocket()
        server.server.drain(deadlineMilliseconds: 50)
        #expect(try client.readFrame().closeCode == 1012)
        #expect(try client.readToEnd().isEmpty)
        #expect(server.server.limits.connections.current == 0)
    }

    @Test("several reactors share the port, and a job finds the connection by its name")
    func reactors() throws {
        let server = try TestServer(reactors: 3)
        let clients = try (0..<30).map { _ in
            let client = try server.connect()
            try client.openWebSocket()
            return client
        }
        let message = SharedBytes([UInt8](repeating: 0x61, count: 3000))
        for mailbox in server.server.jobs {
            mailbox.post { reactor in
                for slot in 0..<30 {
                    let id = ConnectionID(reactor: reactor.index, generation: 0, slot: slot)
                    reactor.connection(id)?.sendText(shared: message)
                }
            }
        }
        for client in clients {
            let frame = try client.readFrame()
            #expect(frame.opcode == 1 && frame.payload == Array(message.bytes))
        }
    }
}
