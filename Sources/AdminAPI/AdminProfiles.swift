package import ChatModel

/// One field of a profile, with its source.
package struct AdminProfileField: AdminRecord {
    /// Name of the field: `displayName`, `avatar`. Screens show a translated text for names that they know.
    package var name: String
    /// Value of the field.
    package var value: String
    /// Source: `account`, `team`, `alias`, or the name of a user system.
    package var source: String

    package init(_ name: String, _ value: String, source: String) {
        self.name = name
        self.value = value
        self.source = source
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.value = try fields("value", \.value)
        self.source = try fields("source", \.source)
    }
}

/// Cache entry of a user's profile.
package struct AdminProfileEntry: AdminRecord {
    /// Source of the entry, as in `AdminProfileField`.
    package var source: String
    /// Age of the entry, milliseconds.
    package var ageMilliseconds: Int64
    /// Time until the entry expires, milliseconds; 0 or less when the next look-up asks the source again.
    package var leftMilliseconds: Int64

    package init(source: String, ageMilliseconds: Int64, leftMilliseconds: Int64) {
        self.source = source
        self.ageMilliseconds = ageMilliseconds
        self.leftMilliseconds = leftMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.source = try fields("source", \.source)
        self.ageMilliseconds = try fields("ageMilliseconds", \.ageMilliseconds)
        self.leftMilliseconds = try fields("leftMilliseconds", \.leftMilliseconds)
    }
}

/// Profile of a user, as the operator or a given viewer sees it.
package struct AdminProfile: AdminRecord {
    /// Name of the user.
    package var name: UserName
    /// Name that people see.
    package var shownName: String
    /// True when a source knows the user.
    package var isKnown: Bool
    /// True while a user system is being asked, or when it did not answer.
    package var isPlaceholder: Bool
    /// Fields with their sources.
    package var fields: [AdminProfileField]
    /// Cache entry; `nil` when the profile is not in memory.
    package var entry: AdminProfileEntry?
    /// Number of watchers who asked for changes of this profile; those of all profiles are not counted.
    package var watchers: Int64

    package init(
        name: UserName, shownName: String, isKnown: Bool, isPlaceholder: Bool, fields: [AdminProfileField],
        entry: AdminProfileEntry?, watchers: Int64
    ) {
        self.name = name
        self.shownName = shownName
        self.isKnown = isKnown
        self.isPlaceholder = isPlaceholder
        self.fields = fields
        self.entry = entry
        self.watchers = watchers
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.shownName = try fields("shownName", \.shownName)
        self.isKnown = try fields("known", \.isKnown)
        self.isPlaceholder = try fields("placeholder", \.isPlaceholder)
        self.fields = try fields("fields", \.fields)
        self.entry = try fields("entry", \.entry)
        self.watchers = try fields("watchers", \.watchers)
    }
}

/// Changes of a profile; `nil` leaves a field as it is.
package struct AdminProfileChange: AdminRecord {
    /// Name of the user.
    package var name: UserName
    /// Name that people see; empty removes it.
    package var displayName: String?
    /// ID in another user system; empty removes it.
    package var externalID: String?
    /// Complete file that becomes the picture.
    package var avatar: FileKey?
    /// JSON object as text that is merged into the attributes; a key that is `null` is removed. Source: RFC 7396.
    package var attributes: String?

    package init(
        name: UserName, displayName: String? = nil, externalID: String? = nil, avatar: FileKey? = nil,
        attributes: String? = nil
    ) {
        self.name = name
        self.displayName = displayName
        self.externalID = externalID
        self.avatar = avatar
        self.attributes = attributes
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.displayName = try fields("displayName", \.displayName)
        self.externalID = try fields("externalID", \.externalID)
        self.avatar = try fields("avatar", \.avatar)
        self.attributes = try fields("attributes", \.attributes)
    }
}

/// Scope of an invalidation: profiles that are asked for again.
package enum AdminInvalidation: Equatable, Sendable {
    case person(UserName)
    /// Card of a group and the profiles of its members; named as in `AdminRequest.listMessages`.
    case team(String)
    case all
}

/// Requests about profiles.
package enum AdminProfileRequest: AdminDefinitions {
    /// Shows a profile to the operator, or as `by` sees it in a conversation.
    case show(UserName, by: UserName?, in: String?)
    case set(AdminProfileChange)
    case invalidate(AdminInvalidation)
    case metrics

    static let all: [Self] = [.show(.sample, by: .sample, in: .sample), .set(.sample), .invalidate(.sample), .metrics]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .show(let name, let asker, let conversation):
            fields.look("profile.show", role: .observer, name.text)
            fields.ctl("profile show", examples: ["ming", "ming --by lan --in tea"])
            return try .show(
                fields("name", name, .user), by: fields("by", asker, .option("by", "NAME", "option.profileBy")),
                in: fields("conversation", conversation, .option("in", "CONVERSATION", "option.profileIn")))
        case .set(let change):
            fields.change("profile.set", .user(change.name))
            fields.line(change.command)
            return try .set(fields.inline(change))
        case .invalidate(let whose):
            fields.change("profile.invalidate", role: .helper, .text(whose.subject))
            fields.asks(
                "console.profiles.invalidateAll",
                whose == .all ? ["console.profiles.invalidateAllConsequence"] : [], of: [])
            fields.ctl(
                "profile invalidate", says: "ctl.profile.invalidated", evenForNone: true,
                examples: ["ming", "--team tea", "--all"])
            return try .invalidate(fields.inline(whose))
        case .metrics:
            fields.look("profile.figures", role: .observer)
            fields.ctl("profile stats", examples: [""])
            return self
        }
    }
}

/// Answers about profiles.
package enum AdminProfileAnswer: AdminFamily {
    case one(AdminProfile)
    case metrics([AdminMetric])

    static let all: [Self] = [.one(.sample), .metrics(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .one(let one): try .one(fields.named("profile").inline(one))
        case .metrics(let metrics): try .metrics(fields.named("profile.figures")("figures", metrics))
        }
    }
}

extension AdminInvalidation: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let person: UserName? = try fields(
            "name", { if case .person(let name) = $0 { name } else { nil } },
            .argument("NAME", "argument.userName", isOptional: true))
        let team: String? = try fields(
            "conversation", { if case .team(let name) = $0 { name } else { nil } },
            .option("team", "CONVERSATION", "option.team"))
        // Said aloud: a request that lost its name must not mean everybody.
        let isAll: Bool? = try fields("all", { $0 == .all ? true : nil }, .flag("all", "option.allProfiles"))
        self = try fields.one(
            of: person.map(Self.person), team.map(Self.team), isAll == true ? .all : nil, or: "all",
            "ctl.profile.whose")
    }
}

extension AdminInvalidation {
    /// Name of the user or the conversation; `nil` for all.
    fileprivate var subject: String? {
        switch self {
        case .person(let name): name.text
        case .team(let conversation): conversation
        case .all: nil
        }
    }
}

extension AdminProfileChange {
    /// Command that makes the changes; `nil` for none, and for a picture: `ctl` takes one from a file.
    fileprivate var command: [String]? {
        guard self.avatar == nil && self != AdminProfileChange(name: self.name) else { return nil }
        return ctl(
            "profile set", .word(self.name.text), .option("display-name", self.displayName),
            .option("external-id", self.externalID), .option("attributes", self.attributes))
    }
}
