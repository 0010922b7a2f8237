package import ChatModel

/// A person, as the operator sees them.
package struct AdminUser: AdminRecord {
    package var name: UserName
    package var displayName: String?
    package var externalID: String?
    package var role: UserRole
    package var isDisabled: Bool
    package var isSendBanned: Bool
    package var hasPassword: Bool
    package var createdAtMilliseconds: Int64
    /// When the account was deleted; `nil` for one that is not.
    package var deletedAtMilliseconds: Int64?

    package init(_ user: User) {
        self.name = user.name
        self.displayName = user.displayName
        self.externalID = user.externalID
        self.role = user.role
        self.isDisabled = user.isDisabled
        self.isSendBanned = user.isSendBanned
        self.hasPassword = user.hasPassword
        self.createdAtMilliseconds = user.createdAtMilliseconds
        self.deletedAtMilliseconds = user.deletedAtMilliseconds
    }

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("displayName", self.displayName)
        fields.text("externalID", self.externalID)
        fields.text("role", Word.of(self.role))
        fields.flag("disabled", self.isDisabled)
        fields.flag("sendBanned", self.isSendBanned)
        fields.flag("password", self.hasPassword)
        fields.number("createdAt", self.createdAtMilliseconds)
        fields.number("deletedAt", self.deletedAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.displayName = try fields.optionalText("displayName")
        self.externalID = try fields.optionalText("externalID")
        self.role = try Word.role(fields.text("role"))
        self.isDisabled = try fields.flag("disabled")
        self.isSendBanned = try fields.flag("sendBanned")
        self.hasPassword = try fields.flag("password")
        self.createdAtMilliseconds = try fields.number("createdAt")
        self.deletedAtMilliseconds = try fields.optionalNumber("deletedAt")
    }
}

/// A sign-in token, without the token itself: only its hash is kept.
package struct AdminToken: AdminRecord {
    package var device: DeviceClass
    package var level: DeviceLevel
    package var lastSeenAtMilliseconds: Int64
    /// `nil` for never.
    package var expiresAtMilliseconds: Int64?

    package init(device: DeviceClass, level: DeviceLevel, lastSeenAtMilliseconds: Int64, expiresAtMilliseconds: Int64?)
    {
        self.device = device
        self.level = level
        self.lastSeenAtMilliseconds = lastSeenAtMilliseconds
        self.expiresAtMilliseconds = expiresAtMilliseconds
    }

    func write(to fields: inout FieldWriter) {
        fields.text("device", self.device.name)
        fields.text("level", Word.of(self.level))
        fields.number("lastSeenAt", self.lastSeenAtMilliseconds)
        fields.number("expiresAt", self.expiresAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.device = try fields.device("device")
        self.level = try Word.level(fields.text("level"))
        self.lastSeenAtMilliseconds = try fields.number("lastSeenAt")
        self.expiresAtMilliseconds = try fields.optionalNumber("expiresAt")
    }
}

/// Everything about one person.
package struct AdminUserDetail: AdminRecord {
    package var user: AdminUser
    package var tokens: [AdminToken]
    package var sessions: [AdminSession]
    /// At most `AdminProtocol.pageRows` of each list.
    package var blocked: [String]
    package var allowed: [String]
    package var isAllowlistOnly: Bool
    /// Devices that push SDKs registered, the one heard of last first, at most `AdminProtocol.detailRows`.
    package var devices: [AdminInstallation]

    package init(
        user: AdminUser, tokens: [AdminToken], sessions: [AdminSession], blocked: [String], allowed: [String],
        isAllowlistOnly: Bool, devices: [AdminInstallation] = []
    ) {
        self.user = user
        self.tokens = tokens
        self.sessions = sessions
        self.blocked = blocked
        self.allowed = allowed
        self.isAllowlistOnly = isAllowlistOnly
        self.devices = devices
    }

    func write(to fields: inout FieldWriter) {
        fields.record("user", self.user)
        fields.records("tokens", self.tokens)
        fields.records("sessions", self.sessions)
        fields.texts("blocked", self.blocked)
        fields.texts("allowed", self.allowed)
        fields.flag("allowlistOnly", self.isAllowlistOnly)
        if !self.devices.isEmpty { fields.records("devices", self.devices) }
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.user = try fields.record("user")
        self.tokens = try fields.records("tokens")
        self.sessions = try fields.records("sessions")
        self.blocked = try fields.texts("blocked")
        self.allowed = try fields.texts("allowed")
        self.isAllowlistOnly = try fields.flag("allowlistOnly")
        self.devices = try fields.has("devices") ? fields.records("devices") : []
    }
}

/// A person to be made. The password is in the clear: the socket never leaves the machine.
package struct AdminNewUser: AdminRecord {
    package var name: UserName
    package var role: UserRole
    package var displayName: String?
    package var password: String?

    package init(name: UserName, role: UserRole = .member, displayName: String? = nil, password: String? = nil) {
        self.name = name
        self.role = role
        self.displayName = displayName
        self.password = password
    }

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("role", Word.of(self.role))
        fields.text("displayName", self.displayName)
        fields.text("password", self.password)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.role = try Word.role(fields.text("role"))
        self.displayName = try fields.optionalText("displayName")
        self.password = try fields.optionalText("password")
    }
}

/// One line of an import.
package struct AdminImportRow: AdminRecord {
    package var name: UserName
    package var displayName: String?

    package init(name: UserName, displayName: String? = nil) {
        self.name = name
        self.displayName = displayName
    }

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("displayName", self.displayName)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.displayName = try fields.optionalText("displayName")
    }
}

/// What became of one line of an import.
package struct AdminImportResult: AdminRecord {
    package var name: UserName
    /// A new sign-in token; `nil` when the line failed.
    package var token: String?
    /// The person was there before and only got a token.
    package var existed: Bool
    package var error: String?

    package init(name: UserName, token: String?, existed: Bool, error: String?) {
        self.name = name
        self.token = token
        self.existed = existed
        self.error = error
    }

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("token", self.token)
        fields.flag("existed", self.existed)
        fields.text("error", self.error)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.token = try fields.optionalText("token")
        self.existed = try fields.flag("existed")
        self.error = try fields.optionalText("error")
    }
}
