package import ByteCodec
package import ChatModel
import LeanCloudTranslation

/// A person as a `_User` object.
package enum UserRow {
    /// Row of a person.
    ///
    /// - Parameters:
    ///   - isPrivate: also with what only the person and the app's own server see.
    ///   - token: for the answer of a sign-in.
    package static func json(_ user: AppUser, isPrivate: Bool, token: String? = nil) -> JSONValue {
        var members = [
            JSONValue.Member("objectId", .string(user.name.text)), JSONValue.Member("username", .string(user.username)),
        ]
        if isPrivate {
            if let email = user.email { members.append(JSONValue.Member("email", .string(email))) }
            if let phone = user.phone { members.append(JSONValue.Member("mobilePhoneNumber", .string(phone))) }
            members.append(JSONValue.Member("emailVerified", .boolean(user.isEmailVerified)))
            members.append(JSONValue.Member("mobilePhoneVerified", .boolean(user.isPhoneVerified)))
            if let data = user.authData, let value = try? JSONValue(parsing: data) {
                members.append(JSONValue.Member("authData", value))
            }
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
