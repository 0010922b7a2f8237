package import ChatModel
package import Store

/// Takes an import back in the store of a server that does not run.
package struct ImportUndo {
    private let store: Store
    private let actor: AuditActor

    /// - Parameter actor: who asks, for the audit log.
    package init(_ store: Store, actor: AuditActor) {
        self.store = store
        self.actor = actor
    }

    /// Takes an import back, a slice in each transaction. Ended in the middle, it goes on when it is run again.
    ///
    /// - Throws: `notFound`; `invalid` with the reason, and nothing is changed, when it cannot be taken back.
    package func run(_ number: Int64) throws(StoreError) -> ImportUndoCounts {
        let note = AuditNote(
            actor: self.actor, word: "import.undo", subject: String(number), asked: #"{"number":\#(number)}"#)
        try self.check(number)
        try self.store.writeAndWait { store throws(StoreError) in
            try store.imports.beginUndo(number, auditing: note)
        }
        var counts = ImportUndoCounts()
        var place: ImportUndoPlace? = .start
        while let here = place {
            let slice = try self.store.writeAndWait { store throws(StoreError) in
                try store.imports.undo(number, at: here)
            }
            counts += slice.counts
            place = slice.next
        }
        let all = counts
        try self.store.writeAndWait { store throws(StoreError) in
            try store.imports.finishUndo(number, counts: all, auditing: note)
        }
        return counts
    }

    private func check(_ number: Int64) throws(StoreError) {
        var written = WrittenConversations()
        var after: ConversationID? = ConversationID(rawValue: 0)
        while let here = after {
            written += try self.store.readAndWait { store throws(StoreError) in
                // What was begun is ended: who has written meanwhile keeps the conversation.
                if try store.imports.one(number)?.state == .undoing { return WrittenConversations() }
                return try store.imports.written(in: number, after: here)
            }
            after = written.next
        }
        if let refusal = written.refusal(of: number) { throw refusal }
    }
}

/// The data of a server that does not run, for a dry run.
package struct StoppedDestination: ImportDestination {
    private let folder: StoppedData

    package init(_ folder: StoppedData) { self.folder = folder }

    private static let changesNothing = StoreError.invalid("a dry run changes nothing")

    package mutating func begin(origin: String) throws(StoreError) { throw Self.changesNothing }

    package mutating func send(_ batch: ImportBatch) throws(StoreError) -> ImportBatchOutcome {
        throw Self.changesNothing
    }

    package mutating func bring(_ content: ImportContent) throws(StoreError) -> ImportedContent {
        throw Self.changesNothing
    }

    /// Counts what a batch would do.
    package mutating func foresee(
        _ batch: ImportBatch, expecting expected: Set<ObjectID>
    ) throws(StoreError) -> ImportBatchOutcome {
        try self.folder.read { store throws(StoreError) in try batch.foresee(in: store, expecting: expected) }
    }

    package mutating func finish(counts: String) throws(StoreError) { throw Self.changesNothing }
}
