import ChatModel
import Execution
import FileStore
import Glibc
import TeahouseTesting
import Testing

@testable import Backup
@testable import Store

/// A folder with a group of romeo and juliet, a backup of it, and a store on it again.
private final class Verona {
    let fixture: BackupFixture
    let backup: String
    let group = ChannelName("verona")!
    let actor = AuditActor(uid: 0, name: "test")

    /// - Parameter fill: adds to the folder before the backup is made.
    init(_ bodies: [String], fill: (BackupFixture) throws -> Void = { _ in }) throws {
        self.fixture = try BackupFixture()
        let group = self.group
        try self.fixture.store.writeAndWait { transaction throws(StoreError) in
            _ = try transaction.people.createUser(UserName("juliet")!)
            let number = try transaction.imports.begin("test", origin: "verona", auditing: nil).number
            var row = ImportedConversation(
                .channel(.group, group), objectID: nil, createdAtMilliseconds: 1_000, updatedAtMilliseconds: 1_000,
                digest: 1)
            row.members = [UserName("romeo")!, UserName("juliet")!]
            row.creator = UserName("juliet")
            row.title = "Verona"
            _ = try transaction.imports.addConversation(row, to: number)
            let id = try transaction.reading.conversations.one(.channel(.group, group), seenBy: .system)?.id
            let messages = bodies.enumerated().map { place, body in
                ImportedMessage(
                    foreignID: "m\(place)", sender: UserName(place % 2 == 0 ? "romeo" : "juliet")!,
                    sentAtMilliseconds: 2_000 + Int64(place),
                    content: MessageContent(kind: .text, flags: [], wire: .native, body: Array(body.utf8)))
            }
            _ = try transaction.imports.addMessages(messages, in: id!, to: number)
            try transaction.imports.finish(number, counts: "{}", auditing: nil)
        }
        try fill(self.fixture)
        self.backup = try self.fixture.backup().path
    }

    var store: Store { self.fixture.store }
    var folder: String { self.fixture.data.path }

    func bring(_ name: String) throws -> RestoredConversation {
        try ConversationRestore(self.backup, into: self.store, folder: self.folder, actor: self.actor).run(name)
    }

    func bodies(_ objectID: ObjectID) throws -> [String] {
        try self.store.readAndWait { rows throws(StoreError) in
            guard let id = try rows.conversations.one(.object(objectID), seenBy: .system)?.id else { return [] }
            return try rows.messages.page(in: id, after: 0, limit: 100, as: .unrestricted).map {
                String(decoding: $0.content.body, as: UTF8.self)
            }
        }
    }
}

@Suite("Bringing single things back from a backup") struct PartialRestoreTests {
    @Test("a conversation comes as a new group with its people, roles and messages, once; the one that is here stays")
    func conversation() throws {
        let verona = try Verona(["wherefore", "art", "thou"])
        let back = try verona.bring("verona")
        #expect(back.title == "restored: Verona" && back.members == 2 && back.added == 3 && back.refused == 0)
        #expect(try verona.bodies(back.objectID) == ["wherefore", "art", "thou"])
        let again = try verona.bring("verona")
        #expect(again.objectID == back.objectID && again.added == 0 && again.known == 3)
        let (roles, here) = try verona.store.readAndWait { [group = verona.group] rows throws(StoreError) in
            let id = try rows.conversations.one(.object(back.objectID), seenBy: .system)!.id
            let members = try rows.conversations.members(of: id)
            let former = try rows.conversations.one(.channel(.group, group), seenBy: .system)
            return (Dictionary(uniqueKeysWithValues: members.map { ($0.name.text, $0.role) }), former?.head)
        }
        #expect(roles == ["romeo": .member, "juliet": .owner])
        #expect(here == 3)
        #expect(throws: BackupError.self) { try verona.bring("mantua") }
        #expect(BackupFiles.names(in: verona.folder).allSatisfy { $0 != "restore-work" })
        verona.store.close()
        #expect(try verifyFolder(verona.folder).findings == [])
    }

    /// Puts a file with a content into the folder.
    private func addFile(_ fixture: BackupFixture) throws -> (key: FileKey, object: StoredObject) {
        let content = Array("a letter".utf8)
        let hasher = ContentHasher()
        content.withUnsafeBytes { hasher.update($0) }
        let object = StoredObject(
            hash: hasher.hash(), size: Int64(content.count), storedSize: Int64(content.count), codec: .plain,
            provider: ObjectFolder.Kind.objects.rawValue)
        let path = "\(fixture.data.path)/files/\(ObjectFolder.names(of: object.hash, object.codec).object)"
        try BackupFiles.makeFolder(String(path[..<path.lastIndex(of: "/")!]))
        try fixture.write(content, path)
        let key = FileKey(random: [UInt8](repeating: 7, count: 32))
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            let owner = try transaction.reading.people.user(named: UserName("romeo")!)!.id
            let draft = UploadDraft(
                actor: Actor(owner), owner: owner, name: "letter.txt", mediaType: "text/plain", size: object.size,
                provider: object.provider, key: TransferKey(random: [UInt8](repeating: 8, count: 32)), file: key)
            let transfer = try transaction.files.createUpload(draft)
            _ = try transaction.files.completeUpload(transfer.id, object: object)
        }
        return (key, object)
    }

    @Test("a deleted file comes back under its own key with its content; one that is in order is refused")
    func file() throws {
        let added = Lock<(key: FileKey, object: StoredObject)?>(nil)
        let verona = try Verona(["one"]) { fixture in
            let file = try self.addFile(fixture)
            added.withLock { $0 = file }
        }
        let (key, object) = try #require(added.withLock { $0 })
        let restore = {
            try FileRestore(verona.backup, into: verona.store, folder: verona.folder, actor: verona.actor)
                .run(key.description)
        }
        #expect(throws: BackupError.self) { try restore() }
        // As after a deletion and a collection.
        do {
            verona.store.close()
            let connection = try Connection(
                path: DataFolder.databasePath(in: verona.folder), role: .writer(synchronous: "OFF"))
            try connection.script("DELETE FROM transfer; DELETE FROM file; DELETE FROM object;")
        }
        let path = "\(verona.folder)/files/\(ObjectFolder.names(of: object.hash, object.codec).object)"
        unlink(path)
        var options = StoreOptions(folder: verona.folder)
        options.ballastBytes = 0
        options.logRoomBytes = 32 * 1_024 * 1_024
        options.stopWritingFreeBytes = 0
        let store = try Store(options)
        let back = try FileRestore(verona.backup, into: store, folder: verona.folder, actor: verona.actor)
            .run(key.description)
        #expect(back.key == key && back.name == "letter.txt" && back.bytes == object.size)
        #expect(BackupFiles.size(path) == object.storedSize)
        let file = try store.readAndWait { rows throws(StoreError) in try rows.files.file(key) }
        #expect(file?.state == .complete && file?.ownerName == UserName("romeo"))
        store.close()
        var contents = ContentVerifier(verona.folder, directory: "", isQuick: false)
        let report = try verifyFolder(verona.folder) { rows, note throws(StoreError) in
            try contents.run(rows) { note(.content, $0) }
        }
        #expect(report.findings == [])
    }
}
