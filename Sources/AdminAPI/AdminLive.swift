/// What an operator can ask about the server's pulse.
package enum AdminLiveRequest: Hashable, Sendable {
    /// The last ten minutes, and from then on a point once a second as an event, until stopped.
    case start
    /// The last ten minutes alone.
    case look
}

extension AdminLiveRequest {
    var word: String {
        switch self {
        case .start: "live.start"
        case .look: "live.look"
        }
    }

    /// - Returns: `nil` for a word that is none of the pulse.
    init?(word: String) {
        switch word {
        case "live.start": self = .start
        case "live.look": self = .look
        default: return nil
        }
    }
}

/// The last ten minutes of the server.
package struct AdminLiveHistory: AdminRecord {
    /// A point for each second, the oldest first; at most `AdminProtocol.livePoints`. None in the first second.
    package var points: [AdminLivePoint]
    /// What the queues and the rest are held against.
    package var limits: [AdminLimit]

    package init(points: [AdminLivePoint], limits: [AdminLimit]) {
        self.points = points
        self.limits = limits
    }

    func write(to fields: inout FieldWriter) {
        fields.records("points", self.points)
        fields.records("limits", self.limits)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.points = try fields.records("points")
        self.limits = try fields.records("limits")
    }
}

/// The server at one moment, and what it did in the second before.
package struct AdminLivePoint: AdminRecord {
    /// UTC milliseconds.
    package var atMilliseconds: Int64
    /// Messages that were taken, in a second.
    package var messages: Int64 = 0
    /// Copies that were handed to sessions, in a second.
    package var deliveries: Int64 = 0
    /// Messages that were refused, were too fast, or found the server busy, in a second.
    package var refusals: Int64 = 0
    package var sessions: Int64 = 0
    package var usersOnline: Int64 = 0
    /// Commits in a second, and how long one of them took on average; 0 when there was none.
    package var commits: Int64 = 0
    package var commitMicroseconds: Int64 = 0
    /// What waits for the writer now.
    package var queueRequests: Int64 = 0
    package var queueBytes: Int64 = 0
    /// Free bytes of the disk that the database is on.
    package var freeBytes: Int64 = 0
    /// Profiles that were asked for and were in memory, and all that were asked for, in a second.
    package var profileHits: Int64 = 0
    package var profileLookUps: Int64 = 0
    /// Transfers to which a connection is open.
    package var uploads: Int64 = 0
    package var downloads: Int64 = 0
    /// Bytes in a second.
    package var uploadedBytes: Int64 = 0
    package var downloadedBytes: Int64 = 0

    package init(atMilliseconds: Int64) { self.atMilliseconds = atMilliseconds }

    /// Every number with its name on the socket.
    private static var parts: [(key: StaticString, path: WritableKeyPath<AdminLivePoint, Int64>)] {
        [
            ("at", \.atMilliseconds), ("messages", \.messages), ("deliveries", \.deliveries), ("refusals", \.refusals),
            ("sessions", \.sessions), ("usersOnline", \.usersOnline), ("commits", \.commits),
            ("commitMicroseconds", \.commitMicroseconds), ("queueRequests", \.queueRequests),
            ("queueBytes", \.queueBytes), ("freeBytes", \.freeBytes), ("profileHits", \.profileHits),
            ("profileLookUps", \.profileLookUps), ("uploads", \.uploads), ("downloads", \.downloads),
            ("uploadedBytes", \.uploadedBytes), ("downloadedBytes", \.downloadedBytes),
        ]
    }

    func write(to fields: inout FieldWriter) {
        for part in Self.parts { fields.number(part.key, self[keyPath: part.path]) }
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.init(atMilliseconds: 0)
        for part in Self.parts { self[keyPath: part.path] = try fields.number(part.key.description) }
    }
}
