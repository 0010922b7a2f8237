package import ChatModel

/// A person, as the operator sees them.
package struct AdminUser: AdminRecord {
    /// Name of the user, by which SDKs and operators address them.
    package var name: UserName
    /// Name that people see; `nil` for none.
    package var displayName: String?
    /// ID in another user system; `nil` for none.
    package var externalID: String?
    /// Role, from which the user's rights follow.
    package var role: UserRole
    /// True when the user may not sign in.
    package var isDisabled: Bool
    /// True when the user may sign in and read, and may not send.
    package var isSendBanned: Bool
    /// True when a password is set.
    package var hasPassword: Bool
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Time of the account's deletion, UTC milliseconds; `nil` for an account that is not deleted.
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
    /// Class of the device that signs in with the token.
    package var device: DeviceClass
    /// Level of the device: primary or secondary.
    package var level: DeviceLevel
    /// Time of the last use, UTC milliseconds.
    package var lastSeenAtMilliseconds: Int64
    /// Time at which the token ends, UTC milliseconds; `nil` for never.
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
    /// Account.
    package var user: AdminUser
    /// Sign-in tokens of the user's devices.
    package var tokens: [AdminToken]
    /// Sessions that are open now.
    package var sessions: [AdminSession]
    /// Users on the block list; at most `AdminProtocol.pageRows`.
    package var blocked: [String]
    /// Users on the allow list; at most `AdminProtocol.pageRows`.
    package var allowed: [String]
    /// True when only users on the allow list may send to this one.
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
    /// Name of the new user.
    package var name: UserName
    /// Role of the new user.
    package var role: UserRole
    /// Name that people see; `nil` for none.
    package var displayName: String?
    /// Password in clear text; `nil` for an account without one.
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
    /// Name of the user to make, or of one that exists.
    package var name: UserName
    /// Name that people see; `nil` for none.
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

/// Result for one line of an import.
package struct AdminImportResult: AdminRecord {
    /// Name in the line.
    package var name: UserName
    /// A new sign-in token; `nil` when the line failed.
    package var token: String?
    /// True when the user existed before and only got a token.
    package var existed: Bool
    /// Reason for the failure; `nil` when the line succeeded.
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
