import ChatModel
import Testing

@testable import MessageLog

@Suite("Content of records") struct LogEntryTests {
    private func record(_ entry: LogEntry) throws -> LogRecord {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        try log.append([try LogFixture.batch([entry])])
        return try #require(try LogFixture.recovered(disk).records.first)
    }

    @Test("any entry is read as it was written", arguments: 1...200)
    func roundTrip(_ seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        let entry = LogFixture.anyEntry(&random)
        #expect(try LogEntry(try self.record(entry)) == entry)
    }

    @Test("a payload that ends early or goes on is not understood", arguments: 1...20)
    func cut(_ seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        var record = try self.record(LogFixture.anyEntry(&random))
        let whole = record.payload
        for count in 0..<whole.count {
            record.payload = Array(whole[..<count])
            #expect(throws: LogError.self) { try LogEntry(record) }
        }
        record.payload = whole + [0]
        #expect(throws: LogError.self) { try LogEntry(record) }
    }

    @Test("the bytes of a message are these")
    func golden() throws {
        var message = LogFixture.message(2, in: 300, body: "hi")
        message.clientToken = ClientToken([0xAA, 0xBB])
        let payload = try self.record(.message(message)).payload
        let expected: [UInt8] =
            [0x12]  // it has a client token, and its sender is a member
            + [0xAC, 0x02]  // conversation 300
            + [0x02]  // sequence
            + [0x82, 0x92, 0xF4, 0x01]  // id 4000002: seven bits a byte, the lowest first
            + [0x03]  // sender
            + [0x82, 0xA0, 0xF1, 0xC2, 0xB1, 0x34]  // sent at 1800000000002
            + [0x00]  // the wall clock is the same
            + [0x01]  // kind -1
            + [0x02]  // flags: counts as unread
            + [0x02]  // countable
            + [UInt8(WireFormat.native.rawValue)]
            + [0x00]  // does not expire
            + [0xB0, 0xA3, 0xE8, 0x5A, 0x99, 0x2A, 0xFE, 0x5A]  // hash of the body
            + [0x02, 0xAA, 0xBB]  // client token
            + [0x02, 0x68, 0x69]  // body
        #expect(payload == expected)
    }

    @Test("a record that is too large is refused, and leaves nothing in the batch")
    func tooLarge() throws {
        var batch = try LogFixture.batch(LogFixture.messages(1...1))
        let before = batch.loggedBytes
        let body = String(repeating: "x", count: LogFormat.maximumPayloadBytes)
        #expect(throws: LogError.self) { try batch.add(LogFixture.message(2, body: body)) }
        #expect(batch.count == 1 && batch.loggedBytes == before)
        try batch.add(LogFixture.message(2))
        let disk = SimulatedDisk()
        try LogFixture.opened(disk).append([batch])
        #expect(try LogFixture.entries(try LogFixture.recovered(disk)) == LogFixture.messages(1...2))
    }
}
