import ChatModel
import FileStore
import Store

/// From the last byte to a file: on a worker.
extension UploadTask {
    /// - Returns: whether the turn is over; otherwise it goes on when the content is free.
    func complete(_ answer: @escaping Answer) -> Bool {
        let outcome = self.work.withLock { work -> Result<StoredObject, TransferError> in
            work.checksum = nil
            work.isChecked = false
            if let placed = work.placed { return .success(placed) }
            guard let sink = work.sink else { return .failure(.cancelled) }
            do throws(FileStoreError) {
                let object = try sink.finish()
                work.placed = object
                return .success(object)
            } catch {
                self.lose(&work)
                return .failure(self.tools.failure(error, "finish an upload", self.key.text))
            }
        }
        switch outcome {
        case .failure(let error):
            answer(.failure(error))
            return true
        case .success(let object):
            let isMine = self.tools.contents.takeLock(object.hash) {
                _ = self.tools.workers.submit {
                    self.place(object, answer)
                    self.submit()
                }
            }
            if isMine { self.place(object, answer) }
            return isMine
        }
    }

    /// The content under its name, then the rows, then what is left over: with the content's lock.
    private func place(_ object: StoredObject, _ answer: @escaping Answer) {
        let outcome = self.work.withLock { work -> Result<FileRecord, TransferError> in
            guard let sink = work.sink else { return .failure(.cancelled) }
            do throws(FileStoreError) {
                try self.makeWay(for: object)
                try sink.place()
            } catch {
                self.lose(&work)
                return .failure(self.tools.failure(error, "put an upload in its place", self.key.text))
            }
            do throws(StoreError) {
                let file = try self.tools.rows.complete(self.id, object)
                sink.cleanUp()
                work.sink = nil
                work.isOver = .succeeded
                return .success(file)
            } catch {
                self.refused(&work, error)
                return .failure(self.tools.failure(error))
            }
        }
        self.tools.contents.giveBack(object.hash)
        switch outcome {
        case .success(let file): answer(.success(.complete(file)))
        case .failure(let error): answer(.failure(error))
        }
    }

    /// Placing leaves what is there and looks whole; what was found damaged is not to stay.
    private func makeWay(for object: StoredObject) throws(FileStoreError) {
        guard let known = try? self.tools.rows.object(object.hash), known.state == .damaged else { return }
        try self.tools.provider(known.object.provider)?.remove(known.object)
    }

    /// Ends the upload when the store's refusal is final (a quota that counts at the end); an error that may pass
    /// leaves it.
    private func refused(_ work: inout Work, _ error: StoreError) {
        switch error {
        case .busy, .full, .unavailable, .fatal: return
        case .notFound, .exists, .invalid, .refused, .alreadyRunning, .schemaTooNew, .unreadableEvent: break
        }
        let reason = error.description
        guard (try? self.tools.rows.end(self.id, .failed, reason)) != nil else { return }
        work.isOver = .failed
        work.sink = nil
        self.provider.discardUpload(self.key)
        self.tools.postToLoop { [key] in $0.uploadEnded(key, .failed, reason: reason, .success(.ended)) }
    }
}
