import ChatModel
import Execution
import Testing

@testable import Store

/// Receipts, and what waits for a person who comes back.
struct ReceiptTests {
    private let fixture: Fixture
    private let romeo: UserID
    private let juliet: UserID
    private let events = Lock<[ChangeEvent]>([])

    init() throws {
        self.fixture = try Fixture()
        self.romeo = try self.fixture.user("romeo")
        self.juliet = try self.fixture.user("juliet")
        self.fixture.store.onEvents = { [events] new in events.withLock { $0 += new } }
    }

    /// What was told of changes before is told when the next one is answered.
    private var receipts: [MessageReceipt] {
        try? self.fixture.store.writeAndWait { _ throws(StoreError) in }
        return self.events.withLock { events in
            events.compactMap { if case .receipt(let receipt) = $0.change { receipt } else { nil } }
        }
    }

    @discardableResult
    private func say(_ text: String, asks: Bool = true) throws -> Message {
        let flags: MessageFlags = asks ? [.countsAsUnread, .receiptRequested] : .countsAsUnread
        return try #require(
            self.fixture.send(text, from: self.romeo, to: direct("juliet"), flags: flags).accepted?.message)
    }

    @Test("each message is told once, and positions only rise")
    func acknowledged() throws {
        let first = try self.say("one")
        try self.say("two", asks: false)
        let third = try self.say("three")
        let (id, juliet) = (first.conversation, self.juliet)
        for sequence: Int64 in [1, 1, 99, 2] {
            try self.fixture.store.writeAndWait { transaction throws(StoreError) in
                _ = try transaction.messages.acknowledge(juliet, in: id, upTo: sequence)
            }
        }
        #expect(self.receipts.map(\.message) == [first.id, third.id])
        #expect(self.receipts.allSatisfy { !$0.isRead && $0.receiver.text == "juliet" })
        #expect(self.events.withLock { $0.last?.receivers } == [self.romeo])
    }

    @Test("reading is told for the newest message that asked, and is kept for who is away")
    func read() throws {
        let first = try self.say("one")
        try self.say("two")
        let third = try self.say("three")
        try self.say("four", asks: false)
        let (id, juliet, romeo) = (first.conversation, self.juliet, self.romeo)
        for sequence: Int64 in [4, 4] {
            try self.fixture.store.writeAndWait { transaction throws(StoreError) in
                _ = try transaction.inbox.markRead(juliet, in: id, upTo: sequence)
            }
        }
        #expect(self.receipts.map(\.message) == [third.id])
        #expect(self.receipts.map(\.isRead) == [true])
        let logged = try self.fixture.store.readAndWait { reading throws(StoreError) in
            try reading.feed.events(for: romeo, after: 0)
        }
        #expect(logged.filter { if case .receipt = $0.change { true } else { false } }.count == 1)
    }

    @Test("in a group nobody is told unless apps ask for it")
    func groups() throws {
        let benvolio = try self.fixture.user("benvolio")
        let id = try self.fixture.group("verona", owner: self.romeo, [self.juliet, benvolio])
        let flags: MessageFlags = [.countsAsUnread, .receiptRequested]
        self.fixture.send("hello", from: self.romeo, to: groupAddress("verona"), flags: flags)
        let juliet = self.juliet
        try self.fixture.store.writeAndWait { transaction throws(StoreError) in
            _ = try transaction.messages.acknowledge(juliet, in: id, upTo: 1)
        }
        #expect(self.receipts.isEmpty)
        try self.fixture.store.writeAndWait { transaction throws(StoreError) in
            _ = try transaction.messages.acknowledge(benvolio, in: id, upTo: 1, tellsGroups: true)
        }
        #expect(self.receipts.map(\.receiver.text) == ["benvolio"])
    }

    @Test("messages stand as they are now, found by time and by id, in both directions")
    func history() throws {
        var messages: [Message] = []
        for number in 1...6 {
            messages.append(try self.say("\(number)"))
            if number.isMultiple(of: 2) { self.fixture.clock.advance(milliseconds: 10) }
        }
        let (id, romeo, juliet) = (messages[0].conversation, self.romeo, self.juliet)
        try self.fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.messages.edit(
                MessagePlace(id, 2), newBody: Array("zwei".utf8), isJSONObject: false, by: Actor(romeo))
            try transaction.messages.recall(MessagePlace(id, 3), by: Actor(romeo))
            try transaction.messages.deleteForAll(MessagePlace(id, 4), by: Actor(romeo))
            try transaction.messages.hide([MessagePlace(id, 5)], for: juliet)
        }
        func page(_ limit: Int = 100, as user: UserID? = nil, _ fill: (inout HistoryQuery) -> Void) throws -> [String] {
            var query = HistoryQuery(limit: limit)
            fill(&query)
            let (asked, access) = (query, HistoryAccess.member(user ?? juliet))
            return try self.fixture.store.readAndWait { reading throws(StoreError) in
                try reading.messages.history(in: id, asked, as: access)
            }.map { String(decoding: $0.message.content.body, as: UTF8.self) }
        }
        #expect(try page { _ in } == ["1", "zwei", "", "6"])
        #expect(try page(as: romeo) { _ in } == ["1", "zwei", "", "5", "6"])
        #expect(try page(2) { _ in } == ["", "6"])
        #expect(try page(2) { $0.isForward = true } == ["1", "zwei"])
        let time = messages[1].sentAtMilliseconds
        #expect(messages[0].sentAtMilliseconds == time)
        #expect(try page { $0.start = HistoryEdge(atMilliseconds: time) }.isEmpty)
        #expect(try page { $0.start = HistoryEdge(atMilliseconds: time, isIncluded: true) } == ["1", "zwei"])
        #expect(try page { $0.start = HistoryEdge(atMilliseconds: time, message: messages[1].id) } == ["1"])
        #expect(
            try page {
                $0.start = HistoryEdge(atMilliseconds: time, message: messages[0].id)
                $0.isForward = true
            } == ["zwei", "", "6"])
        #expect(try page { $0.onlyWithdrawn = true } == [""])
        #expect(try page(0) { _ in }.isEmpty)
        let patches = try self.fixture.store.readAndWait { reading throws(StoreError) in
            try reading.inbox.patches(for: juliet, after: 0, limit: 10)
        }
        #expect(patches.changes.map(\.message.message.sequence) == [2, 3])
    }

    @Test("what waits is told with its newest message, and what was read meanwhile too")
    func waiting() throws {
        try self.say("one")
        let last = try self.say("two")
        let (id, juliet) = (last.conversation, self.juliet)
        let list = try self.fixture.store.readAndWait { reading throws(StoreError) in
            try reading.inbox.unreadList(of: juliet, limit: 50)
        }
        #expect(list.map(\.unread) == [2])
        #expect(list.first?.newest?.message.id == last.id)
        let backlog = try self.fixture.store.readAndWait { reading throws(StoreError) in
            try reading.inbox.backlog(of: juliet, perConversation: 1, limit: 50)
        }
        #expect(backlog.first?.messages.map(\.message.id) == [last.id])
        #expect(backlog.first?.hasMore == true)
        let before = self.fixture.clock.clock.wallMilliseconds()
        try self.fixture.store.writeAndWait { transaction throws(StoreError) in
            _ = try transaction.inbox.clearUnread(juliet, in: id)
        }
        let (none, read) = try self.fixture.store.readAndWait { reading throws(StoreError) in
            (
                try reading.inbox.unreadList(of: juliet, limit: 50),
                try reading.inbox.unreadList(of: juliet, readAfter: before, limit: 50)
            )
        }
        #expect(none.isEmpty)
        #expect(read.map(\.unread) == [0])
    }
}
