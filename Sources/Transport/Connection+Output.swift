import CLinux
import Glibc

/// From the outbox to the kernel.
extension Connection {
    func markDirty() {
        guard !self.isDirty, self.stage != .ended else { return }
        self.isDirty = true
        self.reactor.dirty.append(self)
    }

    /// Something was added to the outbox.
    func outboxGrew() {
        self.markDirty()
        guard self.outbox.count > self.reactor.highWaterBytes else { return }
        // A healthy peer takes a lot within one turn: only what the kernel refuses counts.
        if !self.isBlocked { self.writeOut() }
        guard self.outbox.count > self.reactor.highWaterBytes, !self.isCongested else { return self.checkCeiling() }
        self.isCongested = true
        self.roseAt = self.reactor.now.nanoseconds
        self.reactor.wake(self, at: self.roseAt + Int64(self.reactor.limits.stallSeconds) * 1_000_000_000)
        self.checkCeiling()
    }

    /// A handler that goes on sending although it was told must not eat the memory of all.
    private func checkCeiling() {
        guard self.stage == .webSocket || self.stage == .stream else { return }
        if self.outbox.count > self.reactor.limits.outboxCeilingBytes { self.drop(.stalled) }
    }

    /// Sends what waits, and tells the handler how full the outbox is. Once per loop turn.
    func flush() {
        self.isDirty = false
        guard self.stage != .ended else { return }
        if !self.isBlocked { self.writeOut(atMost: Self.turnBytes) }
        guard self.stage != .ended else { return }
        if !self.isBlocked, !self.outbox.isEmpty { self.markDirty() }
        if self.outbox.isEmpty, self.stage == .closing {
            if self.awaitsPeerClose {
                self.setPhaseDeadline(seconds: self.reactor.limits.closingSeconds)
            } else {
                self.shutOwnDirection()
            }
        }
        self.reportWaterMarks()
        self.updateInterest()
    }

    private func reportWaterMarks() {
        guard self.isCongested, self.end == nil else { return }
        if self.outbox.count < self.reactor.limits.outboxLowWaterBytes {
            self.isCongested = false
            let wasTold = self.wasToldOfCongestion
            self.wasToldOfCongestion = false
            if let http = self.http { return http.outboxDrained() }
            if wasTold { self.handler?.outboxDrained() }
        } else if !self.wasToldOfCongestion {
            self.wasToldOfCongestion = true
            _ = self.reactor.limits.outboxBytes.allows(Int64(self.outbox.count))
            self.handler?.outboxRose()
        }
    }

    /// Bytes after which a connection waits for the next turn with what else it has to send.
    private static let turnBytes = 512 * 1024

    /// Gives the kernel as much as it takes, or a little more than `limit`.
    func writeOut(atMost limit: Int = .max) {
        var sent = 0
        while !self.outbox.isEmpty, self.stage != .ended, sent < limit {
            switch self.writeSome() {
            case .moved(let count):
                self.outbox.sent(count)
                self.reactor.metrics.sentBytes += Int64(count)
                sent += count
            case .blocked:
                self.isBlocked = true
                self.lastProgress = self.reactor.now.nanoseconds
                let stall = Int64(self.reactor.limits.stallSeconds) * 1_000_000_000
                return self.reactor.wake(self, at: self.lastProgress + stall)
            case .closed: return self.drop(.peerClosed(nil))
            case .failed(let code): return self.drop(.failed(code))
            }
        }
    }

    private func writeSome() -> TransferResult {
        if let tls = self.tls { return tls.write(self.outbox.first) }
        let flags = Int32(MSG_NOSIGNAL)
        if self.outbox.isContiguous {
            let bytes = self.outbox.first
            return Self.result(send(self.descriptor, bytes.baseAddress, min(bytes.count, Self.turnBytes), flags))
        }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: 64) { vectors in
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = self.outbox.gather(into: vectors)
            return Self.result(sendmsg(self.descriptor, &message, flags))
        }
    }

    static func result(_ count: Int) -> TransferResult {
        if count > 0 { return .moved(count) }
        if count == 0 { return .closed }
        let code = clinux_errno()
        switch code {
        case EAGAIN: return .blocked(wantsOutput: true)
        case EINTR: return .moved(0)
        default: return .failed(code)
        }
    }

    /// Tells epoll what to watch.
    func updateInterest() {
        guard self.stage != .ended else { return }
        var events: UInt32 = 0
        if self.wantsInput { events |= EPOLLIN.rawValue }
        if self.isBlocked { events |= EPOLLOUT.rawValue }
        guard events != self.armedEvents else { return }
        self.armedEvents = events
        self.reactor.watch(self)
    }

    private var wantsInput: Bool {
        if self.peerHasFinished || self.isPaused { return false }
        // Requests behind one that is being answered wait in the kernel once a scratch buffer of them is here.
        return self.http?.isAnswering != true || self.input.count < Reactor.scratchBytes
    }
}
