/// Fields of a person or a conversation that others see.
package struct ProfileFields: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The chosen name of a person, the title of a conversation.
    package static let name = ProfileFields(rawValue: 1)
    package static let picture = ProfileFields(rawValue: 2)
    package static let attributes = ProfileFields(rawValue: 4)
    package static let externalID = ProfileFields(rawValue: 8)
    /// Somebody by this name exists, and is not disabled.
    package static let existence = ProfileFields(rawValue: 16)
    /// Name of a person in a conversation.
    package static let teamName = ProfileFields(rawValue: 32)
    /// Name that the asker gives to a person or a conversation.
    package static let alias = ProfileFields(rawValue: 64)
    package static let notice = ProfileFields(rawValue: 128)
    /// Members of a conversation.
    package static let members = ProfileFields(rawValue: 256)
    /// Switches of a conversation.
    package static let flags = ProfileFields(rawValue: 512)

    /// The names of what is set, for answers and lists.
    package var names: [String] {
        let all: [(ProfileFields, String)] = [
            (.name, "name"), (.picture, "picture"), (.attributes, "attributes"), (.externalID, "external_id"),
            (.existence, "existence"), (.teamName, "team_name"), (.alias, "alias"), (.notice, "notice"),
            (.members, "members"), (.flags, "flags"),
        ]
        return all.filter { self.contains($0.0) }.map(\.1)
    }
}

/// Attributes of a profile that apps know by name. The rest is an app's own.
package enum ProfileAttributes {
    /// Attributes that people set themselves; everything else belongs to the operator.
    package static let own: Set<String> = ["sex", "short_no", "signature", "zone", "phone", "email"]
    /// Told to the person themselves alone.
    package static let hidden: Set<String> = ["zone", "phone", "email"]
}

/// A committed change of how somebody or something is shown.
package enum ProfileWrite: Hashable, Sendable {
    /// A person's own profile, or that they exist, or may sign in.
    case person(UserName, ProfileFields)
    /// Name of a person in a conversation.
    case nickname(of: UserName, in: ConversationID)
    /// Members of a conversation.
    case members(ConversationID)
    /// Card of a conversation.
    case team(ConversationID, ProfileFields)
    /// Name that one person gives to a friend.
    case remark(by: UserID, of: UserName)
    /// Name that one person gives to a conversation.
    case teamRemark(by: UserID, of: ConversationID)
}
