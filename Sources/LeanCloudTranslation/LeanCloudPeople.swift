package import ByteCodec
package import ChatModel

/// People as LeanCloud's apps keep them: class `_User`.
package enum LeanCloudPeople {
    /// Members of a `_User` that are no fields of an app's own. Source: LeanCloud storage, class `_User`.
    package static let accountNames: Set<String> = [
        "objectId", "username", "password", "email", "mobilePhoneNumber", "sessionToken", "createdAt", "updatedAt",
        "authData", "salt", "emailVerified", "mobilePhoneVerified",
    ]
}

/// Name and picture in an app's own fields: apps agree on no names, these are the usual ones.
package enum ShownProfile {
    private static let names = ["nickname", "nickName", "displayName", "name"]
    private static let avatars = ["avatar", "avatarUrl", "avatarURL"]

    /// Name to show; `nil` for none.
    package static func name(_ fields: JSONValue) -> String? {
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
    package static func avatar(_ fields: JSONValue) -> String? {
        for name in Self.avatars {
            if let text = Self.address(fields[name]) ?? Self.address(fields[name]?["url"]) { return text }
        }
        return nil
    }

    /// A text that is the address of a picture; `nil` for another value.
    static func address(_ value: JSONValue?) -> String? {
        guard let text = value?.string, text.hasPrefix("https://") || text.hasPrefix("http://"),
            text.utf8.count <= PeopleLimits.avatarBytes
        else { return nil }
        return text
    }

    /// Object id of the file that a picture points to without saying its address; `nil` for another picture.
    package static func avatarFile(_ fields: JSONValue) -> String? {
        guard Self.avatar(fields) == nil else { return nil }
        for name in Self.avatars {
            guard let value = fields[name] else { continue }
            switch value["__type"]?.string {
            case "Pointer" where value["className"]?.string == "_File": return value["objectId"]?.string
            case "File": return value["id"]?.string ?? value["objectId"]?.string
            default: continue
            }
        }
        return nil
    }

    /// How the profile here follows a change of the fields. What was set here otherwise, by the operator or another
    /// gateway, stays: only what came from the fields before, or nothing, gives way.
    package static func patch(from before: JSONValue, to after: JSONValue, now: Profile?) -> ProfilePatch {
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
