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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.displayName = try fields("displayName", \.displayName)
        self.externalID = try fields("externalID", \.externalID)
        self.role = try fields("role", \.role)
        self.isDisabled = try fields("disabled", \.isDisabled)
        self.isSendBanned = try fields("sendBanned", \.isSendBanned)
        self.hasPassword = try fields("password", \.hasPassword)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
        self.deletedAtMilliseconds = try fields("deletedAt", \.deletedAtMilliseconds)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.device = try fields("device", \.device)
        self.level = try fields("level", \.level)
        self.lastSeenAtMilliseconds = try fields("lastSeenAt", \.lastSeenAtMilliseconds)
        self.expiresAtMilliseconds = try fields("expiresAt", \.expiresAtMilliseconds)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.user = try fields("user", \.user)
        self.tokens = try fields("tokens", \.tokens)
        self.sessions = try fields("sessions", \.sessions)
        self.blocked = try fields("blocked", \.blocked)
        self.allowed = try fields("allowed", \.allowed)
        self.isAllowlistOnly = try fields("allowlistOnly", \.isAllowlistOnly)
        self.devices = try fields("devices", \.devices, usually: [])
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.role = try fields("role", \.role)
        self.displayName = try fields("displayName", \.displayName)
        self.password = try fields("password", \.password)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.displayName = try fields("displayName", \.displayName)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.token = try fields("token", \.token)
        self.existed = try fields("existed", \.existed)
        self.error = try fields("error", \.error)
    }
}

extension AdminNewUser {
    var withoutPassword: AdminNewUser {
        var user = self
        if user.password != nil { user.password = "(set)" }
        return user
    }

    var command: [String] {
        ctl(
            "user add", .word(self.name.text), .option("display-name", self.displayName),
            .option("role", self.role == .administrator ? self.role.typed : nil),
            .flag("password-stdin", self.password != nil))
    }
}

extension PersonalList {
    /// The verb of `ctl`.
    func verb(_ isListed: Bool) -> String {
        switch self {
        case .blocked: isListed ? "block" : "unblock"
        case .allowed: isListed ? "allow" : "disallow"
        }
    }
}
