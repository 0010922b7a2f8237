/// Answers one request: whole with `respond`, or in pieces with `start`, `write` and `finish`.
///
/// Confined to the reactor's thread; it may be kept and used later. When the connection is gone, everything is ignored.
/// A responder that is let go without an answer answers 500.
package final class HTTPResponder {
    private enum State {
        case waiting
        case streaming(isChunked: Bool, remaining: Int?)
        case done
        /// The connection ended before the response was complete: whatever is answered all the same is ignored.
        case gone
    }

    /// Connection that the answer goes to.
    package let connectionID: ConnectionID
    private unowned let reactor: Reactor
    private let isHead: Bool
    private let minorVersion: Int
    private let origin: String?
    private var state = State.waiting

    /// While a long response is written: less than the low-water mark waits again, after `isCongested` was true.
    package var whenDrained: (() -> Void)?
    /// The connection ended before the response was complete.
    package var whenEnded: (() -> Void)?

    init(to request: HTTPRequest, on connection: Connection) {
        self.connectionID = connection.id
        self.reactor = connection.reactor
        self.isHead = request.method == "HEAD"
        self.minorVersion = request.head.minorVersion
        self.origin = connection.http?.state.origin
    }

    deinit {
        guard !self.isDone, self.isOpen else { return }
        self.reactor.log.error("response_forgotten", ["connection": .number(Int64(self.connectionID.slot))])
        if case .waiting = self.state {
            self.respond(status: 500, error: "the server gave no answer")
        } else {
            self.connection?.abort()
        }
    }

    private var isDone: Bool {
        switch self.state {
        case .waiting, .streaming: false
        case .done, .gone: true
        }
    }
    private var isGone: Bool { if case .gone = self.state { true } else { false } }

    /// The connection, as long as it can take this response.
    package var connection: Connection? {
        guard let connection = self.reactor.connection(self.connectionID), connection.isOpen else { return nil }
        return connection
    }

    /// True while a client still waits for the answer.
    package var isOpen: Bool { self.connection != nil }

    /// Over the high-water mark: stop writing until `whenDrained`.
    package var isCongested: Bool { self.connection?.isCongested ?? false }

    /// A whole response. `Content-Length`, `Date` and `Connection` are added.
    package func respond(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        guard !self.isGone else { return }
        self.beginResponse(status, headers, length: HTTPResponseHead.hasBody(status) ? .exact(body.count) : .none)
        if !self.isHead, HTTPResponseHead.hasBody(status) { self.connection?.outbox.append(body) }
        self.complete()
    }

    /// `{"error":"...","msg":"...","status":404}`
    package func respond(status: Int, error: String) {
        self.respond(
            status: status, headers: [("Content-Type", "application/json")],
            body: ErrorBody.json(status: status, error))
    }

    /// Begins a response that comes in pieces.
    ///
    /// - Parameter contentLength: `nil` when it is not known: the pieces are sent in chunks.
    package func start(status: Int, headers: [(String, String)] = [], contentLength: Int?) {
        guard !self.isGone else { return }
        if let contentLength {
            self.beginResponse(status, headers, length: .exact(contentLength))
            self.state = .streaming(isChunked: false, remaining: contentLength)
        } else if self.minorVersion == 0 {
            self.connection?.http?.closesAfterAnswer = true
            self.beginResponse(status, headers, length: .untilClose)
            self.state = .streaming(isChunked: false, remaining: nil)
        } else {
            self.beginResponse(status, headers, length: .chunked)
            self.state = .streaming(isChunked: true, remaining: nil)
        }
    }

    /// A piece of the body. Look at `isCongested` afterwards.
    package func write(_ bytes: UnsafeRawBufferPointer) {
        self.piece(count: bytes.count) { $0.append(bytes) }
    }

    /// Sends a piece of a streamed answer.
    package func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { self.write($0) } }

    /// A piece that is not copied when it is large.
    package func write(shared bytes: SharedBytes) {
        self.piece(count: bytes.count) { $0.append(shared: bytes) }
    }

    private func piece(count: Int, _ append: (inout Outbox) -> Void) {
        guard !self.isGone else { return }
        guard case .streaming(let isChunked, let remaining) = self.state else {
            preconditionFailure("a piece of a response that was not started, or is finished")
        }
        if let remaining {
            precondition(count <= remaining, "a response is longer than its Content-Length")
            self.state = .streaming(isChunked: isChunked, remaining: remaining - count)
        }
        guard count > 0, !self.isHead, let connection = self.connection else { return }
        if isChunked { connection.outbox.append(String(count, radix: 16) + "\r\n") }
        append(&connection.outbox)
        if isChunked { connection.outbox.append("\r\n") }
        connection.outboxGrew()
    }

    /// The response is complete.
    package func finish() {
        guard !self.isGone else { return }
        guard case .streaming(let isChunked, let remaining) = self.state else {
            preconditionFailure("the end of a response that was not started, or is finished")
        }
        // The client must not take a short body for a whole one.
        if let remaining, remaining > 0, !self.isHead { return self.cancel() }
        if isChunked, !self.isHead { self.connection?.outbox.append("0\r\n\r\n") }
        self.complete()
    }

    /// Breaks off a response that cannot be completed: the connection is dropped, so that nobody takes it for whole.
    package func cancel() {
        guard !self.isGone else { return }
        self.finishState()
        self.connection?.abort()
    }

    /// Lets go of what the callbacks hold, which may be this responder.
    private func finishState(_ state: State = .done) {
        self.state = state
        self.whenDrained = nil
        self.whenEnded = nil
    }

    private func beginResponse(_ status: Int, _ headers: [(String, String)], length: HTTPResponseHead.Length) {
        guard case .waiting = self.state else { preconditionFailure("a second response to one request") }
        guard let connection = self.connection, let http = connection.http else { return }
        connection.outbox.append(
            HTTPResponseHead.text(
                status: status, fields: headers + self.originFields, length: length, date: self.reactor.httpDate,
                closes: http.closesAfterAnswer, keepsAlive10: self.minorVersion == 0))
        connection.outboxGrew()
    }

    private func complete() {
        self.finishState()
        guard let connection = self.connection else { return }
        connection.outboxGrew()
        connection.answered()
    }

    func ended() {
        guard !self.isDone else { return }
        let whenEnded = self.whenEnded
        self.finishState(.gone)
        whenEnded?()
    }
}

/// Pages of configured origins. Source: the Fetch standard, "CORS protocol".
extension HTTPResponder {
    private var originFields: [(String, String)] {
        guard let origin = self.origin else { return [] }
        return [("Access-Control-Allow-Origin", origin), ("Vary", "Origin")]
    }

    func answerPreflight(method: String, headers: String?) {
        var fields = [("Access-Control-Allow-Methods", method), ("Access-Control-Max-Age", "600")]
        if let headers { fields.append(("Access-Control-Allow-Headers", headers)) }
        self.respond(status: 204, headers: fields)
    }
}
