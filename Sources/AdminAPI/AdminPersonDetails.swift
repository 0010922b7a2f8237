package import ChatModel

/// Details of a user's page that `AdminUserDetail` does not hold.
package struct AdminPersonDetails: AdminRecord {
    /// Name of the user.
    package var name: UserName
    /// Time of the account's deletion, UTC milliseconds; `nil` for an account that is not deleted.
    package var deletedAtMilliseconds: Int64?
    /// Number of friends.
    package var friendCount: Int64
    /// Friends, at most `AdminProtocol.detailRows`.
    package var friends: [AdminFriend]
    /// Recent conversations, newest first, at most `AdminProtocol.recentRows`.
    package var recent: [AdminRecentConversation]
    /// Number of teams.
    package var teamCount: Int64
    /// Teams that the user is in, at most `AdminProtocol.detailRows`.
    package var teams: [AdminMembership]
    /// Storage that the user's files take.
    package var files: AdminFileUse
    /// Sign-in tokens of the user's devices, at most `AdminProtocol.detailRows`.
    package var tokens: [AdminIssuedToken]
    /// Sessions that ended since the server started, newest first, at most `AdminProtocol.recentRows`.
    package var ends: [AdminSessionEnd]
    /// Devices that push SDKs registered, the most recently updated first, at most `AdminProtocol.detailRows`.
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

/// A friend of a user.
package struct AdminFriend: AdminRecord {
    /// Name of the friend.
    package var name: UserName
    /// Name that only this user sees for the friend; `nil` for none.
    package var remark: String?
    /// Time at which they became friends, UTC milliseconds.
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
    /// Name as operators write it: a group's name, or the names of two users.
    package var conversation: String
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Number of messages from others after the read position.
    package var unread: Int64
    /// Unread count that the user's app shows: sending a message marks earlier ones as read, and a manual unread mark
    /// counts.
    package var badge: Int64
    /// True when the user pinned it.
    package var isPinned: Bool
    /// Time of the newest message, or of the creation, UTC milliseconds.
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

/// Membership of a user in a team.
package struct AdminMembership: AdminRecord {
    /// Name of the team.
    package var team: ChannelName
    /// Title of the team; `nil` for none.
    package var title: String?
    /// Role in the team.
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

/// Storage that a user's files take.
package struct AdminFileUse: AdminRecord {
    /// Number of complete files.
    package var count: Int64
    /// Bytes of these files.
    package var bytes: Int64
    /// Maximum bytes for the user; `nil` for no bound but the disk.
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

/// A device's sign-in token with the time of its issue, without the token itself: only its hash is kept.
package struct AdminIssuedToken: AdminRecord {
    /// Device, level and times of the token.
    package var token: AdminToken
    /// Time of issue, UTC milliseconds.
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
    /// Object ID in LeanCloud's SDKs, 24 hexadecimal digits.
    package var objectID: String
    /// Type that the app gave: `ios`, `android` or another; `nil` for none.
    package var deviceType: String?
    /// Installation ID that the device gave; `nil` for none.
    package var installationID: String?
    /// First characters of the push token; `nil` for a device without one.
    package var tokenHint: String?
    /// Time of registration, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Time of the last update, UTC milliseconds.
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

/// End of a session.
package struct AdminSessionEnd: AdminRecord {
    /// Name of the user.
    package var user: UserName
    /// Class of the device.
    package var device: DeviceClass
    /// ID of the device.
    package var deviceID: String
    /// Address of the device.
    package var address: String
    /// Time at which the session began, UTC milliseconds.
    package var openedAtMilliseconds: Int64
    /// Time at which the session ended, UTC milliseconds.
    package var endedAtMilliseconds: Int64
    /// Reason: `closed-by-peer`, `idle`, `taken-over`, `same-device`, `kicked`, `signed-out`, `disabled`,
    /// `too-many-requests`, `stalled`, `server-stopping` or `failed`.
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
