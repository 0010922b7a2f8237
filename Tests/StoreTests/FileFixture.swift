import ChatModel
import Testing

@testable import Store

// Uploads without a disk: the rows alone.
extension Verona {
    static func randomBytes() -> [UInt8] { (0..<26).map { _ in UInt8.random(in: 0...255) } }

    /// The object that a content of this name would have.
    static func object(_ content: String, size: Int64 = 1_000) -> StoredObject {
        var bytes = Array(content.utf8.prefix(32))
        bytes += [UInt8](repeating: 0, count: 32 - bytes.count)
        return StoredObject(
            hash: ContentHash(bytes)!, size: size, storedSize: size / 2, codec: .gzip, provider: "objects")
    }

    static func draft(
        _ owner: UserID, size: Int64? = 1_000, by actor: Actor? = nil, conversation: ConversationID? = nil
    ) -> UploadDraft {
        UploadDraft(
            actor: actor ?? Actor(owner), owner: owner, name: "letter.txt", mediaType: "text/plain", size: size,
            conversation: conversation, provider: "objects", key: TransferKey(random: Self.randomBytes()),
            file: FileKey(random: Self.randomBytes()))
    }

    @discardableResult
    func begin(_ owner: UserID, size: Int64? = 1_000, by actor: Actor? = nil) throws -> TransferRecord {
        let draft = Self.draft(owner, size: size, by: actor)
        return try self.write { store throws(StoreError) in try store.files.createUpload(draft) }
    }

    /// A complete file.
    @discardableResult
    func upload(_ owner: UserID, _ content: String = "letter", size: Int64 = 1_000) throws -> FileRecord {
        let transfer = try self.begin(owner, size: size)
        let object = Self.object(content, size: size)
        return try self.write { store throws(StoreError) in
            try store.files.completeUpload(transfer.id, object: object)
        }
    }

    func link(_ file: FileRecord) throws -> FileLinkKey {
        let key = FileLinkKey(random: Self.randomBytes())
        try self.write { store throws(StoreError) in try store.files.makeLink(key, to: file.key, for: nil) }
        return key
    }

    func file(_ key: FileKey) throws -> FileRecord? {
        try self.read { store throws(StoreError) in try store.files.file(key) }
    }

    func file(link key: FileLinkKey) throws -> FileRecord? {
        try self.read { store throws(StoreError) in try store.files.file(link: key) }
    }

    func object(_ content: String) throws -> ObjectRecord? {
        let hash = Self.object(content).hash
        return try self.read { store throws(StoreError) in try store.files.object(hash) }
    }

    func canRead(_ file: FileRecord, _ user: UserID) throws -> Bool { try self.canRead(file, Actor(user)) }

    func canRead(_ file: FileRecord, _ actor: Actor) throws -> Bool {
        let key = file.key
        return try self.read { store throws(StoreError) in
            guard let file = try store.files.file(key) else { return false }
            return try store.files.canRead(file, actor)
        }
    }

    /// Who of the group, and of those outside, may read it.
    func readers(of file: FileRecord) throws -> [UserID] {
        try (self.everyone + [self.tybalt]).filter { try self.canRead(file, $0) }
    }

    func refusalToSay(_ body: String, _ sender: UserID, to address: ConversationAddress? = nil) -> PublishRefusal? {
        self.fixture.send(body, from: sender, to: address ?? .id(self.id)).refusal
    }

    func sweep(_ limit: Int = 100) throws -> [StoredObject] {
        try self.write { store throws(StoreError) in try store.files.sweepFiles(limit: limit) }
    }

    func quota(_ user: UserID) throws -> QuotaUse {
        try self.read { store throws(StoreError) in try store.files.quotaUse(of: user) }
    }

    func totals() throws -> FileTotals { try self.read { store throws(StoreError) in try store.files.fileTotals() } }
}
