import ChatModel
import Testing

@testable import MessageLog

/// Power cuts at any place of a random life of the log: what was acknowledged and is not in the database is found again.
@Suite("Power cuts") struct PowerCutTests {
    /// A fault on purpose, which the proof has to notice.
    enum Fault { case none, syncedBeforeItIs, usedAgainTooEarly, wipedTooEarly }

    /// The log, and a database that holds what was applied.
    private struct Life {
        var disk = SimulatedDisk()
        var log: SegmentedLog
        var run: UInt32 = 1
        /// Everything that was acknowledged, by position.
        var acknowledged: [LogEntry] = []
        /// Acknowledged, or on its way when the power went.
        var known: [LogEntry] = []
        /// The database's commit covers everything up to here.
        var applied: UInt64 = 0
        let fault: Fault

        init(_ fault: Fault) throws(LogError) {
            self.fault = fault
            self.log = try LogFixture.opened(self.disk)
            self.disk.liesAboutSync = fault == .syncedBeforeItIs
        }

        mutating func append(_ random: inout SeededRandom) throws(LogError) {
            let count = Int64.random(in: 1...6, using: &random)
            let first = Int64(self.known.count) + 1
            let entries = (first..<first + count).map { sequence in
                let body = String(repeating: "b", count: Int.random(in: 0...1_500, using: &random))
                return LogEntry.message(LogFixture.message(sequence, body: "\(self.run) \(sequence) \(body)"))
            }
            self.known += entries
            do throws(LogError) {
                try self.log.append([try LogFixture.batch(entries)])
            } catch {
                // The tail is full: it is applied first, as the writer does.
                guard error == .full else { throw error }
                self.known = self.acknowledged
                self.applied = UInt64(self.acknowledged.count)
                self.run += 1
                try self.log.beginRun(self.run, after: self.applied)
                return
            }
            self.acknowledged = self.known
        }

        mutating func apply(_ random: inout SeededRandom) {
            let newest = UInt64(self.acknowledged.count)
            guard newest > self.applied else { return }
            if self.fault == .usedAgainTooEarly {
                self.log.release(through: newest)
            } else {
                self.applied = UInt64.random(in: self.applied...newest, using: &random)
                self.log.release(through: self.applied)
            }
        }

        mutating func wipe() throws(LogError) {
            if self.fault != .wipedTooEarly { self.applied = UInt64(self.acknowledged.count) }
            try self.log.wipe(applied: UInt64(self.acknowledged.count))
        }

        /// The power goes and comes back.
        ///
        /// - Returns: what is wrong; `nil` when everything is right.
        mutating func cut(_ random: inout SeededRandom) -> String? {
            self.disk = self.disk.afterPowerCut(&random)
            var owner = LogFixture.owner
            owner.run = self.run
            do throws(LogError) {
                let log = try SegmentedLog(self.disk, owner: owner, applied: self.applied, sizes: LogFixture.sizes)
                let found = try LogFixture.entries(log.recovered)
                let all = self.known[..<Int(self.applied)] + found
                guard all.count >= self.acknowledged.count else { return "lost \(self.acknowledged.count - all.count)" }
                guard all.count <= self.known.count, Array(all) == Array(self.known[..<all.count]) else {
                    return "found what was not written there"
                }
                // Applied, committed, and on with the next run.
                self.acknowledged = Array(all)
                self.known = self.acknowledged
                self.applied = UInt64(all.count)
                self.run += 1
                try log.beginRun(self.run, after: self.applied)
                self.log = log
                self.disk.liesAboutSync = self.fault == .syncedBeforeItIs
                return nil
            } catch {
                return "\(error)"
            }
        }
    }

    /// - Returns: what is wrong; `nil` when everything is right.
    private static func live(_ seed: UInt64, _ fault: Fault = .none) throws(LogError) -> String? {
        var random = SeededRandom(seed)
        var life = try Life(fault)
        for _ in 0..<60 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<13: try life.append(&random)
            case 13..<16: life.apply(&random)
            case 16: if fault == .none || fault == .wipedTooEarly { try life.wipe() }
            case 17: try life.log.prepareSpare()
            default: if let wrong = life.cut(&random) { return wrong }
            }
        }
        // In the middle of a write.
        life.disk.failure = (life.disk.calls + Int.random(in: 1...3, using: &random), .failed("the power goes"))
        try? life.append(&random)
        return life.cut(&random)
    }

    @Test("nothing that was acknowledged is lost, and nothing else is found", arguments: 1...300)
    func lives(_ seed: Int) throws { #expect(try Self.live(UInt64(seed)) == nil) }

    @Test(
        "the proof notices a log that breaks the promise",
        arguments: [Fault.syncedBeforeItIs, .usedAgainTooEarly, .wipedTooEarly])
    func notices(_ fault: Fault) throws {
        let wrong = try (1...40).filter { try Self.live(UInt64($0), fault) != nil }
        #expect(wrong.count > 5)
    }
}
