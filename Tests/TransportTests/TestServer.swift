import Diagnostics
import Execution
import Glibc
import Testing

@testable import Transport

/// Events, in order, for a test that waits for it.
final class Recorder: Sendable {
    private let lines = Lock<[String]>([])
    private let news = Mailbox<Bool>()

    func add(_ line: String) {
        self.lines.withLock { $0.append(line) }
        self.news.post(true)
    }

    var all: [String] { self.lines.withLock { $0 } }

    /// Blocks until a line starts like this; two minutes without any news fails the test.
    func wait(for start: String) {
        var batch: [Bool] = []
        while !self.all.contains(where: { $0.hasPrefix(start) }) {
            guard self.news.wait(milliseconds: 120_000) else {
                Issue.record("waited for `\(start)` in \(self.all)")
                return
            }
            self.news.takeMessages(into: &batch)
            batch.removeAll()
        }
    }
}

/// How a test's gateway answers; every closure runs on the reactor.
struct Behaviour: Sendable {
    var signsInAtOnce = true
    var subprotocol: String?
    var refusal: (status: Int, text: String)?
    var acceptsForeignOrigin = false
    var plan: @Sendable (HTTPRequest, Connection, Recorder) -> BodyPlan? = { _, _, _ in nil }
    var respond: @Sendable (HTTPRequest, HTTPResponder) -> Bool = { request, responder in
        responder.respond(
            status: 200, headers: [("Content-Type", "text/plain")], body: Array("\(request.path) ".utf8) + request.body)
        return true
    }
    /// A message arrived.
    var received: @Sendable (Connection, [UInt8], InboundKind) -> Void = { connection, bytes, kind in
        if kind == .text { connection.sendText(bytes) } else { connection.sendBinary(bytes) }
    }
}

final class TestGateway: Gateway {
    let behaviour: Behaviour
    let recorder: Recorder

    init(_ behaviour: Behaviour, _ recorder: Recorder) {
        self.behaviour = behaviour
        self.recorder = recorder
    }

    func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer {
        if let refusal = self.behaviour.refusal { return .refuse(status: refusal.status, text: refusal.text) }
        if self.behaviour.signsInAtOnce { connection.authenticated() }
        switch opening {
        case .jsonStream: self.recorder.add("open json \(connection.peer.text)")
        case .binaryStream: self.recorder.add("open binary \(connection.peer.text)")
        case .webSocket(let request):
            let kind = request.isFromForeignOrigin ? "foreign " : ""
            self.recorder.add("open \(kind)websocket \(request.path)")
        }
        return .accept(
            TestHandler(connection, self.behaviour, self.recorder), subprotocol: self.behaviour.subprotocol)
    }

    func plan(for request: HTTPRequest, on connection: Connection) -> BodyPlan? {
        self.behaviour.plan(request, connection, self.recorder)
    }

    func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        self.behaviour.respond(request, responder)
    }

    func acceptsForeignOrigin(_ request: HTTPRequest) -> Bool { self.behaviour.acceptsForeignOrigin }
}

final class TestHandler: ConnectionHandler {
    private unowned let connection: Connection
    private let behaviour: Behaviour
    private let recorder: Recorder

    init(_ connection: Connection, _ behaviour: Behaviour, _ recorder: Recorder) {
        self.connection = connection
        self.behaviour = behaviour
        self.recorder = recorder
    }

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        self.behaviour.received(self.connection, Array(bytes), kind)
    }

    func outboxRose() { self.recorder.add("rose") }
    func outboxDrained() { self.recorder.add("drained") }
    func goingAway() { self.recorder.add("going away") }
    func ended(_ reason: ConnectionEnd) { self.recorder.add("ended \(reason)") }
}

/// A server on a free port of loopback, stopped with the object.
final class TestServer {
    let server: TransportServer
    let recorder: Recorder
    let hands: ManualClock?

    init(
        _ behaviour: Behaviour = Behaviour(), limits: TransportLimits = TransportLimits(), reactors: Int = 1,
        hosts: [String] = [], origins: [String] = [], proxies: [String] = [], tls: TLSStore? = nil,
        hands: ManualClock? = nil
    ) throws {
        let recorder = Recorder()
        self.recorder = recorder
        self.hands = hands
        self.server = try TransportServer(
            settings: TransportSettings(
                listeners: [ListenAddress(host: "127.0.0.1", port: 0)], reactors: reactors, hosts: hosts,
                origins: origins, proxies: proxies),
            limits: limits, tls: tls, log: .silent, clock: hands?.clock ?? .system
        ) { _ in [TestGateway(behaviour, recorder)] }
        self.server.start()
    }

    deinit { self.server.stop() }

    var port: UInt16 { self.server.addresses[0].port }

    func connect(receiveBufferBytes: Int32? = nil) throws -> TestClient {
        try TestClient(port: self.port, receiveBufferBytes: receiveBufferBytes)
    }

    /// Runs on the first reactor and waits for the result.
    func onReactor<Result: Sendable>(_ body: @escaping @Sendable (Reactor) -> Result) -> Result {
        let result = ConditionLock<Result?>(nil)
        self.server.jobs[0].post { reactor in
            let value = body(reactor)
            result.change { $0 = value }
        }
        return result.wait(until: { $0 != nil }) { value in
            guard let value else { preconditionFailure("the wait ended without a result") }
            return value
        }
    }

    /// Turns the reactor until this holds there; half a minute fails the test.
    func wait(until holds: @escaping @Sendable (Reactor) -> Bool) {
        let deadline = Clock.system.now().advanced(bySeconds: 30)
        while !self.onReactor(holds) {
            guard Clock.system.now() < deadline else {
                Issue.record("waited too long for a state of the reactor")
                return
            }
            sched_yield()
        }
    }

    func waitForConnections(_ count: Int) { self.wait { $0.connectionCount == count } }

    /// Turns the clock forward, with a loop turn at the new time.
    func advance(seconds: Int64) {
        self.hands?.advance(milliseconds: seconds * 1000)
        _ = self.onReactor { $0.index }
        _ = self.onReactor { $0.index }
    }
}

extension TransportLimits {
    /// The defaults with something changed.
    static func with(_ change: (inout TransportLimits) -> Void) -> TransportLimits {
        var limits = TransportLimits()
        change(&limits)
        return limits
    }
}
