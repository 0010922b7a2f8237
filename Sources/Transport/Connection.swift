import CLinux
package import Execution
import Glibc

/// Names one connection for as long as the process runs: reactor, generation and slot. A slot's generation grows with
/// each use, so an old name never finds a newer connection.
package struct ConnectionID: Hashable, Sendable {
    package let rawValue: UInt64

    init(reactor: Int, generation: UInt32, slot: Int) {
        self.rawValue = UInt64(reactor) << 56 | UInt64(generation) << 24 | UInt64(slot)
    }

    init(token: UInt64) { self.rawValue = token }

    /// Index of the reactor that owns the connection: the upper eight bits.
    package var reactor: Int { Int(self.rawValue >> 56) }
    var slot: Int { Int(self.rawValue & 0xFF_FFFF) }
}

/// One accepted socket. Confined to its reactor's thread.
///
/// Everything a silent connection does not need is absent: its size decides how many people fit into a small machine.
package final class Connection {
    enum Stage: UInt8 {
        /// The first bytes are looked at in the kernel's buffer, so that TLS can still read them.
        case peeking
        case tlsHandshake
        /// The first bytes inside are awaited.
        case opening
        case http
        case webSocket
        case stream
        /// Our last bytes are in the outbox; input is read for the peer's close frame only.
        case closing
        /// Our direction is shut; input is thrown away until the peer shuts its own.
        case lingering
        case ended
    }

    /// Identifies the connection for the life of the process.
    package let id: ConnectionID
    /// Reactor whose thread runs everything of this connection.
    package unowned let reactor: Reactor
    package internal(set) var peer: PeerAddress
    /// Receives the connection's events; `nil` before a gateway took it and after the end.
    package var handler: (any ConnectionHandler)?

    let descriptor: Int32
    var stage = Stage.peeking
    var tls: TLSSession?
    var http: HTTPExchange?
    var webSocket: WebSocketSession?
    /// Received and not yet consumed: an incomplete message, or what follows while reading is paused.
    var input = ByteQueue()
    /// Exclusive access is not checked at run time: nothing calls back while it changes, and every message to every
    /// receiver passes here.
    @exclusivity(unchecked) var outbox = Outbox()

    /// The events that epoll watches.
    var armedEvents: UInt32 = 0
    /// Events that wait for a later turn; 0 for none.
    var waitingEvents: UInt32 = 0
    /// Nanoseconds of the monotonic clock; `Int64.max` for none. What it ends depends on the stage.
    var phaseDeadline = Int64.max
    var lastReceived: Int64
    /// When the kernel last took something, as far as it matters: set when it refuses more.
    var lastProgress: Int64 = 0
    /// When the outbox passed the high-water mark.
    var roseAt: Int64 = 0
    private var idleSeconds: Int32 = 0

    /// The outbox passed the high-water mark and has not come under the low one.
    package internal(set) var isCongested = false
    var wasToldOfCongestion = false
    var isAuthenticated = false
    var holdsPreAuthPlace = true
    /// Somebody waits for our answer to who they are.
    var isSignInHeld = false
    var holdsHandshakePlace = false
    var wasIntroducedByProxy = false
    var isPaused = false
    var isProcessing = false
    var isDirty = false
    var isReady = false
    /// The kernel takes no more at the moment.
    var isBlocked = false
    var peerHasFinished = false
    var awaitsPeerClose = false
    /// Its close frame has been read.
    var peerHasSaidGoodbye = false
    /// Why it ends, once that is known; the handler hears it at the end of the turn.
    var end: ConnectionEnd?

    init(id: ConnectionID, reactor: Reactor, descriptor: Int32, peer: PeerAddress) {
        self.id = id
        self.reactor = reactor
        self.descriptor = descriptor
        self.peer = peer
        self.lastReceived = reactor.now.nanoseconds
    }

    /// True when the bytes travel in TLS.
    package var isEncrypted: Bool { self.tls != nil }
    /// True while messages can still be sent: no end is decided yet.
    package var isOpen: Bool { self.end == nil }
    /// True once the WebSocket handshake is complete.
    package var isWebSocket: Bool { self.webSocket != nil }
    /// Bytes that wait to be sent.
    package var outboxBytes: Int { self.outbox.count }
    /// When anything last came from the peer, or reading began again after a pause.
    package var lastReceivedAt: Instant { Instant(nanoseconds: self.lastReceived) }

    /// WebSocket: one text frame. Raw stream: the bytes as they are. Nothing when the connection is over.
    package func sendText(_ bytes: UnsafeRawBufferPointer) { self.send(.text, bytes) }

    /// Sends one text message.
    package func sendText(_ bytes: [UInt8]) { bytes.withUnsafeBytes { self.send(.text, $0) } }

    /// WebSocket: one binary frame. Raw stream: the bytes as they are.
    package func sendBinary(_ bytes: UnsafeRawBufferPointer) { self.send(.binary, bytes) }

    /// Sends one binary message.
    package func sendBinary(_ bytes: [UInt8]) { bytes.withUnsafeBytes { self.send(.binary, $0) } }

    /// As `sendText`, for a message whose start goes to many: the two parts are one frame.
    package func sendText(_ start: [UInt8], _ end: [UInt8]) { self.send(.text, start, end) }

    /// Sends one binary message made of two pieces, without joining them first.
    package func sendBinary(_ start: [UInt8], _ end: [UInt8]) { self.send(.binary, start, end) }

    /// As `sendText`, for one message that goes to many: a large one is not copied.
    package func sendText(shared: SharedBytes) { self.send(.text, shared) }

    private func send(_ opcode: WebSocketOpcode, _ bytes: UnsafeRawBufferPointer) {
        guard self.end == nil else { return }
        precondition(self.stage >= .webSocket, "a message before the gateway has accepted the connection")
        if self.stage == .webSocket { self.outbox.appendFrameHeader(opcode, payloadCount: bytes.count) }
        self.outbox.append(bytes)
        self.outboxGrew()
    }

    private func send(_ opcode: WebSocketOpcode, _ start: [UInt8], _ end: [UInt8]) {
        guard self.end == nil else { return }
        precondition(self.stage >= .webSocket, "a message before the gateway has accepted the connection")
        let count = start.count + end.count
        if self.stage == .webSocket { self.outbox.appendFrameHeader(opcode, payloadCount: count) }
        start.withUnsafeBytes { self.outbox.append($0) }
        end.withUnsafeBytes { self.outbox.append($0) }
        self.outboxGrew()
    }

    private func send(_ opcode: WebSocketOpcode, _ shared: SharedBytes) {
        guard self.end == nil else { return }
        precondition(self.stage >= .webSocket, "a message before the gateway has accepted the connection")
        if self.stage == .webSocket { self.outbox.appendFrameHeader(opcode, payloadCount: shared.count) }
        self.outbox.append(shared: shared)
        self.outboxGrew()
    }

    /// WebSocket: a close frame, then the closing handshake. Raw stream: what waits is sent, then the socket closes.
    /// The handler's `ended` follows at the end of this loop turn.
    package func close(code: WebSocketCloseCode, reason: String) {
        self.close(code: code, reason: reason, end: .closed(code))
    }

    /// Drops the connection with everything that waits to be sent.
    package func abort() { self.drop(.aborted) }

    /// Somebody has signed in: the connection leaves the pre-auth budget, and its deadline and message size are those
    /// of people who are known.
    package func authenticated() {
        guard !self.isAuthenticated else { return }
        self.isAuthenticated = true
        self.leavePreAuth()
        if self.stage == .webSocket || self.stage == .stream { self.phaseDeadline = .max }
    }

    /// Somebody has said who they are, and the answer is ours to give: the time for signing in does not run until
    /// `restartSignInDeadline`, or until somebody has signed in.
    package func holdSignInDeadline() {
        guard !self.isAuthenticated, self.stage == .webSocket || self.stage == .stream else { return }
        self.isSignInHeld = true
        self.phaseDeadline = .max
    }

    /// Whoever asked was not let in, and may ask again: the time for signing in begins anew.
    package func restartSignInDeadline() {
        self.isSignInHeld = false
        if !self.isAuthenticated, self.stage == .webSocket || self.stage == .stream {
            self.setPhaseDeadline(seconds: self.reactor.limits.signInSeconds)
        }
    }

    /// Gives a WebSocket so long from now to sign somebody in, in place of `TransportLimits.signInSeconds`. It still
    /// counts among those on which nobody has.
    package func awaitSignIn(seconds: Int) {
        if !self.isAuthenticated, self.stage == .webSocket { self.setPhaseDeadline(seconds: seconds) }
    }

    /// Stops taking bytes from the peer, who will be held back by TCP.
    package func pauseReading() {
        self.isPaused = true
        self.updateRequestDeadline()
        self.updateInterest()
    }

    /// Reads from the socket again after `pauseReading`.
    package func resumeReading() {
        guard self.isPaused else { return }
        self.isPaused = false
        self.http?.state.resumed()
        self.sendContinue()
        self.lastReceived = self.reactor.now.nanoseconds
        self.reactor.wake(self, at: self.idleDeadline)
        self.updateInterest()
        self.processLater()
    }

    /// Ends the connection (`.idle`; a WebSocket with code 1001) when nothing at all was received for so long;
    /// `nil` for never.
    package var idleDeadlineSeconds: Int? {
        get { self.idleSeconds == 0 ? nil : Int(self.idleSeconds) }
        set {
            self.idleSeconds = Int32(clamping: newValue ?? 0)
            self.reactor.wake(self, at: self.idleDeadline)
        }
    }

    var idleDeadline: Int64 {
        self.idleSeconds == 0 || self.isPaused ? .max : self.lastReceived + Int64(self.idleSeconds) * 1_000_000_000
    }
}

/// State that only a WebSocket connection has.
final class WebSocketSession {
    var reader: WebSocketReader

    init(maximumFragments: Int) { self.reader = WebSocketReader(maximumFragments: maximumFragments) }
}
