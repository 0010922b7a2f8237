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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name)
        fields.text("value", self.value)
        fields.text("source", self.source)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.text("name")
        self.value = try fields.text("value")
        self.source = try fields.text("source")
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

    func write(to fields: inout FieldWriter) {
        fields.text("source", self.source)
        fields.number("ageMilliseconds", self.ageMilliseconds)
        fields.number("leftMilliseconds", self.leftMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.source = try fields.text("source")
        self.ageMilliseconds = try fields.number("ageMilliseconds")
        self.leftMilliseconds = try fields.number("leftMilliseconds")
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("shownName", self.shownName)
        fields.flag("known", self.isKnown)
        fields.flag("placeholder", self.isPlaceholder)
        fields.records("fields", self.fields)
        if let entry = self.entry { fields.record("entry", entry) }
        fields.number("watchers", self.watchers)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.shownName = try fields.text("shownName")
        self.isKnown = try fields.flag("known")
        self.isPlaceholder = try fields.flag("placeholder")
        self.fields = try fields.records("fields")
        self.entry = try fields.has("entry") ? fields.record("entry") : nil
        self.watchers = try fields.number("watchers")
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("displayName", self.displayName)
        fields.text("externalID", self.externalID)
        fields.text("avatar", self.avatar?.text)
        fields.text("attributes", self.attributes)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.displayName = try fields.optionalText("displayName")
        self.externalID = try fields.optionalText("externalID")
        self.avatar = try fields.optionalText("avatar") == nil ? nil : fields.fileKey("avatar")
        self.attributes = try fields.optionalText("attributes")
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
    case figures
}

extension AdminProfileRequest {
    var word: String {
        switch self {
        case .show: "profile.show"
        case .set: "profile.set"
        case .invalidate: "profile.invalidate"
        case .figures: "profile.figures"
        }
    }

    var isChange: Bool {
        switch self {
        case .show, .figures: false
        case .set, .invalidate: true
        }
    }

    var subject: String? {
        switch self {
        case .show(let name, _, _), .invalidate(.person(let name)): name.text
        case .set(let change): change.name.text
        case .invalidate(.team(let conversation)): conversation
        case .invalidate(.all), .figures: nil
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .show(let name, let asker, let conversation):
            fields.text("name", name.text)
            fields.text("by", asker?.text)
            fields.text("conversation", conversation)
        case .set(let change): change.write(to: &fields)
        case .invalidate(.person(let name)): fields.text("name", name.text)
        case .invalidate(.team(let conversation)): fields.text("conversation", conversation)
        // Said aloud: a request that lost its name must not mean everybody.
        case .invalidate(.all): fields.flag("all", true)
        case .figures: break
        }
    }

    /// - Returns: `nil` for a word that is none of profiles.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "profile.show":
            self = .show(
                try with.userName("name"), by: try with.optionalUserName("by"),
                in: try with.optionalText("conversation"))
        case "profile.set": self = .set(try AdminProfileChange(with))
        case "profile.invalidate":
            if let name = try with.optionalUserName("name") {
                self = .invalidate(.person(name))
            } else if let conversation = try with.optionalText("conversation") {
                self = .invalidate(.team(conversation))
            } else {
                guard try with.flag("all") else { throw FieldReader.wrong("all") }
                self = .invalidate(.all)
            }
        case "profile.figures": self = .figures
        default: return nil
        }
    }
}

/// What the server answers about profiles.
package enum AdminProfileAnswer: Hashable, Sendable {
    case one(AdminProfile)
    case figures([AdminFigure])
}

extension AdminProfileAnswer {
    var word: String {
        switch self {
        case .one: "profile"
        case .figures: "profile.figures"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .one(let profile): profile.write(to: &fields)
        case .figures(let figures): fields.records("figures", figures)
        }
    }

    /// - Returns: `nil` for a word that is none of profiles.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "profile": self = .one(try AdminProfile(with))
        case "profile.figures": self = .figures(try with.records("figures"))
        default: return nil
        }
    }
}
