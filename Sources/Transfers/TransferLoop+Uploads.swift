import ChatModel
import Diagnostics
import Execution
import Store

/// Uploads: created, opened, going on, over.
extension TransferLoop {
    // MARK: Creating

    func createUpload(_ draft: UploadDraft, _ answer: @escaping Transfers.Answer) {
        guard !self.isStopping else { return answer(.failure(.stopping)) }
        var draft = draft
        draft.provider = self.tools.receiving.name
        let isQueued = self.tools.workers.submit { [tools, draft] in
            guard tools.room.hasRoom() else {
                tools.tally.refusedFull.add()
                return answer(.failure(.full))
            }
            tools.rows.create(draft) { result in
                tools.postToLoop { $0.created(result, answer) }
            }
        }
        if !isQueued { answer(.failure(.stopping)) }
    }

    private func created(_ result: Result<TransferRecord, StoreError>, _ answer: Transfers.Answer) {
        switch result {
        case .failure(let error): answer(.failure(self.tools.failure(error)))
        case .success(let record):
            let upload = self.upload(for: record)
            // Nothing of it is on the disk.
            upload.isLoaded = true
            self.tellWatchers(upload)
            answer(.success(upload.view))
        }
    }

    /// The one in memory, or a new one there.
    func upload(for record: TransferRecord) -> LiveUpload {
        if let upload = self.uploads[record.key] { return upload }
        var record = record
        // Nobody is connected for it: only this thread says who is.
        if record.state == .progressing { record.state = .waiting }
        let provider = self.tools.provider(record.provider) ?? self.tools.receiving
        let upload = LiveUpload(record, UploadTask(record, provider, self.tools), at: self.now)
        self.uploads[record.key] = upload
        return upload
    }

    // MARK: Flows

    func openUpload(
        _ key: TransferKey, at offset: Int64?, length: Int64?, by actor: Actor, _ checksum: UploadChecksum?,
        _ answer: @escaping Transfers.UploadAnswer
    ) {
        self.withTransfer(key, by: actor) { found in
            switch found {
            case .failure(let error): answer(.failure(error))
            case .success(.upload(let upload)): self.open(upload, at: offset, length: length, checksum, answer)
            case .success(.stored(let view)) where view.record.direction == .upload:
                answer(.failure(.over(view.record.state)))
            case .success(.stored), .success(.download): answer(.failure(.notFound))
            }
        }
    }

    private func open(
        _ upload: LiveUpload, at offset: Int64?, length: Int64?, _ checksum: UploadChecksum?,
        _ answer: @escaping Transfers.UploadAnswer
    ) {
        if self.isStopping { return answer(.failure(.stopping)) }
        if upload.record.state.isOver { return answer(.failure(.over(upload.record.state))) }
        if upload.isEnding { return answer(.failure(.cancelled)) }
        if upload.flow != .none {
            guard self.supersedes(upload) else { return answer(.failure(.busy)) }
            upload.successor = { loop in loop.open(upload, at: offset, length: length, checksum, answer) }
            return
        }
        let live = self.uploads.values.count(where: { $0.flow != .none })
        guard live < self.tools.options.liveUploads else { return answer(.failure(.overloaded)) }
        if let limit = upload.record.size, length ?? 0 > limit - (offset ?? 0) {
            // Before it holds the upload: who is told so may come again at once, and finds it free.
            return answer(.failure(.tooLong(limit: limit)))
        }
        upload.flow = .opening
        self.command(upload, { .open(at: offset, checksum, $0) }) { loop, upload, result in
            loop.opened(upload, result, answer)
        }
    }

    /// Whoever comes again to go on, because the link broke, need not wait until the old connection is given up: a
    /// silent flow makes room.
    private func supersedes(_ upload: LiveUpload) -> Bool {
        guard case .open(let number) = upload.flow, upload.successor == nil, !upload.isEnding,
            upload.task.isSilent(flow: number, for: self.tools.options.silentMilliseconds)
        else { return false }
        upload.task.supersede(flow: number)
        return true
    }

    private func opened(
        _ upload: LiveUpload, _ result: Result<UploadNews, TransferError>, _ answer: Transfers.UploadAnswer
    ) {
        guard case .success(.open(let number, let offset)) = result else {
            upload.flow = .none
            upload.isLoaded = false
            if case .failure(let error) = result { answer(.failure(error)) }
            return
        }
        if self.isStopping || upload.isEnding {
            // It was ended while it was opened.
            upload.task.failFlow(self.isStopping ? .stopping : .cancelled)
            upload.flow = .none
            return answer(.failure(self.isStopping ? .stopping : .cancelled))
        }
        upload.isLoaded = true
        upload.flow = .open(number: number)
        if upload.record.state == .waiting { upload.record.state = .progressing }
        upload.report.meter.reset()
        self.tellWatchers(upload)
        let flow = UploadFlow(upload.task, number: number, offset: offset) { [tools] task, number, answer in
            task.end(flow: number) { result in
                tools.postToLoop { $0.flowEnded(task.key, number, result, answer) }
            }
        }
        answer(.success(flow))
    }

    private func flowEnded(
        _ key: TransferKey, _ number: Int, _ result: Result<UploadNews, TransferError>, _ answer: Transfers.Answer
    ) {
        guard let upload = self.uploads[key] else {
            if case .failure(let error) = result { return answer(.failure(error)) }
            return answer(.failure(.stopping))
        }
        if upload.flow == .open(number: number) { self.pause(upload) }
        switch result {
        case .failure(let error):
            // Where it is now says the disk.
            upload.isLoaded = false
            answer(.failure(error))
        case .success(.complete(let file)):
            let view = self.completed(upload, file)
            answer(.success(view))
        case .success:
            self.noteUpload(upload)
            answer(.success(upload.view))
        }
    }

    /// The connection is gone, or the body complete.
    private func pause(_ upload: LiveUpload) {
        upload.flow = .none
        upload.usedAt = self.now
        if upload.record.state == .progressing {
            upload.record.state = .waiting
            self.tellWatchers(upload)
        }
        self.openForSuccessor(upload)
    }

    private func openForSuccessor(_ upload: LiveUpload) {
        guard let successor = upload.successor else { return }
        upload.successor = nil
        successor(self)
    }

    @discardableResult
    private func completed(_ upload: LiveUpload, _ file: FileRecord) -> TransferView {
        upload.file = file
        upload.record.size = file.size
        upload.record.offset = file.size
        self.over(upload, .succeeded, reason: nil)
        return upload.view
    }

    func over(_ upload: LiveUpload, _ state: TransferState, reason: String?) {
        upload.record.offset = upload.task.offset
        upload.record.state = state
        upload.record.error = reason
        upload.record.updatedAtMilliseconds = self.tools.clock.wallMilliseconds()
        upload.record.expiresAtMilliseconds = nil
        upload.flow = .none
        self.count(state)
        self.tellWatchers(upload)
        self.openForSuccessor(upload)
        // Whoever still waits for an answer finds it over.
        if upload.commands == 0 { self.remove(upload) }
    }

    // MARK: What a worker reports

    func uploadSynced(_ key: TransferKey, _ offset: Int64) {
        guard let upload = self.uploads[key] else { return }
        upload.syncedAt = self.now
        let age = upload.notedAt.map { self.now.milliseconds(since: $0) } ?? Int64.max
        if age >= self.tools.options.syncMilliseconds { self.noteUpload(upload, offset) }
    }

    func uploadPaused(_ key: TransferKey, _ offset: Int64?) {
        guard let upload = self.uploads[key] else { return }
        self.pause(upload)
        if let offset { self.noteUpload(upload, offset) } else { upload.isLoaded = false }
    }

    func uploadFailed(_ key: TransferKey, _ error: TransferError) {
        guard let upload = self.uploads[key] else { return }
        upload.isLoaded = false
        if case .tooLong = error, upload.record.size == nil {
            upload.isEnding = true
            upload.flow = .none
        } else {
            self.pause(upload)
        }
    }

    /// Finishes an upload after the worker has carried out its end.
    func uploadEnded(
        _ key: TransferKey, _ state: TransferState, reason: String?, _ result: Result<UploadNews, TransferError>
    ) {
        guard let upload = self.uploads[key] else { return }
        upload.isEnding = false
        switch result {
        case .success: self.over(upload, state, reason: reason)
        case .failure(.over): break
        case .failure(let error):
            self.tools.log.warning(
                "upload_not_ended", ["transfer": .name(key.text), "reason": .text(error.description)])
        }
    }

    /// Gives a command to the task, and its answer to `then` on this thread. The upload stays in memory until then.
    func command(
        _ upload: LiveUpload, _ make: (@escaping UploadTask.Answer) -> UploadCommand,
        then: @escaping @Sendable (TransferLoop, LiveUpload, Result<UploadNews, TransferError>) -> Void
    ) {
        upload.commands += 1
        upload.usedAt = self.now
        let key = upload.record.key
        let command = make { [tools] result in
            tools.postToLoop { $0.answered(key, result, then) }
        }
        upload.task.add(command)
    }

    private func answered(
        _ key: TransferKey, _ result: Result<UploadNews, TransferError>,
        _ then: (TransferLoop, LiveUpload, Result<UploadNews, TransferError>) -> Void
    ) {
        guard let upload = self.uploads[key] else { return }
        upload.commands -= 1
        if case .success(.complete(let file)) = result { self.completed(upload, file) }
        then(self, upload, result)
        if upload.record.state.isOver && upload.commands == 0 { self.remove(upload) }
    }

    // MARK: Resting

    /// Gives back the memory of uploads that nobody is connected for: those that waited too long, and the oldest when
    /// there are too many.
    func restIdleUploads(at now: Instant) {
        let idle = self.uploads.values.filter(\.isIdle).sorted { $0.usedAt < $1.usedAt }
        let surplus = idle.count - self.tools.options.idleUploads
        for (index, upload) in idle.enumerated() {
            let waited = now.milliseconds(since: upload.usedAt)
            guard index < surplus || waited >= self.tools.options.idleMilliseconds else { continue }
            self.rest(upload)
        }
    }

    /// Makes durable what came of uploads whose connections have become slow or silent.
    func settleQuietUploads(at now: Instant) {
        let options = self.tools.options
        for upload in self.uploads.values {
            guard case .open = upload.flow, upload.task.offset != upload.notedOffset,
                now.milliseconds(since: upload.syncedAt) >= options.syncMilliseconds
            else { continue }
            upload.syncedAt = now
            self.command(upload, { .settle($0) }) { loop, upload, result in
                guard case .success(.at(let offset)) = result, !upload.record.state.isOver else { return }
                loop.noteUpload(upload, offset)
            }
        }
    }

    func rest(_ upload: LiveUpload) {
        self.command(upload, { .rest($0) }) { loop, upload, result in
            upload.isLoaded = false
            if case .success(.at(let offset)) = result, offset != upload.notedOffset {
                upload.record.offset = offset
                loop.noteUpload(upload, offset)
            }
            if upload.isIdle || loop.isStopping { loop.remove(upload) }
        }
    }

    // MARK: Rows

    /// Writes into the row how far it is. The row never says that it progresses: after a restart nobody is connected.
    func noteUpload(
        _ upload: LiveUpload, _ offset: Int64? = nil, then: (@Sendable (TransferLoop) -> Void)? = nil
    ) {
        let offset = offset ?? upload.task.offset
        let wall = self.tools.clock.wallMilliseconds()
        upload.notedOffset = offset
        upload.notedAt = self.now
        upload.record.updatedAtMilliseconds = wall
        let state: TransferState = upload.record.state == .suspended ? .suspended : .waiting
        self.tools.rows.noteTransfer(upload.record.id, state, offset: offset) {
            [tools, key = upload.record.key] result in
            tools.postToLoop { loop in
                loop.logUnnoted(key, result)
                then?(loop)
            }
        }
    }

    func logUnnoted(_ key: TransferKey, _ result: Result<Void, StoreError>) {
        guard case .failure(let error) = result else { return }
        self.tools.log.warning("transfer_not_noted", ["transfer": .name(key.text), "reason": .text(error.description)])
    }

    /// The store has given up an upload on which nothing moved; its row is over.
    func expired(_ record: TransferRecord) {
        self.tools.tally.expired.add()
        let upload = self.upload(for: record)
        upload.record = record
        upload.isEnding = true
        upload.task.failFlow(.over(record.state))
        self.command(upload, { .drop($0) }) { loop, upload, _ in
            guard !upload.record.state.isOver || upload.isEnding else { return }
            upload.isEnding = false
            loop.over(upload, record.state, reason: record.error)
        }
    }
}
