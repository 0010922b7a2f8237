/// What an operator can ask about the server's pulse.
package enum AdminLiveRequest: Hashable, Sendable {
    /// The last ten minutes, and from then on a point once a second as an event, until stopped.
    case start
    /// The last ten minutes alone.
    case look
}

extension AdminLiveRequest: AdminOperations {
    static let all: [Self] = [
        .start, .look,
    ]

    package var operation: AdminOperation {
        switch self {
        case .start: .look("live.start")
        case .look: .look("live.look")
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .start: self
        case .look: self
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.points = try fields("points", \.points)
        self.limits = try fields("limits", \.limits)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.messages = try fields("messages", \.messages)
        self.deliveries = try fields("deliveries", \.deliveries)
        self.refusals = try fields("refusals", \.refusals)
        self.sessions = try fields("sessions", \.sessions)
        self.usersOnline = try fields("usersOnline", \.usersOnline)
        self.commits = try fields("commits", \.commits)
        self.commitMicroseconds = try fields("commitMicroseconds", \.commitMicroseconds)
        self.queueRequests = try fields("queueRequests", \.queueRequests)
        self.queueBytes = try fields("queueBytes", \.queueBytes)
        self.freeBytes = try fields("freeBytes", \.freeBytes)
        self.profileHits = try fields("profileHits", \.profileHits)
        self.profileLookUps = try fields("profileLookUps", \.profileLookUps)
        self.uploads = try fields("uploads", \.uploads)
        self.downloads = try fields("downloads", \.downloads)
        self.uploadedBytes = try fields("uploadedBytes", \.uploadedBytes)
        self.downloadedBytes = try fields("downloadedBytes", \.downloadedBytes)
    }
}
