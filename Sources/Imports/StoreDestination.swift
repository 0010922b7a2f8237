package import ChatModel
package import Store

/// The way into the store of a server that does not run.
package struct StoreDestination: ImportDestination {
    private let store: Store
    private let source: String
    private let actor: AuditActor
    private let contents: ContentImport?
    private let address: FileAddress?
    private var number: Int64 = 0

    /// - Parameters:
    ///   - source: kind of server that the rows come from.
    ///   - actor: who asks, for the audit log.
    ///   - contents: way of contents into the same server; `nil` for a source that has no files.
    ///   - address: gives addresses of files; `nil` leaves those of the source in messages and fields.
    package init(
        _ store: Store, source: String = "leancloud", actor: AuditActor, contents: ContentImport? = nil,
        address: FileAddress? = nil
    ) {
        self.store = store
        self.source = source
        self.actor = actor
        self.contents = contents
        self.address = address
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
        let (number, address) = (self.number, self.address)
        return try self.store.writeAndWait { store throws(StoreError) in
            try batch.carryOut(in: store, of: number, address: address)
        }
    }

    /// Brings a content before the row that it is of.
    package mutating func bring(_ content: ImportContent) throws(StoreError) -> ImportedContent {
        guard let contents else { return .refused("files of this source are not brought") }
        return try contents.bring(content)
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
        var file = ""
        while true {
            let after = file
            let page = try self.store.writeAndWait { store throws(StoreError) in
                try store.imports.settleFiles(number, after: after)
            }
            guard let end = page else { break }
            file = end
        }
        let note = AuditNote(
            actor: self.actor, word: "import.finish", subject: String(number), asked: #"{"number":\#(number)}"#)
        try self.store.writeAndWait { store throws(StoreError) in
            try store.imports.finish(number, counts: counts, auditing: note)
        }
    }
}
