import ByteCodec
import Execution
import HTTPClient
import LeanCloudPull

/// HTTP API of a WuKongIM server: one request after the other, not faster than wanted, asked again when it fails.
/// Confined to the thread of the pull.
///
/// Source: WuKongIM v2.2.5, `internal/api/server_http.go`: with a managerToken every request needs it in the header
/// `token`; errors are HTTP 400 with `{"msg":...}`, passing ones too.
final class WuKongSource {
    /// Answer to a request.
    enum Answer {
        case value(JSONValue)
        /// Longer than is taken at once: ask for less.
        case tooLong
        /// The source will not: the reason.
        case refused(String)
    }

    private static let maximumBytes = 16 * 1_024 * 1_024
    private static let timeoutMilliseconds: Int64 = 120_000
    /// How often a request is sent that the source refuses with 400, which it also does while it elects a leader.
    private static let attempts = 3

    private let options: WuKongPullOptions
    private let isEncrypted: Bool
    private let client: BlockingHTTPClient
    private let cancellation: HTTPCancellation
    private let clock: Clock
    private let tell: (PullEvent) -> Void
    private var gate: RateGate
    private var policy = RetryPolicy()

    init(
        _ options: WuKongPullOptions, _ cancellation: HTTPCancellation, clock: Clock,
        tell: @escaping (PullEvent) -> Void
    ) throws(PullError) {
        self.options = options
        self.cancellation = cancellation
        self.clock = clock
        self.tell = tell
        self.gate = RateGate(perSecond: options.rate)
        do throws(HTTPClientError) {
            let address = try HTTPAddress(options.source)
            self.isEncrypted = address.isEncrypted
            var client = HTTPClientOptions()
            client.connectMilliseconds = 15_000
            client.caFile = options.caFile
            // A token and what people wrote do not go in the clear beyond networks of one's own.
            client.rule = address.isEncrypted ? AddressRule() : .privateAddresses
            self.client = try BlockingHTTPClient(client, cancellation: cancellation)
        } catch {
            throw .notWuKong(error.description)
        }
    }

    func get(_ target: String, what: String) throws(PullError) -> Answer {
        try self.ask(.get, target, [], what: what)
    }

    func post(_ target: String, _ body: JSONValue, what: String) throws(PullError) -> Answer {
        try self.ask(.post, target, body.serialized(), what: what)
    }

    private func ask(
        _ method: HTTPRequestToSend.Method, _ target: String, _ body: [UInt8], what: String
    ) throws(PullError) -> Answer {
        var (refusals, oddAnswers) = (0, 0)
        while true {
            let pause = self.gate.takePlace(atNanoseconds: self.clock.now().nanoseconds)
            if self.cancellation.wait(milliseconds: pause) { throw .stopped }
            let outcome = self.client.perform(try self.request(method, target, body))
            if case .failure(.refusedAddress(let host, _, _)) = outcome, !self.isEncrypted {
                throw .plainKey(host: host)
            }
            let chance = Double.random(in: 0..<1)
            var verdict = self.policy.judge(outcome, what: what, chance: chance, now: self.clock.wallMilliseconds())
            var reason = ""
            if case .success(let response) = outcome {
                if response.status == 429 { self.gate.slowDown() } else { self.gate.recover() }
                reason = "HTTP \(response.status), \(RetryPolicy.text(response))"
                if case .use = verdict {
                    if response.isCut { return .tooLong }
                    if let value = try? JSONValue(parsing: response.body), value.object != nil || value.array != nil {
                        return .value(value)
                    }
                    oddAnswers += 1
                    guard oddAnswers < Self.attempts else { throw .notWuKong("its answer to \(what) is no JSON") }
                    verdict = .wait(milliseconds: self.options.refusalPauseMilliseconds)
                    reason = "no JSON"
                }
            } else if case .failure(let error) = outcome {
                reason = error.description
            }
            switch verdict {
            case .use: continue
            case .fail(.refused(_, _, let text)):
                refusals += 1
                guard refusals < Self.attempts else { return .refused(text) }
                if self.cancellation.wait(milliseconds: self.options.refusalPauseMilliseconds) { throw .stopped }
            case .fail(.wrongKey(let status, let text)): throw .wrongToken(status: status, text: text)
            case .fail(.notLeanCloud(let why)): throw .notWuKong(why)
            case .fail(let error): throw error
            case .wait(let milliseconds):
                self.tell(.waiting(milliseconds: milliseconds, reason: reason))
                if self.cancellation.wait(milliseconds: milliseconds) { throw .stopped }
            }
        }
    }

    private func request(
        _ method: HTTPRequestToSend.Method, _ target: String, _ body: [UInt8]
    ) throws(PullError) -> HTTPRequestToSend {
        let address: HTTPAddress
        do throws(HTTPClientError) {
            address = try HTTPAddress(self.options.source + target)
        } catch {
            throw .notWuKong(error.description)
        }
        var request = HTTPRequestToSend(
            method, address, body: body, timeoutMilliseconds: Self.timeoutMilliseconds, responseBytes: Self.maximumBytes
        )
        if let token = self.options.token { request.fields.append(("token", token)) }
        if !body.isEmpty { request.fields.append(("Content-Type", "application/json")) }
        return request
    }
}
