import ChatModel
import Execution
import HTTPClient
import Store
import Testing

@testable import Profiles

@Suite("The memory of profiles")
struct ProfileCacheTests {
    private let start = Instant(nanoseconds: 0)
    private var later: Instant { self.start.advanced(byMilliseconds: 1_000) }

    private func value(_ name: String, bytes: Int = 0) -> ProfileValue {
        .person(
            KnownPerson(
                user: nil, info: ProfileInfo(name: UserName(name)!, attributes: [UInt8](repeating: 0, count: bytes)),
                source: .table, fetched: nil))
    }

    private func key(_ number: Int) -> ProfileKey { .person(UserName("p\(number)")!) }

    @Test("holds its bound of entries, and keeps what is used")
    func entries() {
        var cache = ProfileCache(maximumEntries: 10, maximumBytes: 1 << 20)
        for number in 0..<1_000 {
            cache.set(self.key(number), self.value("p\(number)"), at: self.start, until: self.later)
            #expect(cache.count <= 10)
            if number > 0 {
                // Somebody looks at the first one all the time.
                let first = cache.fresh(self.key(0), at: self.start)
                #expect(first != nil)
            }
        }
        #expect(cache.count == 10 && cache.evicted == 990)
    }

    @Test("holds its bound of bytes, and takes nothing that is over it alone")
    func bytes() {
        var cache = ProfileCache(maximumEntries: 1_000, maximumBytes: 20_000)
        for number in 0..<200 {
            cache.set(self.key(number), self.value("p\(number)", bytes: 16 * number), at: self.start, until: self.later)
            #expect(cache.bytes <= 20_000)
        }
        #expect(cache.count > 1)
        let before = cache.count
        cache.set(self.key(777), self.value("p777", bytes: 20_001), at: self.start, until: self.later)
        #expect(cache.entry(self.key(777)) == nil && cache.count == before)
        for number in 0..<200 { cache.remove(self.key(number)) }
        #expect(cache.bytes == 0 && cache.count == 0)
    }

    @Test("what is out of date is not good, and still there")
    func fresh() {
        var cache = ProfileCache(maximumEntries: 10, maximumBytes: 1 << 20)
        cache.set(self.key(1), self.value("p1"), at: self.start, until: self.later)
        let good = cache.fresh(self.key(1), at: Instant(nanoseconds: self.later.nanoseconds - 1))
        let old = cache.fresh(self.key(1), at: self.later)
        #expect(good != nil && old == nil)
        #expect(cache.entry(self.key(1)) != nil)
    }

    @Test("the service as a whole stays within its bounds")
    func bounds() throws {
        let rig = try Rig {
            $0.cacheEntries = 50
            $0.cacheBytes = 20_000
        }
        for round in 0..<20 {
            _ = rig.ask((0..<30).map { "person \(round) \($0)" }, by: "juliet", in: rig.group).value
            let metrics = rig.profiles.metrics
            #expect(metrics.entries <= 50 && metrics.bytes <= 20_000)
        }
        #expect(rig.profiles.metrics.evicted > 500)
        // More than fit at once are all answered.
        #expect(rig.ask((0..<500).map { "other \($0)" }).value.allSatisfy { !$0.isPlaceholder })
    }
}

@Suite("Times of answers")
struct LatencyHistogramTests {
    @Test("mean, and the bound that 99 of 100 are below")
    func metrics() {
        var histogram = LatencyHistogram()
        #expect(histogram.mean == 0 && histogram.p99 == 0)
        for _ in 0..<99 { histogram.add(microseconds: 900) }
        #expect(histogram.p99 == 1_024 && histogram.mean == 900)
        histogram.add(microseconds: 3_000_000)
        #expect(histogram.p99 == 1_024)
        histogram.add(microseconds: 3_000_000)
        #expect(histogram.p99 == 4_194_304)
        histogram.add(microseconds: .max / 2)
        #expect(histogram.p99 >= 4_194_304)
    }
}

@Suite("News from another user system")
struct WebhookSignatureTests {
    private let secret = Array("a secret of the two".utf8)
    private let body = Array(#"{"ids":["romeo"]}"#.utf8)

    private func signed(_ seconds: Int64) -> String {
        RequestSignature.text(secret: self.secret, unixSeconds: seconds, body: self.body)
    }

    private func verdict(
        _ value: String?, body: [UInt8]? = nil, secret: [UInt8]? = nil, now: Int64 = 1_000
    ) -> WebhookSignature.Verdict {
        WebhookSignature.check(value, body: body ?? self.body, secret: secret ?? self.secret, nowUnixSeconds: now)
    }

    @Test("is genuine within the window")
    func genuine() {
        #expect(self.verdict(self.signed(1_000)) == .genuine)
        #expect(self.verdict(self.signed(1_000), now: 1_300) == .genuine)
        #expect(self.verdict(self.signed(1_300)) == .genuine)
        #expect(self.verdict(self.signed(1_000).replacing(",v1", with: ", v0=old, v1")) == .genuine)
        #expect(self.verdict(self.signed(1_000).uppercasedDigits) == .genuine)
    }

    @Test("is too old, or from the future, outside of it")
    func window() {
        #expect(self.verdict(self.signed(1_000), now: 1_301) == .outsideWindow)
        #expect(self.verdict(self.signed(1_301)) == .outsideWindow)
    }

    @Test("is forged with another body, secret or time")
    func forged() {
        let value = self.signed(1_000)
        #expect(self.verdict(value, body: self.body + [0x20]) == .forged)
        #expect(self.verdict(value, secret: Array("another secret of two".utf8)) == .forged)
        #expect(self.verdict(value.replacing("t=1000", with: "t=1001")) == .forged)
        #expect(self.verdict("t=1000,v1=" + String(repeating: "0", count: 64)) == .forged)
    }

    @Test(
        "is no signature at all",
        arguments: [
            nil, "", "t=1000", "v1=00", "t=x,v1=00", "t=,v1=00", "t=-5,v1=00", "t=1000,t=1000,v1=00",
            "t=9999999999999999999,v1=00", String(repeating: "t", count: 300),
        ])
    func malformed(_ value: String?) {
        #expect(self.verdict(value) == .malformed)
        if let value { #expect(self.verdict("v1=\(String(repeating: "é", count: 32)),\(value)") != .genuine) }
    }
}

extension String {
    /// The digest in upper case.
    fileprivate var uppercasedDigits: String {
        let parts = self.split(separator: "=").map(String.init)
        return parts.dropLast().joined(separator: "=") + "=" + parts.last!.uppercased()
    }
}
