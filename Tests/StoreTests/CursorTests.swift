import ChatModel
import Execution
import Glibc
import Testing

@testable import Store

@Suite("What clients ask for by time, where everything falls into one millisecond")
struct CursorTests {
    /// A clock that stands still.
    private let fixture: Fixture
    private let romeo: UserID
    private let juliet: UserID

    init() throws {
        self.fixture = try Fixture()
        self.romeo = try self.fixture.user("romeo")
        self.juliet = try self.fixture.user("juliet")
    }

    private func say(_ text: String, in fixture: Fixture? = nil) throws -> Message {
        try #require((fixture ?? self.fixture).send(text, from: self.romeo, to: direct("juliet")).accepted?.message)
    }

    private func edit(_ message: Message, to text: String, in fixture: Fixture? = nil) throws -> Int64 {
        let (place, romeo) = (MessagePlace(message.conversation, message.sequence), self.romeo)
        return try (fixture ?? self.fixture).store.writeAndWait { transaction throws(StoreError) in
            try transaction.messages.edit(place, newBody: Array(text.utf8), isJSONObject: false, by: Actor(romeo))
        }.patchedAtMilliseconds
    }

    private func patches(after moment: Int64, in fixture: Fixture? = nil, limit: Int = 10) throws -> PatchPage {
        let juliet = self.juliet
        return try (fixture ?? self.fixture).store.readAndWait { reading throws(StoreError) in
            try reading.inbox.patches(for: juliet, after: moment, limit: limit)
        }
    }

    @Test("who knows the first of two edits is told the second, also in another conversation and after a message")
    func edits() throws {
        let one = try self.say("one")
        let (group, romeo) = (try self.fixture.group("verona", owner: self.romeo, [self.juliet]), self.romeo)
        let other = try #require(self.fixture.send("two", from: romeo, to: .id(group)).accepted?.message)
        let first = try self.edit(one, to: "eins")
        #expect(first > other.sentAtMilliseconds, "a client may take the time of a message for that of a change")
        let second = try self.edit(other, to: "zwei")
        let third = try self.fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.messages.recall(MessagePlace(one.conversation, one.sequence), by: Actor(romeo))
        }.patchedAtMilliseconds
        #expect(first < second && second < third)
        let after = try self.patches(after: first)
        #expect(after.changes.map(\.message.patchedAtMilliseconds) == [second, third] && after.moreAfter == nil)
        #expect(try self.patches(after: third).changes.isEmpty)
        let page = try self.patches(after: 0, limit: 1)
        #expect(page.moreAfter == second && page.changes.map(\.conversation.id) == [group])
        #expect(try self.fixture.verified().findings == [])
    }

    @Test("moments rise after a restart and a kill, whatever the clock says then")
    func restarts() throws {
        let message = try self.say("one")
        let first = try self.edit(message, to: "eins")
        self.fixture.clock.setWall(milliseconds: first - 86_400_000)
        let restarted = try self.fixture.reopened()
        let second = try self.edit(message, to: "uno", in: restarted)
        #expect(second > first)
        let killed = try restarted.killed()
        let third = try self.edit(message, to: "un", in: killed)
        #expect(third > second)
        #expect(try killed.verified().findings == [])
    }

    @Test("a conversation whose times are far ahead does not drag the moments of others along")
    func farAhead() throws {
        let message = try self.say("one")
        self.fixture.clock.advance(milliseconds: 3_600_000)
        let later = try self.say("two")
        self.fixture.clock.setWall(milliseconds: message.sentAtMilliseconds)
        let moment = try self.edit(message, to: "eins")
        #expect(moment < later.sentAtMilliseconds && moment >= message.sentAtMilliseconds)
    }

    @Test("what happened in one millisecond is told once each, one after the other")
    func events() throws {
        let (romeo, juliet, fixture) = (self.romeo, self.juliet, self.fixture)
        let group = try fixture.group("verona", owner: romeo)
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            for _ in 0..<3 {
                try transaction.conversations.addMembers([juliet], to: group)
                try transaction.conversations.removeMembers([juliet], from: group)
            }
            try transaction.conversations.addMembers([juliet], to: group)
        }
        func events(after moment: Int64) throws -> [LoggedEvent] {
            try fixture.store.readAndWait { reading throws(StoreError) in
                try reading.feed.events(for: juliet, after: moment)
            }
        }
        let all = try events(after: 0)
        #expect(all.count >= 7)
        for (index, event) in all.enumerated() {
            #expect(try events(after: event.atMilliseconds).map(\.number) == all.dropFirst(index + 1).map(\.number))
        }
    }

    @Test("of two conversations read in one millisecond, who knows the first is told the second")
    func reads() throws {
        let (romeo, juliet) = (self.romeo, self.juliet)
        let direct = try self.say("one").conversation
        let group = try self.fixture.group("verona", owner: romeo, [juliet])
        self.fixture.send("two", from: romeo, to: .id(group))
        func read(_ id: ConversationID) throws -> Int64 {
            try self.fixture.store.writeAndWait { transaction throws(StoreError) in
                try transaction.inbox.clearUnread(juliet, in: id)
            }
            return try self.fixture.store.readAndWait { reading throws(StoreError) in
                try reading.inbox.lastReadMoment(of: juliet)
            }
        }
        let first = try read(direct)
        self.fixture.clock.setWall(milliseconds: first - 50)
        let second = try read(group)
        #expect(second >= first, "a clock that was stepped back")
        let list = try self.fixture.store.readAndWait { reading throws(StoreError) in
            try reading.inbox.unreadList(of: juliet, readAfter: first, limit: 50)
        }
        #expect(list.map(\.conversation.id).contains(group))
    }

    @Test("history by a message that is not there begins with others of its millisecond")
    func unknownEdge() throws {
        let messages = try (1...3).map { try self.say("\($0)") }
        let (id, juliet, time) = (messages[0].conversation, self.juliet, messages[0].sentAtMilliseconds)
        func page(_ edge: HistoryEdge, isForward: Bool = false) throws -> [Int64] {
            var query = HistoryQuery(limit: 10)
            query.start = edge
            query.isForward = isForward
            let asked = query
            return try self.fixture.store.readAndWait { reading throws(StoreError) in
                try reading.messages.history(in: id, asked, as: .member(juliet)).map(\.message.sequence)
            }
        }
        let unknown = HistoryEdge(atMilliseconds: time, message: MessageID(rawValue: 1))
        #expect(try page(unknown) == [1, 2, 3])
        #expect(try page(unknown, isForward: true) == [1, 2, 3])
        #expect(try page(HistoryEdge(atMilliseconds: time, shownID: "its own name")) == [1, 2, 3])
        #expect(try page(HistoryEdge(atMilliseconds: time, message: messages[1].id)) == [1])
        #expect(try page(HistoryEdge(atMilliseconds: time)).isEmpty, "a time alone excludes itself")
    }

    @Test("edits of earlier versions that have one time are pulled apart in their order")
    func migrated() throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
        try connection.makeDatabase(ofVersion: 18)
        try connection.script(
            """
            INSERT INTO user (id, name, created_at) VALUES (1, 'romeo', 1), (2, 'juliet', 1);
            INSERT INTO conversation (id, kind, head, revision, change, active_at, created_at, creator_id, member_count,
                foreign_id, direct_low, direct_high)
            VALUES (1, 1, 4, 4, 5, 9, 1, 1, 2, '000000000000000000000001', 1, 2);
            INSERT INTO member (conversation_id, user_id, read_sequence, read_countable, joined_sequence, change)
            VALUES (1, 1, 0, 0, 0, 5), (1, 2, 0, 0, 0, 5);
            """)
        for (sequence, moment) in [(1, 50), (2, 50), (3, 50), (4, 52)] {
            try connection.script(
                """
                INSERT INTO message (conversation_id, sequence, id, sender_id, sent_at, kind, flags, countable, wire,
                    body_hash, body)
                VALUES (1, \(sequence), 1\(sequence), 1, 5, -1, 0, 0, 0, \(XXHash.of([0x61])), x'61');
                INSERT INTO message_extra (conversation_id, sequence, revision, patched_at)
                VALUES (1, \(sequence), \(sequence), \(moment));
                """)
        }
        let fixture = try Fixture(folder)
        let all = try self.patches(after: 0, in: fixture)
        #expect(all.changes.map(\.message.patchedAtMilliseconds) == [50, 51, 52, 53])
        #expect(all.changes.map(\.message.message.sequence) == [1, 2, 3, 4])
    }
}
