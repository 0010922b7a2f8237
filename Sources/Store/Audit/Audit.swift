package import ChatModel

extension ReadTransaction {
    /// Reads of the audit log.
    package var audit: AuditReads { AuditReads(transaction: self) }
}

/// Reads of the audit log. Valid as long as its transaction.
package struct AuditReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of the audit log.
    package var audit: AuditWrites { AuditWrites(transaction: self) }
}

/// Changes of the audit log. Valid as long as its transaction.
package struct AuditWrites {
    let transaction: WriteTransaction
}

/// Audit entry of a change that an operator makes.
package struct AuditNote: Sendable {
    /// Reads the state of what is changed, as a JSON object: before the change and after it, in its transaction.
    package typealias State = @Sendable (ReadTransaction) throws(StoreError) -> String?

    package var actor: AuditActor
    package var word: String
    package var subject: String?
    /// A JSON object without secrets.
    package var asked: String
    package var state: State

    package init(
        actor: AuditActor, word: String, subject: String?, asked: String,
        state: @escaping State = { _ throws(StoreError) in nil }
    ) {
        self.actor = actor
        self.word = word
        self.subject = subject
        self.asked = asked
        self.state = state
    }
}

/// The end of the audit log, to be compared with what was written down elsewhere.
package struct AuditHead: Hashable, Sendable {
    /// Number of the newest entry; 0 for an empty log.
    package var number: Int64
    /// Its hash; 32 zeros for an empty log.
    package var hash: [UInt8]
}

/// Result of a check of the chain.
package struct AuditCheck: Hashable, Sendable {
    package var head: AuditHead
    /// Sentences about what is wrong, at most 100.
    package var problems: [String]
}

extension AuditCheck {
    /// Makes the result of a check that has not begun.
    package init() { self.init(head: AuditHead(number: 0, hash: AuditChain.start), problems: []) }
}

// MARK: Writing

extension AuditWrites {
    /// Makes a change and keeps in the audit log what was before and after it: both become durable together.
    ///
    /// - Parameters:
    ///   - note: `nil` for a change that is nobody's by the operator's right.
    ///   - counts: whether what `body` returned is a change; a refusal that is returned is none.
    package func auditing<Value>(
        _ note: AuditNote?, counts: (Value) -> Bool = { _ in true }, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard let note else { return try body() }
        let before = try note.state(self.transaction.reading)
        let value = try body()
        guard counts(value) else { return value }
        try self.transaction.connection.addAudit(
            note, .done, before: before, after: try note.state(self.transaction.reading),
            at: self.transaction.wallMilliseconds)
        return value
    }

    /// Keeps in the audit log that something is about to be done which is no change of the database alone.
    package func noteAsked(_ note: AuditNote) throws(StoreError) {
        try self.transaction.connection.addAudit(
            note, .asked, before: try note.state(self.transaction.reading), after: nil,
            at: self.transaction.wallMilliseconds)
    }

    /// Keeps in the audit log that what was asked for, and is no change of the database alone, has been done.
    ///
    /// - Parameter after: the state it is in now, as a JSON object; the note says which it was in before.
    package func noteDone(_ note: AuditNote, after: String) throws(StoreError) {
        try self.transaction.connection.addAudit(
            note, .done, before: try note.state(self.transaction.reading), after: after,
            at: self.transaction.wallMilliseconds)
    }
}

extension Store {
    /// `write` for a change by the operator's right: `note` goes into the audit log in the same transaction.
    package func write<Value: Sendable>(
        auditing note: AuditNote?, counts: @escaping @Sendable (Value) -> Bool = { _ in true },
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value,
        then: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        guard let note else { return self.write(body, then: then) }
        self.write(
            { transaction throws(StoreError) in
                try transaction.audit.auditing(note, counts: counts) { () throws(StoreError) in try body(transaction) }
            }, then: then)
    }
}

extension Connection {
    /// Adds an entry to the end of the chain.
    func addAudit(
        _ note: AuditNote, _ stage: AuditStage, before: String?, after: String?, at wall: Int64
    ) throws(StoreError) {
        let head = try self.auditHead()
        var entry = AuditEntry(
            number: head.number + 1, atMilliseconds: wall, actor: note.actor, word: note.word, subject: note.subject,
            stage: stage, asked: note.asked, before: before, after: after)
        entry.hash = AuditChain.hash(entry, after: head.hash)
        try self.run(
            """
            INSERT INTO audit (number, at, uid, operator, source, reason, word, subject, stage, asked, state_before,
                state_after, hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, entry.number, wall, Int64(note.actor.uid), note.actor.name, note.actor.source.rawValue,
            note.actor.reason, entry.word, entry.subject, stage.rawValue, entry.asked, before, after, entry.hash)
    }

    func auditHead() throws(StoreError) -> AuditHead {
        let sql: StaticString = "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1"
        let found = try self.first(sql) { row throws(StoreError) in
            AuditHead(number: row.int64(0), hash: row.blob(1))
        }
        return found ?? AuditHead(number: 0, hash: AuditChain.start)
    }

    /// Goes over the whole chain.
    func checkAudit() throws(StoreError) -> AuditCheck {
        var check = AuditCheck()
        while try self.checkAudit(&check, atMost: 10_000) {}
        return check
    }

    /// Goes over the next entries of the chain.
    ///
    /// - Parameter check: what was found so far.
    /// - Returns: true when there are more.
    func checkAudit(_ check: inout AuditCheck, atMost most: Int) throws(StoreError) -> Bool {
        var problems = check.problems
        defer { check.problems = problems }
        let note: (String) -> Void = { if problems.count < 100 { problems.append($0) } }
        let statement = try self.statement(
            """
            SELECT number, at, uid, operator, source, reason, word, subject, stage, asked, state_before, state_after,
                hash
            FROM audit WHERE number > ? ORDER BY number LIMIT ?
            """)
        defer { statement.reset() }
        // An entry with a number below 1 is none of ours, and is found as well.
        statement.bind(1, check.head.hash == AuditChain.start ? .min : check.head.number)
        statement.bind(2, Int64(most))
        var count = 0
        while try statement.step() {
            count += 1
            let number = statement.row.int64(0)
            let expected = check.head.number + 1
            if number != expected {
                let missing = number - expected == 1 ? "\(expected) is" : "\(expected) to \(number - 1) are"
                note("The audit log has a gap: \(missing) missing. Somebody changed the database: ask who may.")
            }
            if let entry = statement.row.auditEntry {
                // After a gap the entry before is not known, so that only the next ones can be held against theirs.
                let isLinked = number == expected
                if isLinked && AuditChain.hash(entry, after: check.head.hash) != entry.hash {
                    note(
                        "Entry \(number) of the audit log is not as it was written, or the one before it is not. "
                            + "Somebody changed the database: ask who may.")
                }
            } else {
                note("Entry \(number) of the audit log is none that teahouse writes. Restore the last backup.")
            }
            check.head = AuditHead(number: number, hash: statement.row.blob(12))
        }
        guard count < most else { return true }
        let last = try self.first("SELECT seq FROM sqlite_sequence WHERE name = 'audit'") { row throws(StoreError) in
            row.int64(0)
        }
        if let last, last > check.head.number {
            note(
                "The audit log ends with \(check.head.number), but there was an entry \(last). "
                    + "Somebody changed the database: ask who may.")
        }
        return false
    }
}

// MARK: Reading

extension AuditReads {
    /// Entries of the audit log, the newest first.
    ///
    /// - Throws: `invalid` when the limit is not 1...1000.
    package func entries(_ query: AuditQuery) throws(StoreError) -> [AuditEntry] {
        let sql: StaticString = """
            SELECT number, at, uid, operator, source, reason, word, subject, stage, asked, state_before, state_after,
                hash
            FROM audit
            WHERE number < ?1 AND at >= ?2 AND (?3 IS NULL OR operator = ?3 OR CAST(uid AS TEXT) = ?3)
                AND (?4 IS NULL OR word = ?4 OR substr(word, 1, length(?4) + 1) = ?4 || '.'
                    OR instr(?7, char(10) || word || char(10)) > 0)
                AND (?5 IS NULL OR subject = ?5)
            ORDER BY number DESC LIMIT ?6
            """
        let others = query.otherWords.reduce("\n") { $0 + $1 + "\n" }
        return try self.transaction.connection.query(
            sql, query.before ?? .max, query.sinceMilliseconds ?? .min, query.who, query.what, query.subject,
            try ReadTransaction.page(query.limit), others
        ) { row throws(StoreError) in
            guard let entry = row.auditEntry else { throw Row.damaged("audit entry") }
            return entry
        }
    }

    /// One entry, with its number.
    package func entry(_ number: Int64) throws(StoreError) -> AuditEntry? {
        var query = AuditQuery()
        query.before = number < .max ? number + 1 : number
        query.limit = 1
        return try self.entries(query).first { $0.number == number }
    }

    /// The end of the audit log.
    package func head() throws(StoreError) -> AuditHead { try self.transaction.connection.auditHead() }

    /// Entries that one read checks: about ten microseconds for each.
    package static let checkedTogether = 2_000

    /// Goes over the next entries of the chain, so that no read takes long however long the log is.
    ///
    /// - Parameter check: what was found so far; an empty one at first.
    /// - Returns: true when there are more.
    package func checkAudit(_ check: inout AuditCheck) throws(StoreError) -> Bool {
        try self.transaction.connection.checkAudit(&check, atMost: Self.checkedTogether)
    }
}

extension Row {
    /// `nil` for what no teahouse writes.
    fileprivate var auditEntry: AuditEntry? {
        guard let uid = UInt32(exactly: self.int64(2)), let source = AuditSource(rawValue: self.text(4)),
            let stage = AuditStage(rawValue: self.int64(8))
        else { return nil }
        return AuditEntry(
            number: self.int64(0), atMilliseconds: self.int64(1),
            actor: AuditActor(uid: uid, name: self.optionalText(3), source: source, reason: self.optionalText(5)),
            word: self.text(6), subject: self.optionalText(7), stage: stage, asked: self.text(9),
            before: self.optionalText(10), after: self.optionalText(11), hash: self.blob(12))
    }
}
