package import ChatModel
package import Diagnostics
package import Execution
package import FileStore
package import Store

/// Every upload and download as a task: it waits, progresses, is suspended, succeeds, fails or is cancelled; its owner
/// and the operator see it and change it; an upload survives a restart.
///
/// Any thread may call, and none ever waits for disk or network in here. Answers come on threads of this engine or of
/// the store and must be short: post to a mailbox.
package final class Transfers: Sendable {
    /// Receives a transfer or the error, on a thread of the transfers.
    package typealias Answer = @Sendable (Result<TransferView, TransferError>) -> Void
    /// Receives a list of transfers or the error.
    package typealias ListAnswer = @Sendable (Result<[TransferView], TransferError>) -> Void
    /// Receives the flow of an upload or the error.
    package typealias UploadAnswer = @Sendable (Result<UploadFlow, TransferError>) -> Void
    /// Receives the flow of a download or the error.
    package typealias DownloadAnswer = @Sendable (Result<DownloadFlow, TransferError>) -> Void

    let tools: TransferTools
    private let maintenance: Maintenance
    private let watchers = TransferWatchers()
    private let thread: Thread
    private let isStopped = Lock(false)

    /// Starts the threads: `transfers`, `files-N` and `files-maintenance`.
    ///
    /// - Parameters:
    ///   - store: must be open until this is stopped.
    ///   - providers: where contents are kept. The first takes new uploads; the others are read by the name that is
    ///     stored with each object.
    package init(store: Store, providers: [any FileProvider], options: TransferOptions, clock: Clock, log: Log) {
        let mailbox = Mailbox<LoopJob>()
        let tools = TransferTools(
            options, store: store, providers: providers, clock: clock, log: log, mailbox: mailbox)
        let maintenance = Maintenance(tools)
        self.tools = tools
        self.maintenance = maintenance
        self.thread = Thread(name: "transfers") { [watchers] in
            TransferLoop(tools, maintenance, watchers).run()
        }
    }

    // MARK: Uploads

    /// The name of the provider that takes new uploads.
    package var receivingProvider: String { self.tools.receiving.name }

    /// Makes an upload and the file it is to become. An upload that is declared as empty is complete when its first
    /// flow has ended.
    ///
    /// - Parameter draft: its provider is replaced by the one that takes new uploads.
    ///
    /// Refused with `full`, with what the store says of quotas and rates (`refused`), `overloaded`, `stopping`.
    package func createUpload(_ draft: UploadDraft, then: @escaping Answer) {
        self.tools.postToLoop { $0.createUpload(draft, then) }
    }

    /// Opens the flow of one request's body into an upload.
    ///
    /// - Parameters:
    ///   - offset: where the body begins; `nil` for wherever the upload is.
    ///   - length: bytes of the body, where they are known: one that goes past the size of the file is refused with
    ///     `tooLong` and holds nothing of the upload.
    ///   - checksum: of this body; when it does not match at its end, nothing of the body stays.
    ///
    /// Refused with `notFound` (also for what belongs to others), `wrongOffset`, `busy` while another flow is open,
    /// `over`, `full`, `overloaded`, `failed`, `stopping`. A suspended upload opens, and takes nothing until it is
    /// resumed.
    package func openUpload(
        _ key: TransferKey, at offset: Int64?, length: Int64? = nil, by actor: Actor, checksum: UploadChecksum? = nil,
        then: @escaping UploadAnswer
    ) {
        self.tools.postToLoop { $0.openUpload(key, at: offset, length: length, by: actor, checksum, then) }
    }

    // MARK: Downloads

    /// Opens the flow of one answer's body. Whether `actor` may read the file is the caller's to decide.
    ///
    /// Refused with `notFound` while the file is not complete, `damaged`, `overloaded`, `failed`, `stopping`.
    package func openDownload(
        _ file: FileRecord, _ part: DownloadPart, by actor: Actor, class transferClass: TransferClass = .attachment,
        then: @escaping DownloadAnswer
    ) {
        guard let object = file.object, file.state == .complete else { return then(.failure(.notFound)) }
        guard !file.isDamaged else { return then(.failure(.damaged)) }
        let random = (0..<26).map { _ in UInt8.random(in: 0...255) }
        let draft = DownloadDraft(
            file: file, object: object, part: part, actor: actor, transferClass: transferClass,
            key: TransferKey(random: random))
        self.tools.postToLoop { $0.openDownload(draft, then) }
    }

    /// The first bytes of a file, for who judges what it is before it is sent. That is no transfer: nobody sees it as a
    /// task, and nobody can hold or end it. Whether the asker may read the file is the caller's to decide.
    ///
    /// Refused with `notFound` while the file is not complete, `damaged`, `failed`, `stopping`.
    ///
    /// - Parameters:
    ///   - count: 1...262,144; fewer come of a shorter file.
    ///   - then: called once, on any thread; must be short.
    package func readBeginning(
        of file: FileRecord, _ count: Int, then: @escaping @Sendable (Result<[UInt8], TransferError>) -> Void
    ) {
        guard let object = file.object, file.state == .complete else { return then(.failure(.notFound)) }
        guard !file.isDamaged else { return then(.failure(.damaged)) }
        guard object.size > 0 else { return then(.success([])) }
        self.read(object, at: 0, count, of: file, then)
    }

    /// A piece of a file from an offset on, for an operator's copy. As `readBeginning` in all else.
    ///
    /// - Parameters:
    ///   - count: 1...1,048,576; fewer may come, and none from the end of the file on.
    ///   - then: called once, on any thread; must be short.
    package func readPiece(
        of file: FileRecord, at offset: Int64, _ count: Int,
        then: @escaping @Sendable (Result<[UInt8], TransferError>) -> Void
    ) {
        guard let object = file.object, file.state == .complete else { return then(.failure(.notFound)) }
        guard !file.isDamaged else { return then(.failure(.damaged)) }
        guard offset < object.size else { return then(.success([])) }
        self.read(object, at: offset, count, of: file, then)
    }

    private func read(
        _ object: StoredObject, at offset: Int64, _ count: Int, of file: FileRecord,
        _ then: @escaping @Sendable (Result<[UInt8], TransferError>) -> Void
    ) {
        let isQueued = self.tools.workers.submit { [tools] in
            then(tools.read(object, at: offset, count, name: file.key.text))
        }
        if !isQueued { then(.failure(.stopping)) }
    }

    // MARK: Asking and ordering

    /// A transfer with its exact offset. Of what belongs to others people get `notFound`.
    package func find(_ key: TransferKey, by actor: Actor, then: @escaping Answer) {
        self.tools.postToLoop { $0.view(key, by: actor, then) }
    }

    /// Newest first. Offsets of uploads that nobody is connected for are those of their last sync.
    package func list(_ query: TransferQuery, then: @escaping ListAnswer) {
        self.tools.postToLoop { $0.list(query, then) }
    }

    /// Holds a transfer: no byte is taken or given until it is resumed, also over a restart. Its connection stays.
    package func suspend(_ key: TransferKey, by actor: Actor, then: @escaping Answer) {
        self.tools.postToLoop { $0.suspend(key, by: actor, then) }
    }

    /// Lets a paused transfer go on.
    package func resume(_ key: TransferKey, by actor: Actor, then: @escaping Answer) {
        self.tools.postToLoop { $0.resume(key, by: actor, then) }
    }

    /// Ends a transfer; what came of an upload is removed. Refused as `over` when it is over.
    package func cancel(_ key: TransferKey, by actor: Actor, then: @escaping Answer) {
        self.tools.postToLoop { $0.cancel(key, by: actor, then) }
    }

    /// Tells of each change: at most five times a second for each transfer, and of its end at once.
    ///
    /// - Parameters:
    ///   - owner: whose transfers; `nil` for everybody's.
    ///   - call: on this engine's thread; must be short.
    /// - Returns: what keeps the watch; it ends when that is forgotten.
    package func watch(owner: UserID?, _ call: @escaping @Sendable ([TransferView]) -> Void) -> TransferWatch {
        TransferWatch(self.watchers, number: self.watchers.add(owner, call))
    }

    /// Metrics of transfers, from any thread.
    package var metrics: TransferMetrics { self.tools.tally.metrics(isFull: self.tools.room.isFull) }

    // MARK: Care

    /// Does at once what is done now and then: gives up idle uploads, removes what nothing refers to and what no row
    /// knows of.
    package func collectNow(then: @escaping @Sendable (TransferMetrics) -> Void) {
        self.maintenance.collect { [self] in then(self.metrics) }
    }

    /// Reads and checks one content, or all, as fast as the disk allows; one check after the other.
    ///
    /// - Parameters:
    ///   - isWanted: asked after each piece; false ends the check, which is answered with what was found so far.
    ///   - progress: called after each piece, on the thread of the check; must be short.
    ///   - then: runs once; `nil` when the check could not begin: the server stops, or 64 checks wait already.
    package func check(
        _ only: StoredObject?, isWanted: @escaping @Sendable () -> Bool = { true },
        progress: @escaping @Sendable (ContentCheck) -> Void = { _ in },
        then: @escaping @Sendable (ContentCheck?) -> Void
    ) {
        self.maintenance.check(
            ContentCheckOrder(only: only, isWanted: isWanted, progress: progress, then: then))
    }

    /// How much is free where new files go, and below how much uploads are refused, in bytes; `nil` where the system
    /// does not say. May block.
    package func room() -> (room: DiskRoom, stopsBelowBytes: Int64)? {
        guard let room = self.tools.receiving.room() else { return nil }
        return (room, self.tools.room.stopsBelow(room))
    }

    /// Has the engine look at the clock, for tests that turn its hands.
    package func lookAtClock(then: @escaping @Sendable () -> Void) {
        self.tools.postToLoop { loop in
            loop.lookAtClock()
            then()
        }
    }

    /// Ends all flows, makes durable what came, and ends the threads. Before the store is closed. Blocks.
    package func stop() { self.stop { $0.stop() } }

    /// Uploads whose state is in memory. Waits for the engine; for tests.
    func uploadsInMemory() -> Int {
        let count = ConditionLock<Int?>(nil)
        self.tools.postToLoop { loop in
            let uploads = loop.uploads.count
            count.change { $0 = uploads }
        }
        return count.wait(until: { $0 != nil }, then: { $0 ?? 0 })
    }

    /// Ends the threads as a kill would: nothing is made durable, nobody is told. For tests.
    func halt() { self.stop { $0.halt() } }

    private func stop(_ how: @escaping LoopJob) {
        let isFirst = self.isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        self.maintenance.stop()
        self.tools.postToLoop(how)
        self.thread.join()
        self.tools.workers.stop()
    }
}
