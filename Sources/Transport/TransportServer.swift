import CLinux
package import Diagnostics
package import Execution
import Glibc

/// Settings of the transport, from the configuration.
package struct TransportSettings: Sendable {
    /// Addresses to listen on, where no socket is passed.
    package var listeners: [ListenAddress]
    /// Sockets that the service manager opened, in place of `listeners`.
    package var passed: [PassedSocket] = []
    /// Threads that own sockets; 1...64.
    package var reactors: Int
    /// Further names under which this server is asked for, besides its own and its addresses.
    package var hosts: [String]
    /// Web origins whose pages may talk to this server; `null` for pages without one.
    package var origins: [String]
    /// Addresses of proxies that introduce their clients with a PROXY header.
    package var proxies: [String]

    package init(
        listeners: [ListenAddress], reactors: Int = 1, hosts: [String] = [], origins: [String] = [],
        proxies: [String] = []
    ) {
        self.listeners = listeners
        self.reactors = reactors
        self.hosts = hosts
        self.origins = origins
        self.proxies = proxies
    }
}

/// State shared by all reactors. Its parts are constant or safe to use from several threads.
final class TransportEnvironment: Sendable {
    let listeners: [Listener]
    let limits: TransportLimits
    let addressBook: AddressBook
    /// Where nobody has signed in yet.
    let unauthenticated: WaitingRoom
    /// Connections that are in a TLS handshake.
    let handshaking: WaitingRoom
    /// Mailboxes of the reactors, by reactor index.
    let jobs: [Mailbox<Reactor.Job>]
    let hostRule: HostRule
    let originRule: OriginRule
    let tls: TLSStore?
    let log: Log
    let clock: Clock

    init(
        settings: TransportSettings, limits: TransportLimits, tls: TLSStore?, log: Log, clock: Clock,
        jobs: [Mailbox<Reactor.Job>]
    ) throws(TransportError) {
        var listeners: [Listener] = []
        for socket in settings.passed { listeners.append(try Listener(socket)) }
        if listeners.isEmpty {
            for address in settings.listeners { listeners.append(try Listener(address)) }
        }
        var proxies = Set<IPAddress>()
        for text in settings.proxies {
            guard let address = IPAddress(text) else { throw .notAnAddress(text) }
            proxies.insert(address)
        }
        self.listeners = listeners
        self.limits = limits
        let addressBook = AddressBook(limit: limits.connectionsPerAddress, proxies: proxies)
        self.addressBook = addressBook
        self.unauthenticated = WaitingRoom { addressBook.isExempt($0) }
        self.handshaking = WaitingRoom { addressBook.isExempt($0) }
        self.jobs = jobs
        self.hostRule = HostRule(
            configured: settings.hosts, hostName: SocketAddress.hostName(), addresses: SocketAddress.ofInterfaces())
        self.originRule = OriginRule(origins: settings.origins)
        self.tls = tls
        self.log = log
        self.clock = clock
    }
}

/// The network part of a server: listening sockets and the reactors behind them. Any thread but a reactor's.
package final class TransportServer: Sendable {
    private enum Phase {
        case bound
        case running([Thread])
        case stopped
    }

    /// Where it listens, with real ports, in the order of the settings.
    package let addresses: [BoundAddress]
    /// One mailbox per reactor, by its index: `ConnectionID.reactor` tells which one has a connection.
    package let jobs: [Mailbox<Reactor.Job>]
    /// Limits of every connection.
    package let limits: TransportLimits

    private let environment: TransportEnvironment
    private let makeGateways: @Sendable (Reactor) -> [any Gateway]
    private let phase = Lock(Phase.bound)

    /// Binds the sockets, so that a port in use is told at once; nothing is served before `start`.
    ///
    /// - Parameter makeGateways: called once per reactor, on its thread.
    package init(
        settings: TransportSettings, limits: TransportLimits = TransportLimits(), tls: TLSStore? = nil, log: Log,
        clock: Clock = .system, makeGateways: @escaping @Sendable (Reactor) -> [any Gateway]
    ) throws(TransportError) {
        precondition((1...64).contains(settings.reactors), "1 to 64 reactors")
        let jobs = (0..<settings.reactors).map { _ in Mailbox<Reactor.Job>() }
        self.jobs = jobs
        self.environment = try TransportEnvironment(
            settings: settings, limits: limits, tls: tls, log: log, clock: clock, jobs: jobs)
        self.addresses = self.environment.listeners.map(\.bound)
        self.limits = limits
        self.makeGateways = makeGateways
    }

    /// Starts the reactors.
    package func start() {
        self.phase.withLock { phase in
            guard case .bound = phase else { preconditionFailure("a server is started once") }
            phase = .running(
                self.jobs.enumerated().map { index, jobs in
                    Thread(name: "reactor-\(index)") { [environment = self.environment, make = self.makeGateways] in
                        Reactor(index: index, environment: environment, jobs: jobs).run(makeGateways: make)
                    }
                })
        }
    }

    /// Accepts no more, lets every handler say goodbye, closes WebSockets with 1012, and returns when all have gone or
    /// the time is over.
    package func drain(deadlineMilliseconds: Int64) {
        self.end { $0.drain(deadlineMilliseconds: deadlineMilliseconds) }
    }

    /// Drops all connections and returns when the threads have ended.
    package func stop() { self.end { $0.stop() } }

    private func end(_ job: @escaping @Sendable (Reactor) -> Void) {
        let threads: [Thread] = self.phase.withLock { phase in
            guard case .running(let threads) = phase else {
                phase = .stopped
                return []
            }
            phase = .stopped
            return threads
        }
        guard !threads.isEmpty else { return }
        for mailbox in self.jobs { mailbox.post(job) }
        for thread in threads { thread.join() }
    }

    /// Reads the operator's certificates again and renews our own where due. New connections get the new ones; when it
    /// throws, the old ones stay.
    package func reloadTLS() throws(TransportError) { try self.environment.tls?.reload() }
}
