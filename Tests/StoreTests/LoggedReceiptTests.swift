import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Receipts that travel in the log")
struct LoggedReceiptTests {
    /// A receipt as senders are told it.
    struct Told: Hashable, Sendable {
        let conversation: ConversationID
        let sequence: Int64
        let receiver: UserName
        let isRead: Bool

        init(_ conversation: ConversationID, _ receipt: MessageReceipt) {
            self.conversation = conversation
            self.sequence = receipt.sequence
            self.receiver = receipt.receiver
            self.isRead = receipt.isRead
        }
    }

    static let asking: MessageFlags = [.countsAsUnread, .receiptRequested]

    /// Collects the receipts that a store tells.
    static func listen(to fixture: Fixture, _ told: Lock<[Told]>) {
        fixture.store.onEvents = { events in
            for event in events {
                guard case .receipt(let receipt) = event.change, let place = event.place else { continue }
                told.withLock { $0.append(Told(place.conversation, receipt)) }
            }
        }
    }

    /// Receipts that are kept for a person who was away.
    static func kept(for user: UserID, in fixture: Fixture) throws -> [Told] {
        try fixture.store.readAndWait { reading throws(StoreError) in
            try reading.feed.events(for: user, after: 0).compactMap { event in
                guard case .receipt(let receipt) = event.change else { return nil }
                return Told(event.conversation, receipt)
            }
        }
    }

    private static func count(of table: StaticString, in folder: TemporaryFolder) throws -> Int64? {
        try Connection(path: folder.data + "/teahouse.db", role: .reader).first(table) { row throws(StoreError) in
            row.int64(0)
        }
    }

    @Test("are told after the sync and not before, are in no row then, and a killed server has them once")
    func order() throws {
        let (hand, told) = (HeldDisk.Hand(), Lock<[Told]>([]))
        let verona = try LoggedMessageTests.verona(hand)
        let (fixture, romeo, juliet) = (verona.fixture, verona.romeo, verona.juliet)
        Self.listen(to: fixture, told)
        let sent = fixture.send("m1", from: romeo, to: direct("juliet"), flags: Self.asking).accepted
        let place = try #require(sent?.message)
        let id = place.conversation
        hand.hold()
        let answer = ConditionLock(0)
        fixture.store.mark { store throws(StoreError) in
            try store.messages.acknowledge(juliet, in: id, upTo: 1)
        } then: { _ in
            answer.change { $0 += 1 }
        }
        hand.waitForSync()
        fixture.store.mark { store throws(StoreError) in
            try store.inbox.markRead(juliet, in: id, upTo: 1)
        } then: { _ in
            answer.change { $0 += 1 }
        }
        #expect(answer.read { $0 } == 0 && told.withLock { $0 } == [])
        hand.release()
        answer.wait(until: { $0 == 2 }, then: { _ in })
        // What a receipt is in the log of events; making the group is in it, too.
        let events: StaticString = "SELECT count(*) FROM conversation_event WHERE kind = 10"
        #expect(try Self.count(of: events, in: fixture.folder) == 0)
        let expected = [false, true].map { isRead in
            Told(
                id,
                MessageReceipt(
                    message: place.id, sequence: 1, receiver: UserName("juliet")!, isRead: isRead, atMilliseconds: 0))
        }
        var killed = try fixture.killed()
        for _ in 0..<2 {
            #expect(try Self.kept(for: romeo, in: killed) == expected)
            let feed: StaticString = "SELECT count(*) FROM change_feed WHERE sequence IS NOT NULL"
            #expect(try Self.count(of: feed, in: killed.folder) == 2)
            killed = try killed.killed()
        }
        #expect(try killed.verified().findings == [])
        #expect(told.withLock { $0 } == expected)
        #expect(try Self.kept(for: romeo, in: fixture) == expected)
        #expect(try fixture.verified().findings == [])
    }

    @Test("of several steps in one request are each told once")
    func together() throws {
        let told = Lock<[Told]>([])
        let verona = try LoggedMessageTests.verona()
        let (fixture, juliet) = (verona.fixture, verona.juliet)
        Self.listen(to: fixture, told)
        var id = ConversationID(rawValue: 0)
        for number in 1...4 {
            let sent = fixture.send("m\(number)", from: verona.romeo, to: direct("juliet"), flags: Self.asking)
            id = try #require(sent.accepted).message.conversation
        }
        let conversation = id
        try fixture.markAndWait { store throws(StoreError) in
            for sequence: Int64 in [2, 1, 4, 4] {
                _ = try store.messages.acknowledge(juliet, in: conversation, upTo: sequence)
            }
        }
        try fixture.store.drainAndWait()
        #expect(told.withLock { $0 }.map(\.sequence) == [1, 2, 3, 4])
        #expect(try Self.kept(for: verona.romeo, in: fixture).map(\.sequence) == [1, 2, 3, 4])
        #expect(try fixture.verified().findings == [])
    }

    @Test("have moments that rise after a kill, also when the clock was put back")
    func moments() throws {
        let verona = try LoggedMessageTests.verona()
        let (romeo, juliet, clock) = (verona.romeo, verona.juliet, verona.fixture.clock)
        var fixture = verona.fixture
        for number in 1...3 as ClosedRange<Int64> {
            let sent = fixture.send("m\(number)", from: romeo, to: direct("juliet"), flags: Self.asking).accepted
            let id = try #require(sent).message.conversation
            clock.advance(milliseconds: 5_000)
            try fixture.markAndWait { store throws(StoreError) in
                _ = try store.messages.acknowledge(juliet, in: id, upTo: number)
            }
            clock.setWall(milliseconds: clock.clock.wallMilliseconds() - 10_000)
            fixture = try fixture.killed { $0.appliesOnlyWhenAsked = true }
        }
        let moments = try fixture.store.readAndWait { reading throws(StoreError) in
            try reading.feed.events(for: romeo, after: 0).compactMap { event in
                if case .receipt = event.change { event.atMilliseconds } else { nil }
            }
        }
        #expect(moments.count == 3 && zip(moments, moments.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try fixture.verified().findings == [])
    }

    @Test("are the same as without the log, whatever comes between, and after any kill", arguments: 1...16)
    func sameAsDirect(_ seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let change: @Sendable (inout StoreOptions) -> Void = { options in
            options.appliesOnlyWhenAsked = seed % 3 != 0
            options.logAppliedRecords = 8
            options.logSliceRecords = 2
            if seed % 2 == 0 { options.cachedConversations = 1 }
            if seed % 4 == 0 { options.logRoomBytes = 300_000 }
        }
        let clock = ManualClock()
        var logged = try Fixture(clock: clock, change: change)
        let plain = try Fixture(clock: clock) { $0.acknowledgesFromLog = false }
        let (toldLogged, toldPlain) = (Lock<[Told]>([]), Lock<[Told]>([]))
        Self.listen(to: logged, toldLogged)
        Self.listen(to: plain, toldPlain)
        var people: [UserID] = []
        var conversations: [ConversationID] = []
        for fixture in [logged, plain] {
            people = try ["romeo", "juliet", "mercutio"].map { try fixture.user($0) }
            conversations = [
                try fixture.group("verona", owner: people[0], [people[1], people[2]]),
                try fixture.group("balcony", owner: people[0], [people[1]]),
            ]
            let sent = fixture.send("m", from: people[0], to: direct("juliet"), flags: Self.asking).accepted
            conversations.append(try #require(sent).message.conversation)
        }
        for number in 1...90 {
            let id = conversations.randomElement(using: &random)!
            let user = people[Int.random(in: 0..<(id == conversations[0] ? 3 : 2), using: &random)]
            let (first, last) = (Int64.random(in: 0...9, using: &random), Int64.random(in: 0...40, using: &random))
            let tellsGroups = Bool.random(using: &random)
            let step = Int.random(in: 0..<20, using: &random)
            let flags = Bool.random(using: &random) ? Self.asking : .countsAsUnread
            let mentioned = Int.random(in: 0..<4, using: &random) == 0 ? UserName("juliet") : nil
            if step == 19 {
                logged = try logged.killed(change: change)
                Self.listen(to: logged, toldLogged)
            }
            for fixture in [logged, plain] {
                switch step {
                case 0..<8:
                    var append = fixture.append("m\(number)", from: user, to: .id(id), flags: flags)
                    if let mentioned { append.content.mentions = Mentions(users: [mentioned]) }
                    #expect(fixture.send([append])[0].accepted != nil)
                case 8..<12:
                    try fixture.markAndWait { store throws(StoreError) in
                        _ = try store.messages.acknowledge(user, in: id, upTo: first, tellsGroups: tellsGroups)
                        _ = try store.messages.acknowledge(user, in: id, upTo: last, tellsGroups: tellsGroups)
                    }
                case 12..<15:
                    let reached = DeliveredPosition(user: user, deviceClass: .app, conversation: id, sequence: last)
                    try fixture.markAndWait { store throws(StoreError) in
                        try store.inbox.recordDelivered([reached])
                    }
                case 15..<18:
                    try fixture.markAndWait { store throws(StoreError) in
                        let change = try store.inbox.markRead(user, in: id, upTo: last)
                        try store.messages.finishMentions(of: user, in: id, upTo: change.sequence)
                    }
                default: _ = try fixture.bodies(id)
                }
            }
        }
        try logged.store.drainAndWait()
        try plain.store.drainAndWait()
        #expect(toldLogged.withLock { $0 } == toldPlain.withLock { $0 })
        for user in people { #expect(try Self.kept(for: user, in: logged) == Self.kept(for: user, in: plain)) }
        #expect(try Self.rows(of: logged) == Self.rows(of: plain))
        #expect(try logged.verified().findings == [])
        #expect(try plain.verified().findings == [])
    }

    /// Places in the feed in their order, positions of members and of their devices, mentions.
    static func rows(of fixture: Fixture) throws -> [[Int64]] {
        try fixture.store.readAndWait { reading throws(StoreError) in
            let feed = try reading.connection.query(
                """
                SELECT conversation_id, coalesce(user_id, 0), kind, coalesce(sequence, 0) FROM change_feed
                ORDER BY position
                """
            ) { row throws(StoreError) in (0..<4).map { row.int64($0) } }
            let members = try reading.connection.query(
                """
                SELECT conversation_id, user_id, read_sequence, acked_sequence, own_countable_since_read FROM member
                ORDER BY conversation_id, user_id
                """
            ) { row throws(StoreError) in (0..<5).map { row.int64($0) } }
            let devices = try reading.connection.query(
                "SELECT conversation_id, user_id, sequence FROM delivered ORDER BY conversation_id, user_id"
            ) { row throws(StoreError) in (0..<3).map { row.int64($0) } }
            let mentions = try reading.connection.query(
                """
                SELECT conversation_id, user_id, sequence, done FROM reminder
                ORDER BY conversation_id, sequence, user_id
                """
            ) { row throws(StoreError) in (0..<4).map { row.int64($0) } }
            return feed + members + devices + mentions
        }
    }
}

extension Fixture {
    /// Moves positions of people and waits until that is told.
    @discardableResult
    func markAndWait<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let answer = Answer<Value>()
        self.store.mark(body, then: answer.set)
        return try answer.get()
    }
}
