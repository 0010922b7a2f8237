import ChatModel
import Glibc
import Testing

@testable import Store

@Suite("Names that are the same for everybody")
struct ObjectIDTests {
    @Test("every conversation has one, a direct one too, and is found by it")
    func everyConversation() throws {
        let verona = try Verona()
        let (romeo, juliet) = (verona.romeo, verona.juliet)
        let direct = try verona.write { store throws(StoreError) in try store.conversations.ensureDirect(romeo, juliet)
        }
        let rows = try verona.read { store throws(StoreError) in try store.conversations.all(limit: 10) }
        #expect(Set(rows.map(\.objectID)).count == 2 && rows.allSatisfy { $0.objectID.text.count == 24 })
        let name = try #require(rows.first { $0.id == direct }?.objectID)
        let accepted = verona.fixture.send("hark", from: romeo, to: .object(name)).accepted
        #expect(accepted?.message.conversation == direct && accepted?.members == [romeo, juliet])
        #expect(
            verona.fixture.send("hark", from: verona.tybalt, to: .object(name)).refusal == .noSuchConversation,
            "to somebody else the conversation of two does not exist")
        let unknown = ObjectID("0123456789abcdef01234567")!
        #expect(verona.fixture.send("?", from: romeo, to: .object(unknown)).refusal == .noSuchConversation)
    }

    @Test("a conversation of an older database gets one, and its time of change")
    func migrated() throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
        try connection.makeDatabase(ofVersion: 13)
        try connection.script(
            """
            INSERT INTO user (id, name, created_at) VALUES (1, 'romeo', 1), (2, 'juliet', 1);
            INSERT INTO conversation (id, kind, head, head_countable, change, active_at, created_at, creator_id,
                member_count, direct_low, direct_high, foreign_id)
            VALUES (1, 1, 0, 0, 1, 9000, 5000, 1, 2, 1, 2, NULL), (2, 3, 0, 0, 2, 7000, 7000, 1, 0, NULL, NULL, 'kept');
            INSERT INTO member (conversation_id, user_id, role, read_sequence, read_countable,
                own_countable_since_read, joined_sequence, change)
            VALUES (1, 1, 0, 0, 0, 0, 0, 1), (1, 2, 0, 0, 0, 0, 0, 1);
            UPDATE conversation SET channel = 'ball' WHERE id = 2;
            """)
        let fixture = try Fixture(folder)
        let rows = try fixture.store.readAndWait { store throws(StoreError) in try store.conversations.all(limit: 10) }
        #expect(rows[0].objectID.text.hasPrefix("00000005") && rows[0].objectID.text.count == 24)
        #expect(rows[1].objectID.text == "kept")
        #expect(rows.map(\.updatedAtMilliseconds) == [9000, 7000])
        #expect(try fixture.verified().findings == [])
    }

    @Test("what a message carries beside its body comes back with it")
    func envelope() throws {
        let verona = try Verona()
        var append = verona.fixture.append("hark", from: verona.romeo, to: .id(verona.id))
        append.content.wire = .leanCloud
        append.content.envelope = MessageEnvelope(
            mentionsAll: true, mentions: [UserName("朱丽叶")!], visibleTo: nil, pushData: #"{"alert":"\"hi\""}"#,
            shownID: "abc")
        let accepted = try #require(verona.fixture.send([append])[0].accepted)
        let place = MessagePlace(accepted.message.conversation, accepted.message.sequence)
        #expect(try verona.message(place).content.envelope == append.content.envelope)
        let plain = try verona.say("plain", verona.romeo)
        #expect(try verona.message(plain).content.envelope == nil)
    }
}

@Suite("Tags of devices")
struct TagTests {
    @Test("the first device gets a tag, another one must insist, and later claims are larger")
    func claims() throws {
        let verona = try Verona()
        let romeo = verona.romeo
        func claim(_ device: String, insists: Bool) throws -> TagClaim {
            try verona.write { store throws(StoreError) in
                try store.tags.claimTag("Mobile", of: romeo, device: device, insists: insists)
            }
        }
        guard case .held(let first) = try claim("a", insists: false) else {
            Issue.record("a free tag was not given")
            return
        }
        #expect(try claim("b", insists: false) == .conflict)
        guard case .held(let second) = try claim("b", insists: true) else {
            Issue.record("a device that insists was refused")
            return
        }
        #expect(second > first)
        #expect(try claim("a", insists: false) == .conflict, "who was signed out does not come back by itself")
        try verona.write { store throws(StoreError) in try store.tags.renameDevice("b", to: "c", of: romeo) }
        #expect(try claim("b", insists: false) == .conflict)
        try verona.write { store throws(StoreError) in
            try store.tags.releaseTag("Mobile", of: romeo, device: "b")
        }
        #expect(try claim("a", insists: false) == .conflict, "only who holds it lets go of it")
        try verona.write { store throws(StoreError) in try store.tags.releaseTag("Mobile", of: romeo, device: "c") }
        #expect(try claim("a", insists: false) != .conflict)
    }
}
