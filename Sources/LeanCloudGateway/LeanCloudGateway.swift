import Broker
import ChatModel
import Execution
import LeanCloudWire
package import Transport

/// The LeanCloud gateway on one reactor: takes WebSockets that offer one of its subprotocols, and hands the broker's
/// events to the clients on them. Also tells where that is, at the paths of LeanCloud's routers. Confined to its
/// reactor.
package final class LeanCloudGateway: Gateway {
    let services: LeanCloudServices
    unowned let reactor: Reactor
    private let outlet: ReactorOutlet
    @exclusivity(unchecked) private var sessions = SlotTable<LeanCloudSession>()
    /// Messages of this turn, for the broker.
    private var publishes: [PublishRequest] = []
    private var nextTick: Instant
    @exclusivity(unchecked) var frames = LeanCloudFrames()
    /// How far clients have got messages, for the store.
    @exclusivity(unchecked) var acknowledgements = LeanCloudAcknowledgements()

    private static let tickMilliseconds: Int64 = 1000
    /// First owner number in handles: other gateways on the same reactor have numbers below, and must differ.
    private static let firstOwner = 0x80

    package init(services: LeanCloudServices, reactor: Reactor) {
        self.services = services
        self.reactor = reactor
        self.outlet = ReactorOutlet(jobs: reactor.jobs)
        self.nextTick = reactor.clock.now().advanced(byMilliseconds: Self.tickMilliseconds)
    }

    // MARK: Gateway

    package func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer {
        guard case .webSocket(let request) = opening,
            let chosen = LeanCloudSubprotocol.chosen(from: request.offeredSubprotocols)
        else { return .notMine }
        let handler = LeanCloudConnection(
            connection: connection, gateway: self, chosen, isForeign: request.isFromForeignOrigin)
        connection.idleDeadlineSeconds = self.services.settings.idleSeconds
        // What is said before this returns would come before the handshake's answer.
        if request.isFromForeignOrigin { self.later(handler)({ $0.refuseOrigin() }) }
        return .accept(handler, subprotocol: chosen.name)
    }

    /// Browsers tell their pages nothing of a refused handshake: they are refused in the protocol's words.
    package func acceptsForeignOrigin(_ request: HTTPRequest) -> Bool {
        LeanCloudSubprotocol.chosen(from: request.offeredSubprotocols) != nil
    }

    /// A page of any origin may ask where to connect: it is told there, in the protocol's words, that it may not.
    package func takesAnyOrigin(_ request: HTTPRequest) -> Bool { LeanCloudRouter.isRouter(request.path) }

    package func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        LeanCloudRouter(services: self.services).respond(to: request, with: responder)
    }

    package func turnEnded() {
        self.flushPublishes()
        let now = self.reactor.clock.now()
        self.flushAcknowledgements(at: now)
        guard now >= self.nextTick else { return }
        self.nextTick = now.advanced(byMilliseconds: Self.tickMilliseconds)
        self.sessions.forEach { $0.tick(at: now) }
        if self.reactor.index == 0 { self.services.rooms.tick(at: now) }
    }

    // MARK: For connections

    /// Settings of every connection and client.
    var settings: LeanCloudSettings { self.services.settings }

    /// Monotonic time of this moment.
    func now() -> Instant { self.reactor.clock.now() }

    /// True when the id is that of the app whose clients are served here.
    func serves(app id: String) -> Bool { self.services.serves(app: id) }

    // MARK: For sessions

    /// Signs a client in at the broker, which answers with `.opened`.
    func register(_ session: LeanCloudSession, as description: SessionDescription) {
        session.handle = self.sessions.insert(session, owner: Self.firstOwner + self.reactor.index)
        self.services.broker.open(
            SessionOpening(description: description, outlet: self.outlet, handle: session.handle))
    }

    func forget(_ session: LeanCloudSession) { self.sessions.remove(session.handle) }

    func publish(_ request: PublishRequest) { self.publishes.append(request) }

    /// Hands the messages of this turn to the broker: before it hears that one of their sessions has ended.
    func flushPublishes() {
        guard !self.publishes.isEmpty else { return }
        self.services.broker.publish(self.publishes)
        self.publishes.removeAll(keepingCapacity: true)
    }

    /// Something that runs a body on this thread with a session, if it is still there.
    func later(_ session: LeanCloudSession) -> @Sendable (@escaping @Sendable (LeanCloudSession) -> Void) -> Void {
        let (jobs, handle, id) = (self.reactor.jobs, session.handle, session.connection.connection.id)
        return { body in
            jobs.post(for: id) { reactor in
                if let session = reactor.gateway(LeanCloudGateway.self)?.sessions[handle] { body(session) }
            }
        }
    }

    /// As `later`, for the answer to a change: it is posted before the events that tell of the change, and goes out before
    /// them, so it waits for no turn.
    func soon(_ session: LeanCloudSession) -> @Sendable (@escaping @Sendable (LeanCloudSession) -> Void) -> Void {
        let (jobs, handle) = (self.reactor.jobs, session.handle)
        return { body in
            jobs.post { reactor in
                if let session = reactor.gateway(LeanCloudGateway.self)?.sessions[handle] { body(session) }
            }
        }
    }

    /// The same for a connection.
    func later(
        _ connection: LeanCloudConnection
    ) -> @Sendable (@escaping @Sendable (LeanCloudConnection) -> Void) -> Void {
        let (jobs, id) = (self.reactor.jobs, connection.connection.id)
        return { body in
            jobs.post(for: id) { reactor in
                if let connection = reactor.connection(id)?.handler as? LeanCloudConnection { body(connection) }
            }
        }
    }

    // MARK: From the broker

    private func receive(_ events: [SessionEvent]) {
        for event in events {
            switch event {
            case .opened(let handle, let id):
                if let session = self.sessions[handle] {
                    session.registered(id)
                } else {
                    // The connection ended while the broker registered it.
                    self.services.broker.closed(id, .closedByPeer)
                }
            case .ended(let handle, let reason): self.sessions[handle]?.endedByBroker(reason)
            case .published(let handle, let ticket, let outcome): self.sessions[handle]?.published(ticket, outcome)
            case .message(let delivery, let handles):
                // Commands are WuKongIM's own.
                guard !delivery.isCommand, delivery.objectID != .zero else { break }
                self.frames.beginDelivery(delivery)
                for handle in handles where handle != delivery.origin {
                    self.sessions[handle]?.offer(delivery, by: self)
                }
                self.frames.end()
            case .withdrawn(let messages): self.frames.withdraw(messages)
            case .happened(let event, let handles):
                for handle in handles { self.sessions[handle]?.happened(event) }
            // Steps of streamed messages have no word here.
            case .event, .typing, .position: break
            }
        }
    }

    /// Measures of sessions, for an operator who looks.
    private func measures(of handles: [UInt64]) -> [UInt64: SessionMeasure] {
        let (now, wall) = (self.reactor.clock.now(), self.reactor.clock.wallMilliseconds())
        var found: [UInt64: SessionMeasure] = [:]
        for handle in handles {
            guard let session = self.sessions[handle] else { continue }
            let connection = session.connection.connection
            found[handle] = SessionMeasure(
                activeAtMilliseconds: wall - now.milliseconds(since: connection.lastReceivedAt),
                queuedBytes: connection.outboxBytes, unacknowledged: session.unacknowledged)
        }
        return found
    }

    /// Carries the broker's events to the reactor's thread.
    private final class ReactorOutlet: Outlet {
        private let jobs: Mailbox<Reactor.Job>

        init(jobs: Mailbox<Reactor.Job>) { self.jobs = jobs }

        func deliver(_ events: [SessionEvent]) {
            self.jobs.post { reactor in reactor.gateway(LeanCloudGateway.self)?.receive(events) }
        }

        func measure(_ handles: [UInt64], then: @escaping @Sendable ([UInt64: SessionMeasure]) -> Void) {
            self.jobs.post { reactor in then(reactor.gateway(LeanCloudGateway.self)?.measures(of: handles) ?? [:]) }
        }
    }
}
