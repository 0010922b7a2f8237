import APIKit
import Execution
package import Transport

/// The gateway for events on one reactor: a WebSocket on which a client of our own hears that people are shown
/// otherwise, and how its transfers go. Confined to its reactor.
package final class EventsGateway: Gateway {
    /// Path of the WebSocket.
    package static let path = "\(APIPaths.prefix)/events"
    /// Interval of the check whether users may still listen, seconds.
    private static let lookSeconds = 1.0

    let context: EventsContext
    unowned let reactor: Reactor
    private var sessions: [ConnectionID: EventsSession] = [:]
    private var nextLook: Instant

    package init(context: EventsContext, reactor: Reactor) {
        self.context = context
        self.reactor = reactor
        self.nextLook = reactor.clock.now()
    }

    /// Accepts a WebSocket at the events path; every other opening belongs to another gateway.
    package func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer {
        guard case .webSocket(let request) = opening, request.path == Self.path else { return .notMine }
        let session = EventsSession(connection, request, gateway: self)
        self.sessions[connection.id] = session
        session.begin()
        return .accept(session, subprotocol: nil)
    }

    /// Answers a plain request at the events path with 426; returns `false` for other paths.
    package func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard request.path == Self.path else { return false }
        responder.send(APIFailure(426, "events are told over a WebSocket"), [("Upgrade", "websocket")])
        return true
    }

    /// Checks once a second whether the users of open sessions may still listen. Runs on the reactor's thread.
    package func turnEnded() {
        guard !self.sessions.isEmpty else { return }
        let now = self.reactor.clock.now()
        guard now >= self.nextLook else { return }
        self.nextLook = now.advanced(bySeconds: Self.lookSeconds)
        for session in self.sessions.values { session.checkRight() }
    }

    func forget(_ id: ConnectionID) { self.sessions[id] = nil }

    /// Something that runs a body on this thread with the session of a connection, if it is still there.
    func later(on id: ConnectionID) -> @Sendable (@escaping @Sendable (EventsSession) -> Void) -> Void {
        let jobs = self.reactor.jobs
        return { body in
            jobs.post(for: id) { reactor in
                if let session = reactor.gateway(EventsGateway.self)?.sessions[id] { body(session) }
            }
        }
    }
}
