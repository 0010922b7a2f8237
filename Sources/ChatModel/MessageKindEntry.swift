/// A message kind of an app's own, as the operator has registered it.
package struct MessageKindEntry: Hashable, Sendable {
    /// Most kinds of a server.
    package static let maximumKinds = 200
    /// Most names of fields in one list.
    package static let maximumFields = 32
    /// Most characters (Unicode scalars) of a name, a title or the name of a field.
    package static let maximumNameScalars = 64
    /// Most characters (Unicode scalars) of a text.
    package static let maximumTextScalars = 200

    /// Above 0, and no number that a protocol's own messages have.
    package var kind: MessageKind
    /// Name for operators; no other kind has it.
    package var name: String
    /// The newest version of the body that the fields below are about, from 1. A body says its own in the field `version`;
    /// one without is of version 1.
    package var version: Int64
    /// Fields that a body must have, and not as `null`.
    package var requiredFields: [String]
    /// Fields of the body whose text names a file.
    package var fileFields: [String]
    /// Shown in place of a message that cannot be read: a missing field, a newer version, a disabled kind.
    package var degrade: String
    /// Stands in lists as `[title]` when there is no digest.
    package var typeTitle: String
    /// Text for notifications.
    package var summary: String
    /// Text for lists: fields of the body as `{field}`, or `{field|other}` for the first that is there; empty for
    /// `[title]`.
    package var digest: String
    /// True when the account is disabled.
    package var isDisabled: Bool
    /// How clients of our own draw a message of the kind, as a JSON object; empty for as its text. See `KindRenderer`.
    package var renderer: String

    package init(
        kind: MessageKind, name: String, version: Int64 = 1, requiredFields: [String] = [], fileFields: [String] = [],
        degrade: String, typeTitle: String, summary: String, digest: String = "", isDisabled: Bool = false,
        renderer: String = ""
    ) {
        self.kind = kind
        self.name = name
        self.version = version
        self.requiredFields = requiredFields
        self.fileFields = fileFields
        self.degrade = degrade
        self.typeTitle = typeTitle
        self.summary = summary
        self.digest = digest
        self.isDisabled = isDisabled
        self.renderer = renderer
    }
}

/// Why a message of a registered kind is not readable.
package enum KindProblem: Hashable, Sendable {
    /// The body is no JSON object.
    case noObject
    /// A required field is not there.
    case missing(String)
    /// The body is of this version, which is newer than the registered one.
    case newerVersion(Int64)
}

extension MessageKindEntry {
    /// The first thing that is wrong with the entry, with the field's name; `nil` when it can be registered.
    package var problem: String? {
        if self.kind.rawValue <= 0 { return "number: above 0, those below are built in" }
        if let problem = Self.problem("name", self.name, Self.maximumNameScalars) { return problem }
        if self.version < 1 { return "version: 1 or more" }
        for (field, text, maximum) in [
            ("degrade", self.degrade, Self.maximumTextScalars), ("typeTitle", self.typeTitle, Self.maximumNameScalars),
            ("summary", self.summary, Self.maximumTextScalars),
        ] {
            if let problem = Self.problem(field, text, maximum) { return problem }
        }
        if !self.digest.isEmpty, let problem = Self.problem("digest", self.digest, Self.maximumTextScalars) {
            return problem
        }
        return Self.problem("required", self.requiredFields) ?? Self.problem("files", self.fileFields)
    }

    private static func problem(_ field: String, _ text: String, _ maximum: Int) -> String? {
        let scalars = text.unicodeScalars
        if scalars.allSatisfy({ $0.properties.isWhitespace }) { return "\(field) is missing" }
        if scalars.count > maximum { return "\(field): at most \(maximum) characters, not \(scalars.count)" }
        let hasControls = scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
        return hasControls ? "\(field): one line without control characters" : nil
    }

    private static func problem(_ field: String, _ names: [String]) -> String? {
        if names.count > Self.maximumFields { return "\(field): at most \(Self.maximumFields) names" }
        if Set(names).count < names.count { return "\(field): each name once" }
        for name in names {
            if let problem = Self.problem(field, name, Self.maximumNameScalars) { return problem }
            if name.contains(where: { "{},".contains($0) }) { return "\(field): names without braces and commas" }
        }
        return nil
    }
}

/// The message kinds that are registered.
package struct MessageKinds: Sendable {
    private let entries: [MessageKind: MessageKindEntry]

    package init(_ entries: [MessageKindEntry] = []) {
        self.entries = Dictionary(entries.map { ($0.kind, $0) }) { first, _ in first }
    }

    /// Value without an entry.
    package static let none = MessageKinds()

    /// True when there is none.
    package var isEmpty: Bool { self.entries.isEmpty }

    /// Entry of a kind; `nil` when it is not registered.
    package subscript(_ kind: MessageKind) -> MessageKindEntry? { self.entries[kind] }
}
