/// Life of the requests on one connection, one after the other, which keeps the order of pipelined answers. Events in,
/// actions out; knows neither socket nor clock.
struct HTTPExchangeState {
    private enum Phase {
        /// The head of a request is awaited.
        case head
        /// The head is here; a gateway says what becomes of the body.
        case planning(HTTPRequest)
        case buffering(HTTPRequest, maximumBytes: Int)
        case streaming(HTTPRequest, any BodyReceiver)
        /// The request is complete: a gateway answers it.
        case answering
        /// A request was refused, which closes the connection, or that has ended: nothing more is taken.
        case over
    }

    /// Purpose of the connection's deadline.
    enum Waiting {
        case header
        case bufferedBody
        case streamedBody
        case nextRequest
        /// The gateway answers: no deadline.
        case answer
    }

    /// Action that follows on a plan.
    enum PlanAction {
        /// The body comes.
        case none
        case refuse(status: Int, text: String, headers: [(String, String)])
        /// The request was refused while the gateway made its plan.
        case cancel(any BodyReceiver)
    }

    /// Action that follows on a piece of a body.
    enum BodyAction {
        /// It was kept, or nobody wants it any more.
        case none
        case hand(to: any BodyReceiver)
        case refuse(status: Int, text: String)
    }

    /// Action that follows on the end of a deadline.
    enum ExpiryAction {
        case none
        /// The client asks for nothing more: the connection ends without a word.
        case close
        /// It began and did not go on: it is told so.
        case refuse
    }

    private var phase = Phase.head
    /// Purpose of the deadline that runs; `nil` before one was set.
    private(set) var waiting: Waiting?
    private var pace = HTTPPace()
    /// The client waits for 100 before it sends the body.
    private var owesContinue = false
    private var hasAnswered = false
    /// The configured origin that asks, for the headers of the answer.
    private(set) var origin: String?
    /// No further request is read on the connection.
    var closesAfterAnswer = false

    /// Request whose body is awaited; `nil` before its head and once it is complete.
    var request: HTTPRequest? {
        switch self.phase {
        case .planning(let request), .buffering(let request, _), .streaming(let request, _): request
        case .head, .answering, .over: nil
        }
    }

    var isAnswering: Bool { if case .answering = self.phase { true } else { false } }

    /// Something of the request is being worked on: the client did not fail to come.
    var isWaitingForUs: Bool {
        switch self.phase {
        case .streaming, .answering: true
        case .head, .planning, .buffering, .over: false
        }
    }

    // MARK: A request

    /// The head of a request has come, before anything is asked about it.
    mutating func headBegan(keepsAlive: Bool) { self.closesAfterAnswer = !keepsAlive }

    /// The head may be answered. `plan` follows, or the connection becomes a WebSocket.
    ///
    /// - Parameter origin: the configured origin of a page that asks, for the headers of the answer; `nil` for others.
    mutating func headArrived(_ request: HTTPRequest, origin: String?) {
        guard case .head = self.phase else { return }
        self.origin = origin
        self.phase = .planning(request)
    }

    /// A gateway has said what becomes of the body.
    mutating func plan(_ plan: BodyPlan) -> PlanAction {
        guard case .planning(let request) = self.phase else {
            if case .streamed(let receiver) = plan { return .cancel(receiver) }
            return .none
        }
        self.pace.restart()
        self.owesContinue = false
        switch plan {
        case .buffered(let maximum):
            self.phase = .buffering(request, maximumBytes: maximum)
            if case .length(let count) = request.head.framing, count > maximum {
                return .refuse(status: 413, text: "the body is longer than \(maximum) bytes", headers: [])
            }
        case .streamed(let receiver): self.phase = .streaming(request, receiver)
        case .refused(let status, let text, let headers):
            return .refuse(status: status, text: text, headers: headers)
        }
        self.owesContinue =
            request.head.framing != .none && request.head.minorVersion == 1 && request.headers["expect"] != nil
        return .none
    }

    /// The client may send its body now.
    ///
    /// - Returns: true when it waits to be told so. Source: RFC 9110 section 10.1.1.
    mutating func takeContinue() -> Bool {
        defer { self.owesContinue = false }
        return self.owesContinue
    }

    /// A piece of the body has come.
    ///
    /// - Parameters:
    ///   - bytes: kept when the body is buffered.
    ///   - now: nanoseconds of the monotonic clock.
    ///   - minimum: bytes per second of a streamed body; 0 for any.
    mutating func bodyArrived(_ bytes: UnsafeRawBufferPointer, at now: Int64, minimum: Int) -> BodyAction {
        if case .streaming(_, let receiver) = self.phase {
            guard self.pace.keeps(bytes.count, at: now, minimum: minimum) else {
                let text = "the body came with less than \(minimum) bytes per second: go on where it ended"
                return .refuse(status: 408, text: text)
            }
            return .hand(to: receiver)
        }
        guard case .buffering = self.phase else { return .none }
        // Out of the state while it grows, so that the bytes before it are not copied.
        var phase = Phase.over
        swap(&phase, &self.phase)
        guard case .buffering(var request, let maximum) = consume phase else { return .none }
        let isTooLong = request.body.count + bytes.count > maximum
        if !isTooLong { request.body.append(contentsOf: bytes) }
        self.phase = .buffering(request, maximumBytes: maximum)
        return isTooLong ? .refuse(status: 413, text: "the body is longer than \(maximum) bytes") : .none
    }

    /// The peer may send on after a time in which it was not read: that does not count.
    mutating func resumed() { self.pace.restart() }

    /// The request is complete.
    ///
    /// - Returns: what is to be answered now; `answered` follows. `nil` when it was refused.
    mutating func bodyEnded() -> HTTPRequest? {
        guard let request = self.request else { return nil }
        self.phase = .answering
        self.owesContinue = false
        return request
    }

    /// The answer is complete.
    ///
    /// - Returns: false when nothing was being answered.
    mutating func answered() -> Bool {
        guard self.isAnswering else { return false }
        self.phase = .head
        // The next wait gets a deadline of its own, even if this answer came within one read.
        self.hasAnswered = true
        self.waiting = nil
        return true
    }

    // MARK: The end

    /// Nothing more is taken: a refusal closes the connection, or that has ended.
    ///
    /// - Returns: the request that was being received, and who took its body and is to be told.
    mutating func end() -> (request: HTTPRequest?, receiver: (any BodyReceiver)?) {
        defer { self.phase = .over }
        switch self.phase {
        case .planning(let request), .buffering(let request, _): return (request, nil)
        case .streaming(let request, let receiver): return (request, receiver)
        case .head, .answering, .over: return (nil, nil)
        }
    }

    // MARK: Time

    /// Decides what the connection waits for. A header that comes byte by byte keeps the deadline of its first byte; a
    /// streamed body has to move, however long it is; the others have one deadline as a whole.
    ///
    /// - Parameter hasInput: bytes are here that make no head yet.
    /// - Returns: purpose of a deadline that begins now; `nil` when the former one goes on.
    mutating func wait(hasInput: Bool) -> Waiting? {
        let waiting: Waiting
        switch self.phase {
        case .answering: waiting = .answer
        case .planning, .buffering: waiting = .bufferedBody
        case .streaming: waiting = .streamedBody
        case .head: waiting = hasInput || !self.hasAnswered ? .header : .nextRequest
        case .over: return nil
        }
        guard waiting != self.waiting || waiting == .streamedBody else { return nil }
        self.waiting = waiting
        return waiting
    }

    /// The deadline has passed.
    func expired() -> ExpiryAction {
        switch self.waiting {
        case .nextRequest, nil: .close
        case .header, .bufferedBody, .streamedBody: .refuse
        case .answer: .none
        }
    }
}
