package import ChatModel

/// A session that is over.
package struct SessionEnd: Hashable, Sendable {
    /// Session that ended.
    package var session: SessionDescription
    /// UTC milliseconds.
    package var endedAtMilliseconds: Int64
    /// Reason of the end.
    package var reason: SessionEndReason
}

/// The newest ends of sessions, in memory alone: at most `capacity`, the oldest go first.
struct SessionEnds {
    static let capacity = 1_000

    private var ends: [SessionEnd] = []
    /// Where the oldest is, once there are as many as fit.
    private var oldest = 0

    mutating func add(_ end: SessionEnd) {
        guard self.ends.count == Self.capacity else { return self.ends.append(end) }
        self.ends[self.oldest] = end
        self.oldest = (self.oldest + 1) % Self.capacity
    }

    /// The newest first.
    func newest(of user: UserID?, limit: Int) -> [SessionEnd] {
        let ordered = self.ends[self.oldest...] + self.ends[..<self.oldest]
        return Array(ordered.reversed().lazy.filter { user == nil || $0.session.user == user }.prefix(limit))
    }
}

extension Broker {
    /// How sessions of a person, or of anybody, ended since the server started, the newest first. Of all people
    /// together the newest thousand are known.
    package func ends(of user: UserID?, limit: Int, then: @escaping @Sendable ([SessionEnd]) -> Void) {
        self.ask { core in then(core.ends.newest(of: user, limit: limit)) }
    }
}
