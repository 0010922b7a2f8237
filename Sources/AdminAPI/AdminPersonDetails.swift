package import ChatModel

/// What a page about one person shows beside `AdminUserDetail`.
package struct AdminPersonDetails: AdminRecord {
    package var name: UserName
    /// When the account was deleted, UTC milliseconds; `nil` for one that is not.
    package var deletedAtMilliseconds: Int64?
    /// How many friends there are; at most `AdminProtocol.detailRows` of them follow.
    package var friendCount: Int64
    package var friends: [AdminFriend]
    /// The newest first, at most `AdminProtocol.recentRows`.
    package var recent: [AdminRecentConversation]
    /// How many teams there are; at most `AdminProtocol.detailRows` of them follow.
    package var teamCount: Int64
    package var teams: [AdminMembership]
    package var files: AdminFileUse
    package var tokens: [AdminIssuedToken]
    /// The last ends of the person's sessions since the server started, the newest first, at most
    /// `AdminProtocol.recentRows`.
    package var ends: [AdminSessionEnd]
    /// Devices that push SDKs registered, the one heard of last first, at most `AdminProtocol.detailRows`.
    package var devices: [AdminInstallation]

    package init(
        name: UserName, deletedAtMilliseconds: Int64? = nil, friendCount: Int64 = 0, friends: [AdminFriend] = [],
        recent: [AdminRecentConversation] = [], teamCount: Int64 = 0, teams: [AdminMembership] = [],
        files: AdminFileUse = AdminFileUse(count: 0, bytes: 0), tokens: [AdminIssuedToken] = [],
        ends: [AdminSessionEnd] = [], devices: [AdminInstallation] = []
    ) {
        self.name = name
        self.deletedAtMilliseconds = deletedAtMilliseconds
        self.friendCount = friendCount
        self.friends = friends
        self.recent = recent
        self.teamCount = teamCount
        self.teams = teams
        self.files = files
        self.tokens = tokens
        self.ends = ends
        self.devices = devices
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.deletedAtMilliseconds = try fields("deletedAt", \.deletedAtMilliseconds)
        self.friendCount = try fields("friendCount", \.friendCount)
        self.friends = try fields("friends", \.friends)
        self.recent = try fields("recent", \.recent)
        self.teamCount = try fields("teamCount", \.teamCount)
        self.teams = try fields("teams", \.teams)
        self.files = try fields("files", \.files)
        self.tokens = try fields("tokens", \.tokens)
        self.ends = try fields("ends", \.ends)
        self.devices = try fields("devices", \.devices)
    }
}

/// One of a person's friends.
package struct AdminFriend: AdminRecord {
    package var name: UserName
    /// What only the person calls them.
    package var remark: String?
    package var sinceMilliseconds: Int64

    package init(name: UserName, remark: String? = nil, sinceMilliseconds: Int64) {
        self.name = name
        self.remark = remark
        self.sinceMilliseconds = sinceMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.remark = try fields("remark", \.remark)
        self.sinceMilliseconds = try fields("since", \.sinceMilliseconds)
    }
}

/// A conversation in a person's list.
package struct AdminRecentConversation: AdminRecord {
    /// As operators name it: a group's name, or two people's names.
    package var conversation: String
    package var kind: ConversationKind
    /// Messages of others after the reading position.
    package var unread: Int64
    /// What the person's app shows: who answers has seen what was before, and a mark by hand counts.
    package var badge: Int64
    package var isPinned: Bool
    package var activeAtMilliseconds: Int64

    package init(
        conversation: String, kind: ConversationKind, unread: Int64, badge: Int64, isPinned: Bool,
        activeAtMilliseconds: Int64
    ) {
        self.conversation = conversation
        self.kind = kind
        self.unread = unread
        self.badge = badge
        self.isPinned = isPinned
        self.activeAtMilliseconds = activeAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.conversation = try fields("conversation", \.conversation)
        self.kind = try fields("kind", \.kind)
        self.unread = try fields("unread", \.unread)
        self.badge = try fields("badge", \.badge)
        self.isPinned = try fields("pinned", \.isPinned)
        self.activeAtMilliseconds = try fields("activeAt", \.activeAtMilliseconds)
    }
}

/// A team that a person is in.
package struct AdminMembership: AdminRecord {
    package var team: ChannelName
    package var title: String?
    package var role: MemberRole

    package init(team: ChannelName, title: String? = nil, role: MemberRole) {
        self.team = team
        self.title = title
        self.role = role
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.team = try fields("team", \.team)
        self.title = try fields("title", \.title)
        self.role = try fields("role", \.role)
    }
}

/// What a person's files take.
package struct AdminFileUse: AdminRecord {
    /// Complete files.
    package var count: Int64
    package var bytes: Int64
    /// Most bytes the person may have; `nil` for as many as fit the disk.
    package var quotaBytes: Int64?

    package init(count: Int64, bytes: Int64, quotaBytes: Int64? = nil) {
        self.count = count
        self.bytes = bytes
        self.quotaBytes = quotaBytes
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.count = try fields("count", \.count)
        self.bytes = try fields("bytes", \.bytes)
        self.quotaBytes = try fields("quota", \.quotaBytes)
    }
}

/// A device's token, with the time it was issued; not the token itself: only its hash is kept.
package struct AdminIssuedToken: AdminRecord {
    package var token: AdminToken
    package var issuedAtMilliseconds: Int64

    package init(token: AdminToken, issuedAtMilliseconds: Int64) {
        self.token = token
        self.issuedAtMilliseconds = issuedAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.token = try fields.inline(\.token)
        self.issuedAtMilliseconds = try fields("issuedAt", \.issuedAtMilliseconds)
    }
}

/// A device as a push SDK registered it.
package struct AdminInstallation: AdminRecord {
    /// 24 hexadecimal digits.
    package var objectID: String
    /// `ios`, `android` or what else the app says.
    package var deviceType: String?
    /// What the device calls itself.
    package var installationID: String?
    /// How its push token begins; `nil` for one without.
    package var tokenHint: String?
    package var createdAtMilliseconds: Int64
    package var updatedAtMilliseconds: Int64

    package init(
        objectID: String, deviceType: String? = nil, installationID: String? = nil, tokenHint: String? = nil,
        createdAtMilliseconds: Int64, updatedAtMilliseconds: Int64
    ) {
        self.objectID = objectID
        self.deviceType = deviceType
        self.installationID = installationID
        self.tokenHint = tokenHint
        self.createdAtMilliseconds = createdAtMilliseconds
        self.updatedAtMilliseconds = updatedAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.objectID = try fields("objectId", \.objectID)
        self.deviceType = try fields("type", \.deviceType)
        self.installationID = try fields("installationId", \.installationID)
        self.tokenHint = try fields("tokenHint", \.tokenHint)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
        self.updatedAtMilliseconds = try fields("updatedAt", \.updatedAtMilliseconds)
    }
}

/// How a session ended.
package struct AdminSessionEnd: AdminRecord {
    package var user: UserName
    package var device: DeviceClass
    package var deviceID: String
    package var address: String
    package var openedAtMilliseconds: Int64
    package var endedAtMilliseconds: Int64
    /// `closed-by-peer`, `idle`, `taken-over`, `same-device`, `kicked`, `signed-out`, `disabled`, `too-many-requests`,
    /// `stalled`, `server-stopping` or `failed`.
    package var reason: String

    package init(
        user: UserName, device: DeviceClass, deviceID: String, address: String, openedAtMilliseconds: Int64,
        endedAtMilliseconds: Int64, reason: String
    ) {
        self.user = user
        self.device = device
        self.deviceID = deviceID
        self.address = address
        self.openedAtMilliseconds = openedAtMilliseconds
        self.endedAtMilliseconds = endedAtMilliseconds
        self.reason = reason
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.user = try fields("user", \.user)
        self.device = try fields("device", \.device)
        self.deviceID = try fields("deviceID", \.deviceID)
        self.address = try fields("address", \.address)
        self.openedAtMilliseconds = try fields("openedAt", \.openedAtMilliseconds)
        self.endedAtMilliseconds = try fields("endedAt", \.endedAtMilliseconds)
        self.reason = try fields("reason", \.reason)
    }
}
