import ChatModel
import Testing

@testable import Store

@Suite("Verify, of files")
struct VerifyFileTests {
    /// Files 1 and 2 with one content; 1 is named by message 1 with its key and a link, 2 is romeo's picture; message 2
    /// was recalled; an upload is on its way, a download too, one is over.
    private func furnished() throws -> Verona {
        let verona = try Verona()
        let romeo = verona.romeo
        let one = try verona.upload(romeo)
        let two = try verona.upload(romeo)
        let link = try verona.link(one)
        try verona.say("\(one.key) \(link)", romeo)
        let recalled = try verona.say("\(one.key)", romeo)
        try verona.begin(romeo)
        let over = try verona.begin(romeo)
        try verona.write { store throws(StoreError) in
            try store.files.setPicture(of: .person(romeo, isSmall: false), to: two.key, by: Actor(romeo))
            _ = try store.messages.recall(recalled, by: Actor(romeo))
            try store.files.endTransfer(over.id, state: .failed, error: "no")
            _ = try store.files.noteDownload(
                of: one, by: romeo, .attachment, key: TransferKey(random: Verona.randomBytes()))
        }
        return verona
    }

    @Test("finds nothing in a sound folder")
    func sound() throws {
        #expect(try self.furnished().isSound() == [])
    }

    @Test(
        "finds",
        arguments: [
            "UPDATE object SET refs = refs + 1", "UPDATE object SET refs = 0", "UPDATE object SET state = 7",
            "UPDATE object SET state = 1", "UPDATE object SET size = 5", "UPDATE object SET hash = x'00'",
            "UPDATE object SET codec = 2", "UPDATE object SET stored_size = -1",
            "UPDATE file SET refs = 1 WHERE id = 1", "UPDATE file SET refs = 0 WHERE id = 2",
            "UPDATE file SET state = 0 WHERE id = 1", "UPDATE file SET size = 7 WHERE id = 2",
            "UPDATE file SET unreferenced_at = 5 WHERE id = 1", "UPDATE file SET object_id = NULL WHERE id = 2",
            "DELETE FROM file_reference WHERE link_id > 0", "DELETE FROM file_holder",
            "INSERT INTO file_holder (kind, holder_id, file_id) VALUES (3, 77, 2)",
            "UPDATE file_holder SET holder_id = 77", "UPDATE file_holder SET kind = 9",
            "INSERT INTO file_reference (conversation_id, sequence, file_id) VALUES (1, 2, 1);"
                + "UPDATE file SET refs = refs + 1 WHERE id = 1",
            "UPDATE file_link SET file_id = 2", "UPDATE file_link SET used_at = NULL", "UPDATE file_link SET kind = 4",
            "UPDATE file_link SET file_id = NULL", "UPDATE transfer SET state = 9", "UPDATE transfer SET direction = 2",
            "UPDATE transfer SET class = 3", "UPDATE transfer SET offset = -1", "UPDATE transfer SET offset = 1001",
            "UPDATE transfer SET expires_at = NULL WHERE state < 3", "DELETE FROM transfer WHERE state < 3",
            "DELETE FROM file WHERE state = 0", "UPDATE transfer SET state = 1 WHERE state = 4",
        ])
    func damage(_ sql: String) throws {
        let verona = try self.furnished()
        verona.fixture.store.close()
        let path = DataFolder.databasePath(in: verona.fixture.folder.data)
        try Connection(path: path, role: .writer(synchronous: "FULL")).script(sql)
        #expect(try verona.fixture.verified().findings.map(\.kind).contains(.file))
    }

    @Test(
        "finds rows that lead nowhere",
        arguments: [
            "UPDATE file_reference SET sequence = 99", "UPDATE file SET owner_id = 99",
            "UPDATE file_holder SET file_id = 99",
            "UPDATE file_link SET owner_id = 99", "UPDATE transfer SET owner_id = 99", "DELETE FROM object",
        ])
    func dangling(_ sql: String) throws {
        let verona = try self.furnished()
        verona.fixture.store.close()
        let path = DataFolder.databasePath(in: verona.fixture.folder.data)
        try Connection(path: path, role: .writer(synchronous: "FULL")).script("PRAGMA foreign_keys = OFF; \(sql)")
        #expect(try verona.fixture.verified().findings.map(\.kind).contains(.danglingRow))
    }
}
