import AdminAPI
import ByteCodec
import ChatModel
import Glibc
import Store
import Transfers

extension AdminHandler {
    func answerTransferRequest(_ request: AdminTransferRequest, _ then: @escaping Answer) {
        switch request {
        case .list(let owner, let withOver, let limit):
            self.listTransfers(of: owner, withOver: withOver, limit: limit, then)
        case .change(let key, let action): self.change(key, action, then)
        case .watch, .upload, .piece, .finishUpload:
            then(.failure(AdminError(.invalid, "this request belongs to a connection")))
        }
    }

    private func listTransfers(of owner: UserName?, withOver: Bool, limit: Int64, _ then: @escaping Answer) {
        guard let transfers = self.transfers else { return then(.failure(.noFiles)) }
        self.userID(owner, then) { id in
            var query = TransferQuery()
            query.owner = id
            query.includesOver = withOver
            query.limit = Int(limit)
            transfers.list(query) { found in
                switch found {
                case .failure(let error): then(.failure(AdminError(error)))
                case .success(let views):
                    self.shownNames(of: views.map(\.record.ownerName)) { names in
                        let transfers = views.map { view in
                            var transfer = AdminTransfer(view)
                            transfer.ownerName = names[transfer.owner]
                            return transfer
                        }
                        then(.success(.transfers(.list(transfers))))
                    }
                }
            }
        }
    }

    private func change(_ key: TransferKey, _ action: AdminTransferAction, _ then: @escaping Answer) {
        guard let transfers = self.transfers else { return then(.failure(.noFiles)) }
        transfers.find(key, by: .operator) { found in
            switch found {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let view) where view.record.state.isOver:
                // Refused: nothing comes of it, and nothing is noted.
                Self.order(action, key, transfers) { then(Self.answer($0)) }
            case .success(let view):
                let handler = self.auditing(state: Self.state(of: view))
                handler.afterAuditing(then) {
                    Self.order(action, key, transfers) { handler.noteDone($0, then) }
                }
            }
        }
    }

    private static func order(
        _ action: AdminTransferAction, _ key: TransferKey, _ transfers: Transfers, _ answer: @escaping Transfers.Answer
    ) {
        switch action {
        case .suspend: transfers.suspend(key, by: .operator, then: answer)
        case .resume: transfers.resume(key, by: .operator, then: answer)
        case .cancel: transfers.cancel(key, by: .operator, then: answer)
        }
    }

    /// State of a transfer for the audit log, before and after a change.
    private static func state(of view: TransferView) -> String {
        Self.object { $0.text("state", view.record.state.word) }
    }

    /// Answers once the audit log has what came of it. It is done then, whether or not that can be noted: that it was
    /// asked for is in the log already.
    private func noteDone(_ result: Result<TransferView, TransferError>, _ then: @escaping Answer) {
        guard let note = self.note, case .success(let view) = result else { return then(Self.answer(result)) }
        let after = Self.state(of: view)
        self.store.write({ transaction throws(StoreError) in try transaction.audit.noteDone(note, after: after) }) {
            noted in
            if case .failure(let error) = noted {
                self.options.log.warning(
                    "audit_not_noted",
                    [
                        "transfer": .name(view.record.key.text), "after": .text(after),
                        "reason": .text(error.description),
                    ])
            }
            then(Self.answer(result))
        }
    }

    static func answer(_ result: Result<TransferView, TransferError>) -> Result<AdminAnswer, AdminError> {
        result.map { .transfers(.one(AdminTransfer($0))) }.mapError { AdminError($0) }
    }

    // MARK: Uploading

    /// Opens an upload for a connection: the one that was named, the unfinished one of the same file, or a new one.
    func open(_ upload: AdminUpload, then: @escaping @Sendable (OpenedUpload) -> Void) {
        guard let transfers = self.transfers else { return then(OpenedUpload(result: .failure(.noFiles))) }
        self.store.read(
            for: .operator,
            { transaction throws(StoreError) in
                let owner = try Self.owner(of: upload, transaction)
                return (owner, try Self.unfinished(upload, of: owner, transaction))
            }
        ) { found in
            switch found {
            case .failure(let error): then(OpenedUpload(result: .failure(AdminError(error))))
            case .success((_, .some(let record))):
                Self.open(record.key, upload, transfers, then)
            case .success((let owner, nil)):
                let refuse: Answer = {
                    if case .failure(let error) = $0 { then(OpenedUpload(result: .failure(error))) }
                }
                let make: @Sendable () -> Void = {
                    transfers.createUpload(Self.draft(upload, owner, transfers)) { made in
                        switch made {
                        case .failure(let error): then(OpenedUpload(result: .failure(AdminError(error))))
                        case .success(let view): Self.open(view.record.key, upload, transfers, then)
                        }
                    }
                }
                // An import is in the audit log as a whole.
                if upload.importing == nil { self.afterAuditing(refuse, make) } else { make() }
            }
        }
    }

    /// Owner of the file that an upload is to become: contents of an import belong to the server.
    private static func owner(
        of upload: AdminUpload, _ transaction: ReadTransaction
    ) throws(StoreError) -> UserID {
        guard let number = upload.importing else { return try transaction.existingUser(upload.owner).id }
        guard try transaction.imports.one(number)?.state == .underWay else {
            throw .notFound("an import of number \(number) that is under way")
        }
        return .system
    }

    private static func draft(_ upload: AdminUpload, _ owner: UserID, _ transfers: Transfers) -> UploadDraft {
        UploadDraft(
            actor: .operator, owner: owner, name: upload.name, mediaType: upload.mediaType, size: upload.size,
            metadata: Self.metadata(source: upload.source), transferClass: upload.isAvatar ? .avatar : .operator,
            provider: transfers.receivingProvider, key: TransferKey(random: randomBytes()),
            file: FileKey(random: randomBytes()))
    }

    /// Metadata by which an unfinished upload is found again. It tells readers of the file nothing.
    private static func metadata(source: String) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("source")
        json.string(source)
        json.endObject()
        return json.bytes
    }

    /// - Throws: `notFound` for an upload that was named and is not there, `invalid` for one that cannot be this file.
    private static func unfinished(
        _ upload: AdminUpload, of owner: UserID, _ transaction: ReadTransaction
    ) throws(StoreError) -> TransferRecord? {
        if let key = upload.resumed {
            guard let record = try transaction.files.transfer(key), record.direction == .upload, record.owner == owner
            else {
                throw .notFound("an upload \(key) of \(upload.owner)")
            }
            guard record.size == nil || record.size == upload.size else {
                throw .invalid(
                    "the upload \(key) is of a file of \(record.size ?? 0) bytes, this one has \(upload.size)")
            }
            return record
        }
        var query = TransferQuery()
        query.owner = owner
        query.direction = .upload
        query.limit = 1000
        let metadata = Self.metadata(source: upload.source)
        for record in try transaction.files.transfers(query) where record.size == upload.size && !record.state.isOver {
            if try transaction.files.file(record.file)?.metadata == metadata { return record }
        }
        return nil
    }

    private static func open(
        _ key: TransferKey, _ upload: AdminUpload, _ transfers: Transfers,
        _ then: @escaping @Sendable (OpenedUpload) -> Void
    ) {
        transfers.openUpload(key, at: nil, by: .operator) { opened in
            switch opened {
            case .failure(let error): then(OpenedUpload(result: .failure(AdminError(error))))
            case .success(let flow):
                transfers.find(key, by: .operator) { found in
                    let result = found.mapError { AdminError($0) }.map { view in
                        var transfer = AdminTransfer(view)
                        transfer.offset = flow.offset
                        return (flow: flow, transfer: transfer)
                    }
                    if case .failure = result { flow.abandon() }
                    then(OpenedUpload(result: result))
                }
            }
        }
    }
}

extension AdminTransfer {
    init(_ view: TransferView) {
        self.init(
            view.record, isLive: view.isLive, bytesPerSecond: view.bytesPerSecond,
            remainingSeconds: view.remainingSeconds)
    }
}

extension AdminError {
    /// Refusal of a server without files.
    static let noFiles = AdminError(.refused, "this server keeps no files")

    convenience init(_ error: TransferError) {
        let code: Code
        switch error {
        case .refused(let error):
            self.init(error)
            return
        case .notFound: code = .notFound
        case .wrongOffset, .wrongChecksum: code = .invalid
        case .busy, .overloaded: code = .busy
        case .tooLong, .cancelled, .over: code = .refused
        case .full: code = .full
        case .damaged, .failed: code = .failed
        case .stopping: code = .unavailable
        }
        self.init(code, error.description)
    }
}
