import ChatModel
import Testing

@testable import MessageLog

/// A torn end is told from damage, and neither is ever taken for a message.
@Suite("Reading the log at a start") struct LogRecoveryTests {
    /// A log of groups of three, two, one, two messages; a group is a page.
    private static let groups: [ClosedRange<Int64>] = [1...3, 4...5, 6...6, 7...8]

    private func log() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        for group in Self.groups { try log.append([try LogFixture.batch(LogFixture.messages(group))]) }
        return disk
    }

    /// Bytes of a page that are records.
    private func recordBytes(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.count - bytes.reversed().prefix { $0 == 0 }.count
    }

    @Test("every single flipped bit is damage that is named, or an end that is torn", arguments: 0..<4)
    func flippedBits(_ group: Int) throws {
        let disk = try self.log()
        let whole = disk["segment-0"]
        let page = group * LogFormat.pageBytes
        let count = self.recordBytes(whole[page..<page + LogFormat.pageBytes])
        #expect(count > LogFormat.headerBytes)
        for bit in 0..<(8 * count) {
            var bytes = whole
            bytes[page + bit / 8] ^= 1 << UInt8(bit % 8)
            disk["segment-0"] = bytes
            do throws(LogError) {
                let found = try LogFixture.entries(try LogFixture.recovered(disk))
                // Only the last group can have been torn: what is before it is all there, and nothing else is.
                #expect(group == 3, "bit \(bit) was not noticed")
                #expect(found == Array(LogFixture.messages(1...8).prefix(found.count)))
                #expect((6..<8).contains(found.count), "bit \(bit) was not noticed")
            } catch {
                #expect(group < 3, "bit \(bit): \(error)")
                switch error {
                case .damaged(let position, _, let later):
                    #expect(group > 0 || position > 1)
                    #expect(Self.groups[group].contains(Int64(position)))
                    #expect(later == 3 - group)
                case .gap(let applied, let first): #expect(group == 0 && applied == 0 && first == 4)
                case .full, .failed, .segmentLost, .foreign, .newerThanDatabase, .unreadable, .tooLarge:
                    Issue.record("bit \(bit): \(error)")
                }
            }
        }
    }

    @Test("a flipped bit between the records changes nothing")
    func flippedPadding() throws {
        let disk = try self.log()
        let whole = disk["segment-0"]
        for page in 0..<4 {
            var bytes = whole
            bytes[(page + 1) * LogFormat.pageBytes - 1] ^= 0x40
            disk["segment-0"] = bytes
            #expect(try LogFixture.entries(try LogFixture.recovered(disk)) == LogFixture.messages(1...8))
        }
    }

    @Test("damage says where it is and how much follows")
    func namesDamage() throws {
        let disk = try self.log()
        disk["segment-0"][LogFormat.pageBytes + 50] ^= 1
        let place = LogPlace(segment: "segment-0", offset: 3 * 120)
        do throws(LogError) {
            _ = try LogFixture.recovered(disk)
            Issue.record("not noticed")
        } catch {
            guard case .damaged(4, let at?, 2) = error else { throw error }
            #expect(at.segment == place.segment && at.offset < LogFormat.pageBytes)
            #expect(error.description.contains("record 4") && error.description.contains("2 later groups"))
        }
    }

    @Test("who accepts damage gets what is before it, and is told of it")
    func accepted() throws {
        let disk = try self.log()
        disk["segment-0"][2 * LogFormat.pageBytes + 50] ^= 1
        let found = try LogFixture.recovered(disk, accepting: true)
        #expect(try LogFixture.entries(found) == LogFixture.messages(1...5))
        #expect(found.damage != nil)
    }

    @Test("a last group that is not whole is a torn end", arguments: [3 * 4_096 + 8, 3 * 4_096 + 60, 3 * 4_096 + 150])
    func torn(_ cut: Int) throws {
        let disk = try self.log()
        let whole = disk["segment-0"]
        disk["segment-0"] = Array(whole[..<cut]) + [UInt8](repeating: 0, count: whole.count - cut)
        let found = try LogFixture.recovered(disk)
        #expect(found.records.count == (cut > 3 * 4_096 + 130 ? 7 : 6))
        #expect(found.damage == nil)
    }

    @Test("what is torn inside a page is told with its place")
    func tornPlace() throws {
        let disk = try self.log()
        let end = 3 * LogFormat.pageBytes + self.recordBytes(disk["segment-0"][(3 * LogFormat.pageBytes)...])
        disk["segment-0"][end - 1] ^= 1
        let found = try LogFixture.recovered(disk)
        #expect(found.records.count == 7)
        #expect(found.tornAt?.segment == "segment-0")
        #expect((3 * LogFormat.pageBytes..<end).contains(found.tornAt?.offset ?? 0))
    }

    @Test("a segment that is gone, or has another length, is a loss", arguments: ["gone", "short", "long"])
    func lostSegment(_ how: String) throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        for sequence in 1...10 as ClosedRange<Int64> {
            try log.append([try LogFixture.batch(LogFixture.messages(sequence...sequence))])
        }
        switch how {
        case "gone": try disk.remove("segment-1")
        case "short": disk["segment-1"].removeLast()
        default: disk["segment-1"].append(0)
        }
        #expect(throws: LogError.segmentLost(name: "segment-1")) { try LogFixture.recovered(disk) }
        var owner = LogFixture.owner
        owner.run = 1
        let accepting = try SegmentedLog(
            disk, owner: owner, applied: 0, acceptsDamage: true, sizes: LogFixture.sizes)
        #expect(accepting.recovered.records.count >= 4)
        // The files begin anew, once what was found is in the database.
        #expect(disk.names().contains("segment-0"))
        try accepting.beginRun(2, after: UInt64(accepting.recovered.records.count))
        #expect(disk.names().isEmpty)
    }

    @Test("the database knows how many segments there are")
    func fewerSegments() throws {
        let disk = SimulatedDisk()
        #expect(throws: LogError.segmentLost(name: "segment-0")) {
            try SegmentedLog(disk, owner: LogFixture.owner, applied: 0, expectedSegments: 1, sizes: LogFixture.sizes)
        }
    }

    @Test("the log of another database, or of one that was restored, is refused")
    func foreign() throws {
        let disk = try self.log()
        var other = LogFixture.owner
        other.storeID += 1
        #expect(throws: LogError.self) {
            try SegmentedLog(disk, owner: other, applied: 0, acceptsDamage: true, sizes: LogFixture.sizes)
        }
        var restored = LogFixture.owner
        restored.epoch += 1
        #expect(throws: LogError.foreign(found: LogFixture.owner, at: LogPlace(segment: "segment-0", offset: 0))) {
            try SegmentedLog(disk, owner: restored, applied: 0, sizes: LogFixture.sizes)
        }
    }

    @Test("a database that is older than the log is refused")
    func olderDatabase() throws {
        let disk = try self.log()
        #expect(throws: LogError.newerThanDatabase(run: 1, at: LogPlace(segment: "segment-0", offset: 0))) {
            try LogFixture.recovered(disk, run: 0)
        }
        // Of the same run, but its next records were written over.
        let log = try LogFixture.opened(SimulatedDisk())
        #expect(log.recovered.records.isEmpty)
        disk["segment-0"].replaceSubrange(..<4_096, with: [UInt8](repeating: 0, count: 4_096))
        #expect(throws: LogError.gap(applied: 1, first: 4)) { try LogFixture.recovered(disk, applied: 1) }
        #expect(try LogFixture.recovered(disk, applied: 3).records.count == 5)
    }

    @Test("a body that spells a record is not taken for one")
    func forged() throws {
        // The forger knows everything, and has made a whole later group of one record.
        let source = SimulatedDisk()
        let forger = try LogFixture.opened(source, applied: 500)
        try forger.append([try LogFixture.batch(LogFixture.messages(1...1))])
        let forged = Array(source["segment-0"][..<LogFormat.pageBytes])
        let text = String(decoding: [UInt8](repeating: 0x61, count: 10), as: UTF8.self)
        var message = LogFixture.message(1, body: text)
        // Wherever the body begins, one of these lies at the start of a page.
        let probe = SimulatedDisk()
        try LogFixture.opened(probe).append([try LogFixture.batch([.message(message)])])
        let begins = try #require(
            probe["segment-0"][..<200].indices.first { probe["segment-0"][$0..<$0 + 10].allSatisfy { $0 == 0x61 } })
        message.body = [UInt8](repeating: 0x62, count: LogFormat.pageBytes - begins - 1) + forged + [1, 2, 3]
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        try log.append([try LogFixture.batch([.message(message)])])
        try log.append([try LogFixture.batch(LogFixture.messages(2...2))])
        // The count of the body has one byte more than that of the probe.
        #expect(disk["segment-0"][LogFormat.pageBytes..<LogFormat.pageBytes + 40].elementsEqual(forged[..<40]))
        let found = try LogFixture.entries(try LogFixture.recovered(disk))
        #expect(found == [.message(message)] + LogFixture.messages(2...2))
    }

    @Test("a record of a newer version is not passed over")
    func newerKind() throws {
        var record = try LogFixture.recovered(try self.log()).records[0]
        record.payload[0] = 0x80
        #expect(throws: LogError.self) { try LogEntry(record) }

        var batch = LogBatch()
        try batch.add(UnknownVersion())
        let disk = SimulatedDisk()
        try LogFixture.opened(disk).append([batch])
        var bytes = disk["segment-0"]
        bytes[39] = 200
        Self.setChecksum(&bytes, count: LogFormat.headerBytes + 1)
        disk["segment-0"] = bytes
        #expect(throws: LogError.self) { try LogFixture.recovered(disk) }
        #expect(try LogFixture.recovered(disk, applied: 1).records.isEmpty)
    }

    private struct UnknownVersion: LoggedContent {
        let kind = LogRecordKind.read
        func write(to fields: inout FieldWriter) { fields.byte(1) }
    }

    private static func setChecksum(_ bytes: inout [UInt8], count: Int) {
        let crc = bytes.withUnsafeBytes { CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: $0[4..<count])) }
        withUnsafeBytes(of: crc.bigEndian) { bytes.replaceSubrange(0..<4, with: $0) }
    }
}
