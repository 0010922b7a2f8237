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
    /// What operators call it; no other kind has it.
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
    /// What notifications say.
    package var summary: String
    /// What lists show: a text with fields of the body as `{field}`; empty for `[title]`.
    package var digest: String
    package var isDisabled: Bool

    package init(
        kind: MessageKind, name: String, version: Int64 = 1, requiredFields: [String] = [], fileFields: [String] = [],
        degrade: String, typeTitle: String, summary: String, digest: String = "", isDisabled: Bool = false
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
