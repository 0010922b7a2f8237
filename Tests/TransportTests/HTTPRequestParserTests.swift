import Testing

@testable import Transport

/// Everything that a parser told, in words.
func parsed(_ text: String, cut: Int = .max, maximumHeadBytes: Int = 16_384, maximumHeaders: Int = 100) -> [String] {
    // Parsers get memory that stays where it is, as from a socket.
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
    defer { bytes.deallocate() }
    bytes.copyBytes(from: text.utf8)
    let input = UnsafeRawBufferPointer(bytes)
    var parser = HTTPRequestParser(maximumHeadBytes: maximumHeadBytes, maximumHeaders: maximumHeaders)
    var seen: [String] = []
    var body = ""
    var (position, available) = (0, 0)
    do throws(HTTPParseError) {
        while available < input.count {
            available = cut == .max ? input.count : min(input.count, available + cut)
            while true {
                let rest = UnsafeRawBufferPointer(rebasing: input[position..<available])
                let step = try parser.next(rest).inWords
                position += step.consumed
                if step.word == nil, step.piece == nil, step.consumed == 0 { break }
                if let piece = step.piece { body += piece }
                guard let word = step.word else { continue }
                seen.append(word == "end" ? "end \(body)" : word)
                if word == "end" { body = "" }
            }
        }
    } catch {
        seen.append("\(error.status)")
    }
    return seen
}

extension HTTPRequestParser.Step {
    fileprivate var inWords: (word: String?, piece: String?, consumed: Int) {
        switch self {
        case .incomplete(let consumed): (nil, nil, consumed)
        case .event(.head(let head), let consumed):
            ("\(head.method) \(head.path)\(head.query.map { "?" + $0 } ?? "") 1.\(head.minorVersion)", nil, consumed)
        case .event(.body(let bytes), let consumed): (nil, String(decoding: bytes, as: UTF8.self), consumed)
        case .event(.end, let consumed): ("end", nil, consumed)
        }
    }
}

@Suite("HTTP request parser")
struct HTTPRequestParserTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let expected: [String]

        init(_ name: String, _ text: String, _ expected: [String]) {
            (self.testDescription, self.text, self.expected) = (name, text, expected)
        }
    }

    static let good = [
        Vector("no body", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / 1.1", "end "]),
        Vector("a query", "GET /a/b?c=d&e HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /a/b?c=d&e 1.1", "end "]),
        Vector("HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", ["GET / 1.0", "end "]),
        Vector(
            "Content-Length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
            ["POST /a 1.1", "end hello"]),
        Vector("Content-Length 0", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", ["POST / 1.1", "end "]),
        Vector(
            "chunks with an extension and a trailer",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n00A\r\n0123456789\r\n0\r\nA: b\r\n\r\n",
            ["POST / 1.1", "end hello0123456789"]),
        Vector(
            "two requests and empty lines before them",
            "\r\n\r\nGET /1 HTTP/1.1\r\nHost: a\r\n\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
            ["GET /1 1.1", "end ", "POST /2 1.1", "end x"]),
        Vector("an absolute target", "GET http://b:1/c HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /c 1.1", "end "]),
        Vector(
            "an absolute target without a path", "GET http://b?c HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /?c 1.1", "end "]),
        Vector("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", ["OPTIONS * 1.1", "end "]),
        Vector("an empty value", "GET / HTTP/1.1\r\nHost: a\r\nX:\r\nY: \t \r\n\r\n", ["GET / 1.1", "end "]),
        Vector("not yet whole", "GET / HTTP/1.1\r\nHost: a\r\n", []),
        Vector("a body not yet whole", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf", ["PUT / 1.1"]),
    ]

    @Test("reads", arguments: good)
    func reads(_ vector: Vector) { #expect(parsed(vector.text) == vector.expected) }

    @Test("reads the same when the input is cut at every byte", arguments: good)
    func readsCut(_ vector: Vector) { #expect(parsed(vector.text, cut: 1) == vector.expected) }

    static let start = "POST / HTTP/1.1\r\nHost: a\r\n"
    static let bad = [
        Vector("both lengths", start + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", ["400"]),
        Vector("two Content-Lengths", start + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", ["400"]),
        Vector("a list of lengths", start + "Content-Length: 5, 5\r\n\r\n", ["400"]),
        Vector("a signed length", start + "Content-Length: +5\r\n\r\n", ["400"]),
        Vector("a negative length", start + "Content-Length: -5\r\n\r\n", ["400"]),
        Vector("an empty length", start + "Content-Length:\r\n\r\n", ["400"]),
        Vector("a length over 64 bits", start + "Content-Length: 99999999999999999999\r\n\r\n", ["400"]),
        Vector("a hexadecimal length", start + "Content-Length: 0x5\r\n\r\n", ["400"]),
        Vector("two codings", start + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", ["400"]),
        Vector("gzip, chunked", start + "Transfer-Encoding: gzip, chunked\r\n\r\n", ["400"]),
        Vector("identity", start + "Transfer-Encoding: identity\r\n\r\n", ["400"]),
        Vector("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", ["400"]),
        Vector("a bare line feed", "GET / HTTP/1.1\nHost: a\r\n\r\n", ["400"]),
        Vector("a bare line feed at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n", ["400"]),
        Vector("a bare carriage return", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", ["400"]),
        Vector("a folded line", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", ["400"]),
        Vector("a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", ["400"]),
        Vector("a header name with a bad character", "GET / HTTP/1.1\r\nHost: a\r\nX(: b\r\n\r\n", ["400"]),
        Vector("a header without a name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", ["400"]),
        Vector("a header without a colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", ["400"]),
        Vector("NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", ["400"]),
        Vector("no Host", "GET / HTTP/1.1\r\n\r\n", ["400"]),
        Vector("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", ["400"]),
        Vector("a target that is no path", "GET index.html HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
        Vector("CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
        Vector("no version", "GET /\r\nHost: a\r\n\r\n", ["400"]),
        Vector("two blanks", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
        Vector("HTTP/2", "PRI * HTTP/2.0\r\n\r\n", ["505"]),
        Vector("HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", ["505"]),
        Vector("not HTTP", "GET / SIP/2.0\r\nHost: a\r\n\r\n", ["400"]),
    ]

    @Test("refuses", arguments: bad)
    func refuses(_ vector: Vector) { #expect(parsed(vector.text) == vector.expected) }

    @Test("refuses the same when the input is cut at every byte", arguments: bad)
    func refusesCut(_ vector: Vector) { #expect(parsed(vector.text, cut: 1) == vector.expected) }

    static let badChunks = [
        Vector("no digits", "\r\nx", ["POST / 1.1", "400"]),
        Vector("not hexadecimal", "5g\r\nhello", ["POST / 1.1", "400"]),
        Vector("a blank first", " 5\r\nhello", ["POST / 1.1", "400"]),
        Vector("16 digits", "FFFFFFFFFFFFFFFF\r\n", ["POST / 1.1", "400"]),
        Vector("a bare line feed", "5\nhello", ["POST / 1.1", "400"]),
        Vector("data over the size", "5\r\nhello!\r\n", ["POST / 1.1", "400"]),
        Vector("a line that never ends", "5;" + String(repeating: "x", count: 256), ["POST / 1.1", "400"]),
    ]

    @Test("refuses chunks with", arguments: badChunks)
    func refusesChunks(_ vector: Vector) {
        let text = Self.start + "Transfer-Encoding: chunked\r\n\r\n" + vector.text
        #expect(parsed(text) == vector.expected)
        #expect(parsed(text, cut: 1) == vector.expected)
    }

    @Test("takes a header of exactly the limit and answers 431 to one byte more", arguments: [0, 1])
    func headBytes(over: Int) {
        let fixed = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
        let text = fixed.replacing("X: ", with: "X: " + String(repeating: "x", count: 512 - fixed.utf8.count + over))
        let expected = over == 0 ? ["GET / 1.1", "end "] : ["431"]
        #expect(parsed(text, maximumHeadBytes: 512) == expected)
        #expect(parsed(text, cut: 1, maximumHeadBytes: 512) == expected)
    }

    @Test("takes as many fields as the limit and answers 431 to one more", arguments: [0, 1])
    func fieldCount(over: Int) {
        let fields = (0..<(9 + over)).map { "X\($0): y\r\n" }.joined()
        let expected = over == 0 ? ["GET / 1.1", "end "] : ["431"]
        #expect(parsed("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", maximumHeaders: 10) == expected)
    }

    @Test("bounds the trailers like a header")
    func trailers() {
        let text = Self.start + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "X: y\r\n", count: 100)
        #expect(parsed(text, maximumHeadBytes: 512) == ["POST / 1.1", "431"])
    }
}
