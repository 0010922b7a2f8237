import APIKit
package import AdminAPI
import ChatModel
import Execution
import Imports
package import Store

// What another server kept, brought through the socket.
extension AdminHandler {
    /// Lines of one transaction: others wait no longer than it takes.
    private static let slice = 50
    /// Bytes of those lines: a row of a channel has its people in it.
    private static let sliceBytes = 32 * 1_024

    func answerImportRequest(_ request: AdminImportRequest, _ then: @escaping Answer) {
        switch request {
        case .begin(let origin, let source):
            guard let source = ImportSource(rawValue: source ?? ImportSource.leanCloud.rawValue) else {
                return then(.failure(AdminError(.invalid, "nothing is imported from a server of that kind")))
            }
            let note = self.note
            self.store.write { transaction throws(StoreError) in
                try transaction.imports.begin(source.rawValue, origin: origin, auditing: note).number
            } then: { result in
                then(result.map { .imports(.begun(number: $0)) }.mapError { AdminError($0) })
            }
        case .lines(let lines): self.bring(lines, then)
        case .finish(let number, let counts):
            self.settleImport(number, after: ConversationID(rawValue: 0), counts: counts, then)
        case .list(let before): self.listImports(before: before, then)
        case .undo(let number):
            self.checkUndo(number, after: ConversationID(rawValue: 0), WrittenConversations(), then)
        }
    }

    private func bring(_ lines: AdminImportLines, _ then: @escaping Answer) {
        guard let table = ImportTable(rawValue: lines.table) else {
            return then(.failure(AdminError(.invalid, "there is no table \(lines.table) in a folder")))
        }
        let rows = lines.lines.map { Array($0.utf8) }
        guard lines.number > 0 else {
            let expected = Set(lines.expected.compactMap { ObjectID($0) })
            return self.read(then, as: .long) { transaction throws(StoreError) in
                let outcome = try ImportBatch(table, rows).foresee(in: transaction, expecting: expected)
                return .imports(.outcome(AdminImportOutcome(outcome)))
            }
        }
        let contents = lines.contents.compactMap { FileKey($0) }
        // A name that is none must not give its line the content of the one behind it.
        guard contents.count == lines.contents.count, contents.isEmpty || contents.count == rows.count else {
            return then(.failure(AdminError(.invalid, "each line has a content, or none has")))
        }
        self.bring(rows[...], of: table, with: contents, to: lines.number, ImportBatchOutcome(), then)
    }

    /// Lines that are brought in one transaction: so many, and no more than `sliceBytes` unless one alone is longer.
    static func sliceLength(_ rows: ArraySlice<[UInt8]>) -> Int {
        var (count, bytes) = (0, 0)
        for row in rows.prefix(Self.slice) {
            bytes += row.count
            if count > 0, bytes > Self.sliceBytes { break }
            count += 1
        }
        return count
    }

    /// Brings the rest of the lines, a slice after the other.
    private func bring(
        _ rows: ArraySlice<[UInt8]>, of table: ImportTable, with contents: [FileKey], to number: Int64,
        _ before: ImportBatchOutcome, _ then: @escaping Answer
    ) {
        guard !rows.isEmpty else { return then(.success(.imports(.outcome(AdminImportOutcome(before))))) }
        let length = Self.sliceLength(rows)
        var slice = ImportBatch(table, Array(rows.prefix(length)))
        slice.contents = Array(contents.prefix(length))
        let (batch, address) = (slice, self.fileAddress)
        self.store.write { transaction throws(StoreError) in
            try batch.carryOut(in: transaction, of: number, address: address)
        } then: { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let outcome):
                var sum = before
                sum.add(outcome, from: rows.startIndex)
                self.bring(
                    rows.dropFirst(length), of: table, with: Array(contents.dropFirst(length)), to: number, sum, then)
            }
        }
    }

    /// Gives addresses of files, where the operator has said how people reach this server.
    private var fileAddress: FileAddress? {
        guard let base = self.options.filesAddress else { return nil }
        return { link, name in APIPaths.link(link, name: name, base: base) }
    }

    private func settleImport(
        _ number: Int64, after id: ConversationID, counts: String, _ then: @escaping Answer
    ) {
        self.store.write { transaction throws(StoreError) in
            try transaction.imports.settle(number, after: id)
        } then: { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let last?): self.settleImport(number, after: last, counts: counts, then)
            case .success(nil): self.settleFiles(number, after: "", counts: counts, then)
            }
        }
    }

    private func settleFiles(_ number: Int64, after objectID: String, counts: String, _ then: @escaping Answer) {
        self.store.write { transaction throws(StoreError) in
            try transaction.imports.settleFiles(number, after: objectID)
        } then: { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let last?): self.settleFiles(number, after: last, counts: counts, then)
            case .success(nil):
                let note = self.note
                self.store.write { transaction throws(StoreError) in
                    try transaction.imports.finish(number, counts: counts, auditing: note)
                } then: { result in
                    then(result.map { _ in .done }.mapError { AdminError($0) })
                }
            }
        }
    }

    // MARK: Taking back

    /// Time after which an operator is told how far it is, milliseconds.
    private static let undoMilliseconds: Int64 = 20_000

    /// Looks for conversations in which people have written, a page after the other, and begins when there is none.
    private func checkUndo(
        _ number: Int64, after id: ConversationID, _ before: WrittenConversations, _ then: @escaping Answer
    ) {
        self.store.read(as: .long, for: .operator) { transaction throws(StoreError) in
            // What was begun is ended: who has written meanwhile keeps the conversation.
            if try transaction.imports.one(number)?.state == .undoing { return WrittenConversations() }
            return try transaction.imports.written(in: number, after: id)
        } then: { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let page):
                var written = before
                written += page
                if let next = written.next { return self.checkUndo(number, after: next, written, then) }
                if let refusal = written.refusal(of: number) { return then(.failure(AdminError(refusal))) }
                self.beginUndo(number, then)
            }
        }
    }

    private func beginUndo(_ number: Int64, _ then: @escaping Answer) {
        let (note, end) = (self.note, self.options.clock.now().advanced(byMilliseconds: Self.undoMilliseconds))
        self.store.write { transaction throws(StoreError) in
            try transaction.imports.beginUndo(number, auditing: note)
        } then: { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success: self.undo(number, at: .start, ImportUndoCounts(), until: end, then)
            }
        }
    }

    /// Takes a slice back, and goes on until it is done or the time is over.
    private func undo(
        _ number: Int64, at place: ImportUndoPlace, _ before: ImportUndoCounts, until end: Instant,
        _ then: @escaping Answer
    ) {
        self.store.write { transaction throws(StoreError) in
            try transaction.imports.undo(number, at: place)
        } then: { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let slice):
                self.accounts.tookBack(slice.people)
                for user in slice.people { self.broker.end(allOf: user, deviceClass: nil, reason: .signedOut) }
                var counts = before
                counts += slice.counts
                guard let next = slice.next else { return self.finishUndo(number, counts, then) }
                guard self.options.clock.now() < end else { return then(.success(Self.answer(counts, isDone: false))) }
                self.undo(number, at: next, counts, until: end, then)
            }
        }
    }

    private func finishUndo(_ number: Int64, _ counts: ImportUndoCounts, _ then: @escaping Answer) {
        let note = self.note
        self.store.write { transaction throws(StoreError) in
            try transaction.imports.finishUndo(number, counts: counts, auditing: note)
        } then: { result in
            then(result.map { Self.answer(counts, isDone: true) }.mapError { AdminError($0) })
        }
    }

    private static func answer(_ counts: ImportUndoCounts, isDone: Bool) -> AdminAnswer {
        .imports(
            .undone(
                AdminImportUndone(
                    conversations: counts.conversations, messages: counts.messages, people: counts.people,
                    devices: counts.devices, kept: counts.kept, isDone: isDone)))
    }

    /// Bytes of a page of the list: escaped, they fit a line of the protocol.
    private static let listBytes = 300_000

    private func listImports(before: Int64?, _ then: @escaping Answer) {
        let limit = AdminProtocol.pageRows
        self.read(then) { transaction throws(StoreError) in
            let found = try transaction.imports.list(before: before ?? .max, limit: limit + 1)
            var (rows, bytes) = ([AdminImport](), 0)
            for record in found.prefix(limit) {
                bytes += record.origin.utf8.count + record.counts.utf8.count + 300
                if bytes > Self.listBytes && !rows.isEmpty { break }
                rows.append(AdminImport(record))
            }
            return .imports(.list(rows, next: found.count > rows.count ? rows.last?.number : nil))
        }
    }
}

extension AdminImport {
    /// Row of a list of imports.
    package init(_ record: ImportRecord) {
        self.init(
            number: record.number, source: record.source, origin: record.origin, state: "\(record.state)",
            asker: record.asker, begunAtMilliseconds: record.begunAtMilliseconds,
            changedAtMilliseconds: record.changedAtMilliseconds, counts: record.counts)
    }
}

extension AdminImportOutcome {
    fileprivate init(_ outcome: ImportBatchOutcome) {
        let counts = outcome.counts
        self.init(
            rows: counts.rows, added: counts.added, changed: counts.changed, known: counts.known, kept: counts.kept,
            refused: counts.refused,
            remarks: outcome.remarks.map {
                AdminImportRemark(index: Int64($0.index), text: $0.text, refused: $0.isRefusal)
            }, wanted: outcome.wanted.map { Int64($0) })
    }
}
