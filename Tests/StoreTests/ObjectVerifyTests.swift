import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Verify, what LeanCloud's apps keep") struct ObjectVerifyTests {
    private func furnished() throws -> Cafe {
        let cafe = try Cafe()
        try cafe.make(.unique, ["Jerry", "Spike"], fields: #"{"color":"red"}"#)
        let tom = cafe.tom
        try cafe.write { store throws(StoreError) in
            _ = try store.tags.claimTag("Mobile", of: tom, device: "phone", insists: true)
        }
        return cafe
    }

    @Test("finds nothing in a sound folder")
    func sound() throws { #expect(try self.furnished().isSound() == []) }

    @Test(
        "finds",
        arguments: [
            ("UPDATE conversation SET member_set = x'00' WHERE member_set IS NOT NULL", VerifyFinding.Kind.member),
            ("UPDATE conversation SET fields = '[]'", .preference),
            ("UPDATE conversation SET fields = '{'", .preference),
            ("UPDATE tag_holder SET device_id = ''", .people),
            ("UPDATE conversation_event SET payload = '{'", .command),
            ("UPDATE conversation_event SET kind = 77", .command),
            ("UPDATE conversation_event SET payload = json_set(payload, '$.v', 2)", .command),
        ])
    func damage(_ sql: String, _ kind: VerifyFinding.Kind) throws {
        let fixture = try self.furnished().fixture
        fixture.store.close()
        let path = DataFolder.databasePath(in: fixture.folder.data)
        try Connection(path: path, role: .writer(synchronous: "FULL")).script(sql)
        #expect(try fixture.verified().findings.map(\.kind).contains(kind))
    }
}

/// What is deleted because nothing happens in it.
struct ConversationExpiryTests {
    private static let day: Int64 = 86_400_000

    private func left(_ cafe: Cafe) throws -> [ConversationID] {
        try cafe.fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.all(limit: 10).map(\.id)
        }
    }

    @Test("a conversation without a message or a change for as long as is set goes; reading is nothing")
    func quiet() throws {
        let cafe = try Cafe { $0.inactiveDays = 10 }
        let (silent, said, changed) = (try cafe.make().id, try cafe.make().id, try cafe.make().id)
        for id in [silent, said] { #expect(cafe.fixture.send("hello", from: cafe.tom, to: .id(id)).accepted != nil) }
        for _ in 0..<9 {
            cafe.fixture.clock.advance(milliseconds: Self.day)
            cafe.fixture.store.runMaintenance()
        }
        #expect(cafe.fixture.send("still here", from: cafe.tom, to: .id(said)).accepted != nil)
        let (tom, jerry) = (cafe.tom, cafe.jerry)
        try cafe.write { store throws(StoreError) in
            _ = try store.apps.addToObject(["Spike"], changed, by: Actor(tom))
            try store.inbox.markRead(jerry, in: silent, upTo: 1)
        }
        let before = cafe.fixture.clock.clock.wallMilliseconds() - 8 * Self.day
        let due = try cafe.fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.inactive(before: before, limit: 10).map(\.id)
        }
        #expect(due == [silent])
        #expect(try self.left(cafe) == [silent, said, changed])
        for _ in 0..<3 {
            cafe.fixture.clock.advance(milliseconds: Self.day)
            cafe.fixture.store.runMaintenance()
        }
        #expect(try self.left(cafe) == [said, changed])
        #expect(cafe.fixture.send("hello?", from: cafe.tom, to: .id(silent)).refusal == .noSuchConversation)
        #expect(try cafe.isSound() == [])
    }

    @Test("whoever was in it is told that it is gone, also who was taken out while away; strangers are not")
    func told() throws {
        let cafe = try Cafe { $0.inactiveDays = 2 }
        let (tom, jerry, spike) = (cafe.tom, cafe.jerry, try cafe.fixture.user("Spike"))
        let id = try cafe.make().id
        // Answered when everything before was told.
        try cafe.write { _ throws(StoreError) in }
        let start = try cafe.fixture.store.readAndWait { store throws(StoreError) in try store.feed.position }
        try cafe.write { store throws(StoreError) in _ = try store.conversations.removeMembers([jerry], from: id) }
        let events = Lock<[ChangeEvent]>([])
        try cafe.write { _ throws(StoreError) in }
        cafe.fixture.store.onEvents = { new in events.withLock { $0 += new } }
        // Fewer days than the feed goes back.
        for _ in 0..<5 {
            cafe.fixture.clock.advance(milliseconds: Self.day)
            cafe.fixture.store.runMaintenance()
        }
        #expect(try self.left(cafe) == [])
        let ended = events.withLock { $0 }
        #expect(ended.map(\.change) == [.ended] && ended.first?.receivers == [tom])
        #expect(ended.first?.place?.conversation == id)
        for person in [tom, jerry, spike] {
            let page = try cafe.fixture.store.readAndWait { store throws(StoreError) in
                try store.feed.changes(for: person, after: start, limit: 100)
            }
            let gone = try #require(page).changes.filter { $0.subject == .ended }
            #expect(gone.map(\.conversation) == (person == spike ? [] : [id]))
            #expect(gone.first.map { $0.position == ended.first?.position } ?? true)
        }
        #expect(try cafe.isSound() == [])
    }

    @Test("without a setting nothing goes")
    func never() throws {
        let cafe = try Cafe()
        let id = try cafe.make().id
        for _ in 0..<3 {
            cafe.fixture.clock.advance(milliseconds: 400 * Self.day)
            cafe.fixture.store.runMaintenance()
        }
        #expect(try self.left(cafe) == [id])
    }
}
