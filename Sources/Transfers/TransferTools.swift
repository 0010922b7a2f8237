import ChatModel
import Diagnostics
import Execution
import FileStore
import Store

/// Tools shared by every task. Any thread.
final class TransferTools: Sendable {
    let options: TransferOptions
    let clock: Clock
    let log: Log
    let rows: TransferRows
    let providers: [any FileProvider]
    /// Hash, compress, read and write. A task has at most one job in it, and so has a request that looks at the
    /// beginning of a file: the bounds on tasks and connections bound the queue.
    let workers: WorkerPool<Void>
    let lanes: BandwidthLanes
    let contents = ContentLocks()
    let room: UploadRoom
    let mailbox: Mailbox<LoopJob>
    let tally = TransferTally()

    init(
        _ options: TransferOptions, store: Store, providers: [any FileProvider], clock: Clock, log: Log,
        mailbox: Mailbox<LoopJob>
    ) {
        precondition(!providers.isEmpty, "somewhere contents have to go")
        self.options = options
        self.clock = clock
        self.log = log
        self.rows = TransferRows(store)
        self.providers = providers
        self.workers = WorkerPool(name: "files", threads: options.workers, capacity: Int.max) {}
        self.lanes = BandwidthLanes(options.caps, clock: clock, wake: { mailbox.post { $0.wake() } })
        self.room = UploadRoom(providers[0], options, clock: clock, log: log)
        self.mailbox = mailbox
    }

    /// Where new uploads go.
    var receiving: any FileProvider { self.providers[0] }

    func provider(_ name: String) -> (any FileProvider)? { self.providers.first { $0.name == name } }

    /// Has the thread that owns the states do something.
    func postToLoop(_ job: @escaping LoopJob) { self.mailbox.post(job) }

    /// Failure for the caller when the disk fails; the operator reads more in the log.
    ///
    /// - Parameter name: of the transfer, or of the file where there is none.
    func failure(_ error: FileStoreError, _ action: String, _ name: String) -> TransferError {
        switch error {
        case .full:
            self.tally.refusedFull.add()
            return .full
        case .tooLong(let limit): return .tooLong(limit: limit)
        case .damaged, .missing: return .damaged
        case .io:
            self.log.error(
                "files_failed",
                ["doing": .text(action), "of": .name(name), "error": .text(error.description)])
            return .failed(error.description)
        }
    }

    /// Failure for the reader of a content that cannot be read; the row of a damaged one will record it.
    func failure(reading object: StoredObject, _ error: FileStoreError, _ name: String) -> TransferError {
        let failure = self.failure(error, "read a file", name)
        if failure == .damaged { self.postToLoop { $0.foundDamaged(object, error.description) } }
        return failure
    }

    /// Reads bytes of a content from an offset before its end. On a thread that may block.
    func read(
        _ object: StoredObject, at offset: Int64, _ count: Int, name: String
    ) -> Result<[UInt8], TransferError> {
        guard let provider = self.provider(object.provider) else {
            return .failure(self.missingProvider(of: object, name))
        }
        do throws(FileStoreError) {
            let bytes = try provider.open(object).read(at: offset, atMost: Int(min(Int64(count), object.size)))
            // The row says that there is more than the disk has.
            guard !bytes.isEmpty else { throw .damaged(object.hash) }
            return .success(bytes)
        } catch {
            return .failure(self.failure(reading: object, error, name))
        }
    }

    /// Failure for the reader of a content whose provider is gone.
    func missingProvider(of object: StoredObject, _ file: String) -> TransferError {
        self.log.error(
            "file_provider_missing",
            [
                "provider": .name(object.provider), "file": .name(file),
                "help": .text("configure the provider that keeps this file again"),
            ])
        return .failed("the place where this file is kept is not configured")
    }

    func failure(_ error: StoreError) -> TransferError {
        switch error {
        case .busy: .overloaded
        case .full: .full
        case .unavailable: .stopping
        case .notFound: .notFound
        case .fatal, .exists, .invalid, .refused, .alreadyRunning, .schemaTooNew, .unreadableEvent: .refused(error)
        }
    }
}

/// Something for the thread that owns the states.
typealias LoopJob = @Sendable (TransferLoop) -> Void

/// Counts from any thread.
final class TransferTally: Sendable {
    let uploadedBytes = Counter()
    let downloadedBytes = Counter()
    let succeeded = Counter()
    let failed = Counter()
    let cancelled = Counter()
    let expired = Counter()
    let refusedFull = Counter()
    let collectedObjects = Counter()
    let collectedBytes = Counter()
    let orphans = Counter()
    let checkedObjects = Counter()
    let damagedObjects = Counter()
    let live = Lock((uploads: Int64(0), downloads: Int64(0)))

    func metrics(isFull: Bool) -> TransferMetrics {
        var metrics = TransferMetrics()
        (metrics.liveUploads, metrics.liveDownloads) = self.live.withLock { $0 }
        metrics.uploadedBytes = self.uploadedBytes.current
        metrics.downloadedBytes = self.downloadedBytes.current
        metrics.succeeded = self.succeeded.current
        metrics.failed = self.failed.current
        metrics.cancelled = self.cancelled.current
        metrics.expired = self.expired.current
        metrics.refusedFull = self.refusedFull.current
        metrics.isFull = isFull
        metrics.collectedObjects = self.collectedObjects.current
        metrics.collectedBytes = self.collectedBytes.current
        metrics.orphans = self.orphans.current
        metrics.checkedObjects = self.checkedObjects.current
        metrics.damagedObjects = self.damagedObjects.current
        return metrics
    }
}
