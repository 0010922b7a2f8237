package import ChatModel

/// What an operator can ask about what operators did.
package enum AdminAuditRequest: Hashable, Sendable {
    /// The newest first; `next` of the answer is the `before` of the page after it.
    case list(AuditQuery)
    case show(Int64)
    /// Goes over the whole chain.
    case verify
}

extension AdminAuditRequest {
    var word: String {
        switch self {
        case .list: "audit.list"
        case .show: "audit.show"
        case .verify: "audit.verify"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let query):
            fields.text("who", query.who)
            fields.text("what", query.what)
            fields.text("subject", query.subject)
            fields.number("since", query.sinceMilliseconds)
            fields.number("before", query.before)
            fields.number("limit", Int64(query.limit))
        case .show(let number): fields.number("number", number)
        case .verify: break
        }
    }

    /// - Returns: `nil` for a word that is none of the audit log.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "audit.list":
            var query = AuditQuery()
            query.who = try with.optionalText("who")
            query.what = try with.optionalText("what")
            query.subject = try with.optionalText("subject")
            query.sinceMilliseconds = try with.optionalNumber("since")
            query.before = try with.optionalNumber("before")
            let limit = try with.number("limit")
            guard (1...Int64(AdminProtocol.pageRows)).contains(limit) else { throw FieldReader.wrong("limit") }
            query.limit = Int(limit)
            self = .list(query)
        case "audit.show": self = .show(try with.number("number"))
        case "audit.verify": self = .verify
        default: return nil
        }
    }
}

/// What the server answers about what operators did.
package enum AdminAuditAnswer: Hashable, Sendable {
    case list([AdminAuditEntry], next: Int64?)
    case one(AdminAuditEntry)
    case checked(AdminAuditCheck)
}

extension AdminAuditAnswer {
    var word: String {
        switch self {
        case .list: "audit"
        case .one: "audit.entry"
        case .checked: "audit.checked"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let entries, let next):
            fields.records("entries", entries)
            fields.number("next", next)
        case .one(let entry): entry.write(to: &fields)
        case .checked(let check): check.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of the audit log.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "audit": self = .list(try with.records("entries"), next: try with.optionalNumber("next"))
        case "audit.entry": self = .one(try AdminAuditEntry(with))
        case "audit.checked": self = .checked(try AdminAuditCheck(with))
        default: return nil
        }
    }
}

/// An entry of the audit log.
package struct AdminAuditEntry: AdminRecord {
    package var entry: AuditEntry
    /// SHA-256 in hexadecimal.
    package var hash: String

    /// - Parameter hash: in hexadecimal.
    package init(_ entry: AuditEntry, hash: String) {
        self.entry = entry
        self.entry.hash = []
        self.hash = hash
    }

    /// The entry as one JSON object, for scripts.
    package var json: [UInt8] { FieldWriter.object(self.write) }

    func write(to fields: inout FieldWriter) {
        fields.number("number", self.entry.number)
        fields.number("at", self.entry.atMilliseconds)
        fields.number("uid", Int64(self.entry.actor.uid))
        fields.text("operator", self.entry.actor.name)
        fields.text("source", self.entry.actor.source.rawValue)
        fields.text("reason", self.entry.actor.reason)
        fields.text("word", self.entry.word)
        fields.text("subject", self.entry.subject)
        fields.text("stage", self.entry.stage == .done ? "done" : "asked")
        // As texts, not as objects: the chain covers them byte for byte.
        fields.text("asked", self.entry.asked)
        fields.text("before", self.entry.before)
        fields.text("after", self.entry.after)
        fields.text("hash", self.hash)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        guard let uid = UInt32(exactly: try fields.number("uid")) else { throw FieldReader.wrong("uid") }
        let stage: AuditStage
        switch try fields.text("stage") {
        case "done": stage = .done
        case "asked": stage = .asked
        default: throw FieldReader.wrong("stage")
        }
        self.entry = AuditEntry(
            number: try fields.number("number"), atMilliseconds: try fields.number("at"),
            actor: AuditActor(
                uid: uid, name: try fields.optionalText("operator"), source: try Word.value("source", fields),
                reason: try fields.optionalText("reason")),
            word: try fields.text("word"), subject: try fields.optionalText("subject"), stage: stage,
            asked: try fields.text("asked"), before: try fields.optionalText("before"),
            after: try fields.optionalText("after"))
        self.hash = try fields.text("hash")
    }
}

/// What a check of the chain found.
package struct AdminAuditCheck: AdminRecord {
    /// Entries: the number of the newest.
    package var count: Int64
    /// The hash of the newest, in hexadecimal. Who writes it down elsewhere can tell later that nothing before was changed.
    package var hash: String
    /// Sentences; empty when the chain is whole.
    package var problems: [String]

    package init(count: Int64, hash: String, problems: [String]) {
        self.count = count
        self.hash = hash
        self.problems = problems
    }

    func write(to fields: inout FieldWriter) {
        fields.number("entries", self.count)
        fields.text("hash", self.hash)
        fields.texts("problems", self.problems)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.count = try fields.number("entries")
        self.hash = try fields.text("hash")
        self.problems = try fields.texts("problems")
    }
}
