import ChatModel
import FileStore
import Store

/// Commands of the state's owner to an upload, carried out on a worker.
extension UploadTask {
    /// - Returns: whether the turn is over.
    func perform(_ command: UploadCommand) -> Bool {
        switch command {
        case .load(let answer): return self.load(answer)
        case .open(let offset, let checksum, let answer): self.open(at: offset, checksum, answer)
        case .settle(let answer):
            let outcome = self.settle()
            if case .failure(let error) = outcome { self.flowFailed(error) }
            answer(outcome)
        case .rest(let answer): answer(self.rest())
        case .end(let state, let reason, let answer): answer(self.finish(as: state, reason))
        case .drop(let answer): answer(self.drop())
        }
        return true
    }

    private func load(_ answer: @escaping Answer) -> Bool {
        let outcome = self.work.withLock { work -> Result<Int64, TransferError> in
            if let state = work.isOver { return .failure(.over(state)) }
            do throws(FileStoreError) {
                if work.sink == nil {
                    work.sink = try self.provider.resumeUpload(self.key)
                    work.kept = work.sink?.offset ?? 0
                }
                return .success(work.sink?.offset ?? 0)
            } catch {
                return .failure(self.tools.failure(error, "read what came of an upload", self.key.text))
            }
        }
        switch outcome {
        case .failure(let error): answer(.failure(error))
        case .success(let offset):
            let hasFlow = self.pipe.withLock { pipe in
                pipe.offset = offset
                return pipe.hasFlow
            }
            // All of it came, and the server ended before it could say so.
            if !hasFlow, offset > 0, offset == self.size { return self.complete(answer) }
            answer(.success(.at(offset)))
        }
        return true
    }

    private func open(at offset: Int64?, _ checksum: UploadChecksum?, _ answer: Answer) {
        let outcome = self.work.withLock { work -> Result<UploadNews, TransferError> in
            if let state = work.isOver { return .failure(.over(state)) }
            guard self.tools.room.hasRoom() else {
                self.tools.tally.refusedFull.add()
                return .failure(.full)
            }
            do throws(FileStoreError) {
                let sink = try self.opened(&work)
                if work.isChecked {
                    // A flow failed, and what came of its body was not checked.
                    try sink.rollback()
                    work.checksum = nil
                    work.isChecked = false
                }
                if let offset, offset != sink.offset { return .failure(.wrongOffset(sink.offset)) }
                return self.beginRequest(&work, sink, checksum)
            } catch {
                self.lose(&work)
                return .failure(self.tools.failure(error, "open an upload", self.key.text))
            }
        }
        answer(outcome)
    }

    private func opened(_ work: inout Work) throws(FileStoreError) -> any UploadSink {
        if let sink = work.sink { return sink }
        let sink: any UploadSink
        if let found = try self.provider.resumeUpload(self.key) {
            sink = found
        } else {
            sink = try self.provider.newUpload(self.key)
        }
        work.sink = sink
        work.kept = sink.offset
        work.unsynced = 0
        work.syncedAt = self.tools.clock.now()
        return sink
    }

    private func beginRequest(
        _ work: inout Work, _ sink: any UploadSink, _ checksum: UploadChecksum?
    ) -> Result<UploadNews, TransferError> {
        if let checksum {
            guard let computed = RequestChecksum(checksum) else {
                return .failure(.failed("this machine does not compute \(checksum.algorithm.rawValue)"))
            }
            work.checksum = computed
            work.isChecked = true
            sink.mark()
        }
        let most = self.tools.options.fileBytes
        let limit = work.placed?.size ?? self.size ?? (most == 0 ? Int64.max : most)
        let number = self.pipe.withLock { $0.beginFlow(at: sink.offset, limit: limit, now: self.tools.clock.now()) }
        return .success(.open(flow: number, at: sink.offset))
    }

    private func settle() -> Result<UploadNews, TransferError> {
        self.work.withLock { work in
            guard work.sink != nil, !work.isChecked else { return .success(.at(self.offset)) }
            do throws(FileStoreError) {
                return .success(.at(try self.sync(&work)))
            } catch {
                self.lose(&work)
                return .failure(self.tools.failure(error, "keep what came of an upload", self.key.text))
            }
        }
    }

    private func rest() -> Result<UploadNews, TransferError> {
        let outcome = self.settle()
        self.work.withLock { self.letGo(&$0) }
        return outcome
    }

    private func finish(as state: TransferState, _ reason: String?) -> Result<UploadNews, TransferError> {
        self.work.withLock { work in
            if let state = work.isOver { return .failure(.over(state)) }
            do throws(StoreError) {
                try self.tools.rows.end(self.id, state, reason)
            } catch {
                return .failure(self.tools.failure(error))
            }
            work.isOver = state
            work.sink = nil
            self.provider.discardUpload(self.key)
            return .success(.ended)
        }
    }

    private func drop() -> Result<UploadNews, TransferError> {
        self.work.withLock { work in
            work.sink = nil
            if work.isOver == nil { work.isOver = .failed }
            self.provider.discardUpload(self.key)
            return .success(.ended)
        }
    }
}
