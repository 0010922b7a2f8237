import ChatModel
import Execution

/// Table of all sessions by person and device. Confined to the broker's thread.
final class SessionTable {
    /// The events of one outlet that wait for the end of the turn.
    final class Lane {
        let outlet: any Outlet
        var events: [SessionEvent] = []
        /// Something was handed over after the last position.
        var awaitsPosition = false

        init(outlet: any Outlet) { self.outlet = outlet }
    }

    final class Session {
        let description: SessionDescription
        let lane: Lane
        let handle: UInt64
        let person: Person
        var refusals = 0
        var refusalsSince: Instant

        init(description: SessionDescription, lane: Lane, handle: UInt64, person: Person, now: Instant) {
            self.description = description
            self.lane = lane
            self.handle = handle
            self.person = person
            self.refusalsSince = now
        }
    }

    /// A person with sessions, or one whose rate must still be remembered.
    final class Person {
        let id: UserID
        /// Oldest first.
        var sessions: [Session] = []
        var bucket: TokenBucket

        init(id: UserID, bucket: TokenBucket) {
            self.id = id
            self.bucket = bucket
        }
    }

    private(set) var sessions: [SessionID: Session] = [:]
    private(set) var people: [UserID: Person] = [:]
    /// How many sessions there are of a name.
    private var names: [UserName: Int] = [:]
    /// How many sessions there are of each protocol, by its name; those of none are left out.
    private(set) var protocols: [String: Int] = [:]
    private var lanes: [ObjectIdentifier: Lane] = [:]
    private var lastID: UInt64 = 0
    /// Rises with every session that comes or goes: what was computed from the table is valid for one value of it.
    private(set) var generation: UInt64 = 0

    deinit {
        // A person and their sessions hold each other; sessions that are still open would stay for ever.
        for person in self.people.values { person.sessions.removeAll() }
    }

    /// Members of `asked` who have sessions.
    func online(_ asked: Set<UserName>) -> Set<UserName> { asked.filter { self.names[$0] != nil } }

    var usersOnline: Int { self.people.values.count { !$0.sessions.isEmpty } }

    func lane(of outlet: any Outlet) -> Lane {
        let key = ObjectIdentifier(outlet)
        if let lane = self.lanes[key] { return lane }
        let lane = Lane(outlet: outlet)
        self.lanes[key] = lane
        return lane
    }

    var allLanes: Dictionary<ObjectIdentifier, Lane>.Values { self.lanes.values }

    func person(_ id: UserID, limit: RateLimit, now: Instant) -> Person {
        if let person = self.people[id] { return person }
        let person = Person(id: id, bucket: TokenBucket(full: limit, at: now))
        self.people[id] = person
        return person
    }

    func add(_ opening: SessionOpening, limit: RateLimit, clock: Clock) -> Session {
        self.lastID += 1
        self.generation += 1
        let now = clock.now()
        var description = opening.description
        description.id = SessionID(rawValue: self.lastID)
        description.openedAtMilliseconds = clock.wallMilliseconds()
        let person = self.person(description.user, limit: limit, now: now)
        let session = Session(
            description: description, lane: self.lane(of: opening.outlet), handle: opening.handle, person: person,
            now: now)
        person.sessions.append(session)
        self.sessions[description.id] = session
        self.names[description.userName, default: 0] += 1
        self.protocols[description.protocolName, default: 0] += 1
        return session
    }

    /// - Returns: the session, or `nil` when it was gone already.
    func remove(_ id: SessionID) -> Session? {
        guard let session = self.sessions.removeValue(forKey: id) else { return nil }
        self.generation += 1
        session.person.sessions.removeAll { $0 === session }
        let name = session.description.userName
        self.names[name] = self.names[name].flatMap { $0 > 1 ? $0 - 1 : nil }
        let spoken = session.description.protocolName
        self.protocols[spoken] = self.protocols[spoken].flatMap { $0 > 1 ? $0 - 1 : nil }
        return session
    }

    /// Forgets people without sessions whose rate has recovered.
    func forgetAbsent(limit: RateLimit, now: Instant) {
        for (id, person) in self.people where person.sessions.isEmpty && person.bucket.isFull(limit, at: now) {
            self.people[id] = nil
        }
    }
}
