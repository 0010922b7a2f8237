import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Lanes of reading")
struct ReadLaneTests {
    private let juliet = ReadAsker.person(UserID(rawValue: 2))

    /// Reads of one person that hold their threads until the latch opens, with one in each lane beginning first.
    private func occupy(_ fixture: Fixture, _ lane: ReadLane, with asker: ReadAsker, _ latch: ConditionLock<Bool>) {
        let running = ConditionLock(0)
        for _ in 0..<20 {
            fixture.store.read(as: lane, for: asker) { _ in
                running.change { $0 += 1 }
                latch.wait(until: { $0 }, then: { _ in })
            } then: { _ in
            }
        }
        running.wait(until: { $0 > 0 }, then: { _ in })
    }

    @Test("a sign-in is answered while every other thread is busy with somebody's reads")
    func signInGoesFirst() throws {
        let fixture = try Fixture()
        let latch = ConditionLock(false)
        // The store closes after its readers were let go.
        defer {
            latch.change { $0 = true }
            withExtendedLifetime(fixture) {}
        }
        self.occupy(fixture, .long, with: .person(UserID(rawValue: 1)), latch)
        self.occupy(fixture, .page, with: .person(UserID(rawValue: 1)), latch)
        let answer = ConditionLock<Int?>(nil)
        fixture.store.read(as: .signIn) { _ in
            5
        } then: { result in
            answer.change { $0 = try? result.get() }
        }
        #expect(answer.wait(until: { $0 != nil }, then: { $0 }) == 5)
    }

    @Test("a page is answered while long reads wait")
    func pagesPassLongReads() throws {
        let fixture = try Fixture()
        let latch = ConditionLock(false)
        // The store closes after its readers were let go.
        defer {
            latch.change { $0 = true }
            withExtendedLifetime(fixture) {}
        }
        self.occupy(fixture, .long, with: .person(UserID(rawValue: 1)), latch)
        let answer = ConditionLock<Int?>(nil)
        fixture.store.read(for: self.juliet) { _ in
            5
        } then: { result in
            answer.change { $0 = try? result.get() }
        }
        #expect(answer.wait(until: { $0 != nil }, then: { $0 }) == 5)
        #expect(fixture.store.waitingReads(in: .long) == 19)
    }

    @Test("who has too many reads waiting is told that the server is busy, and nobody else is")
    func refusesOneMore() throws {
        let fixture = try Fixture()
        let latch = ConditionLock(false)
        // The store closes after its readers were let go.
        defer {
            latch.change { $0 = true }
            withExtendedLifetime(fixture) {}
        }
        let romeo = ReadAsker.person(UserID(rawValue: 1))
        self.occupy(fixture, .long, with: romeo, latch)
        let refused = Lock<[Bool]>([])
        for _ in 0..<ReadBounds.waiting {
            fixture.store.read(as: .long, for: romeo) { _ in
            } then: { result in
                guard case .failure(.busy) = result else { return }
                refused.withLock { $0.append(true) }
            }
        }
        #expect(refused.withLock(\.count) == 19)
        fixture.store.read(as: .long, for: self.juliet) { _ in
        } then: { result in
            guard case .failure = result else { return }
            refused.withLock { $0.append(false) }
        }
        #expect(refused.withLock(\.count) == 19)
    }

    @Test("a read without an end is broken off, and its connection reads on")
    func breaksOff() throws {
        let fixture = try Fixture()
        let answer = ConditionLock<Result<Int64?, StoreError>?>(nil)
        fixture.store.read(for: self.juliet) { transaction throws(StoreError) in
            try transaction.connection.first(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n
                """
            ) { row throws(StoreError) in row.int64(0) }
        } then: { result in
            answer.change { $0 = result }
        }
        let result = answer.wait(until: { $0 != nil }, then: { $0 })
        guard case .failure(.invalid(let reason))? = result else {
            Issue.record("it was not broken off: \(String(describing: result))")
            return
        }
        #expect(reason.contains("ask for less"))
        for _ in 0..<3 {
            let users = try fixture.store.readAndWait { transaction throws(StoreError) in
                try transaction.messages.counts().users
            }
            #expect(users >= 0)
        }
    }

    @Test("long reads that wait are told so when the store closes, and the others are worked off")
    func closing() throws {
        let fixture = try Fixture()
        let latch = ConditionLock(false)
        self.occupy(fixture, .long, with: .person(UserID(rawValue: 1)), latch)
        let outcome = ConditionLock<StoreError?>(nil)
        fixture.store.read(as: .long, for: self.juliet) { _ in
        } then: { result in
            if case .failure(let error) = result { outcome.change { $0 = error } }
        }
        let closing = Thread(name: "closing") { fixture.store.close() }
        #expect(outcome.wait(until: { $0 != nil }, then: { $0 }) == .unavailable)
        latch.change { $0 = true }
        closing.join()
    }
}
