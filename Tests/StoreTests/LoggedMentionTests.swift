import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Mentions whose end travels in the log")
struct LoggedMentionTests {
    /// Mentions in the rows of a folder that have not ended.
    private static func open(in folder: TemporaryFolder) throws -> Int64? {
        let connection = try Connection(path: folder.data + "/teahouse.db", role: .reader)
        return try connection.first("SELECT count(*) FROM reminder WHERE done = 0") { row throws(StoreError) in
            row.int64(0)
        }
    }

    @Test("end once, whether their messages are rows or in the log alone, also after a kill")
    func ended() throws {
        let verona = try LoggedMessageTests.verona()
        let (fixture, juliet, id) = (verona.fixture, verona.juliet, verona.id)
        let told = Lock(0)
        fixture.store.onEvents = { events in
            for event in events { if case .person(.reminders) = event.change { told.withLock { $0 += 1 } } }
        }
        let mentions = Mentions(users: [try #require(UserName("juliet"))])
        try verona.say("one", verona.romeo, mentions: mentions)
        try fixture.store.drainAndWait()
        for text in ["two", "three"] { try verona.say(text, verona.romeo, mentions: mentions) }
        for expected in [2, 0] {
            let ended = try fixture.markAndWait { store throws(StoreError) in
                let change = try store.inbox.markRead(juliet, in: id, upTo: 2)
                return try store.messages.finishMentions(of: juliet, in: id, upTo: change.sequence)
            }
            #expect(ended == expected)
        }
        // Nothing of it is in a row.
        #expect(try Self.open(in: fixture.folder) == 1)
        let killed = try fixture.killed()
        #expect(try Self.open(in: killed.folder) == 1)
        #expect(try killed.member(juliet, in: id).readSequence == 2)
        #expect(try killed.verified().findings == [])
        let last = try fixture.markAndWait { store throws(StoreError) in
            try store.messages.finishMentions(of: juliet, in: id, upTo: .max)
        }
        #expect(last == 1)
        try fixture.store.drainAndWait()
        #expect(told.withLock { $0 } == 2)
        #expect(try Self.open(in: fixture.folder) == 0)
        #expect(try fixture.verified().findings == [])
    }

    @Test("of several steps in one request end once")
    func together() throws {
        let verona = try LoggedMessageTests.verona()
        let (fixture, juliet, id) = (verona.fixture, verona.juliet, verona.id)
        let mentions = Mentions(users: [try #require(UserName("juliet"))])
        for text in ["one", "two", "three"] { try verona.say(text, verona.romeo, mentions: mentions) }
        let ended = try fixture.markAndWait { store throws(StoreError) in
            var ended: [Int] = []
            for sequence: Int64 in [2, 1, 3] {
                ended.append(try store.messages.finishMentions(of: juliet, in: id, upTo: sequence))
            }
            return ended
        }
        #expect(ended == [2, 0, 1])
        try fixture.store.drainAndWait()
        #expect(try Self.open(in: fixture.folder) == 0)
        #expect(try fixture.verified().findings == [])
    }
}
