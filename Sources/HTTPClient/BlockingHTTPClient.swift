import CLinux
import Execution
import Glibc

/// Takes a piece of a body; the response has its head. False breaks the request off.
package typealias BodySink = (_ head: HTTPResponse, _ piece: [UInt8]) -> Bool

/// Switch that ends requests under way on other threads, at once and for good.
package final class HTTPCancellation: Sendable {
    /// Readable once everything is to end.
    package let descriptor: Int32

    /// Makes a switch that is off. Traps when the kernel gives no descriptor.
    package init() {
        self.descriptor = clinux_eventfd()
        precondition(self.descriptor >= 0, "eventfd failed: errno \(clinux_errno())")
    }

    deinit { close(self.descriptor) }

    /// Ends every request that uses this switch, from any thread.
    package func cancel() { clinux_eventfd_signal(self.descriptor) }

    /// True after `cancel`.
    package var isCancelled: Bool { self.wait(milliseconds: 0) }

    /// Waits that long, or until everything is to end.
    ///
    /// - Returns: whether it is.
    @discardableResult
    package func wait(milliseconds: Int64) -> Bool {
        var entry = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        let end = Clock.system.now().advanced(byMilliseconds: max(0, milliseconds))
        while true {
            let left = end.milliseconds(since: Clock.system.now())
            if poll(&entry, 1, Int32(clamping: max(0, left))) > 0 { return true }
            if left <= 0 { return false }
        }
    }
}

/// The outgoing client for a command that waits for its answers: blocks, keeps its connections, and hands out long
/// bodies as they come. Confined to the thread that uses it. Redirects are answers like any other.
package final class BlockingHTTPClient {
    private let slot: OutgoingSlot

    /// - Parameter options: `threads` and `waitingRequests` mean nothing here.
    /// - Throws: `badTrust` for a CA file that cannot be used.
    package init(_ options: HTTPClientOptions, cancellation: HTTPCancellation) throws(HTTPClientError) {
        self.cancellation = cancellation
        self.slot = OutgoingSlot(
            options, try TrustStore(caFile: options.caFile), cancellation: cancellation.descriptor)
    }

    /// Kept open for as long as requests may wait for it.
    private let cancellation: HTTPCancellation

    /// Sends a request and waits for the response.
    ///
    /// - Parameter sink: is given the body of a 200 or 206 piece by piece, instead of the response.
    package func perform(
        _ request: HTTPRequestToSend, sink: BodySink? = nil
    ) -> Result<HTTPResponse, HTTPClientError> {
        self.slot.perform(request, sink: sink)
    }
}
