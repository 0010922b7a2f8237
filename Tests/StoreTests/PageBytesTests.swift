import ChatModel
import Testing

@testable import Store

@Suite("Pages bounded by bytes")
struct PageBytesTests {
    /// A hundred and twenty messages of so many bytes.
    private func filled(_ bytes: Int = 32_768) throws -> (Fixture, UserID, ConversationID) {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        let body = String(repeating: "a", count: bytes)
        for _ in 1...12 { _ = fixture.send((1...10).map { _ in fixture.append(body, from: romeo, to: .id(verona)) }) }
        return (fixture, romeo, verona)
    }

    @Test(
        "what SDKs ask for by themselves is whole; more than that is 1 MiB, or as many as are always whole",
        arguments: [
            // Bytes of each body, messages asked for, messages of the page.
            (32_768, 20, 20), (32_768, 100, 100), (32_768, 101, 100), (32_768, 1_000, 100), (9_000, 1_000, 114),
            // Longer ones than usual are in as many bytes.
            (100_000, 100, 33),
        ])
    func wholePages(bytes: Int, limit: Int, count: Int) throws {
        let (fixture, romeo, verona) = try self.filled(bytes)
        let access = HistoryAccess.member(romeo)
        let pages = try fixture.store.readAndWait { store throws(StoreError) in
            [
                try store.messages.page(in: verona, after: 0, limit: limit, as: access).count,
                try store.messages.latest(in: verona, limit: limit, as: access).count,
                try store.messages.history(in: verona, HistoryQuery(limit: limit), as: access).count,
            ]
        }
        #expect(pages == [count, count, count])
    }

    @Test("going on from the outermost sequence leaves no hole, upwards and downwards")
    func bySequence() throws {
        let (fixture, romeo, verona) = try self.filled()
        let access = HistoryAccess.member(romeo)
        let found = try fixture.store.readAndWait { store throws(StoreError) -> [[[Int64]]] in
            var up: [[Int64]] = []
            var down: [[Int64]] = []
            while true {
                let page = try store.messages.page(in: verona, after: up.last?.last ?? 0, limit: 1_000, as: access)
                if page.isEmpty { break }
                up.append(page.map(\.sequence))
            }
            while true {
                let page = try store.messages.page(
                    in: verona, before: down.last?.first ?? .max, limit: 1_000, as: access)
                if page.isEmpty { break }
                down.append(page.map(\.sequence))
            }
            return [up, down.reversed()]
        }
        #expect(found.map(\.count) == [2, 2])
        #expect(found.map { $0.flatMap { $0 } } == [Array(1...120), Array(1...120)])
    }

    @Test("going on by the message and its time, as LeanCloud's clients do, leaves no hole", arguments: [true, false])
    func byTime(isForward: Bool) throws {
        let (fixture, romeo, verona) = try self.filled()
        let pages = try fixture.store.readAndWait { store throws(StoreError) -> [[Int64]] in
            var pages: [[Int64]] = []
            var query = HistoryQuery(limit: 1_000)
            query.isForward = isForward
            while true {
                let page = try store.messages.history(in: verona, query, as: .member(romeo)).map(\.message)
                guard let edge = isForward ? page.last : page.first else { return pages }
                pages.append(page.map(\.sequence))
                query.start = HistoryEdge(atMilliseconds: edge.sentAtMilliseconds, message: edge.id)
            }
        }
        #expect(pages.count == 2)
        let inOrder: [[Int64]] = isForward ? pages : pages.reversed()
        #expect(inOrder.flatMap { $0 } == Array(1...120))
    }

    @Test("a page has one message, however long it is")
    func atLeastOne() throws {
        let (fixture, romeo, verona) = try self.filled()
        let page = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.page(in: verona, before: 11, limit: 5, as: .member(romeo), maximumBytes: 1).map(
                \.sequence)
        }
        #expect(page == [10])
    }

    @Test("a backlog beyond its bytes has the newest message of each conversation, and says that there is more")
    func backlog() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let body = String(repeating: "a", count: 1_000)
        for name in ["verona", "mantua"] {
            let group = try fixture.group(name, owner: romeo, [juliet])
            _ = fixture.send((1...5).map { _ in fixture.append(body, from: romeo, to: .id(group)) })
        }
        let backlogs = try fixture.store.readAndWait { store throws(StoreError) in
            try store.inbox.backlog(of: juliet, perConversation: 20, limit: 50, maximumBytes: 5_000)
        }
        #expect(backlogs.map { $0.messages.map(\.message.sequence) } == [[1, 2, 3, 4, 5], [5]])
        #expect(backlogs.map(\.hasMore) == [false, true])
    }
}
