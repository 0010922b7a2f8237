import Execution
import Testing

@testable import MessageLog

@Suite("The thread of the log") struct LogThreadTests {
    /// Outcomes in the order in which they were told.
    private final class Told: Sendable {
        let outcomes = ConditionLock<[(number: Int, error: LogError?)]>([])

        func note(_ number: Int) -> @Sendable (LogThread.Outcome) -> Void {
            { outcome in
                let error: LogError? = if case .failure(let error) = outcome { error } else { nil }
                self.outcomes.change { $0.append((number, error)) }
            }
        }

        func wait(for count: Int) -> [(number: Int, error: LogError?)] {
            self.outcomes.wait(until: { $0.count >= count }, then: { $0 })
        }
    }

    /// Gate before every sync of a disk.
    private final class Gate: Sendable {
        private let state = ConditionLock((reached: false, open: false))

        init(_ disk: SharedDisk) {
            disk.disk.beforeSync = { [state] in
                state.change { $0.reached = true }
                state.wait(until: { $0.open }, then: { _ in })
            }
        }

        func waitUntilReached() { self.state.wait(until: { $0.reached }, then: { _ in }) }

        func open() { self.state.change { $0.open = true } }
    }

    private func batch(_ sequence: Int64) throws -> LogBatch {
        try LogFixture.batch(LogFixture.messages(sequence...sequence))
    }

    /// A thread whose disk is shared with the test; the test touches it only while the thread is idle or stopped.
    private func started(_ disk: SharedDisk, sizes: SegmentedLog.Sizes = SegmentedLog.Sizes()) throws -> LogThread {
        var owner = LogFixture.owner
        owner.run = 0
        let log = try SegmentedLog(disk.disk, owner: owner, applied: 0, sizes: sizes)
        try log.beginRun(1, after: 0)
        return LogThread(log)
    }

    /// SAFETY: the test looks at the disk only when nobody writes.
    private final class SharedDisk: @unchecked Sendable {
        nonisolated(unsafe) let disk = SimulatedDisk()
    }

    @Test("outcomes come in the order of submission, each after its sync")
    func order() throws {
        let shared = SharedDisk()
        let thread = try self.started(shared)
        let told = Told()
        for number in 1...50 {
            let positions = thread.submit(try self.batch(Int64(number)), then: told.note(number))
            #expect(positions == UInt64(number)..<UInt64(number + 1))
        }
        let outcomes = told.wait(for: 50)
        #expect(outcomes.map(\.number) == Array(1...50))
        #expect(outcomes.allSatisfy { $0.error == nil })
        thread.stop()
        let found = try LogFixture.recovered(shared.disk.copied(), sizes: SegmentedLog.Sizes())
        #expect(try LogFixture.entries(found) == LogFixture.messages(1...50))
    }

    @Test("a batch without records is told in its turn, and no sooner than what it follows is on the disk")
    func withoutRecords() throws {
        let shared = SharedDisk()
        let gate = Gate(shared)
        let thread = try self.started(shared)
        let told = Told()
        thread.submit(try self.batch(1), then: told.note(1))
        gate.waitUntilReached()
        #expect(thread.submit(LogBatch(), writesHere: true, then: told.note(2)).isEmpty)
        #expect(told.outcomes.read { $0.isEmpty })
        gate.open()
        #expect(told.wait(for: 2).map(\.number) == [1, 2])
        thread.drain()
        // Alone, and after a failure of what comes before it.
        thread.submit(LogBatch(), writesHere: true, then: told.note(3))
        thread.drain()
        shared.disk.failure = (shared.disk.calls + 1, .full)
        thread.submit(try self.batch(2), then: told.note(4))
        thread.submit(LogBatch(), then: told.note(5))
        #expect(told.wait(for: 5).map(\.error) == [nil, nil, nil, .full, .full])
        thread.stop()
    }

    @Test("what waits while a sync runs is synced together")
    func groupCommit() throws {
        let shared = SharedDisk()
        let gate = Gate(shared)
        let thread = try self.started(shared)
        let told = Told()
        thread.submit(try self.batch(1), then: told.note(1))
        gate.waitUntilReached()
        for number in 2...20 { thread.submit(try self.batch(Int64(number)), then: told.note(number)) }
        #expect(told.outcomes.read { $0.isEmpty })
        gate.open()
        _ = told.wait(for: 20)
        thread.drain()
        thread.stop()
        // One of the new segment, one of the first message, one of all the others.
        #expect(shared.disk.syncs == 3)
    }

    @Test("who has nothing else to do writes on its own thread, and in order")
    func writesHere() throws {
        let shared = SharedDisk()
        let thread = try self.started(shared)
        let told = Told()
        for number in 1...100 {
            thread.submit(try self.batch(Int64(number)), writesHere: number % 3 != 0, then: told.note(number))
        }
        #expect(told.wait(for: 100).map(\.number) == Array(1...100))
        thread.stop()
        #expect(try LogFixture.recovered(shared.disk.copied(), sizes: SegmentedLog.Sizes()).records.count == 100)
    }

    @Test("after a failed disk every outcome is a failure")
    func failed() throws {
        let shared = SharedDisk()
        let thread = try self.started(shared)
        let told = Told()
        thread.submit(try self.batch(1), then: told.note(1))
        _ = told.wait(for: 1)
        thread.drain()
        // A sync; the one of the thread's own spare segment does not come before half of the first one is used.
        shared.disk.failure = (shared.disk.calls + 2, .failed("a test"))
        for number in 2...5 { thread.submit(try self.batch(Int64(number)), then: told.note(number)) }
        let outcomes = told.wait(for: 5)
        #expect(outcomes.map(\.number) == Array(1...5))
        #expect(outcomes.dropFirst().allSatisfy { $0.error == .failed("a test") })
        thread.stop()
    }

    @Test("a full disk refuses until the next run, which gives the positions again")
    func full() throws {
        let shared = SharedDisk()
        let thread = try self.started(shared)
        let told = Told()
        thread.submit(try self.batch(1), then: told.note(1))
        _ = told.wait(for: 1)
        thread.drain()
        shared.disk.failure = (shared.disk.calls + 1, .full)
        thread.submit(try self.batch(2), then: told.note(2))
        thread.submit(try self.batch(3), then: told.note(3))
        #expect(told.wait(for: 3).map(\.error) == [nil, .full, .full])
        thread.drain()
        shared.disk.failure = nil
        try thread.beginRun(2, after: 1)
        #expect(thread.submit(try self.batch(2), then: told.note(4)) == 2..<3)
        #expect(told.wait(for: 4).last?.error == nil)
        thread.stop()
        let found = try LogFixture.recovered(shared.disk.copied(), run: 2, applied: 1, sizes: SegmentedLog.Sizes())
        #expect(try LogFixture.entries(found) == LogFixture.messages(2...2))
    }

    @Test("segments are used again, and wiped, through the thread")
    func releases() throws {
        let shared = SharedDisk()
        let thread = try self.started(shared, sizes: LogFixture.sizes)
        let told = Told()
        for number in 1...40 {
            let positions = thread.submit(try self.batch(Int64(number)), then: told.note(number))
            _ = told.wait(for: number)
            thread.release(through: positions.lowerBound)
        }
        thread.drain()
        #expect(told.outcomes.read { $0.allSatisfy { $0.error == nil } })
        #expect(thread.counts.segments <= 3)
        try thread.wipe(applied: 40)
        for name in shared.disk.names() { #expect(shared.disk[name].allSatisfy { $0 == 0 }) }
        thread.stop()
    }
}
