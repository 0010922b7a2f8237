package import ChatModel

/// A person as an app on another server knew them, who is to be here too: under the same name, with the password that
/// they know.
package struct AdminArrival: AdminRecord {
    package var name: UserName
    /// What the person signs in with.
    package var username: String
    package var email: String?
    package var phone: String?
    /// The text of a JSON object with the app's own fields.
    package var fields: String?
    /// UTC milliseconds.
    package var createdAtMilliseconds: Int64?
    package var displayName: String?
    package var avatar: String?
    /// As LeanCloud exports a password; never in the audit log.
    package var salt: String?
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

    /// Bytes of it in a line of the socket.
    package var lineBytes: Int { self.object.count }

    /// What the audit log keeps. It outlives accounts and passwords: how to reach somebody, what an app knows of them
    /// and anything of a password are no part of it.
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

/// What became of such a person, or would.
package struct AdminArrivalResult: AdminRecord {
    package enum Password: String, AdminWord, AdminText {
        /// The one that came along holds from now on.
        case set
        /// There was one here, which stays.
        case kept
        /// None came along that can be used, and there was none here.
        case missing = "none"
    }

    package var name: UserName
    /// What the person signs in with here.
    package var username: String
    /// The person was there before.
    package var existed: Bool
    /// Something was missing here and was set.
    package var changed: Bool
    package var password: Password
    /// Why nothing was done.
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
