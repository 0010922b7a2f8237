import ChatModel
import Testing

@testable import Store

@Suite("The filter of client tokens")
struct TokenFilterTests {
    @Test("knows every key that was added, and few others, once the table was read")
    func filter() throws {
        let fixture = try Fixture()
        fixture.store.close()
        let connection = try Connection(
            path: fixture.folder.data + "/teahouse.db", role: .writer(synchronous: "FULL"))
        for key in 1...100 as ClosedRange<Int64> {
            try connection.run(
                "INSERT INTO client_token (key, conversation_id, sequence, day) VALUES (?, 1, 1, 1)", key << 40 - key)
        }
        var filter = TokenFilter()
        filter.add(7)
        #expect(filter.mayHold(8))
        #expect(try filter.read(connection, limit: 60))
        #expect(!filter.isWhole && filter.mayHold(8))
        #expect(try !filter.read(connection, limit: 60))
        #expect(filter.isWhole && filter.mayHold(7))
        for key in 1...100 as ClosedRange<Int64> { #expect(filter.mayHold(key << 40 - key)) }
        let others = (1...10_000 as ClosedRange<Int64>).filter { filter.mayHold($0 &* 0x9E37_79B9_7F4A_7C1) }
        #expect(others.count < 100)
    }

    @Test("misses no token that was merged while the server runs, or before it began")
    func merged() throws {
        var verona = try Verona { $0.recentTokens = 4 }
        for number in 1...40 { try verona.say("m\(number)", verona.romeo, token: "t\(number)") }
        for _ in 0..<2 {
            verona.fixture.store.runMaintenance()
            for number in [1, 20, 40] {
                let body = "m\(number)"
                let append = verona.fixture.append(
                    body, from: verona.romeo, to: .id(verona.id), token: "t\(number)",
                    flags: [.countsAsUnread, .receiptRequested])
                let resent = verona.fixture.send([append])[0].accepted
                #expect(resent?.isDuplicate == true && resent?.message.sequence == Int64(number))
            }
            verona.fixture = try verona.fixture.reopened { $0.recentTokens = 4 }
        }
    }
}
