import ChatModel
import Diagnostics
import Execution
import FileStore
import Store

/// Request for a download.
struct DownloadDraft: Sendable {
    var file: FileRecord
    var object: StoredObject
    var part: DownloadPart
    var actor: Actor
    var transferClass: TransferClass
    /// For a download that was not begun before.
    var key: TransferKey

    /// Bytes that would be sent.
    var length: Int64 {
        switch self.part {
        case .plain(let range): Int64(range.clamped(to: 0..<self.object.size).count)
        case .stored: self.object.storedSize
        }
    }

    var firstOffset: Int64 {
        switch self.part {
        case .plain(let range): range.lowerBound
        case .stored: 0
        }
    }
}

/// Downloads: opened, going on, over.
extension TransferLoop {
    private static let noteMilliseconds: Int64 = 5_000

    func openDownload(_ draft: DownloadDraft, _ answer: @escaping Transfers.DownloadAnswer) {
        if self.isStopping { return answer(.failure(.stopping)) }
        guard let provider = self.tools.provider(draft.object.provider) else {
            return answer(.failure(self.tools.missingProvider(of: draft.object, draft.file.key.text)))
        }
        let options = self.tools.options
        guard self.openDownloads < options.liveDownloads, self.countOfDownloads(draft.actor.user) else {
            return answer(.failure(.overloaded))
        }
        let isPassing = draft.actor.user == .system || draft.length <= options.storedDownloadBytes
        if isPassing { return self.beginDownload(draft, self.passing(draft), isStored: false, provider, answer) }
        self.tools.rows.beginDownload(draft) { [tools] result in
            tools.postToLoop { $0.found(draft, result, provider, answer) }
        }
    }

    /// Downloads with an open connection.
    var openDownloads: Int { self.downloads.values.count(where: { !$0.isClosing }) }

    private func countOfDownloads(_ user: UserID) -> Bool {
        guard user != .system else { return true }
        let theirs = self.downloads.values.count(where: { $0.record.owner == user && !$0.isClosing })
        return theirs < self.tools.options.liveDownloadsPerPerson
    }

    /// A download of which nothing stays when it is over.
    private func passing(_ draft: DownloadDraft) -> TransferRecord {
        let wall = self.tools.clock.wallMilliseconds()
        let file = draft.file
        return TransferRecord(
            id: TransferID(rawValue: 0), key: draft.key, direction: .download, transferClass: draft.transferClass,
            state: .waiting, owner: draft.actor.user, ownerName: file.ownerName, file: file.key, fileName: file.name,
            mediaType: file.mediaType, size: file.size, offset: draft.firstOffset, provider: draft.object.provider,
            createdAtMilliseconds: wall, updatedAtMilliseconds: wall, expiresAtMilliseconds: nil)
    }

    private func found(
        _ draft: DownloadDraft, _ result: Result<TransferRecord, StoreError>, _ provider: any FileProvider,
        _ answer: @escaping Transfers.DownloadAnswer
    ) {
        if self.isStopping { return answer(.failure(.stopping)) }
        switch result {
        case .success(let record) where self.downloads[record.key] == nil:
            self.beginDownload(draft, record, isStored: true, provider, answer)
        case .success, .failure(.full), .failure(.busy):
            // It is being continued over another connection, or cannot be remembered: that is no reason not to send.
            self.beginDownload(draft, self.passing(draft), isStored: false, provider, answer)
        case .failure(let error): answer(.failure(self.tools.failure(error)))
        }
    }

    private func beginDownload(
        _ draft: DownloadDraft, _ record: TransferRecord, isStored: Bool, _ provider: any FileProvider,
        _ answer: @escaping Transfers.DownloadAnswer
    ) {
        var record = record
        if record.state != .suspended { record.state = .progressing }
        record.offset = draft.firstOffset
        let task = DownloadTask(record, draft.object, draft.part, provider, self.tools)
        let download = LiveDownload(record, task, isStored: isStored, at: self.now)
        self.downloads[record.key] = download
        task.open { [tools, key = record.key] result in
            tools.postToLoop { $0.opened(key, result, answer) }
        }
    }

    private func opened(
        _ key: TransferKey, _ result: Result<Void, TransferError>, _ answer: Transfers.DownloadAnswer
    ) {
        guard let download = self.downloads[key], !download.isClosing else { return answer(.failure(.cancelled)) }
        switch result {
        case .failure(let error):
            self.fail(download, error)
            answer(.failure(error))
        case .success:
            self.tellWatchers(download)
            answer(.success(DownloadFlow(download.task, key)))
        }
    }

    /// The connection has everything, or is gone.
    func downloadClosed(_ task: DownloadTask) {
        if let download = self.live(task) { self.close(download) }
    }

    /// Another connection may go on with a download by the same key meanwhile.
    private func live(_ task: DownloadTask) -> LiveDownload? {
        guard let download = self.downloads[task.key], download.task === task, !download.isClosing else { return nil }
        return download
    }

    private func close(_ download: LiveDownload) {
        let sentAll = download.task.isDone
        let isWhole = sentAll && (!download.isStored || download.task.range.upperBound >= download.record.size ?? 0)
        if isWhole { return self.end(download, .succeeded, nil) }
        guard download.isStored, !sentAll || download.record.state != .suspended else {
            return self.end(download, .cancelled, nil)
        }
        // It can be gone on with.
        if download.record.state == .progressing { download.record.state = .waiting }
        download.record.offset = download.task.offset
        download.isClosing = true
        self.tellWatchers(download)
        self.noteDownload(download) { [task = download.task] in $0.leave(task, isOver: false) }
    }

    /// Its row says how far it came: from now on whoever asks finds it there. One that was ended meanwhile stays until its
    /// row says that.
    private func leave(_ task: DownloadTask, isOver: Bool) {
        guard let download = self.downloads[task.key], download.task === task,
            download.record.state.isOver == isOver
        else { return }
        self.remove(download)
    }

    func downloadFailed(_ task: DownloadTask, _ error: TransferError) {
        if let download = self.live(task) { self.fail(download, error) }
    }

    func fail(_ download: LiveDownload, _ error: TransferError) {
        download.task.fail(error)
        switch error {
        case .cancelled: self.end(download, .cancelled, nil)
        case .stopping where download.isStored: self.close(download)
        case .stopping, .notFound, .refused, .wrongOffset, .busy, .overloaded, .tooLong, .wrongChecksum, .over, .full,
            .damaged, .failed:
            self.end(download, .failed, error.description)
        }
    }

    private func end(_ download: LiveDownload, _ state: TransferState, _ reason: String?) {
        download.record.offset = download.task.offset
        download.record.state = state
        download.record.error = reason
        download.record.updatedAtMilliseconds = self.tools.clock.wallMilliseconds()
        download.record.expiresAtMilliseconds = nil
        self.count(state)
        download.isClosing = true
        self.tellWatchers(download)
        guard download.isStored else { return self.remove(download) }
        let record = download.record
        self.tools.rows.end(record.id, state, reason) { [tools, task = download.task] result in
            tools.postToLoop { loop in
                loop.logUnnoted(record.key, result)
                loop.leave(task, isOver: true)
            }
        }
    }

    // MARK: Rows

    func noteDownload(_ download: LiveDownload, then: (@Sendable (TransferLoop) -> Void)? = nil) {
        guard download.isStored else { return }
        download.notedAt = self.now
        let record = download.view.record
        let state: TransferState = record.state == .suspended ? .suspended : .waiting
        self.tools.rows.noteTransfer(record.id, state, offset: record.offset) { [tools] result in
            tools.postToLoop { loop in
                loop.logUnnoted(record.key, result)
                then?(loop)
            }
        }
    }

    func noteNowAndThen(_ download: LiveDownload, at now: Instant) {
        guard download.isStored, now.milliseconds(since: download.notedAt) >= Self.noteMilliseconds else { return }
        if download.record.state == .progressing { self.noteDownload(download) }
    }

    // MARK: Damage

    func foundDamaged(_ object: StoredObject, _ reason: String) {
        self.tools.tally.damagedObjects.add()
        self.tools.log.error(
            "file_damaged",
            ["content": .name(object.hash.hex), "provider": .name(object.provider), "reason": .text(reason)])
        self.tools.rows.damaged(object.hash) { [tools] result in
            guard case .failure(let error) = result else { return }
            tools.log.error(
                "file_damage_not_noted",
                ["content": .name(object.hash.hex), "reason": .text(error.description)])
        }
    }
}
