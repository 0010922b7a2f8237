/// HTTP of a connection: the parser, and what is decided about the request that is being received or answered.
final class HTTPExchange {
    var parser: HTTPRequestParser
    var state = HTTPExchangeState()
    /// Answers the request; the gateway that it was given to holds it.
    weak var responder: HTTPResponder?

    init(connection: Connection) {
        let limits = connection.reactor.limits
        self.parser = HTTPRequestParser(
            maximumHeadBytes: Int(limits.headerBytes.maximum), maximumHeaders: Int(limits.headerFields.maximum))
    }

    var isAnswering: Bool { self.state.isAnswering }

    var closesAfterAnswer: Bool {
        get { self.state.closesAfterAnswer }
        set { self.state.closesAfterAnswer = newValue }
    }

    func outboxDrained() { self.responder?.whenDrained?() }

    /// The connection is over.
    func ended() {
        self.state.end().receiver?.cancelled()
        self.responder?.ended()
    }
}

/// How fast a streamed body comes: whoever sends a byte from time to time would hold a place for ever.
struct HTTPPace {
    /// Over which the pace is looked at.
    private static let seconds: Int64 = 60
    private var bytes: Int64 = 0
    private var began: Int64?

    /// The next bytes begin a new span of time: what the peer could not send, because it was not read, does not count.
    mutating func restart() { self.began = nil }

    /// Notes bytes that came.
    ///
    /// - Parameters:
    ///   - now: nanoseconds of the monotonic clock.
    ///   - minimum: bytes per second; 0 for any.
    /// - Returns: false when they came more slowly than that.
    mutating func keeps(_ count: Int, at now: Int64, minimum: Int) -> Bool {
        guard let began = self.began else {
            (self.began, self.bytes) = (now, Int64(count))
            return true
        }
        self.bytes += Int64(count)
        let seconds = (now - began) / 1_000_000_000
        guard seconds >= Self.seconds else { return true }
        let isEnough = self.bytes >= seconds * Int64(minimum)
        (self.began, self.bytes) = (now, 0)
        return isEnough
    }
}

/// The short JSON body of answers that no gateway gives, and of links, which apps of every SDK ask: `error` as our own API says it, `msg` as WuKongIM's apps read
/// it, `code` for LeanCloud's SDKs, which show a failure without a number as one that nobody knows.
///
/// Source: LeanCloud error codes: 1 for what has no number of its own.
package enum ErrorBody {
    private static func code(of status: Int) -> Int {
        switch status {
        case 401, 403, 429: status
        default: 1
        }
    }

    /// Body for a status and its reason.
    package static func json(status: Int, _ text: String) -> [UInt8] {
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where scalar.value < 0x20: quoted += " "
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        let numbers = "\"status\":\(status),\"code\":\(Self.code(of: status))"
        return Array("{\"error\":\"\(quoted)\",\"msg\":\"\(quoted)\",\(numbers)}\n".utf8)
    }
}
