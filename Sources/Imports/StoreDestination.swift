package import ChatModel
package import Store

/// The way into the store of a server that does not run.
package struct StoreDestination: ImportDestination {
    private let store: Store
    private let source: String
    private let actor: AuditActor
    private var number: Int64 = 0

    /// - Parameters:
    ///   - source: kind of server that the rows come from.
    ///   - actor: who asks, for the audit log.
    package init(_ store: Store, source: String = "leancloud", actor: AuditActor) {
        self.store = store
        self.source = source
        self.actor = actor
    }

    /// Note of the audit log for the import of an app.
    package static func note(_ source: String, origin: String, _ actor: AuditActor) -> AuditNote {
        AuditNote(actor: actor, word: "import.begin", subject: origin, asked: #"{"source":"\#(source)"}"#)
    }

    /// Notes the import in the audit log, once.
    package mutating func begin(origin: String) throws(StoreError) {
        let (source, note) = (self.source, Self.note(self.source, origin: origin, self.actor))
        self.number = try self.store.writeAndWait { store throws(StoreError) in
            try store.imports.begin(source, origin: origin, auditing: note).number
        }
    }

    /// Carries a batch out in one transaction.
    package mutating func send(_ batch: ImportBatch) throws(StoreError) -> ImportBatchOutcome {
        let number = self.number
        return try self.store.writeAndWait { store throws(StoreError) in try batch.carryOut(in: store, of: number) }
    }

    /// Counts what a batch would do, and changes nothing.
    package mutating func foresee(
        _ batch: ImportBatch, expecting expected: Set<ObjectID>
    ) throws(StoreError) -> ImportBatchOutcome {
        try self.store.readAndWait { store throws(StoreError) in try batch.foresee(in: store, expecting: expected) }
    }

    /// Notes the end of the import, with its counts.
    package mutating func finish(counts: String) throws(StoreError) {
        let number = self.number
        var last = ConversationID(rawValue: 0)
        while true {
            let after = last
            let page = try self.store.writeAndWait { store throws(StoreError) in
                try store.imports.settle(number, after: after)
            }
            guard let end = page else { break }
            last = end
        }
        let note = AuditNote(
            actor: self.actor, word: "import.finish", subject: String(number), asked: #"{"number":\#(number)}"#)
        try self.store.writeAndWait { store throws(StoreError) in
            try store.imports.finish(number, counts: counts, auditing: note)
        }
    }
}
