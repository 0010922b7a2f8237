package import Diagnostics

/// Every bound of the network part, with its default. The values live as long as the server and are shown, with their
/// peaks, to the operator.
package struct TransportLimits: Sendable {
    /// Open connections. At the bound the newest is closed.
    package var connections = Limit(name: "connections", unit: "connections", maximum: 10_000)
    /// Open connections of one address (of one /64 in IPv6), except loopback and configured proxies. At the bound the
    /// newest is closed.
    package var connectionsPerAddress = Limit(name: "connections_per_address", unit: "connections", maximum: 64)
    /// Connections on which nobody has signed in yet. At the bound the oldest of the address that has the most of them is
    /// closed.
    package var preAuthConnections = Limit(name: "pre_auth_connections", unit: "connections", maximum: 512)
    /// TLS handshakes at the same time. At the bound it is the same.
    package var tlsHandshakes = Limit(name: "tls_handshakes", unit: "handshakes", maximum: 256)
    /// Maximum bytes of an HTTP request's head; over it the answer is 431.
    package var headerBytes = Limit(name: "header_bytes", unit: "bytes", maximum: 16 * 1024)
    /// Maximum header fields of an HTTP request; over it the answer is 431.
    package var headerFields = Limit(name: "header_fields", unit: "fields", maximum: 100)
    /// Maximum bytes of an HTTP request body that a gateway takes whole, unless its plan says otherwise; over it the
    /// answer is 413.
    package var bodyBytes = Limit(name: "body_bytes", unit: "bytes", maximum: 256 * 1024)
    /// Maximum bytes of a WebSocket message, in one frame or in fragments; over it the close code is 1009.
    package var messageBytes = Limit(name: "message_bytes", unit: "bytes", maximum: 256 * 1024)
    /// Maximum bytes of a WebSocket message before anybody has signed in on the connection; over it the close code is
    /// 1009.
    package var preAuthMessageBytes = Limit(name: "pre_auth_message_bytes", unit: "bytes", maximum: 16 * 1024)
    /// Maximum fragments of one WebSocket message; over it the close code is 1009.
    package var fragments = Limit(name: "fragments", unit: "fragments", maximum: 256)
    /// High-water mark of what waits to be sent on one connection: its handler is told to send less.
    package var outboxBytes = Limit(name: "outbox_bytes", unit: "bytes", maximum: 1024 * 1024)
    /// Under this the handler is told to go on.
    package var outboxLowWaterBytes = 256 * 1024
    /// Maximum bytes that may wait to be sent to a WebSocket or a stream; over it the connection ends as stalled.
    /// The longest page of history fits, in base64 as well.
    package var outboxCeilingBytes = 8 * 1024 * 1024

    /// From accepting to the first bytes, to the end of the TLS handshake, and for the whole header of a request.
    package var openingSeconds = 10
    /// From the opening of a WebSocket or stream to `Connection.authenticated()`.
    package var signInSeconds = 10
    /// For the whole of a buffered request body.
    package var bodySeconds = 60
    /// Minimum bytes per second of a streamed request body, measured over a minute of reading; 0 for no minimum. A
    /// slower sender gets 408.
    package var bodyBytesPerSecond = 128
    /// Between two requests, when nobody has signed in on the connection, and when somebody has.
    package var keepAliveAnonymousSeconds = 10
    /// Seconds that an idle HTTP connection stays open.
    package var keepAliveSeconds = 60
    /// Without any progress in sending, or over the high-water mark without getting under the low one.
    package var stallSeconds = 30
    /// From our goodbye to the peer's.
    package var closingSeconds = 5

    /// Makes the limits with their defaults.
    package init() {}

    /// For the operator's view.
    package var all: [Limit] {
        [
            self.connections, self.connectionsPerAddress, self.preAuthConnections, self.tlsHandshakes,
            self.headerBytes, self.headerFields, self.bodyBytes, self.messageBytes, self.preAuthMessageBytes,
            self.fragments, self.outboxBytes,
        ]
    }
}
