import ByteCodec
package import HTTPClient

/// Decides what to do after a request: go on, wait and ask again, or end. Pure: time and chance are arguments.
///
/// Source: LeanCloud realtime REST guide, "Rate limits": above a limit everything is answered 429 for a minute. An app's
/// daily number of requests ends in 429 too, and only the next day helps.
package struct RetryPolicy: Sendable {
    /// Next step after a request.
    package enum Verdict: Hashable, Sendable {
        case use
        case wait(milliseconds: Int64)
        case fail(PullError)
    }

    static let firstWaitMilliseconds: Int64 = 500
    static let longestWaitMilliseconds: Int64 = 60_000
    /// A limit that does not end within this time is not waited for: a day's, and some.
    static let busyPatienceMilliseconds: Int64 = 26 * 3_600_000
    /// A source that cannot be reached for so long will not be back soon.
    static let failurePatienceMilliseconds: Int64 = 30 * 60_000

    /// A source that has never failed.
    package init() {}

    private var failures = 0
    /// UTC milliseconds of the first failure in a row.
    private var failingSince: Int64?

    /// How often a request was asked again in a row.
    var attempts: Int { self.failures }

    /// - Parameters:
    ///   - chance: 0..<1, so that many do not come back at the same moment.
    ///   - now: UTC milliseconds.
    package mutating func judge(
        _ outcome: Result<HTTPResponse, HTTPClientError>, what: String, chance: Double, now: Int64
    ) -> Verdict {
        switch outcome {
        case .success(let response): self.judge(response, what, chance, now)
        case .failure(let error): self.judge(error, chance, now)
        }
    }

    private mutating func judge(
        _ response: HTTPResponse, _ what: String, _ chance: Double, _ now: Int64
    ) -> Verdict {
        switch response.status {
        case 200..<300:
            self.failures = 0
            self.failingSince = nil
            return .use
        case 401: return .fail(.wrongKey(status: 401, text: Self.text(response)))
        case 408, 429, 500...599:
            let isBusy = response.status == 429
            let asked = response.field("retry-after").flatMap { Int64($0) }.map { min(max(0, $0), 3_600) * 1_000 }
            return self.wait(
                asked, patience: isBusy ? Self.busyPatienceMilliseconds : Self.failurePatienceMilliseconds,
                "HTTP \(response.status), \(Self.text(response))", chance, now)
        default: return .fail(.refused(what: what, status: response.status, text: Self.text(response)))
        }
    }

    private mutating func judge(_ error: HTTPClientError, _ chance: Double, _ now: Int64) -> Verdict {
        switch error {
        case .cannotResolve, .cannotConnect, .timedOut, .brokenOff, .badResponse, .busy:
            self.wait(nil, patience: Self.failurePatienceMilliseconds, error.description, chance, now)
        case .tls(_, _):
            // A certificate does not get better by asking again; a handshake that was cut does.
            self.failures >= 3
                ? .fail(.gaveUp(error.description))
                : self.wait(nil, patience: Self.failurePatienceMilliseconds, error.description, chance, now)
        case .badAddress, .refusedAddress, .badTrust: .fail(.notLeanCloud(error.description))
        case .stopped: .fail(.stopped)
        }
    }

    /// An answer that was whole for HTTP and is none of LeanCloud's.
    package mutating func judgeNonsense(chance: Double, now: Int64) -> Verdict {
        guard self.failures < 4 else { return .fail(.notLeanCloud("its answer is no JSON of rows")) }
        return self.wait(nil, patience: Self.failurePatienceMilliseconds, "no JSON", chance, now)
    }

    private mutating func wait(
        _ asked: Int64?, patience: Int64, _ reason: String, _ chance: Double, _ now: Int64
    ) -> Verdict {
        self.failures += 1
        let since = self.failingSince ?? now
        self.failingSince = since
        guard now - since < patience else { return .fail(.gaveUp(reason)) }
        if let asked { return .wait(milliseconds: asked + Int64(chance * 100)) }
        let doubled = Self.firstWaitMilliseconds << min(self.failures - 1, 20)
        let longest = min(doubled, Self.longestWaitMilliseconds)
        // Between half of it and all of it.
        return .wait(milliseconds: longest / 2 + Int64(Double(longest / 2) * chance))
    }

    /// Characters of an answer that are kept: a source can send megabytes, and failures are listed.
    private static let textScalars = 300

    /// The words of an answer, `{"code":n,"error":"text"}` or what it begins with.
    package static func text(_ response: HTTPResponse) -> String {
        if let json = try? JSONValue(parsing: response.body), let text = (json["error"] ?? json["msg"])?.string {
            let error = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.textScalars)))
            return json["code"]?.integer.map { "\($0): \(error)" } ?? error
        }
        let begin = String(decoding: response.body.prefix(120), as: UTF8.self)
        return begin.isEmpty ? "without a word" : begin
    }
}

/// Spaces requests out, so that an app's own clients are not crowded out. Pure.
package struct RateGate: Sendable {
    /// Nanoseconds between two requests as the operator wants it.
    private let usual: Int64
    private var interval: Int64
    private var next: Int64 = 0

    /// - Parameter perSecond: 1 to 1,000.
    package init(perSecond: Int) {
        self.usual = 1_000_000_000 / Int64(max(1, perSecond))
        self.interval = self.usual
    }

    /// Takes a place.
    ///
    /// - Returns: milliseconds to wait for it, rounded up.
    package mutating func takePlace(atNanoseconds now: Int64) -> Int64 {
        let place = max(now, self.next)
        self.next = place + self.interval
        return (place - now + 999_999) / 1_000_000
    }

    /// The source has said that it is too much: half as fast, down to a sixteenth.
    package mutating func slowDown() { self.interval = min(self.interval * 2, self.usual * 16) }

    /// A request was answered: back to what is wanted, a twentieth at a time.
    package mutating func recover() { self.interval = max(self.usual, self.interval - max(1, self.interval / 20)) }
}
