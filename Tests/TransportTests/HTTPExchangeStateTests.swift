import Testing

@testable import Transport

/// Takes a body.
private final class Receiver: BodyReceiver {
    func received(_ bytes: UnsafeRawBufferPointer) {}
    func cancelled() {}
}

/// The request whose head these lines are.
private func request(_ lines: String...) throws -> HTTPRequest {
    var parser = HTTPRequestParser(maximumHeadBytes: 4_096, maximumHeaders: 20)
    let text = (lines + ["Host: verona.lan", "", ""]).joined(separator: "\r\n")
    let step = try Array(text.utf8).withUnsafeBytes { try parser.next($0) }
    guard case .event(.head(let head), _) = step else { throw HTTPParseError.bad("no head") }
    let peer = PeerAddress(address: try #require(IPAddress("127.0.0.1")), port: 7)
    return HTTPRequest(head: head, peer: peer, isEncrypted: false)
}

extension HTTPExchangeState {
    fileprivate mutating func take(_ text: String, atSecond second: Int64 = 0, minimum: Int = 0) -> BodyAction {
        Array(text.utf8).withUnsafeBytes { self.bodyArrived($0, at: second * 1_000_000_000, minimum: minimum) }
    }

    /// True when the body is awaited without more ado.
    fileprivate mutating func accepts(_ plan: BodyPlan) -> Bool {
        if case .none = self.plan(plan) { true } else { false }
    }
}

@Suite("State of an HTTP exchange")
struct HTTPExchangeStateTests {
    /// An exchange whose head has come.
    private func planning(_ lines: String..., origin: String? = nil) throws -> HTTPExchangeState {
        var state = HTTPExchangeState()
        state.headBegan(keepsAlive: true)
        var parts = lines
        let first = parts.removeFirst()
        state.headArrived(try parts.isEmpty ? request(first) : request(first, parts[0]), origin: origin)
        return state
    }

    @Test("a buffered body is collected, answered, and the next request awaited")
    func buffered() throws {
        var state = HTTPExchangeState()
        #expect(state.request == nil && !state.isAnswering && !state.isWaitingForUs)
        state = try self.planning("POST /messages HTTP/1.1", "Content-Length: 5", origin: "https://app.lan")
        #expect(state.request?.path == "/messages" && state.origin == "https://app.lan")
        let isAccepted = state.accepts(.buffered(maximumBytes: 5))
        #expect(isAccepted && !state.isWaitingForUs)
        for piece in ["te", "a!", "!"] {
            guard case .none = state.take(piece) else {
                Issue.record("refused")
                return
            }
        }
        let whole = state.bodyEnded()
        #expect(whole?.body == Array("tea!!".utf8) && state.isAnswering && state.isWaitingForUs)
        #expect(state.request == nil, "nobody refuses what is being answered")
        let again = state.bodyEnded()
        #expect(again == nil)
        let (first, second) = (state.answered(), state.answered())
        #expect(first && !second && !state.isAnswering)
        state.headArrived(try request("GET /next HTTP/1.1"), origin: nil)
        #expect(state.request?.path == "/next" && state.origin == nil)
    }

    @Test("a body that is too long is refused: by its declared length before it comes, or as it comes")
    func tooLong() throws {
        var declared = try self.planning("POST / HTTP/1.1", "Content-Length: 6")
        guard
            case .refuse(413, "the body is longer than 5 bytes", let headers) = declared.plan(
                .buffered(maximumBytes: 5))
        else {
            Issue.record("not refused")
            return
        }
        #expect(headers.isEmpty && declared.request != nil, "its method and origin shape the answer")
        var chunked = try self.planning("POST / HTTP/1.1", "Transfer-Encoding: chunked")
        let isAccepted = chunked.accepts(.buffered(maximumBytes: 5))
        #expect(isAccepted)
        guard case .none = chunked.take("12345"), case .refuse(413, _) = chunked.take("6") else {
            Issue.record("not refused")
            return
        }
        #expect(chunked.request?.body.count == 5)
    }

    @Test("a streamed body is handed out, also an empty one, and answered with nothing kept")
    func streamed() throws {
        let receiver = Receiver()
        var state = try self.planning("PUT /files/1 HTTP/1.1", "Content-Length: 3")
        let isAccepted = state.accepts(.streamed(receiver))
        #expect(isAccepted && state.isWaitingForUs)
        guard case .hand(let taker) = state.take("tea") else {
            Issue.record("not handed out")
            return
        }
        #expect(taker === receiver)
        let whole = state.bodyEnded()
        #expect(whole?.body.isEmpty == true && state.isAnswering)
        let (request, told) = state.end()
        #expect(request == nil && told == nil, "the body came to its end")
    }

    @Test("a streamed body that creeps is refused, unless it was held back")
    func pace() throws {
        var state = try self.planning("PUT /files/1 HTTP/1.1", "Content-Length: 9")
        let isAccepted = state.accepts(.streamed(Receiver()))
        #expect(isAccepted)
        guard case .hand = state.take("t", minimum: 100) else {
            Issue.record("not handed out")
            return
        }
        state.resumed()
        guard case .hand = state.take("e", atSecond: 300, minimum: 100),
            case .refuse(408, _) = state.take("a", atSecond: 360, minimum: 100)
        else {
            Issue.record("not refused")
            return
        }
    }

    @Test("what a gateway refuses is refused in its words")
    func refusedByPlan() throws {
        var state = try self.planning("POST / HTTP/1.1", "Content-Length: 3")
        let plan = state.plan(.refused(status: 507, text: "full", headers: [("Retry-After", "9")]))
        guard case .refuse(507, "full", let headers) = plan else {
            Issue.record("not refused")
            return
        }
        #expect(headers.map(\.1) == ["9"] && state.request != nil)
        let (request, receiver) = state.end()
        #expect(request?.path == "/" && receiver == nil)
    }

    @Test("a refusal tells who takes the body, once; nothing is taken afterwards")
    func refused() throws {
        let receiver = Receiver()
        var state = try self.planning("PUT / HTTP/1.1", "Content-Length: 3")
        let isAccepted = state.accepts(.streamed(receiver))
        #expect(isAccepted)
        let (request, told) = state.end()
        #expect(request != nil && told === receiver)
        let (nothing, nobody) = state.end()
        #expect(nothing == nil && nobody == nil && state.request == nil && !state.isWaitingForUs)
        guard case .none = state.take("tea") else {
            Issue.record("taken")
            return
        }
        let whole = state.bodyEnded()
        let isAnswered = state.answered()
        let waiting = state.wait(hasInput: true)
        #expect(whole == nil && !isAnswered && waiting == nil)
    }

    @Test("who refuses while making a plan has its receiver cancelled")
    func refusedWhilePlanning() throws {
        let receiver = Receiver()
        var state = try self.planning("PUT / HTTP/1.1", "Content-Length: 3")
        _ = state.end()
        guard case .cancel(let cancelled) = state.plan(.streamed(receiver)) else {
            Issue.record("not cancelled")
            return
        }
        #expect(cancelled === receiver)
        let isQuiet = state.accepts(.buffered(maximumBytes: 9))
        #expect(isQuiet && state.request == nil)
    }

    @Test(
        "a client that expects 100 is told once to go on, where there is a body and the version knows it",
        arguments: [
            ("PUT / HTTP/1.1\r\nExpect: 100-continue", "Content-Length: 3", true),
            ("PUT / HTTP/1.1\r\nExpect: 100-continue", "Transfer-Encoding: chunked", true),
            ("PUT / HTTP/1.1\r\nExpect: 100-continue", "Accept: */*", false),
            ("PUT / HTTP/1.0\r\nExpect: 100-continue", "Content-Length: 3", false),
            ("PUT / HTTP/1.1", "Content-Length: 3", false),
        ])
    func continues(line: String, field: String, isOwed: Bool) throws {
        var state = try self.planning(line, field)
        let before = state.takeContinue()
        let isAccepted = state.accepts(.streamed(Receiver()))
        let (first, second) = (state.takeContinue(), state.takeContinue())
        #expect(!before && isAccepted && first == isOwed && !second)
    }

    @Test("each wait has a deadline of its own; a header that comes in pieces keeps the first one")
    func waits() throws {
        var state = HTTPExchangeState()
        let (first, piece) = (state.wait(hasInput: false), state.wait(hasInput: true))
        #expect(first == .header && piece == nil, "a first request is awaited as a header is")
        state.headArrived(try request("PUT / HTTP/1.1", "Content-Length: 3"), origin: nil)
        let planning = state.wait(hasInput: false)
        #expect(planning == .bufferedBody)
        _ = state.plan(.streamed(Receiver()))
        let (streamed, moving) = (state.wait(hasInput: false), state.wait(hasInput: false))
        #expect(streamed == .streamedBody && moving == .streamedBody, "it has to move")
        _ = state.bodyEnded()
        let (answer, stillAnswer) = (state.wait(hasInput: false), state.wait(hasInput: true))
        #expect(answer == .answer && stillAnswer == nil)
        _ = state.answered()
        let (next, sameNext, header) = (
            state.wait(hasInput: false), state.wait(hasInput: false), state.wait(hasInput: true)
        )
        #expect(next == .nextRequest && sameNext == nil && header == .header)
    }

    @Test("an answer within one read begins a new wait all the same")
    func quickAnswer() throws {
        var state = HTTPExchangeState()
        _ = state.wait(hasInput: true)
        for _ in 0..<2 {
            state.headArrived(try request("GET / HTTP/1.1"), origin: nil)
            _ = state.plan(.buffered(maximumBytes: 0))
            _ = state.bodyEnded()
            _ = state.answered()
            let next = state.wait(hasInput: false)
            #expect(next == .nextRequest)
        }
    }

    @Test("a deadline ends an idle connection without a word, refuses half a request, and leaves an answer alone")
    func expires() throws {
        func expiry(_ state: HTTPExchangeState) -> String { "\(state.expired())" }
        var state = HTTPExchangeState()
        #expect(expiry(state) == "close")
        _ = state.wait(hasInput: true)
        #expect(expiry(state) == "refuse")
        state.headArrived(try request("PUT / HTTP/1.1", "Content-Length: 3"), origin: nil)
        _ = state.plan(.buffered(maximumBytes: 9))
        _ = state.wait(hasInput: false)
        #expect(expiry(state) == "refuse")
        _ = state.bodyEnded()
        _ = state.wait(hasInput: false)
        #expect(expiry(state) == "none")
        _ = state.answered()
        _ = state.wait(hasInput: false)
        #expect(expiry(state) == "close")
    }

    @Test("a connection closes after the answer when the client said so, the server stops, or the peer has finished")
    func closes() throws {
        var state = HTTPExchangeState()
        state.headBegan(keepsAlive: false)
        #expect(state.closesAfterAnswer)
        state.headBegan(keepsAlive: true)
        #expect(!state.closesAfterAnswer)
        state.closesAfterAnswer = true
        #expect(state.closesAfterAnswer)
    }
}
