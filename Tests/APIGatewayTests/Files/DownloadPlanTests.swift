import Testing

@testable import APIGateway

@Suite("Downloads: ranges, tags and conditions")
struct DownloadPlanTests {
    @Test(
        "one range of 1,000 bytes",
        arguments: [
            ("bytes=0-0", ByteRange.part(0..<1)), ("bytes=0-999", .part(0..<1000)), ("bytes=0-", .part(0..<1000)),
            ("bytes=999-", .part(999..<1000)), ("bytes=500-5000", .part(500..<1000)), ("bytes=-1", .part(999..<1000)),
            ("bytes=-1000", .part(0..<1000)), ("bytes=-99999", .part(0..<1000)), ("BYTES=1-2", .part(1..<3)),
            (" bytes=1-2 ", .part(1..<3)), ("bytes=0-99999999999999999999999", .part(0..<1000)),
            ("bytes=1000-", .unsatisfiable), ("bytes=1000-1001", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=99999999999999999999999-", .unsatisfiable),
            ("bytes=2-1", .ignored), ("bytes=", .ignored), ("bytes=-", .ignored), ("bytes=a-b", .ignored),
            ("bytes=1-2-3", .ignored), ("bytes=0-1,3-4", .ignored), ("bytes=0-,0-,0-", .ignored),
            ("bytes 0-1", .ignored),
            ("items=0-1", .ignored), ("", .ignored), ("bytes=+1-2", .ignored), ("bytes=1 - 2", .ignored),
            ("bytes=--1", .ignored), ("bytes=0x1-2", .ignored),
        ])
    func ranges(_ field: String, _ range: ByteRange) {
        #expect(ByteRange.read(field, size: 1000) == range)
    }

    @Test("no range of nothing can be had")
    func empty() {
        for field in ["bytes=0-", "bytes=0-0", "bytes=-1"] {
            #expect(ByteRange.read(field, size: 0) == .unsatisfiable)
        }
    }

    @Test("entity tags are read strictly")
    func tags() {
        #expect(EntityTag(field: "\"a\"") == EntityTag("a"))
        #expect(EntityTag(field: " W/\"a\" ") == EntityTag("a", isWeak: true))
        for wrong in ["a", "\"a", "a\"", "\"a\"b", "w/\"a\"", "*", ""] { #expect(EntityTag(field: wrong) == nil) }
        #expect(EntityTag("a-gz").field == "\"a-gz\"")
        #expect(EntityTag.List([]) == nil)
        #expect(EntityTag.List(["*"]) == .any)
        #expect(
            EntityTag.List(["\"a\" , W/\"b\"", "\"c,d\""])
                == .tags([EntityTag("a"), EntityTag("b", isWeak: true), EntityTag("c,d")]))
        #expect(EntityTag.List(["\"a\", nonsense, \"b\""]) == .tags([EntityTag("a")]))
        let many = (0..<200).map { "\"\($0)\"" }.joined(separator: ",")
        guard case .tags(let read)? = EntityTag.List([many]) else { return #expect(Bool(false)) }
        #expect(read.count == EntityTag.List.maximumCount)
    }

    @Test(
        "gzip is sent to who takes it",
        arguments: [
            ([], false), (["gzip"], true), (["deflate, GZip;q=0.5"], true), (["x-gzip"], true), (["*"], true),
            (["br", "gzip"], true), (["gzip;q=0"], false), (["gzip; q=0.000, *"], false), (["*;q=0"], false),
            (["identity"], false), ([""], false), (["gzip;q=0.001"], true), (["br, deflate"], false),
        ])
    func codings(_ fields: [String], _ takes: Bool) {
        #expect(AcceptedCoding.takesGzip(fields) == takes)
    }

    typealias Wishes = DownloadPlan.Wishes
    static let plain = EntityTag("h")
    static let gzip = EntityTag("h-gz")

    static func plan(_ wishes: Wishes, hasGzip: Bool = true, size: Int64 = 1000) -> DownloadPlan {
        DownloadPlan.make(DownloadPlan.Content(hash: "h", size: size, hasGzip: hasGzip), wishes)
    }

    @Test("without wishes the content as it is; with gzip the stored bytes, if they are gzip")
    func whole() {
        #expect(Self.plan(Wishes()) == .whole(Self.plain))
        #expect(Self.plan(Wishes(acceptEncoding: ["gzip"])) == .stored(Self.gzip))
        #expect(Self.plan(Wishes(acceptEncoding: ["gzip"]), hasGzip: false) == .whole(Self.plain))
        #expect(Self.plan(Wishes(isHead: true, acceptEncoding: ["gzip"])) == .stored(Self.gzip))
    }

    @Test("any range means the content as it is")
    func rangeMeansIdentity() {
        let both = Wishes(range: ["bytes=1-2"], acceptEncoding: ["gzip"])
        #expect(Self.plan(both) == .part(1..<3, Self.plain))
        #expect(Self.plan(Wishes(range: ["bytes=0-1,3-4"], acceptEncoding: ["gzip"])) == .whole(Self.plain))
        #expect(Self.plan(Wishes(range: ["bytes=1-2", "bytes=3-4"])) == .whole(Self.plain))
        #expect(Self.plan(Wishes(range: ["bytes=1000-"])) == .unsatisfiable)
        #expect(Self.plan(Wishes(isHead: true, range: ["bytes=1-2"])) == .whole(Self.plain))
        #expect(Self.plan(Wishes(isHead: true, range: ["bytes=1-2"], acceptEncoding: ["gzip"])) == .stored(Self.gzip))
    }

    @Test("If-None-Match knows both names, each for what would be sent")
    func notModified() {
        #expect(Self.plan(Wishes(ifNoneMatch: ["\"h\""])) == .notModified(Self.plain))
        #expect(Self.plan(Wishes(ifNoneMatch: ["\"x\", W/\"h\""])) == .notModified(Self.plain))
        #expect(Self.plan(Wishes(ifNoneMatch: ["*"])) == .notModified(Self.plain))
        #expect(Self.plan(Wishes(ifNoneMatch: ["\"h-gz\""], acceptEncoding: ["gzip"])) == .notModified(Self.gzip))
        #expect(Self.plan(Wishes(ifNoneMatch: ["\"h\""], acceptEncoding: ["gzip"])) == .stored(Self.gzip))
        #expect(Self.plan(Wishes(ifNoneMatch: ["\"h-gz\""])) == .whole(Self.plain))
        #expect(Self.plan(Wishes(ifNoneMatch: ["\"x\""])) == .whole(Self.plain))
        #expect(Self.plan(Wishes(ifNoneMatch: ["\"h\""], range: ["bytes=1-2"])) == .notModified(Self.plain))
    }

    @Test("If-Match takes strong tags only, and comes first")
    func ifMatch() {
        #expect(Self.plan(Wishes(ifMatch: ["\"h\""])) == .whole(Self.plain))
        #expect(Self.plan(Wishes(ifMatch: ["\"h-gz\""])) == .whole(Self.plain))
        #expect(Self.plan(Wishes(ifMatch: ["*"])) == .whole(Self.plain))
        #expect(Self.plan(Wishes(ifMatch: ["W/\"h\""])) == .changed)
        #expect(Self.plan(Wishes(ifMatch: ["\"x\""], ifNoneMatch: ["\"h\""])) == .changed)
        #expect(Self.plan(Wishes(ifMatch: [""])) == .changed)
    }

    @Test("If-Range: the part while it is still this content, otherwise all of it")
    func ifRange() {
        #expect(Self.plan(Wishes(ifRange: "\"h\"", range: ["bytes=5-"])) == .part(5..<1000, Self.plain))
        for other in ["\"x\"", "W/\"h\"", "\"h-gz\"", "Sat, 21 Nov 2026 07:00:00 GMT", ""] {
            #expect(Self.plan(Wishes(ifRange: other, range: ["bytes=5-"])) == .whole(Self.plain), "\(other)")
            #expect(Self.plan(Wishes(ifRange: other, range: ["bytes=5000-"])) == .whole(Self.plain), "\(other)")
        }
        #expect(Self.plan(Wishes(ifRange: "\"x\"")) == .whole(Self.plain))
    }
}
