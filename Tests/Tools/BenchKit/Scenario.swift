/// Scenario of a measurement.
package enum Scenario: Hashable, Sendable {
    /// Pairs of people who both write to each other, each with `window` messages unanswered.
    case pairs(pairs: Int, window: Int)
    /// A group, some of whose members write to it.
    case fanOut(members: Int, senders: Int, window: Int)
    /// Memory of connections that are signed in and silent.
    case idle(connections: Int)
    /// How fast everybody comes back, as after a power cut.
    case signIn(connections: Int)
    /// One person comes back to messages that were sent while away.
    case catchUp(messages: Int)

    /// Name of the scenario in tables.
    package var label: String {
        switch self {
        case .pairs(let pairs, let window): "pairs: \(pairs) pairs, both ways, \(window) in flight"
        case .fanOut(let members, let senders, let window):
            "fanout: \(members) members, \(senders) sending, \(window) in flight"
        case .idle(let connections): "idle: \(connections) connections"
        case .signIn(let connections): "signin: \(connections) connections"
        case .catchUp(let messages): "catchup: \(messages) messages"
        }
    }

    /// People who have to exist.
    package var users: Int {
        switch self {
        case .pairs(let pairs, _): 2 * pairs
        case .fanOut(let members, _, _): members
        case .idle(let connections), .signIn(let connections): connections
        case .catchUp: 2
        }
    }

    /// Members that the group has to have; 0 when none is needed.
    package var groupMembers: Int {
        if case .fanOut(let members, _, _) = self { members } else { 0 }
    }
}

/// How long the parts of a run may take. Every wait of the generator has one of these bounds.
package struct Bounds: Equatable, Sendable {
    /// Traffic before the measuring begins, so that caches, pools and windows are as they will stay.
    package var warmUpSeconds = 0.5
    /// Seconds that are measured.
    package var measuredSeconds = 5.0
    /// For the last answers and deliveries after the senders stopped.
    package var drainSeconds = 10.0
    /// Seconds for opening all connections.
    package var openSeconds = 30.0

    package init() {}
}
