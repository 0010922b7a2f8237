import Testing
import Transport

@testable import HTTPClient

@Suite("What a download and its addresses are held to")
struct BlockingHTTPClientTests {
    @Test("a body that is taken out piece by piece is counted as one")
    func pieces() throws {
        var parser = ResponseParser(host: "h", maximumBody: 8)
        var ends: [Bool] = []
        var pieces: [String] = []
        for text in ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "def", "ghij"] {
            let isComplete = try parser.feed(Array(text.utf8))
            let piece = parser.takePiece()
            ends.append(isComplete)
            pieces.append(String(decoding: piece, as: UTF8.self))
        }
        #expect(ends == [false, false, true])
        #expect(pieces == ["abc", "def", "gh"])
        #expect(parser.response.isCut && parser.response.status == 200)
    }

    @Test(
        "addresses that somebody else wrote are public ones; what may not cross the internet stays in private ones",
        arguments: [
            ("127.0.0.1", false), ("10.1.2.3", false), ("192.168.0.9", false), ("::1", false), ("fd00::9", false),
            ("64:ff9b::a00:1", false), ("8.8.8.8", true), ("2606:4700::1", true),
        ])
    func reach(_ text: String, _ isPublic: Bool) throws {
        let address = try #require(IPAddress(text))
        #expect((AddressRule.publicAddresses.refusal(of: address, port: 80) == nil) == isPublic)
        #expect((AddressRule.privateAddresses.refusal(of: address, port: 80) == nil) == !isPublic)
        #expect(AddressRule().refusal(of: address, port: 80) == nil)
    }

    @Test("metadata services are refused to everybody")
    func metadata() throws {
        let address = try #require(IPAddress("169.254.169.254"))
        for rule in [AddressRule(), .publicAddresses, .privateAddresses] {
            #expect(rule.refusal(of: address, port: 80) != nil)
        }
    }

    @Test("what waits ends when it is cancelled, at once and for good")
    func cancelled() {
        let cancellation = HTTPCancellation()
        #expect(!cancellation.isCancelled && !cancellation.wait(milliseconds: 1))
        cancellation.cancel()
        #expect(cancellation.wait(milliseconds: 60_000) && cancellation.isCancelled)
    }
}
