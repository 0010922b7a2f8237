/// Requests for the live metrics of the server.
package enum AdminLiveRequest: AdminDefinitions {
    /// Asks for the last ten minutes, and for one point a second as an event, until stopped.
    case start
    /// Asks for the last ten minutes alone.
    case look

    static let all: [Self] = [.start, .look]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .start:
            fields.look("live.start", role: .observer)
            return self
        case .look:
            fields.look("live.look", role: .observer)
            return self
        }
    }
}

/// The last ten minutes of the server.
package struct AdminLiveHistory: AdminRecord {
    /// One point per second, oldest first; at most `AdminProtocol.livePoints`. Empty in the first second.
    package var points: [AdminLivePoint]
    /// Bounds of the queues and of other resources.
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

/// State of the server at one moment, and its work in the second before.
package struct AdminLivePoint: AdminRecord {
    /// Time of the point, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Messages accepted in the second.
    package var messages: Int64 = 0
    /// Copies handed to sessions in the second.
    package var deliveries: Int64 = 0
    /// Messages refused in the second, by a rule, a rate limit or a full queue.
    package var refusals: Int64 = 0
    /// Sessions that are open.
    package var sessions: Int64 = 0
    /// Users with at least one session.
    package var usersOnline: Int64 = 0
    /// Commits in the second.
    package var commits: Int64 = 0
    /// Mean commit latency in the second, microseconds; 0 without a commit.
    package var commitMicroseconds: Int64 = 0
    /// Requests that wait for the writer.
    package var queueRequests: Int64 = 0
    /// Bytes that wait for the writer.
    package var queueBytes: Int64 = 0
    /// Free bytes of the disk that the database is on.
    package var freeBytes: Int64 = 0
    /// Profile look-ups in the second that memory answered.
    package var profileHits: Int64 = 0
    /// All profile look-ups in the second.
    package var profileLookUps: Int64 = 0
    /// Uploads with an open connection.
    package var uploads: Int64 = 0
    /// Downloads with an open connection.
    package var downloads: Int64 = 0
    /// Bytes uploaded in the second.
    package var uploadedBytes: Int64 = 0
    /// Bytes downloaded in the second.
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
