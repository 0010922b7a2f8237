import ChatModel
import Execution
import Store

/// A transfer that somebody asked for by its key.
enum Found {
    case upload(LiveUpload)
    case download(LiveDownload)
    /// Only in the store: a download nobody is connected for, or what is over.
    case stored(TransferView)

    var record: TransferRecord {
        switch self {
        case .upload(let upload): upload.record
        case .download(let download): download.record
        case .stored(let view): view.record
        }
    }
}

/// Questions and orders from owners and operators.
extension TransferLoop {
    // MARK: Finding

    /// Finds a transfer that `actor` may know of; what belongs to somebody else does not exist for them.
    func withTransfer(
        _ key: TransferKey, by actor: Actor, _ then: @escaping (Result<Found, TransferError>) -> Void
    ) {
        self.find(key) { result in
            guard case .success(let found) = result else { return then(result) }
            let isTheirs = found.record.owner == actor.user && actor.user != .system
            then(actor.isPrivileged || isTheirs ? result : .failure(.notFound))
        }
    }

    private func find(_ key: TransferKey, _ then: @escaping (Result<Found, TransferError>) -> Void) {
        if let upload = self.uploads[key] { return then(.success(.upload(upload))) }
        if let download = self.downloads[key] { return then(.success(.download(download))) }
        self.asking[key, default: []].append(then)
        if self.asking[key]!.count == 1 { self.read(key) }
    }

    private func read(_ key: TransferKey) {
        let departures = self.departures.count
        self.tools.rows.find(key) { [tools] result in
            tools.postToLoop { $0.read(key, result, since: departures) }
        }
    }

    private func read(_ key: TransferKey, _ result: Result<TransferView?, StoreError>, since departures: UInt64) {
        let found: Result<Found, TransferError>
        if let upload = self.uploads[key] {
            found = .success(.upload(upload))
        } else if let download = self.downloads[key] {
            found = .success(.download(download))
        } else {
            switch result {
            case .failure(let error): found = .failure(self.tools.failure(error))
            case .success(nil): found = .failure(.notFound)
            case .success(let view?) where view.record.state.isOver: found = .success(.stored(view))
            case .success where departures != self.departures.count: return self.read(key)
            case .success(let view?) where view.record.direction == .upload:
                found = .success(.upload(self.upload(for: view.record)))
            case .success(let view?): found = .success(.stored(view))
            }
        }
        for then in self.asking.removeValue(forKey: key) ?? [] { then(found) }
    }

    func view(_ key: TransferKey, by actor: Actor, _ answer: @escaping Transfers.Answer) {
        self.withTransfer(key, by: actor) { found in
            switch found {
            case .failure(let error): answer(.failure(error))
            case .success(.stored(let view)): answer(.success(view))
            case .success(.download(let download)): answer(.success(download.view))
            case .success(.upload(let upload)):
                let isKnown = upload.isLoaded || upload.flow != .none || upload.record.state.isOver
                if isKnown { return answer(.success(upload.view)) }
                self.command(upload, { .load($0) }) { loop, upload, result in
                    switch result {
                    case .failure(.over): answer(.success(upload.view))
                    case .failure(let error): answer(.failure(error))
                    case .success:
                        upload.isLoaded = true
                        answer(.success(upload.view))
                    }
                }
            }
        }
    }

    // MARK: Listing

    func list(_ query: TransferQuery, _ answer: @escaping Transfers.ListAnswer) {
        let begun = self.departures.beginReading()
        self.tools.rows.list(query) { [tools] result in
            tools.postToLoop { $0.listed(query, result, begun, answer) }
        }
    }

    private func listed(
        _ query: TransferQuery, _ result: Result<[TransferView], StoreError>, _ begun: UInt64,
        _ answer: Transfers.ListAnswer
    ) {
        defer { self.departures.endReading(begun) }
        guard case .success(let stored) = result else {
            if case .failure(let error) = result { answer(.failure(self.tools.failure(error))) }
            return
        }
        let passing = self.downloads.values.map(\.view).filter { !self.isStored($0, in: stored) && query.includes($0) }
        var views = stored.map { row in
            let key = row.record.key
            return self.uploads[key]?.view ?? self.downloads[key]?.view ?? self.departures.view(of: key, since: begun)
                ?? row
        }
        views.append(contentsOf: passing)
        views.sort { $0.record.createdAtMilliseconds > $1.record.createdAtMilliseconds }
        answer(.success(Array(views.filter(query.includes).prefix(query.limit))))
    }

    private func isStored(_ view: TransferView, in stored: [TransferView]) -> Bool {
        stored.contains { $0.record.key == view.record.key }
    }

    // MARK: Suspending and resuming

    func suspend(_ key: TransferKey, by actor: Actor, _ answer: @escaping Transfers.Answer) {
        self.withTransfer(key, by: actor) { found in
            guard let found = self.changeable(found, answer) else { return }
            switch found {
            case .upload(let upload): self.suspend(upload, answer)
            case .download(let download): self.hold(download, true, answer)
            case .stored(let view): self.change(view, to: .suspended, answer)
            }
        }
    }

    func resume(_ key: TransferKey, by actor: Actor, _ answer: @escaping Transfers.Answer) {
        self.withTransfer(key, by: actor) { found in
            guard let found = self.changeable(found, answer) else { return }
            switch found {
            case .upload(let upload): self.resume(upload, answer)
            case .download(let download): self.hold(download, false, answer)
            case .stored(let view): self.change(view, to: .waiting, answer)
            }
        }
    }

    /// - Returns: `nil` when it was answered: nothing changes in it any more.
    private func changeable(_ found: Result<Found, TransferError>, _ answer: Transfers.Answer) -> Found? {
        switch found {
        case .failure(let error):
            answer(.failure(error))
            return nil
        case .success(let found):
            guard found.record.state.isOver else { return found }
            answer(.failure(.over(found.record.state)))
            return nil
        }
    }

    private func suspend(_ upload: LiveUpload, _ answer: @escaping Transfers.Answer) {
        upload.task.hold(true)
        upload.record.state = .suspended
        self.tellWatchers(upload)
        // After what a worker has just in its hands: from then on the offset stays where it is.
        self.command(upload, { .settle($0) }) { loop, upload, _ in
            loop.answerNoted(upload, answer)
        }
    }

    private func resume(_ upload: LiveUpload, _ answer: @escaping Transfers.Answer) {
        if upload.record.state == .suspended {
            upload.record.state = upload.flow == .none ? .waiting : .progressing
            upload.report.meter.reset()
            upload.task.hold(false)
            self.tellWatchers(upload)
        }
        self.answerNoted(upload, answer)
    }

    /// Answers when the row has it. Where the row cannot be written, it holds until the server ends.
    private func answerNoted(_ upload: LiveUpload, _ answer: @escaping Transfers.Answer) {
        let view = upload.view
        guard !upload.record.state.isOver else { return answer(.success(view)) }
        self.noteUpload(upload, upload.isLoaded ? nil : upload.notedOffset) { loop in
            answer(.success(loop.uploads[view.record.key]?.view ?? view))
        }
    }

    private func hold(_ download: LiveDownload, _ isHeld: Bool, _ answer: @escaping Transfers.Answer) {
        // Its connection is gone, and another one may be coming: whoever has the row when it is written is held.
        guard !download.isClosing else { return self.change(download.view, to: isHeld ? .suspended : .waiting, answer) }
        download.record.state = isHeld ? .suspended : .progressing
        download.report.meter.reset()
        download.task.hold(isHeld)
        self.tellWatchers(download)
        self.noteDownload(download)
        answer(.success(download.view))
    }

    private func change(_ view: TransferView, to state: TransferState, _ answer: @escaping Transfers.Answer) {
        var view = view
        view.record.state = state
        self.tools.rows.noteTransfer(view.record.id, state, offset: view.record.offset) { [tools, view] result in
            tools.postToLoop { $0.changed(view, result, answer) }
        }
    }

    private func changed(
        _ view: TransferView, _ result: Result<Void, StoreError>, _ answer: @escaping Transfers.Answer
    ) {
        if case .failure(let error) = result { return answer(.failure(self.tools.failure(error))) }
        // A connection may have come for it since its row was read.
        if let download = self.downloads[view.record.key], !download.isClosing {
            guard !view.record.state.isOver else {
                self.fail(download, .cancelled)
                return answer(.success(download.view))
            }
            return self.hold(download, view.record.state == .suspended, answer)
        }
        if view.record.state.isOver { self.count(view.record.state) }
        self.tellWatchers(stored: view)
        answer(.success(view))
    }

    // MARK: Cancelling

    func cancel(_ key: TransferKey, by actor: Actor, _ answer: @escaping Transfers.Answer) {
        self.withTransfer(key, by: actor) { found in
            guard let found = self.changeable(found, answer) else { return }
            switch found {
            case .upload(let upload): self.cancel(upload, answer)
            case .download(let download):
                self.fail(download, .cancelled)
                answer(.success(download.view))
            case .stored(let view): self.cancel(view, answer)
            }
        }
    }

    private func cancel(_ view: TransferView, _ answer: @escaping Transfers.Answer) {
        var view = view
        view.record.state = .cancelled
        self.tools.rows.end(view.record.id, .cancelled, nil) { [tools, view] result in
            tools.postToLoop { $0.changed(view, result, answer) }
        }
    }

    private func cancel(_ upload: LiveUpload, _ answer: @escaping Transfers.Answer) {
        upload.isEnding = true
        if case .open = upload.flow { upload.flow = .none }
        upload.task.failFlow(.cancelled)
        self.command(upload, { .end(.cancelled, reason: nil, $0) }) { loop, upload, result in
            upload.isEnding = false
            switch result {
            case .success:
                loop.over(upload, .cancelled, reason: nil)
                answer(.success(upload.view))
            case .failure(let error): answer(.failure(error))
            }
        }
    }
}

extension TransferQuery {
    /// True when a transfer belongs to the list.
    func includes(_ view: TransferView) -> Bool {
        if let owner = self.owner, owner != view.record.owner { return false }
        if let direction = self.direction, direction != view.record.direction { return false }
        return self.includesOver || !view.record.state.isOver
    }
}
