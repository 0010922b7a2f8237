import APIKit
import Broker
import ChatModel
import Execution
package import Transport

/// The gateway for the events feed of our own API on one reactor, over WebSocket and as long-poll: hands the broker's
/// events to the sessions of native clients. Confined to its reactor.
///
/// It shares its path with the older socket for profiles and transfers (`EventsGateway`), which takes what this one
/// leaves: WebSockets without the subprotocol.
package final class FeedGateway: Gateway {
    /// Path of the feed.
    package static let path = EventsGateway.path
    /// WebSocket subprotocol of the feed.
    package static let subprotocol = "teahouse.v2"
    /// Interval of the check whether users may still listen, seconds.
    private static let lookSeconds = 1.0
    /// First owner number in handles: other gateways on the same reactor have others.
    private static let firstOwner = 0x40

    let context: FeedContext
    unowned let reactor: Reactor
    private let outlet: ReactorOutlet
    private var sessions = SlotTable<FeedSession>()
    /// Requests that are not answered yet. Bounded by the connections: one has one request at a time.
    private var polls: [ConnectionID: FeedPoll] = [:]
    /// Sessions that were touched after the last position.
    private var touched: [UInt64] = []
    private var nextLook: Instant
    private var people: PeopleSchedule

    package init(context: FeedContext, reactor: Reactor) {
        self.context = context
        self.reactor = reactor
        self.outlet = ReactorOutlet(jobs: reactor.jobs)
        self.nextLook = reactor.clock.now()
        self.people = PeopleSchedule(now: reactor.clock.now())
    }

    // MARK: Gateway

    /// Accepts a WebSocket at the events path that offers the feed's subprotocol.
    package func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer {
        guard case .webSocket(let request) = opening, request.path == Self.path,
            request.offeredSubprotocols.contains(Self.subprotocol)
        else { return .notMine }
        return .accept(
            FeedConnection(connection, request, gateway: self), subprotocol: Self.subprotocol)
    }

    /// Takes a long-poll.
    package func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard request.path == Self.path, request.method == "GET" else { return false }
        FeedPoll.begin(request, responder, gateway: self)
        return true
    }

    /// Checks once a second whether the users of sessions may still listen.
    package func turnEnded() {
        let now = self.reactor.clock.now()
        guard now >= self.nextLook else { return }
        self.nextLook = now.advanced(bySeconds: Self.lookSeconds)
        // Who may not listen any more leaves the table.
        var present: [FeedSession] = []
        self.sessions.forEach { present.append($0) }
        for session in present { session.checkRight() }
    }

    // MARK: For sessions

    /// Gives a session its handle.
    func enter(_ session: FeedSession) -> UInt64 {
        self.sessions.insert(session, owner: Self.firstOwner + self.reactor.index)
    }

    /// Signs a session in at the broker, which answers with `.opened`.
    func register(_ session: FeedSession, as description: SessionDescription) {
        self.context.broker.open(
            SessionOpening(description: description, outlet: self.outlet, handle: session.handle))
    }

    func forget(_ session: FeedSession) { self.sessions.remove(session.handle) }

    func hold(_ poll: FeedPoll, of connection: ConnectionID) { self.polls[connection] = poll }

    func forgetPoll(of connection: ConnectionID) { self.polls[connection] = nil }

    /// Something that runs a body on this thread with the request that a connection waits for, if it still does.
    func laterPoll(of id: ConnectionID) -> @Sendable (@escaping @Sendable (FeedPoll) -> Void) -> Void {
        let jobs = self.reactor.jobs
        return { body in
            jobs.post(for: id) { reactor in
                if let poll = reactor.gateway(FeedGateway.self)?.polls[id] { body(poll) }
            }
        }
    }

    /// Something that runs a body on this thread with the handler of a connection, if it is still there.
    func later(on id: ConnectionID) -> @Sendable (@escaping @Sendable (FeedConnection) -> Void) -> Void {
        let jobs = self.reactor.jobs
        return { body in
            jobs.post(for: id) { reactor in
                if let connection = reactor.connection(id)?.handler as? FeedConnection { body(connection) }
            }
        }
    }

    /// Something that runs a body on this thread with a session, if it is still there.
    func later(_ session: FeedSession) -> @Sendable (@escaping @Sendable (FeedSession) -> Void) -> Void {
        let (jobs, handle, id) = (self.reactor.jobs, session.handle, session.connectionID)
        return { body in
            jobs.post(for: id) { reactor in
                if let session = reactor.gateway(FeedGateway.self)?.sessions[handle] { body(session) }
            }
        }
    }

    /// Runs a body on this thread with a session after a while, if it is still there then.
    func after(milliseconds: Int64, _ session: FeedSession, _ body: @escaping (FeedSession) -> Void) {
        let handle = session.handle
        self.reactor.after(milliseconds: milliseconds) { reactor in
            if let session = reactor.gateway(FeedGateway.self)?.sessions[handle] { body(session) }
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
                    // The client went while the broker registered it.
                    self.context.broker.closed(id, .closedByPeer)
                }
            case .ended(let handle, let reason): self.sessions[handle]?.endedByBroker(reason)
            case .message(let delivery, let handles):
                // Commands are WuKongIM's own; transient messages have no place in the order.
                guard delivery.isStored, !delivery.isCommand else { break }
                self.touch(delivery.message.conversation, handles)
            case .happened(let event, let handles):
                if let place = event.place {
                    self.touch(place.conversation, handles)
                } else {
                    self.touchPeople(event, handles)
                }
            case .typing(let name, let conversation, let handles):
                let frame = NativeNotices.typing(name, in: conversation)
                for handle in handles { self.sessions[handle]?.say(frame) }
            case .position(let position):
                let touched = self.touched
                self.touched = []
                for handle in touched { self.sessions[handle]?.told(position) }
                self.readPeople()
            // Native clients send over HTTP; bodies are read when they go out; steps of streamed messages have no word.
            case .published, .withdrawn, .event: break
            }
        }
    }

    private func touch(_ conversation: ConversationID, _ handles: [UInt64]) {
        for handle in handles {
            if let session = self.sessions[handle], session.touch(conversation) { self.touched.append(handle) }
        }
    }

    /// Notes a change of people, of whom sessions read when `people` says so.
    private func touchPeople(_ event: ChangeEvent, _ handles: [UInt64]) {
        if event.isForWatchers {
            self.people.touchWatchers()
            self.sessions.forEach { session in
                if session.touchPeople() { self.touched.append(session.handle) }
            }
        } else {
            for handle in handles {
                guard let session = self.sessions[handle] else { continue }
                if session.touchPeople() { self.touched.append(handle) }
                self.people.touch(handle)
            }
        }
    }

    /// Lets sessions read changes of people whose commit has been said.
    private func readPeople() {
        let (alone, next) = self.people.told(at: self.reactor.clock.now())
        for handle in alone { self.sessions[handle]?.readPeople() }
        self.perform(next)
    }

    private func perform(_ action: PeopleSchedule.Action) {
        switch action {
        case .none: break
        case .readAll:
            var present: [FeedSession] = []
            self.sessions.forEach { present.append($0) }
            for session in present { session.readPeople() }
        case .wait(let milliseconds):
            self.reactor.after(milliseconds: milliseconds) { reactor in
                guard let gateway = reactor.gateway(FeedGateway.self) else { return }
                gateway.perform(gateway.people.timePassed(at: reactor.clock.now()))
            }
        }
    }

    /// Measures of sessions, for an operator who looks.
    private func measures(of handles: [UInt64]) -> [UInt64: SessionMeasure] {
        var found: [UInt64: SessionMeasure] = [:]
        for handle in handles { found[handle] = self.sessions[handle]?.measure }
        return found
    }

    /// Carries the broker's events to the reactor's thread.
    private final class ReactorOutlet: Outlet {
        private let jobs: Mailbox<Reactor.Job>

        init(jobs: Mailbox<Reactor.Job>) { self.jobs = jobs }

        var hearsPositions: Bool { true }

        func deliver(_ events: [SessionEvent]) {
            self.jobs.post { reactor in reactor.gateway(FeedGateway.self)?.receive(events) }
        }

        func measure(_ handles: [UInt64], then: @escaping @Sendable ([UInt64: SessionMeasure]) -> Void) {
            self.jobs.post { reactor in then(reactor.gateway(FeedGateway.self)?.measures(of: handles) ?? [:]) }
        }
    }
}
