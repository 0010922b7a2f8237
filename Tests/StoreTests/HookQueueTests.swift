import ChatModel
import Testing

@testable import Store

@Suite("Queue of events for receivers outside")
struct HookQueueTests {
    private struct People {
        let fixture: Fixture
        let romeo: UserID
        let juliet: UserID

        init(queuesHooks: Bool = true, acknowledgesFromLog: Bool = true) throws {
            self.fixture = try Fixture { options in
                options.queuesHooks = queuesHooks
                options.acknowledgesFromLog = acknowledgesFromLog
            }
            self.romeo = try self.fixture.user("romeo")
            self.juliet = try self.fixture.user("juliet")
        }

        func say(_ body: String, token: String? = nil, flags: MessageFlags = .countsAsUnread) {
            self.fixture.send(body, from: self.romeo, to: .direct(UserName("juliet")!), token: token, flags: flags)
        }

        func oldest(_ limit: Int = 100) throws -> [HookEntry] {
            try self.fixture.store.readAndWait { transaction throws(StoreError) in
                try transaction.hooks.oldest(limit: limit)
            }
        }

        func length() throws -> HookQueueLength {
            try self.fixture.store.readAndWait { transaction throws(StoreError) in try transaction.hooks.length() }
        }

        func remove(_ sequences: ClosedRange<Int64>) throws {
            try self.fixture.store.writeAndWait { transaction throws(StoreError) in
                try transaction.hooks.remove(sequences)
            }
        }
    }

    @Test("each stored message waits there once, in order; transient, refused and resent ones do not")
    func messages() throws {
        let people = try People()
        people.say("one", token: "a")
        people.say("typing", flags: .transient)
        people.say("one", token: "a")
        people.say("conflict", token: "a")
        people.say("two")
        let entries = try people.oldest()
        #expect(entries.map(\.sequence) == [1, 2])
        let subjects = entries.map(\.subject)
        #expect(
            subjects == [
                .message(ConversationID(rawValue: 1), sequence: 1), .message(ConversationID(rawValue: 1), sequence: 2),
            ])
        #expect(entries[0].createdAtMilliseconds == people.fixture.clock.clock.wallMilliseconds())
    }

    @Test("nothing waits there when nobody wants to hear of messages")
    func off() throws {
        let people = try People(queuesHooks: false)
        people.say("one")
        #expect(try people.oldest() == [])
        #expect(try people.length() == HookQueueLength())
    }

    @Test("what waits survives a kill together with its message")
    func survivesKill() throws {
        let people = try People()
        people.say("one")
        let again = try people.fixture.killed()
        let entries = try again.store.readAndWait { transaction throws(StoreError) in
            try transaction.hooks.oldest(limit: 1)
        }
        #expect(entries.map(\.subject) == [.message(ConversationID(rawValue: 1), sequence: 1)])
    }

    @Test("a batch that the database refuses leaves only the events of the messages that were taken")
    func refusedByDatabase() throws {
        // What was acknowledged from the log can be refused by nothing.
        let people = try People(acknowledgesFromLog: false)
        people.say("one")
        try people.fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.connection.script(
                """
                CREATE TRIGGER bad BEFORE INSERT ON message WHEN NEW.body = CAST('bad' AS BLOB)
                BEGIN SELECT RAISE(ABORT, 'no'); END
                """)
        }
        let romeo = people.romeo
        let juliet = ConversationAddress.direct(UserName("juliet")!)
        let results = people.fixture.send(
            ["two", "bad", "three"].map { people.fixture.append($0, from: romeo, to: juliet) })
        #expect(results.count == 3)
        let subjects = try people.oldest().map(\.subject)
        #expect(subjects == (1...3).map { .message(ConversationID(rawValue: 1), sequence: $0) })
    }

    @Test("removed events are gone, and what comes later stands behind what waits")
    func removing() throws {
        let people = try People()
        for body in ["one", "two", "three"] { people.say(body) }
        #expect(try people.length().events == 3)
        try people.remove(1...2)
        #expect(try people.oldest().map(\.sequence) == [3])
        #expect(try people.length().events == 1)
        people.say("four")
        #expect(try people.oldest().map(\.sequence) == [3, 4])
        try people.remove(3...4)
        #expect(try people.length() == HookQueueLength())
    }

    @Test("trimming takes the oldest, a bounded number at a time")
    func trimming() throws {
        let people = try People()
        for number in 1...10 { people.say("\(number)") }
        func trim(to length: Int64, most: Int64) throws -> Int64 {
            try people.fixture.store.writeAndWait { transaction throws(StoreError) in
                try transaction.hooks.trim(to: length, most: most)
            }
        }
        #expect(try trim(to: 4, most: 3) == 3)
        #expect(try people.oldest().map(\.sequence) == [4, 5, 6, 7, 8, 9, 10])
        #expect(try trim(to: 4, most: 100) == 3)
        #expect(try trim(to: 4, most: 100) == 0)
        #expect(try people.oldest().map(\.sequence) == [7, 8, 9, 10])
    }

    @Test("an event may have its own body")
    func body() throws {
        let people = try People()
        people.say("one")
        try people.fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.hooks.add(body: [1, 2, 3])
        }
        #expect(try people.oldest().map(\.subject).last == .body([1, 2, 3]))
        #expect(try people.length().oldestAtMilliseconds == people.fixture.clock.clock.wallMilliseconds())
        #expect(try people.fixture.verified().isClean)
    }
}
