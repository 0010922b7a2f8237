import ChatModel
import Glibc
import Testing

@testable import Store

@Suite("A database of version 1")
struct Schema2Tests {
    /// Romeo and juliet in a group where romeo said 1 and 3, juliet said 2, and a nurse joined after all that; romeo
    /// was away in between, so that only 3 is his as a member.
    private static let rows = """
        INSERT INTO user (id, name, created_at) VALUES (1, 'romeo', 1), (2, 'juliet', 1), (3, 'nurse', 1);
        INSERT INTO conversation (id, kind, head, head_countable, change, active_at, created_at, creator_id, member_count,
            channel)
        VALUES (1, 2, 4, 3, 5, 9, 1, 1, 3, 'verona'), (2, 3, 0, 0, 6, 9, 1, 1, 0, 'ball');
        INSERT INTO message (conversation_id, sequence, id, sender_id, sent_at, kind, flags, countable, wire, body_hash,
            body)
        VALUES (1, 1, 11, 1, 5, -1, 2, 1, 0, \(hash), x'61'), (1, 2, 12, 2, 6, -1, 2, 2, 0, \(hash), x'61'),
            (1, 3, 13, 1, 7, -1, 0, 2, 0, \(hash), x'61'), (1, 4, 14, 3, 8, -1, 2, 3, 0, \(hash), x'61');
        INSERT INTO member (conversation_id, user_id, role, read_sequence, read_countable, own_countable_since_read,
            joined_sequence, change)
        VALUES (1, 1, 2, 2, 2, 0, 2, 5), (1, 2, 0, 0, 0, 1, 0, 5), (1, 3, 0, 4, 3, 0, 4, 5);
        """

    private static let hash = XXHash.of([0x61])

    private func old() throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
        try connection.makeDatabase(ofVersion: 1)
        try connection.script(Self.rows)
        return folder
    }

    @Test("gets the newest own message of each member, and nothing else")
    func migrated() throws {
        let fixture = try Fixture(try self.old())
        let verona = ConversationID(rawValue: 1)
        let members = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.members(of: verona)
        }
        #expect(members.map(\.ownLastSequence) == [3, 2, 0])
        #expect(members.map(\.ownLastCountable) == [2, 2, 0])
        #expect(members.allSatisfy { $0.mutedUntilMilliseconds == 0 && $0.nickname == nil && $0.revision == 0 })
        let lines = try fixture.store.readAndWait { store throws(StoreError) in
            try [1, 2, 3].map { user throws(StoreError) in
                try store.inbox.recent(of: UserID(rawValue: user), limit: 10).map { [$0.unread, $0.badge] }
            }
        }
        #expect(lines == [[[1, 1]], [[2, 1]], [[0, 0]]])
        #expect(fixture.send("5", from: UserID(rawValue: 2), to: .id(verona)).accepted?.message.sequence == 5)
        #expect(try fixture.verified().findings == [])
    }

    @Test("and nobody listens to its rooms yet")
    func rooms() throws {
        let fixture = try Fixture(try self.old())
        let room = ConversationID(rawValue: 2)
        let romeo = UserID(rawValue: 1)
        #expect(fixture.send("?", from: romeo, to: .id(room)).refusal == .notMember)
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.conversations.addListeners([romeo], to: room)
        }
        #expect(fixture.send("!", from: romeo, to: .id(room)).accepted?.members == [romeo])
    }
}
