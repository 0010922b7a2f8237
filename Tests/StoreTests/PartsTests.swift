import ChatModel
import Testing

@testable import Store

@Suite("Small parts")
struct PartsTests {
    /// Source: xxHash 0.8, `xxhsum -H64` of the same bytes.
    @Test(
        "a hash is XXH64",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)])
    func bodyHash(_ text: String, _ hash: UInt64) {
        #expect(UInt64(bitPattern: XXHash.of(Array(text.utf8))) == hash)
    }

    @Test("bodies of every length up to 100 bytes have hashes of their own")
    func hashLengths() {
        let hashes = (0...100).map { XXHash.of([UInt8](repeating: 1, count: $0)) }
        #expect(Set(hashes).count == 101)
    }

    @Test("ids rise within a millisecond, past its 4096, and when the clock stands still or steps back")
    func sequencer() throws {
        let fixture = try Fixture()
        let wall = fixture.clock.clock.wallMilliseconds()
        let ids = try fixture.store.writeAndWait { store throws(StoreError) in
            var sequencer = try Sequencer(store.connection)
            return (0..<10_000).map { sequencer.nextID(at: $0 == 5_000 ? wall - 1_000 : wall).rawValue }
        }
        #expect(ids == Array(Set(ids)).sorted())
        #expect(ids.allSatisfy { $0 > 0 })
        #expect(MessageID(rawValue: ids[0]).milliseconds == wall)
        #expect(MessageID(rawValue: ids[9_999]).milliseconds == wall + 2)
    }

    @Test("ids and change numbers go on above what a killed server gave")
    func reservation() throws {
        let fixture = try Fixture()
        let wall = fixture.clock.clock.wallMilliseconds()
        let (given, next) = try fixture.store.writeAndWait { store throws(StoreError) in
            var before = try Sequencer(store.connection)
            let given = (before.nextID(at: wall).rawValue, before.nextChange())
            try before.reserve(store.connection)
            let more = (before.nextID(at: wall).rawValue, before.nextChange())
            try before.reserve(store.connection)
            var after = try Sequencer(store.connection)
            #expect(given.0 < more.0 && given.1 < more.1)
            return (more, (after.nextID(at: wall - 1_000_000).rawValue, after.nextChange()))
        }
        #expect(next.0 > given.0 && next.1 > given.1)
    }

    @Test("a histogram's percentiles are within an eighth", arguments: [1, 7, 8, 100, 1_000, 123_456, 10_000_000])
    func histogram(_ value: Int64) {
        var histogram = Histogram()
        for _ in 0..<99 { histogram.add(value) }
        histogram.add(value * 100)
        let middle = histogram.percentile(0.5)
        #expect(middle >= value && middle <= value + value / 8)
        #expect(histogram.percentile(1) == value * 100 && histogram.most == value * 100 && histogram.total == 100)
    }
}
