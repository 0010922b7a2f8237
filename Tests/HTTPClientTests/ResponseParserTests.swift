import Testing

@testable import HTTPClient

@Suite("Response parser")
struct ResponseParserTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var status = 200
        var body = "hello"
        var keeps = true
        var testDescription: String { self.name }
    }

    static let samples = [
        Sample(name: "length", text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        Sample(name: "no phrase, bare LF", text: "HTTP/1.1 200\nContent-Length:5\n\nhello"),
        Sample(
            name: "chunked",
            text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nX: y\r\n\r\n"),
        Sample(
            name: "interim before it",
            text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Yes\r\nContent-Length: 5\r\n\r\nhello", status: 202),
        Sample(
            name: "closing", text: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
            keeps: false),
        Sample(name: "HTTP/1.0", text: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", keeps: false),
        Sample(name: "no content", text: "HTTP/1.1 204 X\r\n\r\n", status: 204, body: ""),
        Sample(
            name: "redirect", text: "HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", status: 302, body: ""
        ),
        Sample(
            name: "both lengths",
            text: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            keeps: false),
    ]

    @Test("reads a response, cut at every byte", arguments: samples)
    func reads(sample: Sample) throws {
        let bytes = Array(sample.text.utf8)
        for cut in 1..<bytes.count {
            var parser = ResponseParser(host: "h", maximumBody: 100)
            #expect(try !parser.feed(Array(bytes[..<cut])))
            #expect(try parser.feed(Array(bytes[cut...])))
            #expect(parser.response.status == sample.status)
            #expect(String(decoding: parser.response.body, as: UTF8.self) == sample.body)
            #expect(parser.keepsConnection == sample.keeps)
        }
    }

    @Test("without a length, the end of the connection ends the body")
    func untilEnd() throws {
        var parser = ResponseParser(host: "h", maximumBody: 100)
        #expect(try !parser.feed(Array("HTTP/1.1 200 OK\r\n\r\nhel".utf8)))
        #expect(try !parser.feed(Array("lo".utf8)))
        try parser.end()
        #expect(parser.response.body == Array("hello".utf8))
        #expect(!parser.keepsConnection)
    }

    @Test(
        "an end in the middle is no response",
        arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
    func early(text: String) throws {
        var parser = ResponseParser(host: "h", maximumBody: 100)
        _ = try parser.feed(Array(text.utf8))
        #expect(throws: HTTPClientError.brokenOff(host: "h")) { try parser.end() }
    }

    @Test(
        "a body over the bound is cut, however its end is told",
        arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked", "X: y"])
    func cut(field: String) throws {
        var parser = ResponseParser(host: "h", maximumBody: 10)
        let chunk = field.hasPrefix("T") ? "3e8\r\n" : ""
        let text = "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n" + chunk + String(repeating: "x", count: 11)
        #expect(try parser.feed(Array(text.utf8)))
        #expect(parser.response.isCut)
        #expect(parser.response.body.count == 10)
        #expect(!parser.keepsConnection)
    }

    @Test(
        "refuses what is no HTTP",
        arguments: [
            "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 101 X\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "y", count: 17_000),
            String(repeating: "HTTP/1.1 100 X\r\n\r\n", count: 9),
        ])
    func refuses(text: String) {
        var parser = ResponseParser(host: "h", maximumBody: 100)
        #expect(throws: HTTPClientError.self) { try parser.feed(Array(text.utf8)) }
    }
}
