import ChatModel
import Testing

@testable import Store

@Suite("Reading messages")
struct HistoryTests {
    /// A conversation of messages 1...count.
    private func filled(_ count: Int) throws -> (Fixture, UserID, ConversationID) {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        _ = fixture.send((1...count).map { fixture.append("\($0)", from: romeo, to: .id(verona)) })
        return (fixture, romeo, verona)
    }

    @Test("pages are exclusive of their position and come oldest first")
    func pages() throws {
        let (fixture, romeo, verona) = try self.filled(30)
        let pages = try fixture.store.readAndWait { store throws(StoreError) in
            [
                try store.messages.latest(in: verona, limit: 3, as: .member(romeo)),
                try store.messages.page(in: verona, before: 10, limit: 3, as: .member(romeo)),
                try store.messages.page(in: verona, after: 10, limit: 3, as: .member(romeo)),
                try store.messages.page(in: verona, after: 30, limit: 3, as: .member(romeo)),
                try store.messages.page(in: verona, before: 1, limit: 3, as: .member(romeo)),
            ].map { $0.map(\.sequence) }
        }
        #expect(pages == [[28, 29, 30], [7, 8, 9], [11, 12, 13], [], []])
    }

    @Test(
        "around a message: half before it, itself, the rest after it",
        arguments: [
            (20, 10, Array(16...25)), (20, 1, [20]), (20, 2, [20, 21]), (20, 3, [19, 20, 21]),
            (20, 4, [19, 20, 21, 22]), (2, 10, [1, 2, 3, 4, 5, 6, 7]), (1, 10, [1, 2, 3, 4, 5, 6]),
            (29, 10, [25, 26, 27, 28, 29, 30]), (31, 10, []), (0, 10, []),
        ] as [(Int64, Int, [Int])])
    func around(_ sequence: Int64, _ limit: Int, _ expected: [Int]) throws {
        let (fixture, romeo, verona) = try self.filled(30)
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.page(in: verona, around: sequence, limit: limit, as: .member(romeo)).map(\.sequence)
        }
        #expect(found == expected.map { Int64($0) })
    }

    @Test("every message is found by its id, and no other")
    func byID() throws {
        let (fixture, romeo, verona) = try self.filled(33)
        let all = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.latest(in: verona, limit: 100, as: .unrestricted)
        }
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            try all.map { message throws(StoreError) in
                try store.messages.one(message.id, in: verona, as: .member(romeo))?.sequence
            }
        }
        #expect(found == (1...33).map { Int64($0) })
        let unknown = [all[0].id.rawValue - 1, all[16].id.rawValue + 1_000_000, all[32].id.rawValue + 1]
        let missing = try fixture.store.readAndWait { store throws(StoreError) in
            try unknown.map { id throws(StoreError) in
                try store.messages.one(MessageID(rawValue: id), in: verona, as: .unrestricted) == nil
            }
        }
        #expect(missing == [true, true, true])
    }

    @Test("a page has 1 to 1000 entries", arguments: [-1, 0, 1_001])
    func limits(_ limit: Int) throws {
        let (fixture, _, verona) = try self.filled(1)
        #expect(throws: StoreError.invalid("a page has 1 to 1000 entries, not \(limit)")) {
            try fixture.store.readAndWait { store throws(StoreError) in
                try store.messages.latest(in: verona, limit: limit, as: .unrestricted).count
            }
        }
    }

    @Test("the numbers for status count what is there")
    func counts() throws {
        let (fixture, _, _) = try self.filled(7)
        let counts = try fixture.store.readAndWait { store throws(StoreError) in try store.messages.counts() }
        #expect(counts.users == 1 && counts.conversations == 1 && counts.messages == 7)
        #expect(counts.epoch > 0)
    }
}
