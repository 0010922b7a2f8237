import AdminAPI
import Broker
import CLinux
import Glibc
import Transfers

/// Subscription of a connection.
struct Follow {
    /// Number of the one conversation it is limited to.
    var conversation: Int64?
    var withSessions: Bool
    /// Events left out since the last one that was sent.
    var missed: Int64 = 0
}

/// One operator's connection. Confined to the admin thread.
final class AdminConnection {
    let descriptor: Int32
    /// The user the other side runs as.
    let user: UInt32
    /// Role of that user; the least one for a connection that is only told why it ends.
    let role: OperatorRole
    var underWay = 0
    var follows: [Int64: Follow] = [:]
    /// Watches of transfers, by the request that began them.
    var watches: [Int64: TransferFollow] = [:]
    /// Requests that are told of the pulse.
    var pulses: Set<Int64> = []
    /// The upload whose pieces come here.
    var upload: ConnectionUpload?
    /// An upload is being opened.
    var isOpeningUpload = false
    /// Checks that are under way: they end with the connection.
    var checks: [Int64: CheckWish] = [:]
    /// Ticket of the backup that is made here.
    var backup: Int64?
    /// The export that is made here.
    var export: OpenExport?
    private(set) var saidHello = false
    private var lines = LineSplitter()
    /// A line may have come that is not worked on yet.
    private(set) var hasWaitingLines = false
    private var waiting: [UInt8] = []
    /// How much of `waiting` was sent.
    private var sent = 0

    init(_ descriptor: Int32, user: UInt32, role: OperatorRole = .observer) {
        self.descriptor = descriptor
        self.user = user
        self.role = role
    }

    func close() {
        Glibc.close(self.descriptor)
        self.upload?.flow.abandon()
        self.upload = nil
        for check in self.checks.values { check.withdraw() }
    }

    private var waitingBytes: Int { self.waiting.count - self.sent }

    /// Events to ask `poll` for.
    func interest(_ options: AdminServiceOptions) -> Int16 {
        var events: Int32 = 0
        let canRead = self.underWay < options.requestsUnderWay && self.waitingBytes <= options.waitingBytes
        if canRead { events |= POLLIN }
        if self.waitingBytes > 0 { events |= POLLOUT }
        return Int16(events)
    }

    /// Answers the other side's hello.
    func greet() {
        self.saidHello = true
        self.queue(line: AdminProtocol.hello(role: self.role))
    }

    /// Reads what is there.
    ///
    /// - Returns: false when the connection has ended.
    func read() -> Bool {
        let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { room, count in
            // SAFETY: `recv` writes at most `room.count` bytes; a failure leaves the array empty.
            count = max(0, recv(self.descriptor, room.baseAddress, room.count, 0))
        }
        guard !chunk.isEmpty else { return clinux_errno() == EAGAIN || clinux_errno() == EINTR }
        self.lines.append(chunk)
        self.hasWaitingLines = true
        return true
    }

    func nextLine() throws(AdminError) -> [UInt8]? {
        let line = try self.lines.next()
        if line == nil { self.hasWaitingLines = false }
        return line
    }

    /// Queues an answer or an event; a refusal with its number.
    func queue(_ reply: AdminReply) {
        var reply = reply
        if case .answer(let id, .failure(let error)) = reply, error.reason == nil {
            reply = .answer(id: id, .failure(error.with(RefusalCatalogue.reason(of: error.message))))
        }
        let line = reply.line
        if case .answer(let id, _) = reply, line.count > AdminProtocol.maximumLineBytes {
            let error = AdminError(.refused, "the answer does not fit a line of the admin protocol: ask for less")
            return self.queue(line: AdminReply.answer(id: id, .failure(error)).line)
        }
        self.queue(line: line)
    }

    private func queue(line: [UInt8]) {
        if self.sent > 0 {
            self.waiting.removeFirst(self.sent)
            self.sent = 0
        }
        self.waiting.append(contentsOf: line)
        self.waiting.append(UInt8(ascii: "\n"))
    }

    /// Sends what the other side takes.
    ///
    /// - Returns: false when the connection is broken.
    func flush() -> Bool {
        while self.waitingBytes > 0 {
            let count = self.waiting.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[self.sent...])
                return send(
                    self.descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0 && clinux_errno() == EINTR { continue }
            if count < 0 { return clinux_errno() == EAGAIN }
            self.sent += count
        }
        self.waiting.removeAll(keepingCapacity: self.waiting.capacity <= 65_536)
        self.sent = 0
        return true
    }

    /// Passes on what happened to each `follow` that wants it, or counts it as missed when too much waits.
    func tellAnnouncement(_ notice: Announcement, _ options: AdminServiceOptions) {
        for (id, follow) in self.follows where notice.concerns(follow) {
            guard self.waitingBytes <= options.waitingBytes else {
                self.follows[id]?.missed += 1
                continue
            }
            if follow.missed > 0 {
                self.queue(.event(id: id, .missed(follow.missed)))
                self.follows[id]?.missed = 0
            }
            self.queue(.event(id: id, notice.event))
        }
    }

    /// Passes on how far a long request is, unless the other side does not read: the next report says more.
    func report(_ request: Int64, _ event: AdminEvent, _ options: AdminServiceOptions) {
        if self.waitingBytes <= options.waitingBytes { self.queue(.event(id: request, event)) }
    }

    /// Passes on a point of the pulse, unless the other side does not read: there is another one in a second.
    func tellPoint(_ point: AdminLivePoint, _ options: AdminServiceOptions) {
        guard self.waitingBytes <= options.waitingBytes else { return }
        for request in self.pulses { self.queue(.event(id: request, .liveMetrics(point))) }
    }

    /// Takes news of transfers for a watch; they go out when the other side reads.
    func tellTransfers(_ request: Int64, _ news: [AdminTransfer], _ options: AdminServiceOptions) {
        self.watches[request]?.takeTransfers(news)
        self.tellOfTransfers(options)
    }

    /// Queues what watches hold, as far as there is room for it.
    func tellOfTransfers(_ options: AdminServiceOptions) {
        for request in Array(self.watches.keys) {
            while self.waitingBytes <= options.waitingBytes, let event = self.watches[request]?.next() {
                self.queue(.event(id: request, event))
            }
        }
    }
}
