package import Accounts
package import Broker
import ChatModel
package import Diagnostics
import Execution
import Store
package import Transport

/// Services and settings that the WuKongIM gateways of one server share.
package struct WuKongServices: Sendable {
    /// Registers sessions and takes their messages.
    package var broker: Broker
    /// Decides who may sign in.
    package var authenticator: Authenticator
    /// Settings at the start; they hold until the server stops.
    package var settings: WuKongSettings
    /// Takes refused sign-ins and broken streams.
    package var log: Log

    package init(broker: Broker, authenticator: Authenticator, settings: WuKongSettings, log: Log) {
        self.broker = broker
        self.authenticator = authenticator
        self.settings = settings
        self.log = log
    }
}

/// WuKongIM's gateway on one reactor: makes a handler for each connection, and hands the broker's events to their
/// sessions. Confined to its reactor.
package final class WuKongGateway: Gateway {
    let broker: Broker
    let authenticator: Authenticator
    let settings: WuKongSettings
    let log: Log
    unowned let reactor: Reactor
    private let outlet: ReactorOutlet
    // What every message to every receiver goes through, here, in `WuKongConnection` and in `BinaryFanOut`, is not
    // checked for exclusive access at run time: nothing calls back while it changes, and the checks took a tenth of the
    // time of a delivery.
    @exclusivity(unchecked) private var connections = SlotTable<WuKongConnection>()
    /// Steps that sessions want taken, with the messages of this turn for the broker.
    @exclusivity(unchecked) var output = SessionOutput()
    @exclusivity(unchecked) var writers = ReplyWriters()
    /// Connections whose sessions acknowledged something since the last tick.
    private var acknowledging: [WuKongConnection] = []
    private var nextTick: Instant
    private var nextRedelivery: Instant
    @exclusivity(unchecked) var frames = FrameCache()
    var events = EventCache()
    /// The keys of this reactor's sessions in the binary encoding; `nil` when OpenSSL refuses them.
    private let keys: BinaryKeys?

    /// The number of this server, as clients are told it.
    static let nodeID: Int64 = 1

    private static let tickMilliseconds: Int64 = 1000
    private static let redeliveryScanMilliseconds: Int64 = 5000

    package init(services: WuKongServices, reactor: Reactor) {
        self.broker = services.broker
        self.authenticator = services.authenticator
        self.settings = services.settings
        self.log = services.log
        self.reactor = reactor
        self.outlet = ReactorOutlet(jobs: reactor.jobs)
        self.keys = BinaryKeys(log: services.log)
        let now = reactor.clock.now()
        self.nextTick = now.advanced(byMilliseconds: Self.tickMilliseconds)
        self.nextRedelivery = now.advanced(byMilliseconds: Self.redeliveryScanMilliseconds)
    }

    // MARK: Gateway

    /// Takes a stream of either encoding or a WebSocket; a WebSocket's first message tells its encoding.
    package func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer {
        .accept(WuKongConnection(connection: connection, gateway: self, opening: opening), subprotocol: nil)
    }

    /// Leaves every HTTP request to the other gateways.
    package func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool { false }

    /// Hands the turn's messages to the broker and, once a second, acknowledgements and what is overdue.
    package func turnEnded() {
        if !self.output.publishes.isEmpty {
            self.broker.publish(self.output.publishes)
            self.output.publishes.removeAll(keepingCapacity: true)
        }
        let now = self.reactor.clock.now()
        if now >= self.nextTick { self.tick(at: now) }
    }

    private func tick(at now: Instant) {
        self.nextTick = now.advanced(byMilliseconds: Self.tickMilliseconds)
        var marks: [DeliveredPosition] = []
        for connection in self.acknowledging { connection.session.takeDelivered(into: &marks) }
        self.acknowledging.removeAll(keepingCapacity: true)
        self.broker.recordDelivered(marks)
        let redelivers = now >= self.nextRedelivery
        if redelivers { self.nextRedelivery = now.advanced(byMilliseconds: Self.redeliveryScanMilliseconds) }
        self.connections.forEach { connection in
            if redelivers { connection.redeliver(at: now) }
            connection.retryIfWaiting()
        }
    }

    // MARK: For connections

    /// Has the broker register a session, which it answers with `.opened`.
    ///
    /// - Returns: the number of the connection here.
    func register(_ connection: WuKongConnection, as description: SessionDescription) -> UInt64 {
        let handle = self.connections.insert(connection, owner: self.reactor.index)
        self.broker.open(SessionOpening(description: description, outlet: self.outlet, handle: handle))
        return handle
    }

    func forget(_ connection: WuKongConnection, _ handle: UInt64) {
        self.connections.remove(handle)
        var marks: [DeliveredPosition] = []
        connection.session.takeDelivered(into: &marks)
        self.broker.recordDelivered(marks)
    }

    /// Has a connection carry out what its session has just asked for, in order.
    func performActions(of connection: WuKongConnection) {
        guard !self.output.actions.isEmpty else { return }
        for index in self.output.actions.indices { connection.perform(self.output.actions[index], self) }
        self.output.actions.removeAll(keepingCapacity: true)
    }

    /// UTC milliseconds since 1970.
    func wallMilliseconds() -> Int64 { self.reactor.clock.wallMilliseconds() }

    func makeCodec(isBinary: Bool) -> any SessionCodec {
        isBinary
            ? BinaryCodec(maximumBytes: self.settings.frameBytes, keys: self.keys)
            : JSONCodec(maximumBytes: self.settings.frameBytes)
    }

    func noteAcknowledging(_ connection: WuKongConnection) { self.acknowledging.append(connection) }

    /// Something that runs a body on this thread with the handler of a connection, if it is still there.
    func later(on id: ConnectionID) -> @Sendable (@escaping @Sendable (WuKongConnection) -> Void) -> Void {
        let jobs = self.reactor.jobs
        return { body in
            jobs.post(for: id) { reactor in
                if let connection = reactor.connection(id)?.handler as? WuKongConnection { body(connection) }
            }
        }
    }

    // MARK: From the broker

    private func receive(_ events: [SessionEvent]) {
        let now = self.reactor.now
        for event in events {
            switch event {
            case .opened(let handle, let id):
                if let connection = self.connections[handle] {
                    connection.registered(id)
                } else {
                    // The connection ended while the broker registered it.
                    self.broker.closed(id, .closedByPeer)
                }
            case .ended(let handle, let reason): self.connections[handle]?.endedByBroker(reason)
            case .published(let handle, let ticket, let outcome):
                self.connections[handle]?.published(ticket, outcome)
            case .message(let delivery, let handles):
                self.frames.beginDelivery(delivery)
                for handle in handles where handle != delivery.origin {
                    self.connections[handle]?.offer(delivery, at: now)
                }
                self.frames.end()
            case .withdrawn(let messages): self.frames.withdraw(messages)
            // Its clients hear of changes by commands, from the API for apps.
            case .happened, .typing, .position: break
            case .event(let event, let handles):
                self.events.beginEvent()
                for handle in handles { self.connections[handle]?.offer(event) }
            }
        }
    }

    /// Measures sessions for an operator who looks.
    private func measures(of handles: [UInt64]) -> [UInt64: SessionMeasure] {
        let (now, wall) = (self.reactor.clock.now(), self.reactor.clock.wallMilliseconds())
        var found: [UInt64: SessionMeasure] = [:]
        for handle in handles {
            guard let known = self.connections[handle] else { continue }
            found[handle] = SessionMeasure(
                activeAtMilliseconds: wall - now.milliseconds(since: known.connection.lastReceivedAt),
                queuedBytes: known.connection.outboxBytes, unacknowledged: known.session.unacknowledged)
        }
        return found
    }

    /// Carries the broker's events to the reactor's thread.
    private final class ReactorOutlet: Outlet {
        private let jobs: Mailbox<Reactor.Job>

        init(jobs: Mailbox<Reactor.Job>) { self.jobs = jobs }

        func deliver(_ events: [SessionEvent]) {
            self.jobs.post { reactor in reactor.gateway(WuKongGateway.self)?.receive(events) }
        }

        func measure(_ handles: [UInt64], then: @escaping @Sendable ([UInt64: SessionMeasure]) -> Void) {
            self.jobs.post { reactor in then(reactor.gateway(WuKongGateway.self)?.measures(of: handles) ?? [:]) }
        }
    }
}
