import CBench
import CLinux
import Glibc

/// The address of a server under test, in host byte order.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    package var address: UInt32
    package var port: UInt16

    package static let loopback: UInt32 = 0x7f00_0001

    package init(address: UInt32 = Self.loopback, port: UInt16) {
        self.address = address
        self.port = port
    }

    package var description: String {
        let parts = stride(from: 24, through: 0, by: -8).map { String(self.address >> UInt32($0) & 0xff) }
        return "\(parts.joined(separator: ".")):\(self.port)"
    }
}

/// One thread and one epoll that drive every connection of a run.
final class LoadLoop {
    private let endpoint: Endpoint
    private let benchClient: any BenchClient
    private let traffic: Traffic
    private let signals: SignalWatch
    private let epoll: Int32
    private(set) var connections: [LoadConnection] = []
    private var dirty: [LoadConnection] = []
    private(set) var readyCount = 0
    private var openedCount = 0

    // SAFETY: both are owned by this object and used by its one thread only.
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: LoadLoop.eventCount)
    private let space = UnsafeMutableRawPointer.allocate(byteCount: LoadLoop.spaceBytes, alignment: 16)

    private static let eventCount = 512
    /// Maximum bytes of one read, and of the frame that a read may leave over.
    private static let readBytes = 256 << 10
    private static let spaceBytes = LoadLoop.readBytes + (1 << 20) + 16
    /// Connections that are on their way at one time, while a run signs in.
    private static let openingAtOnce = 512
    private static let signalToken = UInt64.max
    /// Connections come from 127.0.0.2 onwards, because one address has 28,000 ports and servers limit each address.
    private static let sourceCount: UInt32 = 200

    init(_ endpoint: Endpoint, _ benchClient: any BenchClient, _ traffic: Traffic, _ signals: SignalWatch)
        throws(BenchError)
    {
        self.endpoint = endpoint
        self.benchClient = benchClient
        self.traffic = traffic
        self.signals = signals
        self.epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard self.epoll >= 0 else { throw .failed("epoll_create1") }
        try self.watch(signals.descriptor, Self.signalToken)
    }

    deinit {
        self.closeAll()
        close(self.epoll)
        self.events.deallocate()
        self.space.deallocate()
    }

    private func watch(_ descriptor: Int32, _ token: UInt64) throws(BenchError) {
        let events = EPOLLIN.rawValue
        guard clinux_epoll_control(self.epoll, EPOLL_CTL_ADD, descriptor, events, token) == 0 else {
            throw .failed("watch a socket with epoll")
        }
    }

    // MARK: Opening and closing

    /// Connects and signs in everybody, at most `seconds` long.
    func open(_ accounts: [Account], seconds: Double) throws(BenchError) {
        let wanted = self.connections.count + accounts.count
        self.connections.reserveCapacity(wanted)
        var waiting = accounts[...]
        let deadline = clinux_monotonic_nanoseconds() + Int64(seconds * 1e9)
        while self.readyCount < wanted {
            while let account = waiting.first, self.openedCount - self.readyCount < Self.openingAtOnce {
                waiting.removeFirst()
                try self.connect(account)
            }
            try self.flush()
            guard clinux_monotonic_nanoseconds() < deadline else {
                throw .timeout("signing in (\(self.readyCount) of \(wanted) are in)", seconds: seconds)
            }
            try self.turn(milliseconds: 100)
        }
    }

    private func connect(_ account: Account) throws(BenchError) {
        let index = self.connections.count
        let isLoopback = self.endpoint.address >> 24 == 127
        let source = isLoopback ? Endpoint.loopback + 1 + UInt32(index) % Self.sourceCount : 0
        let descriptor = cbench_connect(self.endpoint.address, self.endpoint.port, source)
        guard descriptor >= 0 else { throw .failed("connect to \(self.endpoint)") }
        let connection = LoadConnection(index: index, account: account, descriptor: descriptor)
        self.connections.append(connection)
        self.openedCount += 1
        try self.watch(descriptor, UInt64(index))
        self.benchClient.greet(connection)
        self.markDirty(connection)
    }

    /// Finds out where each of these connections, all of them ready, will write to, at most `seconds` long.
    func seek(_ routes: [(connection: Int, destination: Destination)], seconds: Double) throws(BenchError) {
        for route in routes {
            let connection = self.connections[route.connection]
            guard self.benchClient.seek(route.destination, connection) else { continue }
            self.readyCount -= 1
            self.markDirty(connection)
        }
        try self.flush()
        let found = try self.run(seconds: seconds) { self.readyCount == self.connections.count }
        guard found else { throw .timeout("asking for conversations", seconds: seconds) }
    }

    func closeAll() {
        for connection in self.connections where connection.phase != .closed {
            close(connection.descriptor)
            connection.phase = .closed
        }
    }

    // MARK: Running

    /// Turns until `isDone` or for `seconds`; returns whether it was done.
    @discardableResult
    func run(seconds: Double, until isDone: () -> Bool = { false }) throws(BenchError) -> Bool {
        let deadline = clinux_monotonic_nanoseconds() + Int64(seconds * 1e9)
        while !isDone() {
            let left = deadline - clinux_monotonic_nanoseconds()
            guard left > 0 else { return false }
            try self.turn(milliseconds: Int32(min(100, left / 1_000_000 + 1)))
        }
        return true
    }

    /// Lets every sender begin.
    func startSending() throws(BenchError) {
        self.traffic.isSending = true
        self.traffic.now = clinux_monotonic_nanoseconds()
        for connection in self.connections where connection.sender != nil {
            self.benchClient.sendAllowed(connection, self.traffic)
            self.markDirty(connection)
        }
        try self.flush()
    }

    private func turn(milliseconds: Int32) throws(BenchError) {
        let count = epoll_wait(self.epoll, self.events, Int32(Self.eventCount), milliseconds)
        guard count >= 0 || errno == EINTR else { throw .failed("epoll_wait") }
        for place in 0..<max(0, Int(count)) {
            let token = clinux_epoll_token(self.events + place)
            if token == Self.signalToken { throw .interrupted }
            try self.handle(self.connections[Int(token)], clinux_epoll_events(self.events + place))
        }
        try self.flush()
    }

    private func handle(_ connection: LoadConnection, _ events: UInt32) throws(BenchError) {
        if events & EPOLLOUT.rawValue != 0 { self.markDirty(connection) }
        guard events & ~EPOLLOUT.rawValue != 0 else { return }
        let have = connection.unread.count
        if have > 0 { memcpy(self.space, connection.unread.bytes.baseAddress!, have) }
        let count = recv(connection.descriptor, self.space + have, Self.readBytes, 0)
        if count < 0 && errno == EAGAIN { return }
        guard count > 0 else {
            let reason = count == 0 ? "the server closed it" : String(cString: strerror(errno))
            throw .server("the connection of \(connection.account.user) to \(self.endpoint) ended: \(reason)")
        }
        connection.unread.removeAll()
        self.traffic.now = clinux_monotonic_nanoseconds()
        let wasReady = connection.phase == .ready
        let bytes = UnsafeRawBufferPointer(start: self.space, count: have + count)
        let used = try self.benchClient.receive(bytes, connection, self.traffic)
        if used < bytes.count { connection.unread.append(UnsafeRawBufferPointer(rebasing: bytes[used...])) }
        if !wasReady && connection.phase == .ready { self.readyCount += 1 }
        self.benchClient.sendAllowed(connection, self.traffic)
        if connection.unsent.count > 0 { self.markDirty(connection) }
    }

    private func markDirty(_ connection: LoadConnection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        self.dirty.append(connection)
    }

    /// One `send` per connection that has something to say.
    private func flush() throws(BenchError) {
        for connection in self.dirty {
            connection.isDirty = false
            try self.flush(connection)
        }
        self.dirty.removeAll(keepingCapacity: true)
    }

    private func flush(_ connection: LoadConnection) throws(BenchError) {
        let bytes = connection.unsent.bytes
        if bytes.count > 0 {
            let count = send(connection.descriptor, bytes.baseAddress!, bytes.count, Int32(MSG_NOSIGNAL))
            guard count >= 0 || errno == EAGAIN else {
                throw .failed("send to \(self.endpoint) as \(connection.account.user)")
            }
            connection.unsent.removeFirst(max(0, count))
        }
        let isBlocked = connection.unsent.count > 0
        guard isBlocked != connection.isBlocked else { return }
        connection.isBlocked = isBlocked
        let events = EPOLLIN.rawValue | (isBlocked ? EPOLLOUT.rawValue : 0)
        _ = clinux_epoll_control(self.epoll, EPOLL_CTL_MOD, connection.descriptor, events, UInt64(connection.index))
    }
}
