import ChatModel
import Testing

@testable import MessageLog

@Suite("Segments of the log") struct SegmentedLogTests {
    /// Appends one message at a time.
    private func fill(_ log: SegmentedLog, _ sequences: ClosedRange<Int64>) throws(LogError) {
        for sequence in sequences { try log.append([try LogFixture.batch([.message(LogFixture.message(sequence))])]) }
    }

    @Test("what was appended is found again, in order, and nothing that the database holds")
    func appended() throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        try log.append([
            try LogFixture.batch(LogFixture.messages(1...3)), try LogFixture.batch(LogFixture.messages(4...5)),
        ])
        try self.fill(log, 6...7)
        #expect(log.synced == 7)
        let found = try LogFixture.recovered(disk.copied())
        #expect(try LogFixture.entries(found) == LogFixture.messages(1...7))
        #expect(found.records.map(\.position) == Array(1...7))
        #expect(found.tornAt == nil && found.damage == nil)
        #expect(
            try LogFixture.entries(try LogFixture.recovered(disk.copied(), applied: 4)) == LogFixture.messages(5...7))
        #expect(try LogFixture.recovered(disk.copied(), applied: 7).records.isEmpty)
    }

    @Test("batches that come together are synced once")
    func oneSync() throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        try self.fill(log, 1...1)
        let before = disk.syncs
        try log.append([
            try LogFixture.batch(LogFixture.messages(2...3)), try LogFixture.batch(LogFixture.messages(4...4)),
        ])
        #expect(disk.syncs == before + 1)
    }

    @Test("a segment is as long as it will be when it is made, and full of zeros")
    func zeroFilled() throws {
        let disk = SimulatedDisk()
        try self.fill(try LogFixture.opened(disk), 1...1)
        let bytes = disk["segment-0"]
        #expect(bytes.count == LogFixture.sizes.segmentBytes)
        #expect(bytes[LogFormat.pageBytes...].allSatisfy { $0 == 0 })
        #expect(disk.names() == ["segment-0"])
    }

    @Test("a group goes on in the next segment, and is found whole")
    func acrossSegments() throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        let body = String(repeating: "b", count: 700)
        let entries = (1...60).map { LogEntry.message(LogFixture.message(Int64($0), body: "\($0) \(body)")) }
        try log.append([try LogFixture.batch(entries)])
        #expect(log.segmentCount > 2)
        #expect(try LogFixture.entries(try LogFixture.recovered(disk.copied())) == entries)
    }

    @Test("the largest record has room in a segment of the usual size")
    func largest() throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk, sizes: SegmentedLog.Sizes())
        let body = String(repeating: "x", count: LogFormat.maximumPayloadBytes - 100)
        for sequence in 1...7 as ClosedRange<Int64> {
            try log.append([try LogFixture.batch([.message(LogFixture.message(sequence, body: body))])])
        }
        #expect(log.segmentCount == 3)
        #expect(try LogFixture.recovered(disk.copied(), sizes: SegmentedLog.Sizes()).records.count == 7)
    }

    @Test("a segment is used again only after the commit that covers it")
    func usedAgain() throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        try self.fill(log, 1...16)
        #expect(log.segmentCount == 4)
        log.release(through: 3)
        #expect(throws: LogError.full) { try self.fill(log, 17...17) }
        #expect(throws: LogError.full) { try self.fill(log, 17...17) }
        #expect(log.synced == 16)

        // All of that was applied: a new run begins, and the files are used again.
        try log.beginRun(2, after: 16)
        try self.fill(log, 17...28)
        log.release(through: 20)
        try self.fill(log, 29...36)
        #expect(log.segmentCount == 4)
        let found = try LogFixture.recovered(disk.copied(), run: 2, applied: 20)
        #expect(try LogFixture.entries(found) == LogFixture.messages(21...36))
    }

    @Test("a tail within its bound always has room, whatever the sizes of its records", arguments: 1...4)
    func boundedTail(_ seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk, sizes: SegmentedLog.Sizes())
        var tail = LogTail(applied: 0)
        let bodies = [1_300_000, 1_300_000, 700_000, 9_000].map { [UInt8](repeating: 0x62, count: $0) }
        for sequence in 1...60 as ClosedRange<Int64> {
            var message = LogFixture.message(sequence)
            message.body = bodies[Int.random(in: 0..<bodies.count, using: &random)]
            let batch = try LogFixture.batch([.message(message)])
            while !tail.hasRoom(bytes: batch.loggedBytes, records: 1) {
                // As little as possible is applied.
                let applied = tail.applied + 1
                let rest = LogTail(applied: applied)
                for position in applied + 1..<tail.newest + 1 {
                    let kept = try #require(tail.message(at: MessagePlace(message.conversation, Int64(position))))
                    let bytes = try LogFixture.batch([.message(kept)]).loggedBytes
                    rest.add([.message(kept)], at: position, bytes: bytes)
                }
                tail = rest
                log.release(through: applied)
            }
            try log.append([batch])
            tail.add([.message(message)], at: UInt64(sequence), bytes: batch.loggedBytes)
        }
        #expect(log.synced == 60)
        #expect((5...LogFormat.maximumSegments).contains(log.segmentCount))
    }

    @Test("the first segment is made at a start, once")
    func first() throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        #expect(log.segmentCount == 0)
        try log.prepareFirst()
        try log.prepareFirst()
        #expect(log.segmentCount == 1 && disk.names() == ["segment-0"])
        try log.append([try LogFixture.batch([.message(LogFixture.message(1))])])
        #expect(log.segmentCount == 1)
        #expect(try LogFixture.recovered(disk).records.count == 1)
    }

    @Test("the next segment is made ahead, in a quiet moment, once")
    func spare() throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        try self.fill(log, 1...2)
        try log.prepareSpare()
        #expect(log.segmentCount == 1)
        try self.fill(log, 3...3)
        try log.prepareSpare()
        try log.prepareSpare()
        #expect(log.segmentCount == 2)
        try self.fill(log, 4...6)
        #expect(try LogFixture.entries(try LogFixture.recovered(disk.copied())) == LogFixture.messages(1...6))
    }

    @Test("nothing is left of a body after it was wiped, and the log goes on")
    func wiped() throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        try self.fill(log, 1...9)
        try log.wipe(applied: 9)
        for name in disk.names() { #expect(disk[name].allSatisfy { $0 == 0 }) }
        try self.fill(log, 10...12)
        #expect(
            try LogFixture.entries(try LogFixture.recovered(disk.copied(), applied: 9)) == LogFixture.messages(10...12))
        // Also what a former run left behind.
        let next = try LogFixture.opened(disk.copied(), run: 2, applied: 12)
        try next.wipe(applied: 12)
        #expect(next.usedBytes == 0)
    }

    @Test("what a former run left behind is never taken for what comes next")
    func formerRun() throws {
        // Four groups on a page each, of which nobody was told: the disk was full, or the power went.
        let disk = SimulatedDisk()
        try self.fill(try LogFixture.opened(disk), 1...4)
        // The next run gives their positions again, and writes over the first one only.
        let next = try LogFixture.opened(disk, run: 2)
        let new = [LogEntry.message(LogFixture.message(1, body: "another one"))]
        try next.append([try LogFixture.batch(new)])
        #expect(try LogFixture.entries(try LogFixture.recovered(disk, run: 2)) == new)
    }

    @Test(
        "when the disk fails at any call, what was called synced is there, and nothing is tried again",
        arguments: 1...60)
    func failing(_ call: Int) throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        disk.failure = (disk.calls + call, .failed("a test"))
        var error: LogError?
        do throws(LogError) { try self.fill(log, 1...16) } catch let failure { error = failure }
        let synced = log.synced
        let sought = disk.calls
        if let error {
            #expect(error == .failed("a test"))
            #expect(throws: LogError.failed("a test")) { try self.fill(log, 17...17) }
            #expect(throws: LogError.failed("a test")) { try log.beginRun(2, after: synced) }
            #expect(disk.calls == sought)
        }
        var random = SeededRandom(UInt64(call))
        let found = try LogFixture.entries(try LogFixture.recovered(disk.afterPowerCut(&random)))
        #expect(UInt64(found.count) >= synced)
        #expect(found == Array(LogFixture.messages(1...16).prefix(found.count)))
    }

    @Test("a disk without room refuses, and after the next run it goes on", arguments: 1...60)
    func full(_ call: Int) throws {
        let disk = SimulatedDisk()
        let log = try LogFixture.opened(disk)
        disk.failure = (disk.calls + call, .full)
        var isFull = false
        do throws(LogError) { try self.fill(log, 1...12) } catch { isFull = error == .full }
        let synced = log.synced
        disk.failure = nil
        if isFull { #expect(throws: LogError.full) { try self.fill(log, 13...13) } }
        // The database holds what was synced; another run begins, and the same positions are given again.
        try log.beginRun(2, after: synced)
        try self.fill(log, Int64(synced) + 1...Int64(synced) + 3)
        let found = try LogFixture.entries(try LogFixture.recovered(disk.copied(), run: 2, applied: synced))
        #expect(found == LogFixture.messages(Int64(synced) + 1...Int64(synced) + 3))
    }
}
