import ByteCodec
import FileStore
package import Store

/// Facts about the server and its database that a backup was made of.
package struct BackupFacts: Hashable, Sendable {
    /// Time of the snapshot, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Version of teahouse.
    package var version: String
    /// Horizon inside which client tokens are checked, days.
    package var tokenDays: Int64
    /// Facts about the database.
    package var database: SnapshotFacts
    /// Contents that were known to be damaged or missing, and are not in it.
    package var damagedContents: Int64

    package init(
        atMilliseconds: Int64, version: String, tokenDays: Int64, database: SnapshotFacts, damagedContents: Int64
    ) {
        self.atMilliseconds = atMilliseconds
        self.version = version
        self.tokenDays = tokenDays
        self.database = database
        self.damagedContents = damagedContents
    }
}

/// The manifest of a backup: `manifest.json` in its folder, beside `files.sha256`, the list of its files as `sha256sum --check`
/// reads it. It is written last; a folder without one, or whose manifest was not verified, is no backup.
package struct BackupManifest: Hashable, Sendable {
    /// Version of the format.
    private static let format: Int64 = 1
    /// Name of the list of files.
    package static let listName = "files.sha256"
    /// Bytes at most; it has a fixed number of short fields.
    private static let maximumBytes = 16 * 1024

    /// Facts about the server that was backed up.
    package var facts: BackupFacts
    /// Files in the list.
    package var files: Int64
    /// Bytes of these files.
    package var bytes: Int64
    /// SHA-256 of the list, in hexadecimal: it stands for all files.
    package var listHash: String
    /// Time at which the copy was verified, UTC milliseconds; `nil` before.
    package var verifiedAtMilliseconds: Int64?

    static func path(in folder: String) -> String { "\(folder)/\(backupManifestName)" }

    var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("teahouse")
        json.string("backup")
        let numbers: [(StaticString, Int64)] = [
            ("format", Self.format), ("at", self.facts.atMilliseconds), ("tokenDays", self.facts.tokenDays),
            ("schema", self.facts.database.schemaVersion), ("epoch", self.facts.database.epoch),
            ("position", self.facts.database.position), ("databaseBytes", self.facts.database.bytes),
            ("users", self.facts.database.users), ("conversations", self.facts.database.conversations),
            ("messages", self.facts.database.messages), ("damagedContents", self.facts.damagedContents),
            ("files", self.files), ("bytes", self.bytes),
        ]
        for (key, number) in numbers {
            json.key(key)
            json.integer(number)
        }
        json.key("version")
        json.string(self.facts.version)
        json.key("list")
        json.string(self.listHash)
        if let verified = self.verifiedAtMilliseconds {
            json.key("verified")
            json.integer(verified)
        }
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// Reads the manifest of a backup.
    ///
    /// - Throws: `damaged` when there is none, or it cannot be read.
    package static func read(in folder: String) throws(BackupError) -> BackupManifest {
        guard BackupFiles.size(Self.path(in: folder)) != nil else {
            throw .damaged("\(folder) is no backup: it has no \(backupManifestName)")
        }
        let bytes = try BackupFiles.read(Self.path(in: folder), at: 0, atMost: Self.maximumBytes)
        guard let json = try? JSONValue(parsing: bytes), json["teahouse"]?.string == "backup",
            let manifest = Self(json)
        else { throw .damaged("the manifest of \(folder) cannot be read: take another backup") }
        guard json["format"]?.integer == Self.format else {
            throw .refused("\(folder) was made by a newer teahouse: use that one")
        }
        return manifest
    }

    private init?(_ json: JSONValue) {
        func number(_ key: String) -> Int64? { json[key]?.integer.flatMap { $0 >= 0 ? $0 : nil } }
        guard let at = number("at"), let days = number("tokenDays"), let schema = number("schema"),
            let epoch = number("epoch"), let position = number("position"), let databaseBytes = number("databaseBytes"),
            let users = number("users"), let conversations = number("conversations"),
            let messages = number("messages"), let damaged = number("damagedContents"), let files = number("files"),
            let bytes = number("bytes"), let version = json["version"]?.string, let list = json["list"]?.string
        else { return nil }
        self.facts = BackupFacts(
            atMilliseconds: at, version: version, tokenDays: days,
            database: SnapshotFacts(
                bytes: databaseBytes, schemaVersion: schema, epoch: epoch, position: position, users: users,
                conversations: conversations, messages: messages),
            damagedContents: damaged)
        self.files = files
        self.bytes = bytes
        self.listHash = list
        self.verifiedAtMilliseconds = number("verified")
    }

    init(_ facts: BackupFacts, files: Int64, bytes: Int64, listHash: String) {
        self.facts = facts
        self.files = files
        self.bytes = bytes
        self.listHash = listHash
    }
}

/// The list of a backup's files with their hashes.
package struct BackupList: Sendable {
    /// Hashes in hexadecimal by paths, which are relative to the backup.
    private(set) var hashes: [String: String] = [:]

    /// Takes a file that was written.
    mutating func add(_ path: String, _ hash: String) { self.hashes[path] = hash }

    /// Paths in order.
    var paths: [String] { self.hashes.keys.sorted() }

    /// Lines as `sha256sum` writes them.
    var text: [UInt8] {
        var text: [UInt8] = []
        for path in self.paths { text += Array("\(self.hashes[path] ?? "")  \(path)\n".utf8) }
        return text
    }

    /// Reads the list of a backup.
    ///
    /// - Throws: `damaged` when it is not the one of the manifest.
    static func read(in folder: String, _ manifest: BackupManifest) throws(BackupError) -> BackupList {
        let path = "\(folder)/\(BackupManifest.listName)"
        guard let size = BackupFiles.size(path) else {
            throw .damaged("\(folder) has no list of files: take another backup")
        }
        let bytes = try BackupFiles.read(path, at: 0, atMost: Int(size))
        let hasher = ContentHasher()
        bytes.withUnsafeBytes { hasher.update($0) }
        guard hasher.hash().hex == manifest.listHash else {
            throw .damaged("the list of files of \(folder) is not the one of its manifest: take another backup")
        }
        var list = BackupList()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let path = String(decoding: line.dropFirst(66), as: UTF8.self)
            guard line.count > 66, Self.isInside(path) else {
                throw .damaged("the list of files of \(folder) cannot be read: take another backup")
            }
            list.hashes[path] = String(decoding: line.prefix(64), as: UTF8.self)
        }
        return list
    }

    /// True for a path that stays in its folder and fits a line.
    static func isInside(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return !path.isEmpty && !path.contains("\n") && !parts.contains { $0.isEmpty || $0 == "." || $0 == ".." }
    }
}
