package import ChatModel

/// One field of a profile and where it came from.
package struct AdminProfileField: AdminRecord {
    /// `displayName`, `avatar`; screens show a text for it when they know one.
    package var name: String
    package var value: String
    /// `account`, `team`, `alias`, or the name of a user system.
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

/// What the cache holds about a person.
package struct AdminProfileEntry: AdminRecord {
    package var source: String
    package var ageMilliseconds: Int64
    /// How long it is still believed; 0 or less when it is asked for again at the next look-up.
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

/// Who somebody is, for the operator or for who was named.
package struct AdminProfile: AdminRecord {
    package var name: UserName
    /// What people see.
    package var shownName: String
    package var isKnown: Bool
    /// A user system is being asked, or did not answer.
    package var isPlaceholder: Bool
    package var fields: [AdminProfileField]
    /// `nil` when nothing about the person is in memory.
    package var entry: AdminProfileEntry?
    /// Who is told when the profile changes.
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

/// What is to be different about a person; what is `nil` stays.
package struct AdminProfileChange: AdminRecord {
    package var name: UserName
    /// Empty removes it.
    package var displayName: String?
    /// What another user system calls them; empty removes it.
    package var externalID: String?
    /// A complete file that is to be the picture.
    package var avatar: FileKey?
    /// The text of a JSON object that is merged into what is there; a key that is `null` goes. Source: RFC 7396.
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

/// Whose profiles are to be asked for again.
package enum AdminInvalidation: Hashable, Sendable {
    case person(UserName)
    /// The card of a group and the profiles of its members; as in `AdminRequest.listMessages`.
    case team(String)
    case all
}

/// What an operator can ask about profiles.
package enum AdminProfileRequest: Hashable, Sendable {
    /// For the operator, or as `by` sees them in a conversation.
    case show(UserName, by: UserName?, in: String?)
    case set(AdminProfileChange)
    case invalidate(AdminInvalidation)
    case metrics
}

extension AdminProfileRequest: AdminOperations {
    static let all: [Self] = [
        .show(.sample, by: .sample, in: .sample), .set(.sample), .invalidate(.sample), .metrics,
    ]

    package var operation: AdminOperation {
        switch self {
        case .show(let name, let asker, let conversation):
            .look(
                "profile.show", name.text,
                ctl: ctl("profile show", .word(name.text), .option("by", asker?.text), .option("in", conversation)))
        case .set(let change): .change("profile.set", change.name.text, ctl: change.command)
        case .invalidate(.person(let name)):
            .change("profile.invalidate", name.text, ctl: ctl("profile invalidate", .word(name.text)))
        case .invalidate(.team(let conversation)):
            .change("profile.invalidate", conversation, ctl: ctl("profile invalidate", .option("team", conversation)))
        case .invalidate(.all): .change("profile.invalidate", ctl: ctl("profile invalidate", .flag("all", true)))
        case .metrics: .look("profile.figures", ctl: ctl("profile stats"))
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .show(let name, let asker, let conversation):
            try .show(fields("name", name), by: fields("by", asker), in: fields("conversation", conversation))
        case .set(let set): try .set(fields.inline(set))
        case .invalidate(let whose): try .invalidate(fields.inline(whose))
        case .metrics: self
        }
    }
}

/// What the server answers about profiles.
package enum AdminProfileAnswer: Hashable, Sendable {
    case one(AdminProfile)
    case metrics([AdminMetric])
}

extension AdminProfileAnswer: AdminFamily {
    static let all: [Self] = [
        .one(.sample), .metrics(.sample),
    ]

    var word: String {
        switch self {
        case .one: "profile"
        case .metrics: "profile.figures"
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .one(let one): try .one(fields.inline(one))
        case .metrics(let metrics): try .metrics(fields("figures", metrics))
        }
    }
}

extension AdminInvalidation: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let person: UserName? = try fields("name") { if case .person(let name) = $0 { name } else { nil } }
        let team: String? = try fields("conversation") { if case .team(let name) = $0 { name } else { nil } }
        // Said aloud: a request that lost its name must not mean everybody.
        let isAll: Bool? = try fields("all") { $0 == .all ? true : nil }
        if let person {
            self = .person(person)
        } else if let team {
            self = .team(team)
        } else {
            guard isAll == true else { throw .field("all") }
            self = .all
        }
    }
}

extension AdminProfileChange {
    /// `nil` for nothing, and for a picture: `ctl` takes one from a file.
    fileprivate var command: [String]? {
        guard self.avatar == nil && self != AdminProfileChange(name: self.name) else { return nil }
        return ctl(
            "profile set", .word(self.name.text), .option("display-name", self.displayName),
            .option("external-id", self.externalID), .option("attributes", self.attributes))
    }
}
