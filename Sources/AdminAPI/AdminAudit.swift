package import ChatModel

/// Requests about the audit log.
package enum AdminAuditRequest: AdminDefinitions {
    /// Lists entries, newest first; `next` of the answer is the `before` of the page after it.
    case list(AuditQuery)
    case show(Int64)
    /// Checks the whole hash chain.
    case verify
    /// Lists entries of the journal of sign-ins, newest first; `next` of the answer is the `before` of the page after it,
    /// which may be there also when a page is empty.
    case signIns(AdminSignInQuery)
    /// Checks the chain of the journal of sign-ins.
    case verifySignIns
    /// Lists the newest lines of the service's log that are in memory, in the order in which they came.
    case log(AdminLogQuery)

    static let all: [Self] = [
        .list(.sample), .show(.sample), .verify, .signIns(.sample), .verifySignIns, .log(.sample),
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let query):
            fields.look("audit.list", role: .helper)
            return try .list(fields.inline(query))
        case .show(let number):
            fields.look("audit.show", role: .helper)
            fields.ctl("audit show", examples: ["17"])
            return try .show(fields("number", number, .argument("NUMBER", "argument.auditNumber")))
        case .verify:
            fields.look("audit.verify", role: .helper)
            fields.ctl("audit verify", examples: [""])
            return self
        case .signIns(let query):
            fields.look("audit.signIns", role: .helper)
            return try .signIns(fields.inline(query))
        case .verifySignIns:
            fields.look("audit.verifySignIns", role: .helper)
            return self
        case .log(let query):
            fields.look("log.list", role: .helper)
            return try .log(fields.inline(query))
        }
    }
}

/// Answers about the audit log.
package enum AdminAuditAnswer: AdminFamily {
    case list([AdminAuditEntry], next: Int64?)
    case one(AdminAuditEntry)
    case checked(AdminAuditCheck)
    case signIns([AdminSignIn], next: Int64?)
    case checkedSignIns(AdminSignInCheck)
    case log([AdminLogLine])

    static let all: [Self] = [
        .list(.sample, next: .sample), .one(.sample), .checked(.sample), .signIns(.sample, next: .sample),
        .checkedSignIns(.sample), .log(.sample),
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let entries, let next):
            try .list(fields.named("audit")("entries", entries), next: fields("next", next))
        case .one(let one): try .one(fields.named("audit.entry").inline(one))
        case .checked(let checked): try .checked(fields.named("audit.checked").inline(checked))
        case .signIns(let entries, let next):
            try .signIns(fields.named("signIns")("entries", entries), next: fields("next", next))
        case .checkedSignIns(let checked):
            try .checkedSignIns(fields.named("signIns.checked").inline(checked))
        case .log(let lines): try .log(fields.named("log")("lines", lines))
        }
    }
}

/// An entry of the audit log.
package struct AdminAuditEntry: AdminRecord {
    /// Entry without its hash.
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
    package var json: [UInt8] { self.object }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.entry = AuditEntry(
            number: try fields("number", \.entry.number), atMilliseconds: try fields("at", \.entry.atMilliseconds),
            actor: AuditActor(
                uid: try fields("uid", \.entry.actor.uid), name: try fields("operator", \.entry.actor.name),
                source: try fields("source", \.entry.actor.source), reason: try fields("reason", \.entry.actor.reason)),
            word: try fields("word", \.entry.word), subject: try fields("subject", \.entry.subject),
            stage: try fields("stage", \.entry.stage),
            // As texts, not as objects: the chain covers them byte for byte.
            asked: try fields("asked", \.entry.asked), before: try fields("before", \.entry.before),
            after: try fields("after", \.entry.after))
        self.hash = try fields("hash", \.hash)
    }
}

/// Result of a check of the hash chain.
package struct AdminAuditCheck: AdminRecord {
    /// Number of entries: the number of the newest.
    package var count: Int64
    /// Hash of the newest entry, in hexadecimal. A copy of it kept elsewhere proves later that no earlier entry was
    /// changed.
    package var hash: String
    /// Problems, one sentence each; empty when the chain is intact.
    package var problems: [String]

    package init(count: Int64, hash: String, problems: [String]) {
        self.count = count
        self.hash = hash
        self.problems = problems
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.count = try fields("entries", \.count)
        self.hash = try fields("hash", \.hash)
        self.problems = try fields("problems", \.problems)
    }
}

extension AuditQuery: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.init()
        self.who = try fields("who", \.who)
        self.what = try fields("what", \.what)
        self.subject = try fields("subject", \.subject)
        self.sinceMilliseconds = try fields("since", \.sinceMilliseconds)
        self.before = try fields("before", \.before)
        let limit = try fields("limit") { Int64($0.limit) }
        try fields.check((1...Int64(AdminProtocol.pageRows)).contains(limit), "limit")
        self.limit = Int(limit)
    }
}
