/// How the bytes that a handler gets are to be read.
package enum InboundKind: Sendable {
    /// Raw bytes, cut anywhere.
    case stream
    /// One whole WebSocket message in valid UTF-8.
    case text
    /// One whole WebSocket message.
    case binary
}

/// Why a connection is over.
package enum ConnectionEnd: Hashable, Sendable {
    /// The peer closed; with the code of its close frame, when there was one.
    case peerClosed(WebSocketCloseCode?)
    /// `Connection.close` was called.
    case closed(WebSocketCloseCode)
    /// `Connection.abort` was called.
    case aborted
    /// Nothing was received for `idleDeadlineSeconds`.
    case idle
    /// Nobody signed in within the time, or an opening or request took too long.
    case timedOut
    /// The peer did not take what was sent.
    case stalled
    /// The peer broke the protocol; with the code it was told.
    case protocolError(WebSocketCloseCode)
    /// A system call or TLS failed; 0 when there is no `errno`.
    case failed(Int32)
    /// The server went down.
    case drained
}

/// Receives the events of a WebSocket or stream for a gateway. All calls come on the connection's reactor.
package protocol ConnectionHandler: AnyObject {
    /// - Parameter bytes: valid during the call only.
    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind)
    /// A WebSocket message is longer than may be sent: the connection is closed with 1009 right after this call. A
    /// client that sends again what nobody answered would come back with it for ever.
    ///
    /// - Parameter start: the first bytes of it, as many as have come; valid during the call only.
    func refusesMessage(beginning start: UnsafeRawBufferPointer, as kind: InboundKind)
    /// More than the high-water mark waits to be sent; said once, until `outboxDrained`.
    func outboxRose()
    /// Less than the low-water mark waits again.
    func outboxDrained()
    /// The server drains: say goodbye now, the connection is closed with 1012 right after this call.
    func goingAway()
    /// Nothing came for too long (`.idle`), or nobody signed in within the time (`.timedOut`): say why now, the
    /// connection is closed right after this call.
    func expiring(_ end: ConnectionEnd)
    /// The last call: nothing is received and nothing is sent any more.
    func ended(_ reason: ConnectionEnd)
}

extension ConnectionHandler {
    package func refusesMessage(beginning start: UnsafeRawBufferPointer, as kind: InboundKind) {}
}

/// How a connection that wants to carry messages begins.
package enum Opening {
    case jsonStream
    case binaryStream
    case webSocket(HTTPRequest)
}

/// Answer of a gateway to a request that opens a WebSocket.
package enum OpeningAnswer {
    /// - Parameter subprotocol: one that the client offered, echoed exactly; `nil` for none.
    case accept(any ConnectionHandler, subprotocol: String?)
    case notMine
    /// A WebSocket gets this HTTP status, with `text` as the error in a short JSON body; a stream is closed.
    case refuse(status: Int, text: String)
}

/// Plan of a gateway for the body of a request.
package enum BodyPlan {
    /// Collected, then `respond` is called; 413 for a longer one.
    case buffered(maximumBytes: Int)
    /// Handed out piece by piece as it arrives, then `respond` is called with an empty body.
    /// `Connection.pauseReading` holds the peer back.
    case streamed(any BodyReceiver)
    /// Answered at once and closed, without reading the body; the text is the error in a short JSON body.
    case refused(status: Int, text: String, headers: [(String, String)] = [])
}

/// Takes a request body while it arrives. `Connection.refuseRequest` ends it early.
package protocol BodyReceiver: AnyObject {
    /// - Parameter bytes: valid during the call only.
    func received(_ bytes: UnsafeRawBufferPointer)
    /// The connection ended before the body did; `respond` will not be called.
    func cancelled()
}

/// One dialect's gateway: one instance per reactor, made on its thread and used only there.
package protocol Gateway: AnyObject {
    /// Takes a WebSocket or stream, or leaves it to the next gateway. A message can be sent once this has returned.
    func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer

    /// Asked when the head of a request is there and before its body is read; `nil`: not mine.
    func plan(for request: HTTPRequest, on connection: Connection) -> BodyPlan?

    /// Answers a request. The responder may be kept and used later, on this thread; the next request of the connection
    /// is read when this one is answered, so answers keep the order of the requests.
    ///
    /// - Returns: false when the request is not mine.
    func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool

    /// True when a WebSocket from a foreign origin is accepted so that the dialect can refuse it in its own words.
    func acceptsForeignOrigin(_ request: HTTPRequest) -> Bool

    /// True when a plain request from a page of any origin is accepted: keys in the request prove it, never anything
    /// that a browser adds by itself. The gateway must answer preflights too.
    func takesAnyOrigin(_ request: HTTPRequest) -> Bool

    /// All events of one loop turn have been handled and nothing has been sent yet: hand batches to other threads.
    func turnEnded()
}

extension Gateway {
    package func plan(for request: HTTPRequest, on connection: Connection) -> BodyPlan? { nil }
    package func acceptsForeignOrigin(_ request: HTTPRequest) -> Bool { false }
    package func takesAnyOrigin(_ request: HTTPRequest) -> Bool { false }
    package func turnEnded() {}
}

extension ConnectionHandler {
    package func outboxRose() {}
    package func outboxDrained() {}
    package func goingAway() {}
    package func expiring(_ end: ConnectionEnd) {}
}
