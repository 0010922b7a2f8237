import Diagnostics
import Execution
import Glibc
import Transport

/// A server that sends back what it gets, for tests with clients that others wrote.
///
/// Prints `ready PORT`, serves on loopback until standard input ends, then drains. With a folder as its argument it
/// speaks TLS as well, with an authority that it makes there.
@main
enum TransportEcho {
    static func main() throws {
        let log = Log(level: .warning)
        let server = try TransportServer(
            settings: TransportSettings(listeners: [ListenAddress(host: "127.0.0.1", port: 0)]),
            tls: try CommandLine.arguments.dropFirst().first.map { folder in
                try TLSStore(TLSSettings(folder: folder), log: log)
            }, log: log
        ) { _ in [EchoGateway()] }
        server.start()
        print("ready \(server.addresses[0].port)")
        fflush(nil)
        while readLine() != nil {}
        server.drain(deadlineMilliseconds: 5000)
    }
}

/// WebSockets and streams on every path; `POST /echo` for HTTP.
final class EchoGateway: Gateway {
    func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer {
        connection.authenticated()
        guard case .webSocket(let request) = opening else {
            return .accept(EchoHandler(connection), subprotocol: nil)
        }
        let offered = (request.headers["sec-websocket-protocol"] ?? "").split(separator: ",")
        let isOffered = offered.contains { $0.drop { $0 == " " } == "echo" }
        return .accept(EchoHandler(connection), subprotocol: isOffered ? "echo" : nil)
    }

    func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard request.path == "/echo" else { return false }
        responder.respond(status: 200, body: request.body)
        return true
    }
}

final class EchoHandler: ConnectionHandler {
    private unowned let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        if kind == .text, bytes.elementsEqual("close 4001".utf8) {
            return self.connection.close(code: WebSocketCloseCode(rawValue: 4001), reason: "as you wish")
        }
        switch kind {
        case .text: self.connection.sendText(bytes)
        case .binary, .stream: self.connection.sendBinary(bytes)
        }
    }

    func outboxRose() { self.connection.pauseReading() }
    func outboxDrained() { self.connection.resumeReading() }
    func ended(_ reason: ConnectionEnd) {}
}
