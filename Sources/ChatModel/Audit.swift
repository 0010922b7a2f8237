/// Where a request of an operator, or of an administrator, came from.
package enum AuditSource: String, Sendable, CaseIterable {
    case ctl
    case console
    /// An administrator at the native API, as in the page in the browser.
    case api
    /// The server itself, by a rule of its configuration.
    case server
}

/// Asker of a change by the operator's right.
package struct AuditActor: Hashable, Sendable {
    /// The user the asking process ran as: the kernel's word.
    package var uid: UInt32
    /// Name that the operator gives; nobody checks it.
    package var name: String?
    /// Way that the request came.
    package var source: AuditSource
    /// Why, in their words.
    package var reason: String?

    package init(uid: UInt32, name: String? = nil, source: AuditSource = .ctl, reason: String? = nil) {
        self.uid = uid
        self.name = name
        self.source = source
        self.reason = reason
    }
}

/// How an entry of the audit log and its change belong together.
package enum AuditStage: Int64, Sendable, CaseIterable {
    /// Written in the transaction of the change: both are there or neither.
    case done = 0
    /// Written before something that is no change of the database alone: sessions that end, content that is removed,
    /// history that is read. It was asked for and allowed; whether it succeeded is in the log.
    case asked = 1
}

/// One entry of the audit log. Its texts are JSON objects, kept byte for byte because the chain covers them.
package struct AuditEntry: Hashable, Sendable {
    /// 1, 2, 3 ... without a gap.
    package var number: Int64
    /// UTC milliseconds.
    package var atMilliseconds: Int64
    /// Actor.
    package var actor: AuditActor
    /// The request: `user.disable`.
    package var word: String
    /// The person, conversation, file or transfer; `nil` when it is not one alone.
    package var subject: String?
    /// Stage of the request.
    package var stage: AuditStage
    /// Request without secrets.
    package var asked: String
    /// The state of what was changed; `nil` when it was not there or nothing is known of it.
    package var before: String?
    /// State afterwards, as JSON text.
    package var after: String?
    /// SHA-256 over the hash of the entry before and this one; see `AuditChain`. 32 bytes.
    package var hash: [UInt8]

    package init(
        number: Int64, atMilliseconds: Int64, actor: AuditActor, word: String, subject: String?, stage: AuditStage,
        asked: String, before: String?, after: String?, hash: [UInt8] = []
    ) {
        self.number = number
        self.atMilliseconds = atMilliseconds
        self.actor = actor
        self.word = word
        self.subject = subject
        self.stage = stage
        self.asked = asked
        self.before = before
        self.after = after
        self.hash = hash
    }
}

/// Query of the audit log, newest entries first.
package struct AuditQuery: Hashable, Sendable {
    /// Name that the operator gave, or the number of the system user they ran as.
    package var who: String?
    /// A request, `user.disable`, or all of a family, `user`.
    package var what: String?
    /// Other words of requests that are looked for beside `what`.
    package var otherWords: [String] = []
    /// Subject of the entry.
    package var subject: String?
    /// UTC milliseconds: entries at and after this.
    package var sinceMilliseconds: Int64?
    /// Entries with smaller numbers: the page after the one that ended there.
    package var before: Int64?
    /// 1...1000.
    package var limit = 100

    package init() {}
}
