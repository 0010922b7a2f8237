import ChatModel
import Glibc
import Testing

@testable import Store

@Suite("A database of version 6")
struct SchemaFilesTests {
    @Test(
        "keeps its messages; what looks like the name of a file in them stays text, and files can be sent from now on")
    func migrated() throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
        try connection.makeDatabase(ofVersion: 6)
        #expect(try connection.schemaVersion() == 6)
        let hash = XXHash.of(Array("th-fabcdefghijklmnopqrstuvwxyz".utf8))
        try connection.script(
            """
            INSERT INTO user (id, name, created_at) VALUES (1, 'romeo', 1), (2, 'juliet', 1);
            INSERT INTO conversation (id, kind, head, head_countable, change, active_at, created_at, creator_id,
                member_count, channel)
            VALUES (1, 2, 1, 1, 5, 9, 1, 1, 2, 'verona');
            INSERT INTO message (conversation_id, sequence, id, sender_id, sent_at, kind, flags, countable, wire, body_hash,
                body)
            VALUES (1, 1, 11, 1, 5, -1, 2, 1, 0, \(hash), CAST('th-fabcdefghijklmnopqrstuvwxyz' AS BLOB));
            INSERT INTO member (conversation_id, user_id, role, read_sequence, read_countable, own_countable_since_read,
                joined_sequence, change, own_last_sequence, own_last_countable)
            VALUES (1, 1, 2, 1, 1, 0, 0, 5, 1, 1), (1, 2, 0, 0, 0, 0, 0, 5, 0, 0);
            """)
        let fixture = try Fixture(folder)
        let verona = ConversationID(rawValue: 1)
        #expect(try fixture.bodies(verona) == ["th-fabcdefghijklmnopqrstuvwxyz"])
        let totals = try fixture.store.readAndWait { store throws(StoreError) in try store.files.fileTotals() }
        #expect(totals == FileTotals())
        let romeo = UserID(rawValue: 1)
        let draft = Verona.draft(romeo)
        let file = try fixture.store.writeAndWait { store throws(StoreError) in
            let transfer = try store.files.createUpload(draft)
            return try store.files.completeUpload(transfer.id, object: Verona.object("letter"))
        }
        #expect(fixture.send("\(file.key)", from: romeo, to: .id(verona)).accepted != nil)
        let references = try fixture.store.readAndWait { store throws(StoreError) in
            try store.files.references(of: file.id)
        }
        #expect(references.map(\.place.sequence) == [2])
        #expect(try fixture.verified().findings == [])
    }
}
