import CLinux
package import Execution
package import Diagnostics
import Glibc

/// One thread that owns sockets: it waits with epoll, reads, lets gateways act, and sends what they left in the
/// outboxes once per turn. Everything here is confined to that thread; others post jobs.
package final class Reactor {
    static let scratchBytes = 64 * 1024
    private static let maximumEvents = 256
    private static let jobsToken = UInt64.max
    private static let listenerTokens = UInt64.max - 1024
    /// Time in each turn, nanoseconds, for each of three: what those who have signed in have sent, answers for them, and
    /// long answers to the network. Signing in waits for one such turn per step, however much others have asked for.
    private static let shareNanoseconds: Int64 = 2_000_000
    /// Bytes up to which an outbox is sent in every turn.
    private static let shortBytes = 16 * 1024

    /// Position among the reactors, from 0.
    package let index: Int
    /// Clock that every deadline on this thread reads.
    package let clock: Clock
    /// Time at the start of this turn.
    package private(set) var now: Instant
    /// How other threads get something done here.
    package let jobs: Mailbox<Job>
    /// The gateways, in the order in which they are asked.
    package private(set) var gateways: [any Gateway] = []

    let environment: TransportEnvironment
    let highWaterBytes: Int
    let maximumMessageBytes: Int
    let maximumPreAuthMessageBytes: Int
    /// Read buffer, shared by the connections of this reactor one after the other.
    let scratch: UnsafeMutableRawBufferPointer
    /// Connections with something to send, with input to go on with, whose handlers are to be told of the end, and
    /// whose sockets are to be closed.
    var dirty: [Connection] = []
    var ready = TurnQueue<Connection>()
    var departed: [Connection] = []
    var disposable: [Connection] = []

    private let epoll: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private var slots: [Connection?] = []
    private var generations: [UInt32] = []
    private var freeSlots: [Int] = []
    /// When each slot's connection is to be looked at, apart from the connections, so that a sweep stays in cache.
    private var wakeups: [Int64] = []
    private var nextSweep: Int64
    /// When those who have signed in are to wait for the next turn with what they send.
    private var inputEnd: Int64 = 0
    private var timers = TimerQueue<(Reactor) -> Void>()
    private var batch: [Job] = []
    /// Answers that wait for time.
    private var answers = TurnQueue<Job>()
    /// The connections of `dirty` in the last turn, whose storage is used again, and those with long outboxes.
    private var sending: [Connection] = []
    private var long = TurnQueue<Connection>()
    private var date: (second: Int64, text: String) = (-1, "")
    private var spareDescriptor: Int32
    private var lastRefusalLine: Int64 = 0
    private(set) var connectionCount = 0
    /// Counted where bytes and connections come and go.
    @exclusivity(unchecked) var metrics = TransportMetrics()
    private var isAccepting = true
    private var isStopped = false
    private var drainDeadline: Int64?

    init(index: Int, environment: TransportEnvironment, jobs: Mailbox<Job>) {
        self.index = index
        self.environment = environment
        self.jobs = jobs
        self.clock = environment.clock
        self.now = environment.clock.now()
        self.nextSweep = self.now.nanoseconds
        self.highWaterBytes = Int(environment.limits.outboxBytes.maximum)
        self.maximumMessageBytes = Int(environment.limits.messageBytes.maximum)
        self.maximumPreAuthMessageBytes = Int(environment.limits.preAuthMessageBytes.maximum)
        self.scratch = .allocate(byteCount: Self.scratchBytes, alignment: 16)
        self.events = .allocate(capacity: Self.maximumEvents)
        self.epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(self.epoll >= 0, "epoll_create1 failed: errno \(clinux_errno())")
        self.spareDescriptor = clinux_open("/dev/null", O_RDONLY, 0)
        clinux_epoll_control(self.epoll, EPOLL_CTL_ADD, jobs.descriptor, EPOLLIN.rawValue, Self.jobsToken)
        for (number, listener) in environment.listeners.enumerated() {
            // Exclusive: the kernel wakes one reactor for a new connection, not all of them.
            clinux_epoll_control(
                self.epoll, EPOLL_CTL_ADD, listener.descriptor, EPOLLIN.rawValue | 1 << 28,
                Self.listenerTokens + UInt64(number))
        }
    }

    deinit {
        close(self.epoll)
        close(self.spareDescriptor)
        self.scratch.deallocate()
        self.events.deallocate()
    }

    /// Limits that all reactors share.
    package var limits: TransportLimits { self.environment.limits }
    /// Log that all reactors share.
    package var log: Log { self.environment.log }
    var unauthenticated: WaitingRoom { self.environment.unauthenticated }
    var handshaking: WaitingRoom { self.environment.handshaking }
    var addressBook: AddressBook { self.environment.addressBook }
    var hostRule: HostRule { self.environment.hostRule }
    var originRule: OriginRule { self.environment.originRule }
    var tls: TLSStore? { self.environment.tls }

    /// The gateway of a type, for jobs that have to reach it.
    package func gateway<Wanted: Gateway>(_ type: Wanted.Type) -> Wanted? {
        for gateway in self.gateways { if let found = gateway as? Wanted { return found } }
        return nil
    }

    /// An open connection; `nil` when it has ended. An array look-up: fan-out does hundreds per message.
    package func connection(_ id: ConnectionID) -> Connection? {
        let slot = id.slot
        guard slot < self.slots.count, let connection = self.slots[slot], connection.id == id else { return nil }
        return connection
    }

    /// Runs `body` here later, in a coarse grain: at the first turn after the time, which is at most a second away
    /// from what is asked when nothing else happens.
    package func after(milliseconds: Int64, _ body: @escaping (Reactor) -> Void) {
        self.timers.add(body, due: self.now.advanced(byMilliseconds: milliseconds))
    }

    /// The value of a `Date` header.
    var httpDate: String {
        let milliseconds = self.clock.wallMilliseconds()
        if self.date.second != milliseconds / 1000 {
            self.date = (milliseconds / 1000, HTTPResponseHead.date(wallMilliseconds: milliseconds))
        }
        return self.date.text
    }
}

/// The loop.
extension Reactor {
    /// Runs until stopped; every connection has ended then.
    func run(makeGateways: (Reactor) -> [any Gateway]) {
        Self.blockPipeSignal()
        self.gateways = makeGateways(self)
        while !self.isStopped { self.turn() }
        for case .some(let connection) in self.slots { connection.drop(.drained) }
        self.settle()
        // What gateways and timers hold may look at this reactor one last time.
        self.timers = TimerQueue()
        self.gateways = []
    }

    /// OpenSSL writes without MSG_NOSIGNAL: the signal of a closed socket stays pending on this thread, for ever.
    private static func blockPipeSignal() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private func turn() {
        let count = epoll_wait(self.epoll, self.events, Int32(Self.maximumEvents), self.patience)
        self.now = self.clock.now()
        self.inputEnd = self.now.nanoseconds + Self.shareNanoseconds
        self.goOnWithInput()
        for index in 0..<max(0, Int(count)) { self.handle(self.events + index) }
        self.runAnswers()
        self.runTimers()
        self.sweep()
        self.settle()
    }

    /// Milliseconds to wait for events.
    private var patience: Int32 {
        guard self.dirty.isEmpty, self.ready.isEmpty, self.answers.isEmpty, self.long.isEmpty,
            self.departed.isEmpty, self.disposable.isEmpty
        else { return 0 }
        let sweep: Int32 = self.connectionCount > 0 || self.drainDeadline != nil ? 1000 : -1
        guard let timer = self.timers.millisecondsUntilNext(from: self.now) else { return sweep }
        return min(timer, 1000)
    }

    private func handle(_ event: UnsafePointer<epoll_event>) {
        let token = clinux_epoll_token(event)
        if token == Self.jobsToken { return self.runJobs() }
        if token >= Self.listenerTokens {
            return self.accept(self.environment.listeners[Int(token - Self.listenerTokens)].descriptor)
        }
        guard let connection = self.connection(ConnectionID(token: token)) else { return }
        let events = clinux_epoll_events(event)
        if connection.isAuthenticated, self.isOver(self.inputEnd) {
            connection.happenLater(events)
        } else {
            connection.happened(events)
        }
    }

    private func isOver(_ end: Int64) -> Bool { self.clock.now().nanoseconds >= end }

    /// Goes on with connections that have waited for this turn, in their order. Who waits again is behind the others.
    private func goOnWithInput() {
        var rest = self.ready.count
        while rest > 0, !self.isOver(self.inputEnd), let connection = self.ready.popFirst() {
            rest -= 1
            connection.goOn()
        }
    }

    private func runJobs() {
        self.jobs.takeMessages(into: &self.batch)
        for job in self.batch {
            if let id = job.connection, let connection = self.connection(id), connection.isAuthenticated {
                self.answers.append(job)
            } else {
                job.run(self)
            }
        }
        self.batch.removeAll(keepingCapacity: true)
    }

    /// Answers those who have signed in, as long as the time for that lasts.
    private func runAnswers() {
        guard !self.answers.isEmpty else { return }
        let end = self.clock.now().nanoseconds + Self.shareNanoseconds
        repeat { self.answers.popFirst()?.run(self) } while !self.answers.isEmpty && !self.isOver(end)
    }

    private func runTimers() {
        while let body = self.timers.popDue(at: self.now) { body(self) }
    }

    /// Once a second: who is overdue?
    private func sweep() {
        let now = self.now.nanoseconds
        guard now >= self.nextSweep else { return }
        self.nextSweep = now + 1_000_000_000
        for slot in self.wakeups.indices where self.wakeups[slot] <= now {
            self.wakeups[slot] = .max
            guard let connection = self.slots[slot] else { continue }
            self.wake(connection, at: connection.checkDeadlines(now: now))
        }
        if let deadline = self.drainDeadline, deadline <= now || self.connectionCount == 0 { self.isStopped = true }
    }

    /// The end of a turn: tells of ends, lets gateways hand over their batches, then sends. A connection that ends
    /// while it is sent to is told of in the next turn, which follows at once, so that gateways can hand that over too.
    private func settle() {
        self.tellOfEnds()
        for connection in self.disposable { self.dispose(connection) }
        self.disposable.removeAll(keepingCapacity: true)
        for gateway in self.gateways { gateway.turnEnded() }
        self.send()
        if self.drainDeadline != nil, self.connectionCount == 0 { self.isStopped = true }
    }

    /// Sends what is short, and to those who have not signed in; then the rest in order, as long as the time for that lasts.
    private func send() {
        swap(&self.dirty, &self.sending)
        for connection in self.sending {
            if connection.outboxBytes <= Self.shortBytes || connection.isBlocked || !connection.isAuthenticated {
                connection.flush()
            } else {
                self.long.append(connection)
            }
        }
        self.sending.removeAll(keepingCapacity: true)
        guard !self.long.isEmpty else { return }
        let end = self.clock.now().nanoseconds + Self.shareNanoseconds
        var rest = self.long.count
        repeat {
            self.long.popFirst()?.flush()
            rest -= 1
        } while rest > 0 && !self.isOver(end)
    }

    private func tellOfEnds() {
        while !self.departed.isEmpty {
            let departed = self.departed
            self.departed.removeAll(keepingCapacity: true)
            for connection in departed {
                guard let end = connection.end else { continue }
                connection.handler?.ended(end)
                connection.handler = nil
                connection.http?.ended()
            }
        }
    }
}

/// Sockets.
extension Reactor {
    func wake(_ connection: Connection, at time: Int64) {
        let slot = connection.id.slot
        if time < self.wakeups[slot] { self.wakeups[slot] = time }
    }

    func watch(_ connection: Connection) {
        clinux_epoll_control(
            self.epoll, EPOLL_CTL_MOD, connection.descriptor, connection.armedEvents, connection.id.rawValue)
    }

    /// Takes some of the connections that wait; the others wake a reactor again.
    private func accept(_ listener: Int32) {
        guard self.isAccepting else { return }
        for _ in 0..<32 {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { clinux_accept(listener, $0, &length) }
            }
            guard descriptor >= 0 else {
                if clinux_errno() == EMFILE || clinux_errno() == ENFILE { self.turnAwayWithoutDescriptors(listener) }
                return
            }
            guard let peer = SocketAddress.peer(storage), self.admit(peer) else {
                close(descriptor)
                continue
            }
            self.add(descriptor, peer)
        }
    }

    /// Takes the three places of a connection, or none. Where too many have not signed in, another one gives way.
    private func admit(_ peer: PeerAddress) -> Bool {
        guard self.limits.connections.take() else { return self.refused(peer, "connections") }
        guard self.addressBook.enter(peer.address) else {
            self.limits.connections.giveBack()
            return self.refused(peer, "connections_per_address")
        }
        guard self.takePlace(self.limits.preAuthConnections, self.environment.unauthenticated, for: peer) else {
            self.limits.connections.giveBack()
            self.addressBook.leave(peer.address)
            return self.refused(peer, "pre_auth_connections")
        }
        return true
    }

    /// Takes a place, a free one or that of a connection of the greediest address.
    func takePlace(_ limit: Limit, _ room: WaitingRoom, for peer: PeerAddress) -> Bool {
        if limit.take() { return true }
        guard let loser = room.takePlace(for: peer.address) else { return false }
        self.environment.jobs[loser.reactor].post { $0.giveWay(loser) }
        return true
    }

    /// The place of a connection was given to another one. Who waits for us keeps the connection.
    private func giveWay(_ id: ConnectionID) {
        guard let connection = self.connection(id), !connection.isWaitingForUs else { return }
        _ = self.refused(connection.peer, "pre_auth_connections")
        connection.giveWay()
    }

    /// One line a minute: a flood must not fill the log as well.
    private func refused(_ peer: PeerAddress, _ limit: String) -> Bool {
        if self.now.nanoseconds - self.lastRefusalLine > 60_000_000_000 {
            self.lastRefusalLine = self.now.nanoseconds
            self.log.warning("connection_refused", ["peer": .name(peer.text), "limit": .text(limit)])
        }
        return false
    }

    /// Out of descriptors: a waiting connection would wake us again and again, so it is taken with a spare one and
    /// closed.
    private func turnAwayWithoutDescriptors(_ listener: Int32) {
        close(self.spareDescriptor)
        let descriptor = clinux_accept(listener, nil, nil)
        if descriptor >= 0 { close(descriptor) }
        self.spareDescriptor = clinux_open("/dev/null", O_RDONLY, 0)
        if self.now.nanoseconds - self.lastRefusalLine > 60_000_000_000 {
            self.lastRefusalLine = self.now.nanoseconds
            self.log.error(
                "out_of_descriptors", ["hint": .text("raise LimitNOFILE in the service, or `ulimit -n`")])
        }
    }

    private func add(_ descriptor: Int32, _ peer: PeerAddress) {
        Listener.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, to: 1)
        Listener.set(descriptor, SOL_SOCKET, SO_KEEPALIVE, to: 1)
        let slot = self.freeSlots.popLast() ?? self.newSlot()
        let id = ConnectionID(reactor: self.index, generation: self.generations[slot], slot: slot)
        let connection = Connection(id: id, reactor: self, descriptor: descriptor, peer: peer)
        self.slots[slot] = connection
        self.connectionCount += 1
        self.metrics.accepted += 1
        self.environment.unauthenticated.enter(id, from: peer.address)
        connection.armedEvents = EPOLLIN.rawValue
        guard clinux_epoll_control(self.epoll, EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue, id.rawValue) == 0 else {
            return connection.drop(.failed(clinux_errno()))
        }
        connection.setPhaseDeadline(seconds: self.limits.openingSeconds)
    }

    private func newSlot() -> Int {
        self.slots.append(nil)
        self.generations.append(0)
        self.wakeups.append(.max)
        precondition(self.slots.count <= 1 << 24, "more connections than a connection ID can name")
        return self.slots.count - 1
    }

    private func dispose(_ connection: Connection) {
        let slot = connection.id.slot
        close(connection.descriptor)
        connection.tls = nil
        connection.http = nil
        connection.webSocket = nil
        connection.input.removeAll()
        connection.outbox.removeAll()
        self.slots[slot] = nil
        self.generations[slot] &+= 1
        self.wakeups[slot] = .max
        self.freeSlots.append(slot)
        self.connectionCount -= 1
        if let end = connection.end { self.metrics.noteEnd(end) }
        self.addressBook.leave(connection.peer.address)
        self.limits.connections.giveBack()
    }
}

/// For who watches.
extension Reactor {
    /// Counts since the start, and what waits to be sent now: goes over all connections.
    func measure() -> TransportMetrics {
        var metrics = self.metrics
        metrics.connections = Int64(self.connectionCount)
        for case .some(let connection) in self.slots {
            metrics.outboxBytes += Int64(connection.outboxBytes)
            if connection.isCongested { metrics.congested += 1 }
        }
        return metrics
    }
}

/// The end.
extension Reactor {
    /// Accepts no more, says goodbye on every connection, and stops when all are gone or the time is over.
    func drain(deadlineMilliseconds: Int64) {
        guard self.drainDeadline == nil else { return }
        self.stopAccepting()
        for case .some(let connection) in self.slots { connection.goAway() }
        self.drainDeadline = self.now.advanced(byMilliseconds: deadlineMilliseconds).nanoseconds
        self.after(milliseconds: deadlineMilliseconds) { $0.isStopped = true }
    }

    /// Stops after this turn; connections are dropped.
    func stop() {
        self.stopAccepting()
        self.isStopped = true
    }

    private func stopAccepting() {
        guard self.isAccepting else { return }
        self.isAccepting = false
        for listener in self.environment.listeners {
            clinux_epoll_control(self.epoll, EPOLL_CTL_DEL, listener.descriptor, 0, 0)
        }
    }
}
