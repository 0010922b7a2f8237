package import Accounts
package import Broker
import ChatModel
package import Diagnostics
import Execution
import Store
package import Transport

/// What the doors of one server share.
package struct WuKongHouse: Sendable {
    package var broker: Broker
    package var authenticator: Authenticator
    package var settings: WuKongSettings
    package var log: Log

    package init(broker: Broker, authenticator: Authenticator, settings: WuKongSettings, log: Log) {
        self.broker = broker
        self.authenticator = authenticator
        self.settings = settings
        self.log = log
    }
}

/// The WuKongIM door on one reactor: makes a session for each connection, and hands the broker's
/// events to them. Confined to its reactor.
package final class WuKongGateway: Gateway {
    let house: WuKongHouse
    unowned let reactor: Reactor
    private let outlet: ReactorOutlet
    // What every message to every receiver goes through, here, in `WuKongSession` and in `BinaryFanOut`, is not checked
    // for exclusive access at run time: nothing calls back while it changes, and the checks took a tenth of the time of
    // a delivery.
    @exclusivity(unchecked) private var sessions = SlotTable<WuKongSession>()
    /// Messages of this turn, for the broker.
    private var publishes: [PublishRequest] = []
    /// Sessions that acknowledged something since the last tick.
    private var acknowledging: [WuKongSession] = []
    private var nextTick: Instant
    private var nextRedelivery: Instant
    @exclusivity(unchecked) var frames = FrameCache()
    var events = EventCache()
    /// The keys of this reactor's sessions in the binary encoding; `nil` when OpenSSL refuses them.
    let keys: BinaryKeys?

    /// What clients are told as the number of this server.
    static let nodeID: Int64 = 1

    private static let tickMilliseconds: Int64 = 1000
    private static let redeliveryScanMilliseconds: Int64 = 5000

    package init(house: WuKongHouse, reactor: Reactor) {
        self.house = house
        self.reactor = reactor
        self.outlet = ReactorOutlet(jobs: reactor.jobs)
        self.keys = BinaryKeys(log: house.log)
        let now = reactor.clock.now()
        self.nextTick = now.advanced(byMilliseconds: Self.tickMilliseconds)
        self.nextRedelivery = now.advanced(byMilliseconds: Self.redeliveryScanMilliseconds)
    }

    // MARK: Gateway

    package func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer {
        .accept(WuKongSession(connection: connection, gateway: self, opening: opening), subprotocol: nil)
    }

    package func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool { false }

    package func turnEnded() {
        if !self.publishes.isEmpty {
            self.house.broker.publish(self.publishes)
            self.publishes.removeAll(keepingCapacity: true)
        }
        let now = self.reactor.clock.now()
        if now >= self.nextTick { self.tick(at: now) }
    }

    private func tick(at now: Instant) {
        self.nextTick = now.advanced(byMilliseconds: Self.tickMilliseconds)
        var marks: [DeliveredPosition] = []
        for session in self.acknowledging { session.takeDelivered(into: &marks) }
        self.acknowledging.removeAll(keepingCapacity: true)
        self.house.broker.recordDelivered(marks)
        let redelivers = now >= self.nextRedelivery
        if redelivers { self.nextRedelivery = now.advanced(byMilliseconds: Self.redeliveryScanMilliseconds) }
        self.sessions.forEach { session in
            if redelivers { session.redeliver(at: now) }
            session.retryIfWaiting()
        }
    }

    // MARK: For sessions

    /// Signs a session in at the broker, which answers with `.opened`.
    func register(_ session: WuKongSession, as description: SessionDescription) {
        session.handle = self.sessions.insert(session, owner: self.reactor.index)
        self.house.broker.open(
            SessionOpening(description: description, outlet: self.outlet, handle: session.handle))
    }

    func forget(_ session: WuKongSession) {
        self.sessions.remove(session.handle)
        var marks: [DeliveredPosition] = []
        session.takeDelivered(into: &marks)
        self.house.broker.recordDelivered(marks)
    }

    func publish(_ request: PublishRequest) { self.publishes.append(request) }

    func noteAcknowledging(_ session: WuKongSession) { self.acknowledging.append(session) }

    /// Something that runs a body on this thread with the session of a connection, if it is still there.
    func later(on id: ConnectionID) -> @Sendable (@escaping @Sendable (WuKongSession) -> Void) -> Void {
        let jobs = self.reactor.jobs
        return { body in
            jobs.post { reactor in
                if let session = reactor.connection(id)?.handler as? WuKongSession { body(session) }
            }
        }
    }

    // MARK: From the broker

    private func receive(_ events: [SessionEvent]) {
        for event in events {
            switch event {
            case .opened(let handle, let id):
                if let session = self.sessions[handle] {
                    session.opened(id)
                } else {
                    // The connection ended while the broker registered it.
                    self.house.broker.closed(id, .closedByPeer)
                }
            case .ended(let handle, let reason): self.sessions[handle]?.endedByBroker(reason)
            case .published(let handle, let ticket, let outcome):
                self.sessions[handle]?.published(ticket, outcome)
            case .message(let delivery, let handles):
                self.frames.begin(delivery)
                for handle in handles where handle != delivery.origin { self.sessions[handle]?.offer(delivery) }
                self.frames.end()
            case .withdrawn(let messages): self.frames.withdraw(messages)
            // Its clients hear of changes by commands, from the API for apps.
            case .happened: break
            case .event(let event, let handles):
                self.events.begin()
                for handle in handles { self.sessions[handle]?.offer(event) }
            }
        }
    }

    /// What is known of sessions, for an operator who looks.
    private func measures(of handles: [UInt64]) -> [UInt64: SessionMeasure] {
        let (now, wall) = (self.reactor.clock.now(), self.reactor.clock.wallMilliseconds())
        var found: [UInt64: SessionMeasure] = [:]
        for handle in handles {
            guard let session = self.sessions[handle] else { continue }
            found[handle] = SessionMeasure(
                activeAtMilliseconds: wall - now.milliseconds(since: session.connection.lastReceivedAt),
                queuedBytes: session.connection.outboxBytes, unacknowledged: session.pending.count)
        }
        return found
    }

    /// Carries the broker's events to the reactor's thread.
    private final class ReactorOutlet: Outlet {
        private let jobs: Mailbox<@Sendable (Reactor) -> Void>

        init(jobs: Mailbox<@Sendable (Reactor) -> Void>) { self.jobs = jobs }

        func deliver(_ events: [SessionEvent]) {
            self.jobs.post { reactor in reactor.gateway(WuKongGateway.self)?.receive(events) }
        }

        func measure(_ handles: [UInt64], then: @escaping @Sendable ([UInt64: SessionMeasure]) -> Void) {
            self.jobs.post { reactor in then(reactor.gateway(WuKongGateway.self)?.measures(of: handles) ?? [:]) }
        }
    }
}
