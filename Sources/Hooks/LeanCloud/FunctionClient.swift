package import Diagnostics
package import Execution
package import HTTPClient

/// Calls an app's cloud functions for its clients: one request, no redirect, bounded in bytes and time. Requests have
/// threads of their own, so that a slow function holds up no hook. Any thread.
package final class FunctionClient: Sendable {
    /// For one call: longer than a hook may take, for a person waits for the answer and no message does.
    static let timeoutMilliseconds: Int64 = 15_000
    /// Between two lines of the log about calls that failed.
    private static let quietMilliseconds: Int64 = 30_000

    private let base: String
    private let client: HTTPClient
    private let credentials: @Sendable (_ isMaster: Bool, _ now: Int64) -> [(name: String, value: String)]
    private let clock: Clock
    private let log: Log
    private let lastLine = Lock<Instant?>(nil)

    /// - Parameters:
    ///   - base: what comes before `/1.1/functions/NAME`.
    ///   - credentials: header fields by which the functions know the app.
    package init(
        base: String, client: HTTPClient, clock: Clock, log: Log,
        credentials: @escaping @Sendable (_ isMaster: Bool, _ now: Int64) -> [(name: String, value: String)]
    ) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.client = client
        self.credentials = credentials
        self.clock = clock
        self.log = log
    }

    /// - Parameters:
    ///   - path: of the function below the base; percent-encoded.
    ///   - fields: beside those that say what the body is, and by whose right it is called. No control characters.
    ///   - then: runs once, on a thread of the client or on the caller's; it must be short.
    package func call(
        _ path: String, isMaster: Bool, fields: [(name: String, value: String)], body: [UInt8],
        then: @escaping @Sendable (Result<HTTPResponse, HTTPClientError>) -> Void
    ) {
        let address: HTTPAddress
        do throws(HTTPClientError) {
            address = try HTTPAddress(self.base + path)
        } catch {
            return then(.failure(error))
        }
        var all = [(name: "Content-Type", value: "application/json")]
        all += self.credentials(isMaster, self.clock.wallMilliseconds())
        let request = HTTPRequestToSend(
            .post, address, fields: all + fields, body: body, timeoutMilliseconds: Self.timeoutMilliseconds,
            responseBytes: LeanCloudHooks.answerBytes)
        self.client.send(request) { result in
            switch result {
            case .failure(let error):
                self.noteFailure(path, error.description)
                then(.failure(error))
            case .success(let response) where response.isCut:
                self.noteFailure(path, "its answer is longer than \(LeanCloudHooks.answerBytes) bytes")
                then(.failure(.badResponse(host: address.host, reason: "its answer is too long")))
            case .success: then(result)
            }
        }
    }

    private func noteFailure(_ path: String, _ reason: String) {
        let now = self.clock.now()
        let isDue = self.lastLine.withLock { last in
            if let last, now.milliseconds(since: last) < Self.quietMilliseconds { return false }
            last = now
            return true
        }
        guard isDue else { return }
        self.log.warning("leancloud_function_failed", ["function": .text(path), "reason": .text(reason)])
    }
}
