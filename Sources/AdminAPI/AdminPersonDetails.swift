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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.number("deletedAt", self.deletedAtMilliseconds)
        fields.number("friendCount", self.friendCount)
        fields.records("friends", self.friends)
        fields.records("recent", self.recent)
        fields.number("teamCount", self.teamCount)
        fields.records("teams", self.teams)
        fields.record("files", self.files)
        fields.records("tokens", self.tokens)
        fields.records("ends", self.ends)
        fields.records("devices", self.devices)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.deletedAtMilliseconds = try fields.optionalNumber("deletedAt")
        self.friendCount = try fields.number("friendCount")
        self.friends = try fields.records("friends")
        self.recent = try fields.records("recent")
        self.teamCount = try fields.number("teamCount")
        self.teams = try fields.records("teams")
        self.files = try fields.record("files")
        self.tokens = try fields.records("tokens")
        self.ends = try fields.records("ends")
        self.devices = try fields.records("devices")
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("remark", self.remark)
        fields.number("since", self.sinceMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.remark = try fields.optionalText("remark")
        self.sinceMilliseconds = try fields.number("since")
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

    func write(to fields: inout FieldWriter) {
        fields.text("conversation", self.conversation)
        fields.text("kind", Word.of(self.kind))
        fields.number("unread", self.unread)
        fields.number("badge", self.badge)
        fields.flag("pinned", self.isPinned)
        fields.number("activeAt", self.activeAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.conversation = try fields.text("conversation")
        self.kind = try Word.kind(fields.text("kind"))
        self.unread = try fields.number("unread")
        self.badge = try fields.number("badge")
        self.isPinned = try fields.flag("pinned")
        self.activeAtMilliseconds = try fields.number("activeAt")
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

    func write(to fields: inout FieldWriter) {
        fields.text("team", self.team.text)
        fields.text("title", self.title)
        fields.text("role", Word.of(self.role))
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.team = try fields.channelName("team")
        self.title = try fields.optionalText("title")
        self.role = try Word.memberRole(fields.text("role"))
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

    func write(to fields: inout FieldWriter) {
        fields.number("count", self.count)
        fields.number("bytes", self.bytes)
        fields.number("quota", self.quotaBytes)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.count = try fields.number("count")
        self.bytes = try fields.number("bytes")
        self.quotaBytes = try fields.optionalNumber("quota")
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

    func write(to fields: inout FieldWriter) {
        self.token.write(to: &fields)
        fields.number("issuedAt", self.issuedAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.token = try AdminToken(fields)
        self.issuedAtMilliseconds = try fields.number("issuedAt")
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

    func write(to fields: inout FieldWriter) {
        fields.text("objectId", self.objectID)
        fields.text("type", self.deviceType)
        fields.text("installationId", self.installationID)
        fields.text("tokenHint", self.tokenHint)
        fields.number("createdAt", self.createdAtMilliseconds)
        fields.number("updatedAt", self.updatedAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.objectID = try fields.text("objectId")
        self.deviceType = try fields.optionalText("type")
        self.installationID = try fields.optionalText("installationId")
        self.tokenHint = try fields.optionalText("tokenHint")
        self.createdAtMilliseconds = try fields.number("createdAt")
        self.updatedAtMilliseconds = try fields.number("updatedAt")
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

    func write(to fields: inout FieldWriter) {
        fields.text("user", self.user.text)
        fields.text("device", self.device.name)
        fields.text("deviceID", self.deviceID)
        fields.text("address", self.address)
        fields.number("openedAt", self.openedAtMilliseconds)
        fields.number("endedAt", self.endedAtMilliseconds)
        fields.text("reason", self.reason)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.user = try fields.userName("user")
        self.device = try fields.device("device")
        self.deviceID = try fields.text("deviceID")
        self.address = try fields.text("address")
        self.openedAtMilliseconds = try fields.number("openedAt")
        self.endedAtMilliseconds = try fields.number("endedAt")
        self.reason = try fields.text("reason")
    }
}
