import CLinux
import Diagnostics
import Glibc
import Testing

@testable import Transport

/// Sockets that somebody else has opened.
@Suite("Passed sockets")
struct PassedSocketTests {
    /// A socket on a free port of loopback.
    static func open(_ family: Int32, _ kind: __socket_type = SOCK_STREAM, listens: Bool = true) throws -> Int32 {
        let descriptor = socket(family, Int32(kind.rawValue), 0)
        try #require(descriptor >= 0)
        if family == AF_INET || family == AF_INET6 {
            let address = try #require(IPAddress(family == AF_INET ? "127.0.0.1" : "::1"))
            let isBound = SocketAddress.with(address, port: 0) { bind(descriptor, $0, $1) == 0 }
            try #require(isBound)
        }
        if listens { try #require(listen(descriptor, 16) == 0) }
        return descriptor
    }

    static func serve(_ descriptor: Int32, _ name: String = "teahouse") throws(TransportError) -> TransportServer {
        var settings = TransportSettings(listeners: [ListenAddress(host: "127.0.0.1", port: 0)])
        settings.passed = [PassedSocket(descriptor: descriptor, name: name)]
        return try TransportServer(settings: settings, log: .silent) { _ in [] }
    }

    @Test("is served in place of the addresses of the settings, and no child inherits it")
    func served() throws {
        let descriptor = try Self.open(AF_INET)
        let port = try #require(SocketAddress.local(of: descriptor)).port
        let server = try Self.serve(descriptor)
        #expect(server.addresses.map(\.description) == ["127.0.0.1:\(port)"])
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        server.start()
        defer { server.stop() }
        let client = try TestClient(port: port)
        try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try client.readResponse().status == 404)
    }

    @Test("that cannot be listened on is refused by its name, with the reason")
    func refused() throws {
        let silent = try Self.open(AF_INET, listens: false)
        let datagram = try Self.open(AF_INET, SOCK_DGRAM, listens: false)
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let file = clinux_open("/dev/null", O_RDONLY, 0)
        let cases = [
            (silent, "does not listen"), (datagram, "not of TCP"), (pair[0], "not of IPv4 or IPv6"),
            (file, "not a socket"),
        ]
        for (descriptor, reason) in cases {
            let error = #expect(throws: TransportError.self) { try Self.serve(descriptor, "web.socket") }
            let text = error?.description ?? ""
            #expect(text.contains("descriptor \(descriptor) (web.socket)") && text.contains(reason), "\(text)")
        }
        for descriptor in [silent, datagram, file] + pair { close(descriptor) }
    }
}
