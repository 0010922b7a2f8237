import CLinux
import Glibc

/// From the kernel to the protocols.
extension Connection {
    /// epoll has news.
    func happened(_ events: UInt32) {
        guard self.stage != .ended else { return }
        if events & EPOLLOUT.rawValue != 0 {
            self.isBlocked = false
            self.markDirty()
        }
        let hasEnded = events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
        if events & EPOLLIN.rawValue != 0 || hasEnded || self.stage == .tlsHandshake { self.readable() }
        // A dead socket reports itself for ever, also while reading is paused.
        if hasEnded, self.stage != .ended, self.isPaused || self.peerHasFinished { self.drop(.peerClosed(nil)) }
    }

    private func readable() {
        switch self.stage {
        case .peeking: self.peek()
        case .tlsHandshake: self.shakeHands()
        case .ended: break
        case .opening, .http, .webSocket, .stream, .closing, .lingering: self.readOnce()
        }
        self.updateInterest()
    }

    /// One read per turn: a busy peer waits for the others. None while what was read before waits for its turn.
    private func readOnce() {
        guard !self.isPaused, !self.peerHasFinished, !self.isReady else { return }
        let scratch = self.reactor.scratch
        let result: TransferResult
        if let tls = self.tls {
            result = tls.read(into: scratch)
            if case .moved = result, self.isBlocked {
                // TLS may have waited for input in order to write.
                self.isBlocked = false
                self.markDirty()
            }
        } else {
            result = Self.result(recv(self.descriptor, scratch.baseAddress, scratch.count, 0))
        }
        switch result {
        case .moved(let count):
            self.reactor.metrics.receivedBytes += Int64(count)
            self.received(UnsafeMutableRawBufferPointer(rebasing: scratch[..<count]))
        case .blocked: break
        case .closed: self.inputClosed()
        case .failed(let code): self.drop(.failed(code))
        }
    }

    private func inputClosed() {
        self.peerHasFinished = true
        switch self.stage {
        case .http where self.http?.isAnswering == true: self.http?.closesAfterAnswer = true
        case .stream, .webSocket:
            // A peer may shut its direction and still want what was promised.
            self.finishSending(.peerClosed(nil))
        case .closing where !self.outbox.isEmpty:
            self.awaitsPeerClose = false
            self.markDirty()
        case .peeking, .tlsHandshake, .opening, .http, .closing, .lingering, .ended: self.drop(.peerClosed(nil))
        }
    }

    private func received(_ bytes: UnsafeMutableRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        self.lastReceived = self.reactor.now.nanoseconds
        if self.input.isEmpty {
            let used = self.process(bytes)
            if used < bytes.count { self.input.append(UnsafeRawBufferPointer(rebasing: bytes[used...])) }
        } else {
            self.input.append(UnsafeRawBufferPointer(bytes))
            self.processInput()
        }
        if self.stage == .http { self.updateRequestDeadline() }
    }

    /// Goes on with what is here already, at the start of the next turn. Without any bytes too: the end of a body is
    /// an event that needs none.
    func processLater() {
        guard !self.isReady, !self.isProcessing, self.stage != .ended else { return }
        self.isReady = true
        if self.waitingEvents == 0 { self.reactor.ready.append(self) }
    }

    /// epoll has news, which wait for a later turn. Those of a connection that has its turn already come again.
    func happenLater(_ events: UInt32) {
        guard !self.isReady, self.waitingEvents == 0, self.stage != .ended else { return }
        self.waitingEvents = events
        self.reactor.ready.append(self)
    }

    /// The turn that `processLater` and `happenLater` have asked for.
    func goOn() {
        let events = self.waitingEvents
        self.waitingEvents = 0
        if self.isReady {
            self.isReady = false
            self.processInput()
        }
        if events != 0 { self.happened(events) }
    }

    func processInput() {
        let bytes = self.input.bytes
        let used = self.process(bytes)
        // Ending a connection may have emptied the queue meanwhile.
        self.input.consume(min(used, self.input.count))
        if self.stage == .http { self.updateRequestDeadline() }
        self.updateInterest()
    }

    /// Time for which one connection's bytes are worked through in one turn, nanoseconds, beginning after its first message:
    /// small messages may take long to answer, and everybody else on the thread waits meanwhile.
    private static let turnNanoseconds: Int64 = 1_000_000

    /// Works through the bytes as far as they go and its time lasts; returns how many are done with. The rest has the next
    /// turn, which follows at once.
    private func process(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        self.isProcessing = true
        var done = 0
        var began: Int64?
        var isOver = false
        while !self.isPaused, !isOver {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            guard let used = self.step(rest) else { break }
            done += used
            // The clock is read only where several messages came at once.
            guard done < bytes.count else { continue }
            let now = self.reactor.clock.now().nanoseconds
            if let began { isOver = now - began > Self.turnNanoseconds } else { began = now }
        }
        self.isProcessing = false
        if isOver { self.processLater() }
        return done
    }

    /// - Returns: how many bytes were used, or `nil` when more of them or something else must come first.
    private func step(_ rest: UnsafeMutableRawBufferPointer) -> Int? {
        switch self.stage {
        case .peeking, .tlsHandshake: return nil
        case .opening: return rest.isEmpty ? nil : self.openInside(rest)
        case .http: return self.httpStep(UnsafeRawBufferPointer(rest))
        case .webSocket: return self.webSocketStep(rest)
        case .stream:
            guard !rest.isEmpty else { return nil }
            self.handler?.received(UnsafeRawBufferPointer(rest), as: .stream)
            return rest.count
        case .closing where self.awaitsPeerClose: return self.webSocketStep(rest)
        case .closing, .lingering, .ended: return rest.isEmpty ? nil : rest.count
        }
    }

    private func webSocketStep(_ rest: UnsafeMutableRawBufferPointer) -> Int? {
        guard let webSocket = self.webSocket else { return rest.isEmpty ? nil : rest.count }
        do throws(WebSocketError) {
            switch try webSocket.reader.next(rest, maximumMessageBytes: self.maximumMessageBytes) {
            case .incomplete: return nil
            case .fragment(let consumed): return consumed
            case .event(let event, let consumed):
                self.handle(event)
                return consumed
            }
        } catch {
            _ = self.reactor.limits.messageBytes.allows(error.code == .messageTooBig ? .max : 0)
            if error.code == .messageTooBig, self.stage == .webSocket { self.refuseMessage(webSocket, rest) }
            if self.stage == .closing {
                self.awaitsPeerClose = false
                self.markDirty()
            }
            self.fail(error)
            return rest.count
        }
    }

    private func refuseMessage(_ webSocket: WebSocketSession, _ rest: UnsafeMutableRawBufferPointer) {
        guard let (start, isText) = webSocket.reader.startOfMessage(UnsafeRawBufferPointer(rest)) else { return }
        start.withUnsafeBytes { self.handler?.refusesMessage(beginning: $0, as: isText ? .text : .binary) }
    }

    private var maximumMessageBytes: Int {
        self.isAuthenticated ? self.reactor.maximumMessageBytes : self.reactor.maximumPreAuthMessageBytes
    }

    private func handle(_ event: WebSocketReader.Event) {
        switch event {
        case .message(let isText, let bytes):
            if self.end == nil { self.handler?.received(bytes, as: isText ? .text : .binary) }
        case .ping(let payload):
            guard self.end == nil else { return }
            self.outbox.appendFrameHeader(.pong, payloadCount: payload.count)
            self.outbox.append(payload)
            self.outboxGrew()
        case .pong: break
        case .close(let code): self.peerSentClose(code)
        }
    }
}
