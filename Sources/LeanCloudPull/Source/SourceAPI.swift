import ByteCodec
import Execution
import HTTPClient

/// The source's REST API: one request after the other, not faster than wanted, asked again when it fails. Confined to the
/// thread of the pull.
///
/// Source: LeanCloud REST guide, "Request format": `X-LC-Key: KEY,master`, or `X-LC-Sign: MD5(TIME KEY),TIME,master`.
final class SourceAPI {
    /// Answer to a request for rows.
    enum Answer {
        case page(Page)
        /// Longer than is taken at once: ask for fewer rows.
        case tooLong
    }

    /// Bytes of one answer.
    static let maximumBytes = 32 * 1024 * 1024
    private static let timeoutMilliseconds: Int64 = 120_000

    private let options: PullOptions
    private let address: HTTPAddress
    private let client: BlockingHTTPClient
    private let cancellation: HTTPCancellation
    private let clock: Clock
    private let tell: (PullEvent) -> Void
    private var gate: RateGate
    private var policy = RetryPolicy()
    /// Requests that were sent.
    private(set) var requests: Int64 = 0

    init(
        _ options: PullOptions, _ cancellation: HTTPCancellation, clock: Clock, tell: @escaping (PullEvent) -> Void
    ) throws(PullError) {
        self.options = options
        self.cancellation = cancellation
        self.clock = clock
        self.tell = tell
        self.gate = RateGate(perSecond: options.rate)
        do throws(HTTPClientError) {
            self.address = try HTTPAddress(options.source)
            var client = HTTPClientOptions()
            client.connectMilliseconds = 15_000
            client.caFile = options.caFile
            // A key in the clear stays in networks of one's own.
            client.rule = self.address.isEncrypted ? AddressRule() : .privateAddresses
            self.client = try BlockingHTTPClient(client, cancellation: cancellation)
        } catch {
            throw .notLeanCloud(error.description)
        }
    }

    /// True when the source is in a private network, as far as its address alone tells.
    var isPrivate: Bool { !self.address.isEncrypted || self.address.isPrivateLiteral }

    /// Rows.
    ///
    /// - Parameter what: what is asked for, in words for people.
    func rows(_ path: String, what: String) throws(PullError) -> Answer {
        while true {
            let response = try self.get(path, what: what)
            if response.isCut { return .tooLong }
            if let page = Page(response.body) { return .page(page) }
            try self.obey(self.policy.judgeNonsense(chance: Double.random(in: 0..<1), now: self.now), "no JSON")
        }
    }

    /// A JSON value.
    func value(_ path: String, what: String) throws(PullError) -> JSONValue {
        while true {
            let response = try self.get(path, what: what)
            if let value = try? JSONValue(parsing: response.body), value.object != nil || value.array != nil {
                return value
            }
            try self.obey(self.policy.judgeNonsense(chance: Double.random(in: 0..<1), now: self.now), "no JSON")
        }
    }

    /// How many rows the source counts in a class; `nil` where it does not say.
    func count(_ name: String) throws(PullError) -> Int64? {
        do throws(PullError) {
            let value = try self.value("/1.1/classes/\(name)?count=1&limit=0", what: "the number of rows of \(name)")
            return value["count"]?.integer
        } catch .refused {
            return nil
        }
    }

    /// One request whose refusal says at once that address, app id or key are wrong.
    func checkKey() throws(PullError) {
        do throws(PullError) {
            _ = try self.value("/1.1/classes/_Conversation?count=1&limit=0", what: "the number of conversations")
        } catch .refused(_, 404, let text) where text.hasPrefix("101: ") {
            // An app without chats has no such class.
            return
        }
    }

    private var now: Int64 { self.clock.wallMilliseconds() }

    /// - Returns: a response of 2xx.
    private func get(_ path: String, what: String) throws(PullError) -> HTTPResponse {
        while true {
            let pause = self.gate.takePlace(atNanoseconds: self.clock.now().nanoseconds)
            if self.cancellation.wait(milliseconds: pause) { throw .stopped }
            self.requests += 1
            let outcome = self.client.perform(try self.request(path))
            if case .failure(.refusedAddress(let host, _, _)) = outcome, !self.address.isEncrypted {
                throw .plainKey(host: host)
            }
            let verdict = self.policy.judge(outcome, what: what, chance: Double.random(in: 0..<1), now: self.now)
            if case .success(let response) = outcome {
                if response.status == 429 { self.gate.slowDown() } else { self.gate.recover() }
                if case .use = verdict { return response }
            }
            try self.obey(verdict, Self.words(for: outcome))
        }
    }

    private static func words(for outcome: Result<HTTPResponse, HTTPClientError>) -> String {
        switch outcome {
        case .success(let response): "HTTP \(response.status), \(RetryPolicy.text(response))"
        case .failure(let error): error.description
        }
    }

    private func obey(_ verdict: RetryPolicy.Verdict, _ reason: String) throws(PullError) {
        switch verdict {
        case .use: return
        case .fail(let error): throw error
        case .wait(let milliseconds):
            self.tell(.waiting(milliseconds: milliseconds, reason: reason))
            if self.cancellation.wait(milliseconds: milliseconds) { throw .stopped }
        }
    }

    private func request(_ path: String) throws(PullError) -> HTTPRequestToSend {
        let place: HTTPAddress
        do throws(HTTPClientError) {
            place = try HTTPAddress(self.options.source + path)
        } catch {
            throw .notLeanCloud(error.description)
        }
        var request = HTTPRequestToSend(
            .get, place, timeoutMilliseconds: Self.timeoutMilliseconds, responseBytes: Self.maximumBytes)
        request.fields = [("X-LC-Id", self.options.app)]
        if self.address.isEncrypted {
            request.fields.append(("X-LC-Key", self.options.masterKey + ",master"))
        } else {
            let time = "\(self.now)"
            let sign = Digest.of(.md5, Array((time + self.options.masterKey).utf8))
            request.fields.append(("X-LC-Sign", "\(sign),\(time),master"))
        }
        return request
    }
}
