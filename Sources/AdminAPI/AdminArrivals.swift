package import ChatModel

/// A user of an app on another server who is to be created here with the same name and the same password.
package struct AdminArrival: AdminRecord {
    /// Name in the app, which becomes the name of the user.
    package var name: UserName
    /// Name with which the person signs in.
    package var username: String
    /// Mail address; `nil` for none.
    package var email: String?
    /// Phone number; `nil` for none.
    package var phone: String?
    /// The text of a JSON object with the app's own fields.
    package var fields: String?
    /// Time of creation on the other server, UTC milliseconds; `nil` when it is not known.
    package var createdAtMilliseconds: Int64?
    /// Name that people see; `nil` for none.
    package var displayName: String?
    /// Address of the picture; `nil` for none.
    package var avatar: String?
    /// Salt of the password as LeanCloud exports it; never in the audit log.
    package var salt: String?
    /// Hash of the password as LeanCloud exports it; never in the audit log.
    package var hash: String?

    package init(
        name: UserName, username: String, email: String? = nil, phone: String? = nil, fields: String? = nil,
        createdAtMilliseconds: Int64? = nil, displayName: String? = nil, avatar: String? = nil, salt: String? = nil,
        hash: String? = nil
    ) {
        self.name = name
        self.username = username
        self.email = email
        self.phone = phone
        self.fields = fields
        self.createdAtMilliseconds = createdAtMilliseconds
        self.displayName = displayName
        self.avatar = avatar
        self.salt = salt
        self.hash = hash
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.username = try fields("username", \.username)
        self.email = try fields("email", \.email)
        self.phone = try fields("phone", \.phone)
        self.fields = try fields("fields", \.fields)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
        self.displayName = try fields("displayName", \.displayName)
        self.avatar = try fields("avatar", \.avatar)
        self.salt = try fields("salt", \.salt)
        self.hash = try fields("hash", \.hash)
    }

    /// Bytes that the row takes in a line of the socket.
    package var lineBytes: Int { self.object.count }

    /// Row as the audit log keeps it. The log outlives accounts and passwords, so the row holds no mail address, phone
    /// number, app fields, salt or hash: only whether they were set.
    var withoutSecrets: AdminArrival {
        var row = self
        if row.email != nil { row.email = "(set)" }
        if row.phone != nil { row.phone = "(set)" }
        row.fields = row.fields.map { "(\($0.utf8.count) bytes)" }
        row.salt = nil
        if row.hash != nil { row.hash = "(set)" }
        return row
    }
}

/// Result for one imported user, or the result that a dry run expects.
package struct AdminArrivalResult: AdminRecord {
    /// Result for a password.
    package enum Password: String, AdminWord, AdminText {
        /// The imported password is valid from now on.
        case set
        /// The user had a password here, which stays.
        case kept
        /// The import brought no usable password, and the user had none here.
        case missing = "none"
    }

    /// Name of the user.
    package var name: UserName
    /// Name with which the person signs in here.
    package var username: String
    /// True when the user existed before.
    package var existed: Bool
    /// True when something was missing here and was set.
    package var changed: Bool
    /// Result for the password.
    package var password: Password
    /// Reason why nothing was done; `nil` when the row succeeded.
    package var error: String?

    package init(
        name: UserName, username: String, existed: Bool = false, changed: Bool = true, password: Password = .set,
        error: String? = nil
    ) {
        self.name = name
        self.username = username
        self.existed = existed
        self.changed = changed
        self.password = password
        self.error = error
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.username = try fields("username", \.username)
        self.existed = try fields("existed", \.existed)
        self.changed = try fields("changed", \.changed)
        self.password = try fields("password", \.password)
        self.error = try fields("error", \.error)
    }
}
