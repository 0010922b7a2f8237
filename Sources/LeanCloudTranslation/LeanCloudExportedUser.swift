import ByteCodec
package import ChatModel
import LeanCloudQuery

/// A row of class `_User` as LeanCloud exports it.
///
/// The object id is the person's name here, as of people who sign up here. Sign-ins by other services are kept for the
/// app's own server: nobody signs in by them here. Source: LeanCloud data export guide; storage guide, class `_User`.
package struct LeanCloudExportedUser: Hashable, Sendable {
    /// Why a row is nobody who can be here.
    package enum Problem: Error, Hashable, Sendable {
        case noObject
        case noID
        /// It is too long for a name here, or holds control characters.
        case badID
        case badUsername
        /// A member that has another type than it must have, or is too long.
        case badMember(String)
        /// More own fields than an app may keep of one person.
        case tooManyFields
    }

    /// Name of a member that an import adds to a row: the address of the file that the picture points to.
    package static let avatarAddress = "_avatarAddress"

    /// Most bytes of a salt or a hash that are looked at; LeanCloud's have 50 and 88.
    private static let maximumPasswordBytes = 1_024
    /// Most bytes of a token that devices sign in with here; LeanCloud's have 25.
    private static let maximumTokenBytes = 256

    /// Name of the person.
    package var name: UserName
    /// With a username, and without empty texts.
    package var app: AppUserPatch
    /// Name to show.
    package var displayName: String?
    /// Address of the picture.
    package var avatar: String?
    /// Both or neither; whether they are a password is for others to say.
    package var salt: String?
    /// Hash of the password; `nil` without one.
    package var hash: String?
    /// Token of the session that installed apps hold; `nil` for none, or for one that cannot be one here.
    package var sessionToken: String?

    /// - Parameter row: the text of one JSON object.
    package init(parsing row: [UInt8]) throws(Problem) {
        guard let members = (try? JSONValue(parsing: row))?.object else { throw .noObject }
        try self.init(.object(members))
    }

    private init(_ row: JSONValue) throws(Problem) {
        guard let id = try Self.text("objectId", row) else { throw .noID }
        guard let name = UserName(id) else { throw .badID }
        self.name = name
        // Everybody has one there; the name is what somebody without signs in with here.
        let username = try Self.text("username", row) ?? id
        guard username.unicodeScalars.count <= AppLimits.usernameScalars else { throw .badUsername }
        let fields = Self.ownFields(row)
        let text = fields.object?.isEmpty == false ? fields.serialized() : nil
        guard text?.count ?? 0 <= AppLimits.fieldsBytes else { throw .tooManyFields }
        self.app = AppUserPatch(
            username: username, email: try Self.text("email", row, maximumBytes: AppLimits.emailBytes),
            phone: try Self.text("mobilePhoneNumber", row, maximumBytes: AppLimits.phoneBytes), fields: text,
            createdAtMilliseconds: try Self.date("createdAt", row))
        if self.app.email != nil, row["emailVerified"]?.boolean == true { self.app.isEmailVerified = true }
        if self.app.phone != nil, row["mobilePhoneVerified"]?.boolean == true { self.app.isPhoneVerified = true }
        self.app.authData = try Self.authData(row)
        self.displayName = ShownProfile.name(fields)
        self.avatar = ShownProfile.avatar(fields) ?? ShownProfile.address(row[Self.avatarAddress])
        self.sessionToken = row["sessionToken"]?.string.flatMap { token in
            (1...Self.maximumTokenBytes).contains(token.utf8.count) ? token : nil
        }
        if let salt = row["salt"]?.string, let hash = row["password"]?.string,
            max(salt.utf8.count, hash.utf8.count) <= Self.maximumPasswordBytes
        {
            self.salt = salt
            self.hash = hash
        }
    }

    /// Fields that an app chose. Their names begin with a letter: names that begin otherwise are the service's.
    private static func ownFields(_ row: JSONValue) -> JSONValue {
        let members = row.object ?? []
        return .object(
            members.filter { !LeanCloudPeople.accountNames.contains($0.name) && !$0.name.hasPrefix("_") })
    }

    /// Sign-ins by other services. Source: LeanCloud storage guide, third-party accounts.
    private static func authData(_ row: JSONValue) throws(Problem) -> [UInt8]? {
        guard let data = row["authData"], !data.isNull else { return nil }
        guard let members = data.object else { throw .badMember("authData") }
        let text = data.serialized()
        guard text.count <= AppLimits.fieldsBytes else { throw .badMember("authData") }
        return members.isEmpty ? nil : text
    }

    /// `nil` for a member that is not there, `null` or empty.
    private static func text(
        _ name: String, _ row: JSONValue, maximumBytes: Int = .max
    ) throws(Problem) -> String? {
        guard let value = row[name], !value.isNull else { return nil }
        guard let text = value.string, text.utf8.count <= maximumBytes else { throw .badMember(name) }
        return text.isEmpty ? nil : text
    }

    /// A date as text, or as a value with its type.
    private static func date(_ name: String, _ row: JSONValue) throws(Problem) -> Int64? {
        guard let value = row[name], !value.isNull else { return nil }
        guard let text = value.string ?? value["iso"]?.string, let instant = ISOInstant.milliseconds(text) else {
            throw .badMember(name)
        }
        return instant
    }
}
