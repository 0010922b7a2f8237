/// Settings of the operator for this gateway.
package struct WuKongSettings: Sendable {
    /// Send a JSON session what its device class missed, right after its sign-in. The easy SDKs have no other way to
    /// it; the full SDKs fetch it by themselves.
    package var catchesUp = true
    /// Most missed messages per conversation; older ones stay in the history.
    package var catchUpMessages: Int64 = 10_000
    /// A stored message that was not acknowledged for so long is sent again.
    package var redeliverySeconds: Int64 = 60
    /// Sendings of one message to one session, the first included.
    package var redeliveryAttempts: UInt8 = 5
    /// A session is closed when nothing came from it for so long. Source: WuKongIM server, idle limit of 3 minutes.
    package var idleSeconds = 180
    /// Bytes of one JSON object or binary frame from a client.
    package var frameBytes = 256 * 1024
    /// Messages of one session that wait for their answer; one more is answered as too fast.
    package var unansweredMessages = 4096

    package init() {}
}
