import ByteCodec
import ChatModel
import LeanCloudTranslation

/// A person as a `_User` object.
enum UserRow {
    /// Names that are no fields of an app's own. Source: LeanCloud storage, class `_User`.
    static let ownNames: Set<String> = [
        "objectId", "username", "password", "email", "mobilePhoneNumber", "sessionToken", "createdAt", "updatedAt",
        "authData", "salt", "emailVerified", "mobilePhoneVerified",
    ]

    /// - Parameters:
    ///   - isPrivate: also with what only the person and the app's own server see.
    ///   - token: for the answer of a sign-in.
    static func json(_ user: AppUser, isPrivate: Bool, token: String? = nil) -> JSONValue {
        var members = [
            JSONValue.Member("objectId", .string(user.name.text)), JSONValue.Member("username", .string(user.username)),
        ]
        if isPrivate {
            if let email = user.email { members.append(JSONValue.Member("email", .string(email))) }
            if let phone = user.phone { members.append(JSONValue.Member("mobilePhoneNumber", .string(phone))) }
            members.append(JSONValue.Member("emailVerified", .boolean(false)))
            members.append(JSONValue.Member("mobilePhoneVerified", .boolean(false)))
        }
        members += Self.fields(user).object ?? []
        members += Self.times(user.createdAtMilliseconds, user.updatedAtMilliseconds)
        if let token { members.append(JSONValue.Member("sessionToken", .string(token))) }
        return .object(members)
    }

    /// An app's own fields.
    static func fields(_ user: AppUser) -> JSONValue {
        user.fields.flatMap { try? JSONValue(parsing: $0) } ?? .object([])
    }

    static func times(_ created: Int64, _ updated: Int64) -> [JSONValue.Member] {
        [
            JSONValue.Member("createdAt", .string(LeanCloudDates.text(created))),
            JSONValue.Member("updatedAt", .string(LeanCloudDates.text(updated))),
        ]
    }
}

/// What an app's own fields say of how a person is shown: apps agree on no names, these are the usual ones.
enum ShownProfile {
    private static let names = ["nickname", "nickName", "displayName", "name"]
    private static let avatars = ["avatar", "avatarUrl", "avatarURL"]

    static func name(_ fields: JSONValue) -> String? {
        for name in Self.names {
            if let text = fields[name]?.string, !text.isEmpty,
                text.unicodeScalars.count <= PeopleLimits.nameScalars
            {
                return text
            }
        }
        return nil
    }

    /// An address, or a `_File` with one.
    static func avatar(_ fields: JSONValue) -> String? {
        for name in Self.avatars {
            guard let text = fields[name]?.string ?? fields[name]?["url"]?.string else { continue }
            let isAddress = text.hasPrefix("https://") || text.hasPrefix("http://")
            if isAddress, text.utf8.count <= PeopleLimits.avatarBytes { return text }
        }
        return nil
    }

    /// How the profile here follows a change of the fields. What was set here otherwise, by the operator or another
    /// door, stays: only what came from the fields before, or nothing, gives way.
    static func patch(from before: JSONValue, to after: JSONValue, now: Profile?) -> ProfilePatch {
        var patch = ProfilePatch()
        let names = (Self.name(before), Self.name(after))
        if names.0 != names.1, now?.displayName == nil || now?.displayName == names.0 {
            patch.displayName = names.1 ?? ""
        }
        let avatars = (Self.avatar(before), Self.avatar(after))
        if avatars.0 != avatars.1, now?.avatar == nil || now?.avatar == avatars.0 { patch.avatar = avatars.1 ?? "" }
        return patch
    }
}
