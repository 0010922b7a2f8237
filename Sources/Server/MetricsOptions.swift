import Configuration
import Diagnostics
import Execution
package import Monitoring
package import Transport

/// Settings of the metrics.
package struct MetricsOptions: Sendable {
    /// Addresses of their own; none for no such port.
    package var listeners: [ListenAddress] = []
    /// Sockets that the service manager opened, in place of `listeners`.
    package var passed: [PassedSocket] = []
    /// Rule of who may read metrics.
    package var access = MetricsAccess(ranges: [])
    /// True when metrics are on the addresses of people too.
    package var isOnPeoplesPort = false

    package init() {}

    /// Lets an address or a network read the metrics.
    ///
    /// - Returns: false for a text that is neither.
    @discardableResult
    package mutating func allow(_ text: String) -> Bool {
        guard let range = AddressRange(text) else { return false }
        self.access.ranges.append(range)
        return true
    }
}

extension ServerOptions {
    /// - Throws: `ConfigurationError` for addresses, networks and a token that are none, and for metrics on the port of
    ///   people without a token.
    mutating func applyMetrics(_ settings: Settings) throws(ConfigurationError) {
        for text in settings[Keys.metricsListen] {
            guard let address = ListenAddress(parsing: text) else {
                throw ConfigurationError(
                    origin: settings.origin(of: Keys.metricsListen.definition),
                    problem: "\(text) is no address to listen on: write HOST:PORT, such as 127.0.0.1:7679")
            }
            self.metrics.listeners.append(address)
        }
        for text in settings[Keys.metricsAllow] {
            guard !self.metrics.allow(text) else { continue }
            throw ConfigurationError(
                origin: settings.origin(of: Keys.metricsAllow.definition),
                problem: "\(text) is no address: write one such as 192.168.1.5, or a network such as 10.0.0.0/8")
        }
        self.metrics.access.token = try Self.secret(settings, Keys.metricsTokenFile)
        self.metrics.isOnPeoplesPort = settings[Keys.metricsOnListen]
        guard self.metrics.isOnPeoplesPort, self.metrics.access.token == nil else { return }
        throw ConfigurationError(
            origin: settings.origin(of: Keys.metricsOnListen.definition),
            problem: "metrics.on_listen needs metrics.token_file: everybody can reach that port")
    }
}

/// The port of its own on which a server is watched; nothing where none is configured.
struct MetricsPort: Sendable {
    private let transport: TransportServer?
    private let readiness: Readiness

    /// Where it listens, with real ports.
    var addresses: [BoundAddress] { self.transport?.addresses ?? [] }

    /// Binds the addresses and begins to answer.
    ///
    /// - Throws: `TransportError` when an address is taken.
    init(
        _ options: ServerOptions, tls: TLSStore?, metrics: ServerMetrics, readiness: Readiness
    ) throws(TransportError) {
        self.readiness = readiness
        guard !options.metrics.listeners.isEmpty || !options.metrics.passed.isEmpty else {
            self.transport = nil
            return
        }
        var settings = TransportSettings(listeners: options.metrics.listeners)
        settings.passed = options.metrics.passed
        settings.hosts = options.transport.hosts
        var limits = TransportLimits()
        limits.connections = Limit(name: "connections", unit: "connections", maximum: 64)
        let access = options.metrics.access
        let transport = try TransportServer(
            settings: settings, limits: limits, tls: tls, log: options.log, clock: options.clock
        ) { reactor in
            [MonitoringGateway(metrics, readiness, access: access, tellsReasons: true, reactor: reactor)]
        }
        self.transport = transport
        transport.start()
    }

    /// Says from now on that the server drains.
    func beginDraining() { self.readiness.beginDraining() }

    /// Drops its connections. Once.
    func stop() { self.transport?.stop() }
}
