import Broker
import ChatModel
import Diagnostics
import Execution
import Store

/// Rooms of sessions. A session is in one room at a time; a person whose last session has ended leaves some time later,
/// and is in it again after an earlier sign-in. One for all reactors; any thread.
///
/// The store knows who is in a room; this knows which session brought them there.
final class LeanCloudRooms: Sendable {
    private struct State {
        /// By session.
        var places: [UserID: [UInt64: ConversationID]] = [:]
        /// The room of people of whose sessions the one there has ended.
        var left: [UserID: ConversationID] = [:]
        /// Sessions of people, whatever gateway they came through.
        var sessions: [UserID: Int] = [:]
        var nextSweep: Instant

        func isVisitor(_ user: UserID) -> Bool { self.left[user] != nil || self.places[user] != nil }

        func isPlaced(_ user: UserID, in room: ConversationID) -> Bool {
            self.places[user]?.values.contains(room) ?? false
        }

        mutating func takePlace(of session: UInt64, _ user: UserID) -> ConversationID? {
            let room = self.places[user]?.removeValue(forKey: session)
            if self.places[user]?.isEmpty ?? false { self.places[user] = nil }
            return room
        }
    }

    private let store: Store
    private let clock: Clock
    private let log: Log
    private let rejoinMilliseconds: Int64
    private let state: Lock<State>

    private static let sweepMilliseconds: Int64 = 15_000
    private static let sweepVisits = 500

    init(store: Store, rejoinSeconds: Int64, clock: Clock, log: Log) {
        self.store = store
        self.clock = clock
        self.log = log
        self.rejoinMilliseconds = rejoinSeconds * 1000
        self.state = Lock(State(nextSweep: clock.now()))
    }

    /// Nobody is here yet: the visits of before end in time, unless their people come back. Before the gateways open;
    /// blocks.
    func begin(_ broker: Broker) throws(StoreError) {
        let moment = self.clock.wallMilliseconds() + self.rejoinMilliseconds
        let visits = try self.store.writeAndWait { transaction throws(StoreError) in
            try transaction.conversations.endAllVisits(at: moment)
        }
        self.state.withLock { state in for visit in visits { state.left[visit.user] = visit.room } }
        broker.watch(sessionsOnly: true) {
            self.happened($0)
        } then: { _ in
        }
    }

    // MARK: Where sessions are

    /// A session goes into a room.
    ///
    /// - Returns: the rooms that its person is no longer in: none where another of their sessions is.
    func enter(_ room: ConversationID, session: UInt64, of user: UserID) -> [ConversationID] {
        self.state.withLock { state in
            let before = [state.takePlace(of: session, user), state.left.removeValue(forKey: user)].compactMap { $0 }
            state.places[user, default: [:]][session] = room
            return Set(before).filter { !state.isPlaced(user, in: $0) }
        }
    }

    /// Somebody is out of a room, with all their sessions.
    func leave(_ room: ConversationID, _ user: UserID) {
        self.state.withLock { state in
            for (session, place) in state.places[user] ?? [:] where place == room {
                _ = state.takePlace(of: session, user)
            }
            if state.left[user] == room { state.left[user] = nil }
        }
    }

    /// A session has ended.
    func ended(session: UInt64, of user: UserID) {
        self.state.withLock { state in
            guard let room = state.takePlace(of: session, user), !state.isPlaced(user, in: room) else { return }
            state.left[user] = room
        }
    }

    /// A session has begun: it is where the one before it was.
    func began(session: UInt64, of user: UserID) {
        self.state.withLock { state in
            if let room = state.left.removeValue(forKey: user) { state.places[user, default: [:]][session] = room }
        }
    }

    // MARK: Coming and going

    private enum Change {
        case away(UserID)
        case back(UserID)
    }

    /// On the broker's thread.
    private func happened(_ events: [WatchEvent]) {
        let changes = self.state.withLock { state in events.compactMap { Self.noteEvent($0, &state) } }
        for change in changes {
            switch change {
            case .away(let user):
                let moment = self.clock.wallMilliseconds() + self.rejoinMilliseconds
                self.write { transaction throws(StoreError) in
                    try transaction.conversations.endVisits(of: user, at: moment)
                }
            case .back(let user):
                self.write { transaction throws(StoreError) in try transaction.conversations.resumeVisits(of: user) }
            }
        }
    }

    private static func noteEvent(_ event: WatchEvent, _ state: inout State) -> Change? {
        switch event {
        case .accepted: return nil
        case .opened(let session):
            state.sessions[session.user, default: 0] += 1
            return state.sessions[session.user] == 1 && state.isVisitor(session.user) ? .back(session.user) : nil
        case .ended(let session, let reason):
            state.sessions[session.user] = state.sessions[session.user].flatMap { $0 > 1 ? $0 - 1 : nil }
            guard state.sessions[session.user] == nil, state.isVisitor(session.user) else { return nil }
            // The next start sees to all of them.
            return reason == .serverStopping ? nil : .away(session.user)
        }
    }

    private func write(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) {
        let log = self.log
        self.store.write(body) { result in
            if case .failure(let error) = result {
                log.warning("visit not noted", ["reason": .text(error.description)])
            }
        }
    }

    // MARK: The end of visits

    /// Takes visitors out whose time is over. About once a second, from one reactor.
    func tick(at now: Instant) {
        let isDue = self.state.withLock { state in
            guard now >= state.nextSweep else { return false }
            state.nextSweep = now.advanced(byMilliseconds: Self.sweepMilliseconds)
            return !state.left.isEmpty
        }
        if isDue { self.sweep() }
    }

    private func sweep() {
        let moment = self.clock.wallMilliseconds()
        self.store.write({ transaction throws(StoreError) in
            try transaction.conversations.removeVisits(endedBefore: moment, limit: Self.sweepVisits)
        }) { result in
            switch result {
            case .success(let visits):
                self.state.withLock { state in
                    for visit in visits where state.left[visit.user] == visit.room { state.left[visit.user] = nil }
                }
                if visits.count == Self.sweepVisits { self.sweep() }
            case .failure(let error): self.log.warning("visits not ended", ["reason": .text(error.description)])
            }
        }
    }
}
