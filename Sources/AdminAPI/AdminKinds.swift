package import ChatModel

/// Requests about the message kinds of apps.
package enum AdminKindRequest: AdminDefinitions {
    /// Lists all kinds, by number.
    case list
    /// Registers a kind, or replaces one.
    case set(MessageKindEntry)
    /// Disables or enables a kind. Messages of a disabled kind are shown by its degrade text.
    case setDisabled(MessageKind, Bool)
    case remove(MessageKind)
    /// Asks what would be shown of a body, without sending it; at most `AdminProtocol.maximumTextBytes`.
    case `try`(MessageKind, body: String)

    static let all: [Self] = [
        .list, .set(.sample), .setDisabled(.sample, .sample), .remove(.sample), .try(.sample, body: .sample),
    ]

    static let more: [Self] = [.setDisabled(.sample, false)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list:
            fields.look("kind.list", role: .observer)
            fields.ctl("kind list", examples: [""])
            return self
        case .set(let entry):
            fields.change("kind.set", .kind(entry.kind))
            fields.line(entry.isDisabled ? nil : entry.command)
            return try .set(fields.inline(entry))
        case .setDisabled(let kind, let isDisabled):
            fields.change("kind.disable", .kind(kind), inverse: .kinds(.setDisabled(kind, !isDisabled)))
            fields.asks(
                isDisabled ? "console.kinds.disable" : "console.kinds.enable",
                [isDisabled ? "console.kinds.disableConsequence" : "console.kinds.enableConsequence"],
                of: [kind.number])
            fields.ctl(
                "kind \(isDisabled ? "disable" : "enable")",
                says: isDisabled ? "ctl.kind.disabled" : "ctl.kind.enabled", evenForNone: true,
                ["number": kind.number], examples: ["500"])
            return try .setDisabled(fields("number", kind, .kind), fields("disabled", isDisabled))
        case .remove(let kind):
            fields.change("kind.remove", .kind(kind))
            fields.asks("console.kinds.delete", ["console.kinds.deleteConsequence"], of: [kind.number])
            fields.ctl(
                "kind remove", says: "ctl.kind.removed", evenForNone: true, ["number": kind.number],
                examples: ["500"])
            return try .remove(fields("number", kind, .kind))
        case .try(let kind, let body):
            fields.look("kind.try", role: .observer, kind.number)
            fields.ctl("kind try", examples: [#"500 '{"type":500,"title":"茶"}'"#])
            return try .try(
                fields("number", kind, .kind),
                body: fields(
                    "body", body, atMost: AdminProtocol.maximumTextBytes, .argument("BODY", "argument.kindBody")))
        }
    }
}

extension CommandPlace {
    fileprivate static let kind = argument("NUMBER", "argument.kindNumber", refusal: "ctl.kind.badNumber")
}

/// Answers about message kinds.
package enum AdminKindAnswer: AdminFamily {
    case kinds([AdminMessageKind])
    /// State after the request.
    case kind(AdminMessageKind)
    case tried(AdminKindTrial)

    static let all: [Self] = [.kinds(.sample), .kind(.sample), .tried(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .kinds(let kinds): try .kinds(fields.named("kinds")("kinds", kinds))
        case .kind(let kind): try .kind(fields.named("kind").inline(kind))
        case .tried(let tried): try .tried(fields.named("kind.tried").inline(tried))
        }
    }
}

extension MessageKindEntry: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.init(
            kind: try fields("number", \.kind), name: try fields("name", \.name),
            version: try fields("version", \.version, whenMissing: 1),
            requiredFields: try fields("required", \.requiredFields, whenMissing: []),
            fileFields: try fields("files", \.fileFields, whenMissing: []), degrade: try fields("degrade", \.degrade),
            typeTitle: try fields("typeTitle", \.typeTitle), summary: try fields("summary", \.summary),
            digest: try fields("digest", \.digest, whenMissing: ""),
            isDisabled: try fields("disabled", \.isDisabled, whenMissing: false),
            renderer: try fields("renderer", \.renderer, usually: ""))
    }
}

/// A registered message kind.
package struct AdminMessageKind: AdminRecord {
    /// Registration of the kind.
    package var entry: MessageKindEntry
    /// Messages of this kind since the server started that could not be read: no JSON object, a required field missing,
    /// or a newer version.
    package var undecodable: Int64

    package init(_ entry: MessageKindEntry, undecodable: Int64) {
        self.entry = entry
        self.undecodable = undecodable
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.entry = try fields.inline(\.entry)
        self.undecodable = try fields("undecodable", \.undecodable)
    }
}

/// Texts that are shown for a body that was tried.
package struct AdminKindTrial: AdminRecord {
    /// Reason why the body cannot be read; `nil` when it can.
    package var problem: KindProblem?
    /// Line that conversation lists show.
    package var line: String
    /// Title of the kind, which lists show as `[title]` when there is no digest.
    package var typeTitle: String
    /// Text for notifications.
    package var summary: String
    /// Text that is shown in place of a message that cannot be read.
    package var degrade: String

    package init(problem: KindProblem?, line: String, typeTitle: String, summary: String, degrade: String) {
        self.problem = problem
        self.line = line
        self.typeTitle = typeTitle
        self.summary = summary
        self.degrade = degrade
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let problem: KindProblemWord? = try fields("problem") { $0.problem.map { KindProblemWord($0) } }
        let field: String? = try fields("field") { if case .missing(let field) = $0.problem { field } else { nil } }
        let version: Int64? = try fields("version") {
            if case .newerVersion(let version) = $0.problem { version } else { nil }
        }
        switch problem {
        case nil: self.problem = nil
        case .noObject: self.problem = .noObject
        case .missing:
            guard let field else { throw .field("field") }
            self.problem = .missing(field)
        case .newerVersion:
            guard let version else { throw .field("version") }
            self.problem = .newerVersion(version)
        }
        self.line = try fields("line", \.line)
        self.typeTitle = try fields("typeTitle", \.typeTitle)
        self.summary = try fields("summary", \.summary)
        self.degrade = try fields("degrade", \.degrade)
    }
}

/// Spelling of a problem on the socket; its values are fields beside it.
private enum KindProblemWord: String, AdminWord, AdminText {
    case noObject
    case missing
    case newerVersion

    init(_ problem: KindProblem) {
        switch problem {
        case .noObject: self = .noObject
        case .missing: self = .missing
        case .newerVersion: self = .newerVersion
        }
    }
}

extension MessageKind {
    fileprivate var number: String { String(self.rawValue) }
}

extension MessageKindEntry {
    /// Command that sets every field. It fits a new kind; for an existing one, `ctl` keeps fields that are not given.
    package var command: [String] {
        ctl(
            "kind set", .word(self.kind.number), .option("name", self.name),
            .option("version", self.version == 1 ? nil : self.version),
            .option("required", self.requiredFields.joined(separator: ",").nonEmpty),
            .option("files", self.fileFields.joined(separator: ",").nonEmpty), .option("degrade", self.degrade),
            .option("type-title", self.typeTitle), .option("summary", self.summary.nonEmpty),
            .option("digest", self.digest.nonEmpty), .option("renderer", self.renderer.nonEmpty))
    }
}
