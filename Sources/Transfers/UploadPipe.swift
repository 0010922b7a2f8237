import ChatModel
import Execution

/// Command to the worker of an upload, besides taking bytes. Each is answered once, on the worker's thread.
enum UploadCommand: Sendable {
    /// Reads how much of it is on the disk, and completes it when that is all.
    case load(UploadTask.Answer)
    /// Begins a flow; `nil` begins wherever it is.
    case open(at: Int64?, UploadChecksum?, UploadTask.Answer)
    /// Makes durable what was taken.
    case settle(UploadTask.Answer)
    /// The same, and gives the memory back.
    case rest(UploadTask.Answer)
    /// Ends it: the row first, then what is on the disk.
    case end(TransferState, reason: String?, UploadTask.Answer)
    /// The row is over already: only what is on the disk is left.
    case drop(UploadTask.Answer)
}

/// How a flow came to its end.
enum UploadEnding: Sendable {
    /// The body is whole.
    case whole(UploadTask.Answer)
    /// The connection is gone.
    case broken
}

/// Between the connection that brings the bytes and the worker that takes them: a plain value, behind a lock.
struct UploadPipe {
    /// Next step of a worker.
    enum Turn {
        case nothing
        case command(UploadCommand)
        case ask(bytes: Int)
        /// `isPaid`: the bytes are taken off the lane's already.
        case data([[UInt8]], bytes: Int, isPaid: Bool)
        case ending(UploadEnding)
    }

    /// Effect that a change has on the task around it.
    struct Effect {
        /// A worker has to be called.
        var schedules = false
        /// The connection has to be called: there is room, or the flow failed.
        var tellsRoom: (@Sendable () -> Void)?
        /// Whoever waits for the end of a flow that failed.
        var refusesEnd: UploadTask.Answer?
    }

    /// Short pushes are put together up to this.
    private static let gathered = 16 * 1024
    private let mark: Int
    private var commands: [UploadCommand] = []
    private var pending: [[UInt8]] = []
    private(set) var pendingBytes = 0
    private var ending: UploadEnding?
    private var whenRoom: (@Sendable () -> Void)?
    private var wantsRoom = false
    /// Counts flows, so that one that is over can do nothing to the next.
    private(set) var flow = 0
    private(set) var hasFlow = false
    private(set) var failure: TransferError?
    /// The flow in whose place another request goes on.
    private var superseded = 0
    /// When bytes last came, or the flow began.
    private var heardAt = Instant(nanoseconds: 0)
    /// Where the upload will be when everything that was pushed is taken.
    private var pushedOffset: Int64 = 0
    private var limit = Int64.max
    private(set) var isHeld = false
    /// A job of this upload is in the pool.
    private var isScheduled = false
    /// Waits for its bandwidth.
    private var isParked = false
    private var isGranted = false
    /// Bytes the worker has taken.
    var offset: Int64

    init(mark: Int, offset: Int64, isHeld: Bool) {
        self.mark = mark
        self.offset = offset
        self.isHeld = isHeld
    }

    // MARK: The connection's side

    /// - Returns: whether there is room for more.
    mutating func push(_ bytes: [UInt8], flow: Int, at now: Instant, _ effect: inout Effect) -> Bool {
        guard self.isOpen(flow), self.ending == nil else { return false }
        self.heardAt = now
        self.pushedOffset += Int64(bytes.count)
        guard self.pushedOffset <= self.limit else {
            effect = self.fail(.tooLong(limit: self.limit))
            self.schedule(&effect)
            return false
        }
        self.pendingBytes += bytes.count
        if let last = self.pending.indices.last, self.pending[last].count + bytes.count <= Self.gathered {
            self.pending[last].append(contentsOf: bytes)
        } else {
            self.pending.append(bytes)
        }
        let hasRoom = !self.isHeld && self.pendingBytes < self.mark
        if !hasRoom { self.wantsRoom = true }
        self.schedule(&effect)
        return hasRoom
    }

    mutating func setWhenRoom(_ call: @escaping @Sendable () -> Void, flow: Int, _ effect: inout Effect) {
        guard self.isOpen(flow) else {
            effect.tellsRoom = call
            return
        }
        self.whenRoom = call
        self.tellRoom(&effect)
    }

    /// Why a flow ended before its time.
    func failure(of flow: Int) -> TransferError? {
        if flow == self.superseded { return .busy }
        guard flow == self.flow else { return .cancelled }
        return self.failure
    }

    /// True when nothing arrived since a moment, nothing waits, and nothing is kept from arriving.
    func isSilent(flow: Int, since moment: Instant) -> Bool {
        self.isOpen(flow) && self.ending == nil && !self.isHeld && self.pendingBytes == 0 && self.heardAt <= moment
    }

    /// Ends a flow as if its connection were gone, and tells it so.
    mutating func supersede(flow: Int, _ effect: inout Effect) {
        guard self.isOpen(flow), self.ending == nil else { return }
        self.superseded = flow
        self.ending = .broken
        effect.tellsRoom = self.whenRoom
        self.whenRoom = nil
        self.schedule(&effect)
    }

    /// - Returns: why not, when the flow is over already.
    mutating func end(_ ending: UploadEnding, flow: Int, _ effect: inout Effect) -> TransferError? {
        guard self.isOpen(flow), self.ending == nil else {
            return flow == self.flow ? self.failure ?? .busy : .cancelled
        }
        self.ending = ending
        self.whenRoom = nil
        if case .broken = ending, self.isHeld {
            // Held is held: what waits here is sent again.
            self.pending = []
            self.pendingBytes = 0
        }
        self.schedule(&effect)
        return nil
    }

    private func isOpen(_ flow: Int) -> Bool { flow == self.flow && self.hasFlow && self.failure == nil }

    private var isBroken: Bool {
        if case .broken = self.ending { return true }
        return false
    }

    // MARK: The owner's side

    mutating func add(_ command: UploadCommand, _ effect: inout Effect) {
        self.commands.append(command)
        self.schedule(&effect)
    }

    /// - Parameter limit: the offset beyond which nothing may be pushed.
    mutating func beginFlow(at offset: Int64, limit: Int64, now: Instant) -> Int {
        self.heardAt = now
        self.flow += 1
        self.hasFlow = true
        self.failure = nil
        self.pushedOffset = offset
        self.offset = offset
        self.limit = limit
        return self.flow
    }

    mutating func endFlow() {
        self.hasFlow = false
        // A flow may be abandoned twice, also while its end is worked on: that must not end the next one.
        self.ending = nil
        self.whenRoom = nil
        self.wantsRoom = false
    }

    /// The flow ends without what has not been taken.
    mutating func fail(_ error: TransferError) -> Effect {
        var effect = Effect()
        guard self.hasFlow, self.failure == nil else { return effect }
        self.failure = error
        self.pending = []
        self.pendingBytes = 0
        effect.tellsRoom = self.whenRoom
        if case .whole(let answer) = self.ending { effect.refusesEnd = answer }
        self.ending = nil
        self.endFlow()
        return effect
    }

    mutating func hold(_ isHeld: Bool, _ effect: inout Effect) {
        self.isHeld = isHeld
        guard !isHeld else { return }
        self.tellRoom(&effect)
        self.schedule(&effect)
    }

    mutating func grant(_ effect: inout Effect) {
        self.isParked = false
        self.isGranted = true
        self.schedule(&effect)
    }

    // MARK: The worker's side

    private mutating func schedule(_ effect: inout Effect) {
        guard !self.isScheduled, self.hasWork else { return }
        self.isScheduled = true
        effect.schedules = true
    }

    private var hasWork: Bool {
        if !self.commands.isEmpty { return true }
        guard self.hasFlow, !self.isHeld || self.isBroken, !self.isParked || self.isBroken else { return false }
        return !self.pending.isEmpty || self.ending != nil
    }

    /// - Parameters:
    ///   - most: bytes of one piece.
    ///   - isCapped: bytes need a grant.
    mutating func next(most: Int, isCapped: Bool) -> Turn {
        if !self.commands.isEmpty { return .command(self.commands.removeFirst()) }
        guard self.hasWork else {
            self.isScheduled = false
            return .nothing
        }
        guard !self.pending.isEmpty else {
            guard let ending = self.ending else { return .nothing }
            self.ending = nil
            return .ending(ending)
        }
        let count = self.countOfPiece(most)
        let bytes = self.pending[..<count].reduce(0) { $0 + $1.count }
        if isCapped && !self.isGranted && !self.isBroken {
            self.isParked = true
            self.isScheduled = false
            return .ask(bytes: bytes)
        }
        let piece = Array(self.pending[..<count])
        self.pending.removeFirst(count)
        defer { self.isGranted = false }
        return .data(piece, bytes: bytes, isPaid: self.isGranted)
    }

    private func countOfPiece(_ most: Int) -> Int {
        var count = 1
        var bytes = self.pending[0].count
        while count < self.pending.count, bytes + self.pending[count].count <= most {
            bytes += self.pending[count].count
            count += 1
        }
        return count
    }

    /// A piece was written.
    mutating func took(_ bytes: Int, offset: Int64, _ effect: inout Effect) {
        self.offset = offset
        // A flow that failed meanwhile has nothing pending.
        self.pendingBytes = max(0, self.pendingBytes - bytes)
        self.tellRoom(&effect)
    }

    private mutating func tellRoom(_ effect: inout Effect) {
        guard self.wantsRoom, !self.isHeld, self.pendingBytes < self.mark / 2, let call = self.whenRoom else { return }
        self.wantsRoom = false
        effect.tellsRoom = call
    }
}
