/// Role of a person on the server itself. Roles inside a conversation are `MemberRole`.
package enum UserRole: Int64, Sendable, CaseIterable {
    case member = 0
    case administrator = 1
}

/// A person's account, as the operator sees it. Never holds the password hash.
package struct User: Hashable, Sendable {
    /// Identifies the person.
    package var id: UserID
    /// Name of the person, unique on the server.
    package var name: UserName
    /// The id of the same person in another system, when there is one (F039).
    package var externalID: String?
    /// Name to show; `nil` for none.
    package var displayName: String?
    /// Role on the server.
    package var role: UserRole
    /// May not sign in; sessions end with the commit that sets it.
    package var isDisabled: Bool
    /// May sign in and read, not send.
    package var isSendBanned: Bool
    /// True when a password is set.
    package var hasPassword: Bool
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// When the account was deleted; its name and its messages stay. `nil` for one that is not.
    package var deletedAtMilliseconds: Int64?

    package init(
        id: UserID, name: UserName, externalID: String? = nil, displayName: String? = nil, role: UserRole = .member,
        isDisabled: Bool = false, isSendBanned: Bool = false, hasPassword: Bool = false, createdAtMilliseconds: Int64,
        deletedAtMilliseconds: Int64? = nil
    ) {
        self.id = id
        self.name = name
        self.externalID = externalID
        self.displayName = displayName
        self.role = role
        self.isDisabled = isDisabled
        self.isSendBanned = isSendBanned
        self.hasPassword = hasPassword
        self.createdAtMilliseconds = createdAtMilliseconds
        self.deletedAtMilliseconds = deletedAtMilliseconds
    }
}

/// Class of the device that a session runs on: policy says which classes exclude each other. 1...32 bytes of ASCII.
package struct DeviceClass: Hashable, Sendable, CustomStringConvertible {
    /// Name of the person, unique on the server.
    package let name: String

    /// - Returns: `nil` when `name` is empty, longer than 32 bytes, or not printable ASCII.
    package init?(_ name: String) {
        guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    package var description: String { self.name }

    /// Phones and tablets.
    package static let app = DeviceClass(known: "app")
    /// Browsers.
    package static let web = DeviceClass(known: "web")
    /// Desktop programs.
    package static let desktop = DeviceClass(known: "desktop")
}

/// Effect of a device's sign-in on the same person's other sessions of its class. Source: WuKongIM device level.
package enum DeviceLevel: Int64, Sendable {
    /// Stays beside the others; only the same device's older session ends.
    case secondary = 0
    /// One per class: the older sessions of the class end.
    case primary = 1
}

/// The two lists a person keeps about others.
package enum PersonalList: Int64, Sendable, CaseIterable {
    /// May not send to the owner.
    case blocked = 0
    /// May send to the owner when the owner only takes messages from this list.
    case allowed = 1
}
