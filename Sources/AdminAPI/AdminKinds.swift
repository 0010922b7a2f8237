package import ChatModel

/// What an operator can ask about the message kinds of apps.
package enum AdminKindRequest: Hashable, Sendable {
    /// All of them, by number.
    case list
    /// Registers a kind, or changes all of one.
    case set(MessageKindEntry)
    /// A disabled kind is shown by its degrade text.
    case setDisabled(MessageKind, Bool)
    case remove(MessageKind)
    /// What would be shown of a body, which is not sent; at most `AdminProtocol.maximumTextBytes`.
    case `try`(MessageKind, body: String)
}

extension AdminKindRequest {
    var word: String {
        switch self {
        case .list: "kind.list"
        case .set: "kind.set"
        case .setDisabled: "kind.disable"
        case .remove: "kind.remove"
        case .try: "kind.try"
        }
    }

    var isChange: Bool {
        switch self {
        case .set, .setDisabled, .remove: true
        case .list, .try: false
        }
    }

    /// The number of the kind.
    var subject: String? {
        switch self {
        case .list: nil
        case .set(let entry): String(entry.kind.rawValue)
        case .setDisabled(let kind, _), .remove(let kind), .try(let kind, _): String(kind.rawValue)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list: break
        case .set(let entry): entry.write(to: &fields)
        case .setDisabled(let kind, let isDisabled):
            fields.number("number", Int64(kind.rawValue))
            fields.flag("disabled", isDisabled)
        case .remove(let kind): fields.number("number", Int64(kind.rawValue))
        case .try(let kind, let body):
            fields.number("number", Int64(kind.rawValue))
            fields.text("body", body)
        }
    }

    /// - Returns: `nil` for a word that is none of message kinds.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "kind.list": self = .list
        case "kind.set": self = .set(try MessageKindEntry(with))
        case "kind.disable": self = .setDisabled(try with.messageKind("number"), try with.flag("disabled"))
        case "kind.remove": self = .remove(try with.messageKind("number"))
        case "kind.try":
            let body = try with.text("body")
            guard body.utf8.count <= AdminProtocol.maximumTextBytes else { throw FieldReader.wrong("body") }
            self = .try(try with.messageKind("number"), body: body)
        default: return nil
        }
    }
}

/// What the server answers about message kinds.
package enum AdminKindAnswer: Hashable, Sendable {
    case kinds([AdminMessageKind])
    /// As it is now.
    case kind(AdminMessageKind)
    case tried(AdminKindTrial)
}

extension AdminKindAnswer {
    var word: String {
        switch self {
        case .kinds: "kinds"
        case .kind: "kind"
        case .tried: "kind.tried"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .kinds(let kinds): fields.records("kinds", kinds)
        case .kind(let kind): kind.write(to: &fields)
        case .tried(let trial): trial.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of message kinds.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "kinds": self = .kinds(try with.records("kinds"))
        case "kind": self = .kind(try AdminMessageKind(with))
        case "kind.tried": self = .tried(try AdminKindTrial(with))
        default: return nil
        }
    }
}

extension MessageKindEntry: AdminRecord {
    func write(to fields: inout FieldWriter) {
        fields.number("number", Int64(self.kind.rawValue))
        fields.text("name", self.name)
        fields.number("version", self.version)
        fields.texts("required", self.requiredFields)
        fields.texts("files", self.fileFields)
        fields.text("degrade", self.degrade)
        fields.text("typeTitle", self.typeTitle)
        fields.text("summary", self.summary)
        fields.text("digest", self.digest)
        fields.flag("disabled", self.isDisabled)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.init(
            kind: try fields.messageKind("number"), name: try fields.text("name"),
            version: try fields.optionalNumber("version") ?? 1,
            requiredFields: try fields.has("required") ? fields.texts("required") : [],
            fileFields: try fields.has("files") ? fields.texts("files") : [],
            degrade: try fields.text("degrade"), typeTitle: try fields.text("typeTitle"),
            summary: try fields.text("summary"), digest: try fields.optionalText("digest") ?? "",
            isDisabled: try fields.has("disabled") ? fields.flag("disabled") : false)
    }
}

/// A registered message kind.
package struct AdminMessageKind: AdminRecord {
    package var entry: MessageKindEntry
    /// Messages of this kind since the server started that could not be read: no JSON object, a required field missing,
    /// or a newer version.
    package var undecodable: Int64

    package init(_ entry: MessageKindEntry, undecodable: Int64) {
        self.entry = entry
        self.undecodable = undecodable
    }

    func write(to fields: inout FieldWriter) {
        self.entry.write(to: &fields)
        fields.number("undecodable", self.undecodable)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.entry = try MessageKindEntry(fields)
        self.undecodable = try fields.number("undecodable")
    }
}

/// What is shown of a body that was tried.
package struct AdminKindTrial: AdminRecord {
    /// Why it cannot be read; `nil` when it can.
    package var problem: KindProblem?
    /// What lists show.
    package var line: String
    package var typeTitle: String
    package var summary: String
    package var degrade: String

    package init(problem: KindProblem?, line: String, typeTitle: String, summary: String, degrade: String) {
        self.problem = problem
        self.line = line
        self.typeTitle = typeTitle
        self.summary = summary
        self.degrade = degrade
    }

    func write(to fields: inout FieldWriter) {
        switch self.problem {
        case nil: break
        case .noObject: fields.text("problem", "noObject")
        case .missing(let field):
            fields.text("problem", "missing")
            fields.text("field", field)
        case .newerVersion(let version):
            fields.text("problem", "newerVersion")
            fields.number("version", version)
        }
        fields.text("line", self.line)
        fields.text("typeTitle", self.typeTitle)
        fields.text("summary", self.summary)
        fields.text("degrade", self.degrade)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        switch try fields.optionalText("problem") {
        case nil: self.problem = nil
        case "noObject": self.problem = .noObject
        case "missing": self.problem = .missing(try fields.text("field"))
        case "newerVersion": self.problem = .newerVersion(try fields.number("version"))
        default: throw FieldReader.wrong("problem")
        }
        self.line = try fields.text("line")
        self.typeTitle = try fields.text("typeTitle")
        self.summary = try fields.text("summary")
        self.degrade = try fields.text("degrade")
    }
}

extension FieldReader {
    func messageKind(_ key: String) throws(AdminError) -> MessageKind {
        guard let number = Int32(exactly: try self.number(key)) else { throw Self.wrong(key) }
        return MessageKind(rawValue: number)
    }
}
