import Execution
package import Transport

/// The listeners of the server, for requests that tell how busy they are: they are made after the APIs they serve. Any
/// thread.
package final class LateTransport: Sendable {
    private struct State {
        /// Weak: its gateways hold this.
        weak var transport: TransportServer?
    }

    private let state = Lock(State())

    package init() {}

    /// Says which they are. Once, at the start.
    package func open(_ transport: TransportServer) { self.state.withLock { $0.transport = transport } }

    /// Reads the metrics of all reactors.
    ///
    /// - Parameter then: called once; with zeros when there are no listeners yet.
    package func metrics(then: @escaping @Sendable (TransportMetrics) -> Void) {
        guard let transport = self.state.withLock({ $0.transport }) else { return then(TransportMetrics()) }
        transport.metrics(then: then)
    }
}
