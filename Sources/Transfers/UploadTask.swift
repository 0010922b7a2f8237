import ChatModel
import Execution
import FileStore

/// One upload: takes bytes from its connection and has them written, one worker at a time and in order.
///
/// Any thread may call it; what it does to the disk happens on a worker. It says what happened to the thread that owns
/// the states.
final class UploadTask: Sendable {
    /// Gets the offset, or why not.
    typealias Answer = @Sendable (Result<UploadNews, TransferError>) -> Void

    /// Bytes that a worker takes at once, before another upload has its turn.
    private static let pieceBytes = 256 * 1024

    /// State that only the worker on turn touches.
    struct Work {
        var sink: (any UploadSink)?
        var checksum: RequestChecksum?
        /// Bytes of a checked body may be taken back, so nothing of it is made durable before its end.
        var isChecked = false
        var unsynced: Int64 = 0
        /// The offset that is certainly on the disk.
        var kept: Int64
        var syncedAt: Instant
        /// Object that is complete on the disk and waits for its rows.
        var placed: StoredObject?
        var isOver: TransferState?
    }

    let key: TransferKey
    let id: TransferID
    let size: Int64?
    let provider: any FileProvider
    let tools: TransferTools
    private let lane: BandwidthLane
    let pipe: Lock<UploadPipe>
    /// Taken for the whole turn: nobody waits for it, because one worker at a time has the turn.
    let work: Lock<Work>

    init(_ record: TransferRecord, _ provider: any FileProvider, _ tools: TransferTools) {
        self.key = record.key
        self.id = record.id
        self.size = record.size
        self.provider = provider
        self.tools = tools
        self.lane = BandwidthLane(transferClass: record.transferClass, direction: .upload)
        self.pipe = Lock(
            UploadPipe(mark: tools.options.pendingBytes, offset: record.offset, isHeld: record.state == .suspended))
        self.work = Lock(Work(kept: record.offset, syncedAt: tools.clock.now()))
    }

    /// Bytes that were taken.
    var offset: Int64 { self.pipe.withLock { $0.offset } }

    var pendingBytes: Int { self.pipe.withLock { $0.pendingBytes } }

    // MARK: The flow's side

    func push(_ bytes: [UInt8], flow: Int) -> Bool {
        var effect = UploadPipe.Effect()
        var overLimit: Int64?
        let hasRoom = self.pipe.withLock { pipe in
            let hadFlow = pipe.hasFlow
            let hasRoom = pipe.push(bytes, flow: flow, at: self.tools.clock.now(), &effect)
            if hadFlow, !pipe.hasFlow, case .tooLong(let limit) = pipe.failure { overLimit = limit }
            return hasRoom
        }
        if let overLimit { self.cut(overLimit, effect) } else { self.apply(effect) }
        return hasRoom
    }

    /// More came than may come. Where the size was declared it is the request that is wrong: the upload stays where it is.
    /// Else the file is too long, and nothing of it stays.
    private func cut(_ limit: Int64, _ effect: UploadPipe.Effect) {
        guard self.size == nil else {
            self.tools.postToLoop { [key] in $0.uploadFailed(key, .tooLong(limit: limit)) }
            return self.apply(effect)
        }
        let reason = FileStoreError.tooLong(limit: limit).description
        self.tools.postToLoop { [key] in $0.uploadFailed(key, .tooLong(limit: limit)) }
        self.add(
            .end(.failed, reason: reason) { [tools, key] result in
                // Not on the stack of who pushed.
                effect.tellsRoom?()
                tools.postToLoop { $0.uploadEnded(key, .failed, reason: reason, result) }
            })
    }

    func setWhenRoom(_ call: @escaping @Sendable () -> Void, flow: Int) {
        self.change { pipe, effect in pipe.setWhenRoom(call, flow: flow, &effect) }
    }

    func failure(of flow: Int) -> TransferError? { self.pipe.withLock { $0.failure(of: flow) } }

    func end(flow: Int, then: @escaping Answer) {
        let refusal = self.change { pipe, effect in pipe.end(.whole(then), flow: flow, &effect) }
        if let refusal { then(.failure(refusal)) }
    }

    /// True when a flow's connection has brought nothing for this long, although it is read.
    func isSilent(flow: Int, for milliseconds: Int64) -> Bool {
        let now = self.tools.clock.now()
        return self.pipe.withLock { $0.isSilent(flow: flow, since: now.advanced(byMilliseconds: -milliseconds)) }
    }

    /// Another request goes on in the place of a flow, whose connection is told so.
    func supersede(flow: Int) { self.change { pipe, effect in pipe.supersede(flow: flow, &effect) } }

    func abandon(flow: Int) { _ = self.change { pipe, effect in pipe.end(.broken, flow: flow, &effect) } }

    // MARK: The owner's side

    func add(_ command: UploadCommand) { self.change { pipe, effect in pipe.add(command, &effect) } }

    func hold(_ isHeld: Bool) { self.change { pipe, effect in pipe.hold(isHeld, &effect) } }

    /// Ends the flow, if there is one, without what was not taken.
    func failFlow(_ error: TransferError) { self.change { pipe, effect in effect = pipe.fail(error) } }

    @discardableResult
    private func change<Result>(_ body: (inout UploadPipe, inout UploadPipe.Effect) -> Result) -> Result {
        var effect = UploadPipe.Effect()
        let result = self.pipe.withLock { body(&$0, &effect) }
        self.apply(effect)
        return result
    }

    private func apply(_ effect: UploadPipe.Effect) {
        if effect.schedules { self.submit() }
        effect.tellsRoom?()
        if let answer = effect.refusesEnd, let failure = self.pipe.withLock({ $0.failure }) {
            answer(.failure(failure))
        }
    }

    func submit() {
        // Refused only after the stop, which waits for what is under way first.
        _ = self.tools.workers.submit { self.turn() }
    }

    // MARK: The worker's side

    private func turn() {
        let piece = self.tools.lanes.piece(of: self.lane)
        let most = min(piece ?? Self.pieceBytes, Self.pieceBytes)
        switch self.pipe.withLock({ $0.next(most: most, isCapped: piece != nil) }) {
        case .nothing: return
        case .ask(let bytes):
            let isGranted = self.tools.lanes.ask(self.lane, bytes) { self.granted() }
            return isGranted ? self.granted() : ()
        case .data(let pieces, let bytes, let isPaid):
            if !isPaid { self.tools.lanes.charge(self.lane, bytes) }
            self.takePieces(pieces, bytes)
        case .ending(.broken): self.breakOff()
        case .ending(.whole(let answer)):
            // The turn goes on elsewhere when the content has to be waited for.
            guard self.end(answer) else { return }
        case .command(let command):
            guard self.perform(command) else { return }
        }
        self.submit()
    }

    private func granted() { self.change { pipe, effect in pipe.grant(&effect) } }

    private func takePieces(_ pieces: [[UInt8]], _ bytes: Int) {
        let outcome = self.work.withLock { work -> Result<Int64, TransferError>? in
            guard let sink = work.sink, work.isOver == nil else { return nil }
            do throws(FileStoreError) {
                for piece in pieces { try Self.write(piece, to: sink, work.checksum) }
                work.unsynced += Int64(bytes)
                try self.syncWhenDue(&work)
            } catch {
                self.letGo(&work)
                self.fallBack(work)
                return .failure(self.tools.failure(error, "write an upload", self.key.text))
            }
            guard work.unsynced > 0 || self.tools.room.hasRoom() else {
                self.tools.tally.refusedFull.add()
                return .failure(.full)
            }
            return .success(sink.offset)
        }
        switch outcome {
        case .success(let offset)?:
            self.tools.tally.uploadedBytes.add(Int64(bytes))
            self.change { pipe, effect in pipe.took(bytes, offset: offset, &effect) }
        case .failure(let error)?: self.flowFailed(error)
        case nil: break
        }
    }

    private static func write(
        _ piece: [UInt8], to sink: any UploadSink, _ checksum: RequestChecksum?
    ) throws(FileStoreError) {
        let outcome = piece.withUnsafeBytes { bytes -> Result<Void, FileStoreError> in
            checksum?.add(bytes)
            do throws(FileStoreError) {
                try sink.write(bytes)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    /// Gives the memory back. What came of a body with a checksum and was not checked goes.
    func letGo(_ work: inout Work) {
        if work.isChecked { try? work.sink?.rollback() }
        work.checksum = nil
        work.isChecked = false
        work.sink = nil
        work.placed = nil
    }

    /// The disk refused something: what of it is there is read again when somebody goes on.
    func lose(_ work: inout Work) {
        work.checksum = nil
        work.isChecked = false
        work.sink = nil
        work.placed = nil
        self.fallBack(work)
    }

    /// Nobody is told of bytes that may be gone.
    private func fallBack(_ work: Work) { self.pipe.withLock { $0.offset = work.kept } }

    private func syncWhenDue(_ work: inout Work) throws(FileStoreError) {
        let options = self.tools.options
        let age = self.tools.clock.now().milliseconds(since: work.syncedAt)
        guard !work.isChecked, work.unsynced >= options.syncBytes || age >= options.syncMilliseconds else { return }
        let offset = try self.sync(&work)
        self.tools.postToLoop { [key] in $0.uploadSynced(key, offset) }
    }

    func sync(_ work: inout Work) throws(FileStoreError) -> Int64 {
        guard let sink = work.sink else { return self.offset }
        if work.unsynced > 0 { try sink.sync() }
        work.unsynced = 0
        work.syncedAt = self.tools.clock.now()
        work.kept = sink.offset
        return sink.offset
    }

    func flowFailed(_ error: TransferError) {
        self.tools.postToLoop { [key] in $0.uploadFailed(key, error) }
        self.failFlow(error)
    }

    // MARK: The end of a flow

    private func breakOff() {
        let outcome = self.work.withLock { work -> Result<Int64, TransferError> in
            do throws(FileStoreError) {
                // What came of a checked body was not checked.
                if work.isChecked { try work.sink?.rollback() }
                return .success(try self.endFlow(&work))
            } catch {
                self.lose(&work)
                return .failure(self.tools.failure(error, "keep what came of an upload", self.key.text))
            }
        }
        self.pipe.withLock { pipe in
            if case .success(let offset) = outcome { pipe.offset = offset }
            pipe.endFlow()
        }
        self.tools.postToLoop { [key] in $0.uploadPaused(key, try? outcome.get()) }
    }

    func endFlow(_ work: inout Work) throws(FileStoreError) -> Int64 {
        work.checksum = nil
        work.isChecked = false
        return try self.sync(&work)
    }

    /// - Returns: whether the turn is over.
    private func end(_ answer: @escaping Answer) -> Bool {
        let outcome = self.work.withLock { work -> Result<Int64, TransferError> in
            guard let sink = work.sink else { return .failure(.cancelled) }
            do throws(FileStoreError) {
                if let checksum = work.checksum, !checksum.matches() {
                    try sink.rollback()
                    let offset = try self.endFlow(&work)
                    self.pipe.withLock { $0.offset = offset }
                    return .failure(.wrongChecksum)
                }
                if self.size == nil || sink.offset == self.size { return .success(sink.offset) }
                return .success(try self.endFlow(&work))
            } catch {
                self.lose(&work)
                return .failure(self.tools.failure(error, "keep what came of an upload", self.key.text))
            }
        }
        self.pipe.withLock { $0.endFlow() }
        switch outcome {
        case .success(let offset) where self.size == nil || offset == self.size: return self.complete(answer)
        case .success(let offset): answer(.success(.at(offset)))
        case .failure(let error): answer(.failure(error))
        }
        return true
    }
}

/// Report of a worker about an upload.
enum UploadNews: Sendable {
    case at(Int64)
    case open(flow: Int, at: Int64)
    case complete(FileRecord)
    case ended
}
