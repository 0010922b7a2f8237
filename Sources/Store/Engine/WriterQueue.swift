import ChatModel
import Diagnostics
import Execution

/// One thing for the writer to do.
enum WriterRequest: Sendable {
    /// Messages of one caller, in order; at most `WriterQueue.chunkRequests`.
    case appends([Append])
    case job(WriteJob)
    /// Idle work at once; the closure runs when it is done.
    case maintenance(@Sendable () -> Void)
    /// Looks at the log: reads wait for what it holds, or it could not be written.
    case look
    /// Everything before it into the database.
    case drain(DrainRequest)
    case stop
}

extension WriterRequest {
    /// True when the log may take it: messages, and changes of positions.
    var isForLog: Bool {
        switch self {
        case .appends: true
        case .job(let job): job.movesPositions
        case .maintenance, .look, .drain, .stop: false
        }
    }
}

/// Somebody waits until everything that was asked for before is in the database.
struct DrainRequest: Sendable {
    /// Nothing of what was recalled or deleted may be left in the log's files.
    let isErasing: Bool
    /// Runs once.
    let then: @Sendable (Result<StoreStanding, StoreError>) -> Void
}

/// A change that is not a message, with the way back to who asked.
struct WriteJob: Sendable {
    /// Makes the change and returns what is to be said after the commit.
    let run: @Sendable (WriteTransaction) throws(StoreError) -> @Sendable () -> Void
    let fail: @Sendable (StoreError) -> Void
    /// It moves positions of people and does nothing else, so that it may be tried as records of the log.
    var movesPositions = false
}

/// The bounded queue in front of the writer. Any thread puts in, the writer takes out.
final class WriterQueue: Sendable {
    /// Most messages that travel as one request, so that a batch can keep its bound.
    static let chunkRequests = 256
    /// Bytes that a request counts beside its body, for the bound in bytes.
    static let fixedBytes = 256

    let requests: Limit
    let bytes: Limit
    let mailbox = Mailbox<WriterRequest>()
    private let isOpen = Lock(true)

    init(requests: Int, bytes: Int) {
        self.requests = Limit(name: "commit_queue_requests", unit: "requests", maximum: Int64(requests))
        self.bytes = Limit(name: "commit_queue_bytes", unit: "bytes", maximum: Int64(bytes))
    }

    static func cost(_ appends: some Collection<Append>) -> Int {
        appends.reduce(0) { $0 + $1.content.body.count + Self.fixedBytes }
    }

    /// - Returns: why nothing was queued, `nil` when it was.
    func post(_ appends: [Append]) -> StoreError? {
        self.post(.appends(appends), count: appends.count, bytes: Self.cost(appends))
    }

    func post(_ job: WriteJob) -> StoreError? { self.post(.job(job), count: 1, bytes: Self.fixedBytes) }

    private func post(_ request: WriterRequest, count: Int, bytes: Int) -> StoreError? {
        guard self.requests.take(Int64(count)) else { return .busy }
        guard self.bytes.take(Int64(bytes)) else {
            self.requests.giveBack(Int64(count))
            return .busy
        }
        // Posting under the lock keeps every request in front of the stop that follows `close`.
        let wasOpen = self.isOpen.withLock { isOpen in
            if isOpen { self.mailbox.post(request) }
            return isOpen
        }
        guard wasOpen else {
            self.giveBack(count: count, bytes: bytes)
            return .unavailable
        }
        return nil
    }

    /// Posts idle work; false when the store was closed.
    func postMaintenance(_ done: @escaping @Sendable () -> Void) -> Bool { self.postUnbounded(.maintenance(done)) }

    /// Posts a wish to have everything in the database; false when the store was closed.
    func postDrain(_ request: DrainRequest) -> Bool { self.postUnbounded(.drain(request)) }

    private func postUnbounded(_ request: WriterRequest) -> Bool {
        self.isOpen.withLock { isOpen in
            if isOpen { self.mailbox.post(request) }
            return isOpen
        }
    }

    /// Wakes the writer for the log. Also after `close`: reads that were taken before wait for it.
    func postLook() { self.mailbox.post(.look) }

    /// Refuses everything from now on.
    ///
    /// - Returns: false when that was done before.
    func close() -> Bool {
        self.isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
    }

    /// Lets the writer end after what waits. Only after `close`.
    func stopWriter() { self.mailbox.post(.stop) }

    func giveBack(count: Int, bytes: Int) {
        self.requests.giveBack(Int64(count))
        self.bytes.giveBack(Int64(bytes))
    }
}
