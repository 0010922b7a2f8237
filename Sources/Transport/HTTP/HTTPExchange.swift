/// What a connection has while it speaks HTTP: the parser, and the request that is being received or answered. One
/// request is worked on at a time, which keeps the order of pipelined answers.
final class HTTPExchange {
    /// What the connection's deadline is for.
    enum Waiting {
        case header
        case bufferedBody
        case streamedBody
        case nextRequest
        /// The gateway answers: no deadline.
        case answer
    }

    var parser: HTTPRequestParser
    var waiting: Waiting?
    var request: HTTPRequest?
    /// The configured origin that asks, for the headers of the answer.
    var origin: String?
    var maximumBodyBytes = 0
    var receiver: (any BodyReceiver)?
    /// The client waits for 100 before it sends the body.
    var owesContinue = false
    var isAnswering = false
    var closesAfterAnswer = false
    var hasAnswered = false
    weak var responder: HTTPResponder?

    init(connection: Connection) {
        let limits = connection.reactor.limits
        self.parser = HTTPRequestParser(
            maximumHeadBytes: Int(limits.headerBytes.maximum), maximumHeaders: Int(limits.headerFields.maximum))
    }

    func outboxDrained() { self.responder?.whenDrained?() }

    /// The connection is over.
    func ended() {
        self.receiver?.cancelled()
        self.receiver = nil
        self.responder?.ended()
    }
}

/// The short JSON body of answers that no gateway gives: `error` as our own API says it, `msg` as WuKongIM's apps read
/// it, `code` for LeanCloud's SDKs, which show a failure without a number as one that nobody knows.
///
/// Source: LeanCloud error codes: 1 for what has no number of its own.
enum ErrorBody {
    private static func code(of status: Int) -> Int {
        switch status {
        case 401, 403, 429: status
        default: 1
        }
    }

    static func json(status: Int, _ text: String) -> [UInt8] {
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
