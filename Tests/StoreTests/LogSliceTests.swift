import ChatModel
import Execution
import Testing

@testable import Store

@Suite("The log applied in slices")
struct LogSliceTests {
    /// A store that applies a few records at a time, whenever it has some more.
    private static func verona(records: Int = 12, slice: Int = 3) throws -> Verona {
        try Verona { options in
            options.logAppliedRecords = records
            options.logSliceRecords = slice
        }
    }

    @Test("decides messages between two slices, and nothing is lost or given twice")
    func interleaved() throws {
        let verona = try Self.verona()
        for number in 1...200 { try verona.say("m\(number)", number % 2 == 0 ? verona.romeo : verona.juliet) }
        let metrics = verona.fixture.store.metrics
        #expect(metrics.logApplies > 0 && metrics.logSlices > metrics.logApplies)
        let killed = try verona.fixture.killed()
        for fixture in [killed, verona.fixture] {
            #expect(try fixture.bodies(verona.id) == (1...200).map { "m\($0)" })
            #expect(try fixture.unread(verona.romeo)[verona.id] == 100)
            #expect(try fixture.verified().findings == [])
        }
    }

    @Test("leaves SQLite's log short without a quiet moment, a batch between each commit and its checkpoint")
    func checkpoints() throws {
        let verona = try Verona { options in
            options.logAppliedRecords = 8
            options.logSliceRecords = 4
            options.checkpointLogBytes = 256 * 1_024
        }
        var longest: Int64 = 0
        for number in 1...600 {
            try verona.say("m\(number)", verona.romeo)
            longest = max(longest, verona.fixture.store.metrics.logBytes)
        }
        let metrics = verona.fixture.store.metrics
        #expect(metrics.logApplies > 20 && metrics.checkpoints > 0)
        #expect(longest <= 1_024 * 1_024)
        #expect(try verona.isSound() == [])
    }

    @Test("is finished before a change, which finds all rows, in the same commit")
    func changes() throws {
        let verona = try Self.verona(records: 10, slice: 1)
        let (romeo, id) = (verona.romeo, verona.id)
        for number in 1...60 {
            let place = try verona.say("m\(number)", romeo)
            guard number % 7 == 0 else { continue }
            let found = try verona.write { store throws(StoreError) in
                try store.messages.recall(place, by: Actor(romeo))
                return try store.reading.conversations.one(id)?.head
            }
            // A line of the group may say it.
            #expect(try #require(found) >= place.sequence)
        }
        #expect(try verona.isSound() == [])
    }

    @Test("whatever comes between the slices, rows and counts are right", arguments: 1...24)
    func random(_ seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let verona = try Self.verona(
            records: Int.random(in: 2...20, using: &random), slice: Int.random(in: 1...5, using: &random))
        let other = try verona.fixture.group("mantua", owner: verona.romeo, [verona.juliet, verona.mercutio])
        let people = [verona.romeo, verona.juliet, verona.mercutio]
        var heads: [ConversationID: Int64] = [verona.id: 0, other: 0]
        let answers = ConditionLock(0)
        var marks = 0
        for number in 1...120 {
            let id = Bool.random(using: &random) ? verona.id : other
            let user = people.randomElement(using: &random) ?? verona.romeo
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<12:
                let together = (0..<Int.random(in: 1...4, using: &random)).map { part in
                    verona.fixture.append("m\(number).\(part)", from: user, to: .id(id), token: "t\(number).\(part)")
                }
                for result in verona.fixture.send(together) {
                    heads[id, default: 0] += 1
                    #expect(result.accepted?.message.sequence == heads[id])
                }
            case 12..<16:
                let upTo = Int64.random(in: 0...(heads[id] ?? 0), using: &random)
                marks += 1
                verona.fixture.store.mark { store throws(StoreError) in
                    try store.inbox.markRead(user, in: id, upTo: upTo)
                } then: { _ in
                    answers.change { $0 += 1 }
                }
            case 16:
                marks += 1
                let reached = DeliveredPosition(
                    user: user, deviceClass: .app, conversation: id, sequence: heads[id] ?? 0)
                verona.fixture.store.mark { store throws(StoreError) in
                    try store.inbox.recordDelivered([reached])
                } then: { _ in
                    answers.change { $0 += 1 }
                }
            case 17: #expect(try verona.fixture.bodies(id).count == Int(heads[id] ?? 0))
            case 18: try verona.write { store throws(StoreError) in try store.setSetting("k", "\(number)") }
            default: #expect(try verona.fixture.store.drainAndWait().records > 0 || number < 120)
            }
        }
        answers.wait(until: { $0 == marks }, then: { _ in })
        let killed = try verona.fixture.killed()
        for fixture in [killed, verona.fixture] {
            for (id, head) in heads { #expect(try fixture.bodies(id).count == Int(head)) }
            #expect(try fixture.verified().findings == [])
        }
    }
}
