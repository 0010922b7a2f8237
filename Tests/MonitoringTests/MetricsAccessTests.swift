import Testing
import Transport

@testable import Monitoring

/// Access to metrics.
struct MetricsAccessTests {
    @Test(
        "a network holds its addresses, in the family of each",
        arguments: [
            ("127.0.0.0/8", "127.9.9.9", true), ("127.0.0.0/8", "128.0.0.1", false), ("::1", "::1", true),
            ("::1", "::2", false), ("192.168.1.5", "192.168.1.5", true), ("192.168.1.5", "192.168.1.6", false),
            ("10.1.2.0/23", "10.1.3.255", true), ("10.1.2.0/23", "10.1.4.0", false), ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false), ("fd00::/8", "fdab::1", true), ("fd00::/8", "fe80::1", false),
            ("127.0.0.1", "::ffff:127.0.0.1", true),
        ])
    func ranges(range: String, address: String, isInside: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(
        "what is no network is refused",
        arguments: [
            "", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/+8", "::/129", "10.0.0.0/8/8",
        ])
    func notRanges(text: String) { #expect(AddressRange(text) == nil) }

    @Test("without a token the address decides, with one the token alone")
    func verdicts() throws {
        let ranges = [try #require(AddressRange("127.0.0.0/8"))]
        let (near, far) = (try #require(IPAddress("127.0.0.1")), try #require(IPAddress("10.0.0.9")))
        let open = MetricsAccess(ranges: ranges)
        #expect(open.verdict(address: near, authorization: nil) == .allowed)
        #expect(open.verdict(address: far, authorization: nil) == .foreignAddress)
        let closed = MetricsAccess(ranges: ranges, token: Array("0123456789abcdef".utf8))
        #expect(closed.verdict(address: near, authorization: nil) == .badToken)
        for wrong in [
            "Bearer", "Bearer ", "Bearer 0123456789abcdeX", "Bearer 0123456789abcde", "Basic 0123456789abcdef",
        ] {
            #expect(closed.verdict(address: near, authorization: wrong) == .badToken)
        }
        #expect(closed.verdict(address: far, authorization: "Bearer 0123456789abcdef") == .allowed)
        #expect(closed.verdict(address: far, authorization: "bearer  0123456789abcdef ") == .allowed)
    }
}
