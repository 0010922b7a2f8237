import ChatModel
import Execution
import FileStore

/// One download: reads a piece whenever its connection asks for one, on a worker.
///
/// Any thread may call it. It keeps nothing in memory but the piece that is under way.
final class DownloadTask: Sendable {
    typealias Piece = @Sendable (Result<[UInt8]?, TransferError>) -> Void

    /// Pieces end where the content's compressed chunks do, so that none is unpacked twice.
    private static let pieceBytes: Int64 = 256 * 1024

    private struct State {
        /// Offset of the next byte.
        var offset: Int64
        var waiting: Piece?
        var failure: TransferError?
        var isHeld: Bool
        var isScheduled = false
        /// Bytes for which bandwidth was asked or granted.
        var asked = 0
        var isGranted = false
        var isClosed = false
    }

    /// State that only the worker on turn touches.
    private struct Work {
        var reader: (any ObjectReader)?
    }

    private let object: StoredObject
    private let isStored: Bool
    private let provider: any FileProvider
    private let tools: TransferTools
    private let lane: BandwidthLane
    let key: TransferKey
    private let state: Lock<State>
    private let work = Lock(Work())
    /// The bytes that are sent: of the plain content, or as they are kept.
    let range: Range<Int64>

    init(
        _ record: TransferRecord, _ object: StoredObject, _ part: DownloadPart, _ provider: any FileProvider,
        _ tools: TransferTools
    ) {
        self.key = record.key
        self.object = object
        switch part {
        case .plain(let range):
            self.range = range.clamped(to: 0..<object.size)
            self.isStored = false
        case .stored:
            self.range = 0..<object.storedSize
            self.isStored = true
        }
        self.provider = provider
        self.tools = tools
        self.lane = BandwidthLane(transferClass: record.transferClass, direction: .download)
        self.state = Lock(State(offset: self.range.lowerBound, isHeld: record.state == .suspended))
    }

    /// The offset of the first byte that was not asked for yet.
    var offset: Int64 { self.state.withLock { $0.offset } }

    /// True when every byte was handed over.
    var isDone: Bool { self.offset == self.range.upperBound }

    /// Opens the content, on a worker.
    func open(then: @escaping @Sendable (Result<Void, TransferError>) -> Void) {
        let isQueued = self.tools.workers.submit {
            let outcome = self.work.withLock { work -> Result<Void, FileStoreError> in
                do throws(FileStoreError) {
                    work.reader = try self.provider.open(self.object)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            switch outcome {
            case .success: then(.success(()))
            case .failure(let error): then(.failure(self.failure(error)))
            }
        }
        if !isQueued { then(.failure(.stopping)) }
    }

    private func failure(_ error: FileStoreError) -> TransferError {
        self.tools.failure(reading: self.object, error, self.key.text)
    }

    // MARK: The flow's side

    /// One at a time: a second one while one waits is a mistake of the gateway.
    func next(_ piece: @escaping Piece) {
        let answer = self.state.withLock { state -> (result: Result<[UInt8]?, TransferError>?, schedules: Bool) in
            precondition(state.waiting == nil, "one piece at a time")
            if let failure = state.failure { return (.failure(failure), false) }
            if state.isClosed { return (.failure(.cancelled), false) }
            if state.offset == self.range.upperBound { return (.success(nil), false) }
            state.waiting = piece
            return (nil, Self.schedule(&state))
        }
        if answer.schedules { self.submit() }
        guard let result = answer.result else { return }
        piece(result)
    }

    func close() {
        let (isFirst, waiting) = self.state.withLock { state -> (Bool, Piece?) in
            defer {
                state.isClosed = true
                state.waiting = nil
            }
            return (!state.isClosed, state.waiting)
        }
        waiting?(.failure(.cancelled))
        if isFirst { self.tools.postToLoop { $0.downloadClosed(self) } }
    }

    // MARK: The owner's side

    func hold(_ isHeld: Bool) {
        let schedules = self.state.withLock { state in
            state.isHeld = isHeld
            return Self.schedule(&state)
        }
        if schedules { self.submit() }
    }

    func fail(_ error: TransferError) {
        let waiting = self.state.withLock { state -> Piece? in
            guard state.failure == nil else { return nil }
            state.failure = error
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?(.failure(error))
    }

    private static func schedule(_ state: inout State) -> Bool {
        guard state.waiting != nil, !state.isHeld, !state.isScheduled, state.asked == 0 || state.isGranted else {
            return false
        }
        state.isScheduled = true
        return true
    }

    private func submit() {
        if !self.tools.workers.submit({ self.turn() }) { self.fail(.stopping) }
    }

    // MARK: The worker's side

    private enum Turn {
        case nothing
        case ask(Int)
        case read(at: Int64, atMost: Int)
    }

    private func turn() {
        let piece = self.tools.lanes.piece(of: self.lane)
        let turn = self.state.withLock { state -> Turn in
            guard state.waiting != nil, !state.isHeld, !state.isClosed else {
                state.isScheduled = false
                return .nothing
            }
            let count = self.countOfPiece(at: state.offset, most: piece)
            if piece != nil && !state.isGranted {
                state.asked = count
                state.isScheduled = false
                return .ask(count)
            }
            state.isGranted = false
            state.asked = 0
            return .read(at: state.offset, atMost: count)
        }
        switch turn {
        case .nothing: break
        case .ask(let bytes):
            if self.tools.lanes.ask(self.lane, bytes, then: { self.granted() }) { self.granted() }
        case .read(let offset, let count): self.read(at: offset, atMost: count)
        }
    }

    private func countOfPiece(at offset: Int64, most: Int?) -> Int {
        let toBoundary = Self.pieceBytes - offset % Self.pieceBytes
        return min(Int(min(toBoundary, self.range.upperBound - offset)), most ?? Int.max)
    }

    private func granted() {
        let schedules = self.state.withLock { state in
            state.isGranted = true
            return Self.schedule(&state)
        }
        if schedules { self.submit() }
    }

    private func read(at offset: Int64, atMost count: Int) {
        let outcome = self.work.withLock { work -> Result<[UInt8], FileStoreError> in
            guard let reader = work.reader else { return .failure(.missing(self.object.hash)) }
            do throws(FileStoreError) {
                let bytes =
                    self.isStored
                    ? try reader.readStored(at: offset, atMost: count) : try reader.read(at: offset, atMost: count)
                // The row says that there is more than the disk has.
                return bytes.isEmpty ? .failure(.damaged(self.object.hash)) : .success(bytes)
            } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(let bytes): self.hand(over: bytes)
        case .failure(let error):
            let failure = self.failure(error)
            self.tools.postToLoop { $0.downloadFailed(self, failure) }
            self.state.withLock { $0.isScheduled = false }
            self.fail(failure)
        }
    }

    private func hand(over bytes: [UInt8]) {
        let waiting = self.state.withLock { state -> Piece? in
            state.isScheduled = false
            guard let waiting = state.waiting else { return nil }
            state.waiting = nil
            state.offset += Int64(bytes.count)
            return waiting
        }
        guard let waiting else { return }
        self.tools.tally.downloadedBytes.add(Int64(bytes.count))
        waiting(.success(bytes))
    }
}
