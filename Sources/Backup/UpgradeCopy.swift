import ByteCodec
import Glibc
package import Store

/// A copy of the database that a start has made before it gave the database a newer schema: a folder below `before-upgrade` in
/// the data folder. Contents of files are not in it: they never change under their names, and collecting pauses while it is
/// young.
package struct UpgradeCopy: Hashable, Sendable {
    /// Path of its folder.
    package var path: String
    /// Time of the copy, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Version of teahouse that made it, the newer one.
    package var version: String
    /// Version of the schema in it.
    package var from: Int64
    /// Version of the schema that the upgrade was to.
    package var to: Int64
    /// Position of the newest change in it.
    package var position: Int64
    /// Number of messages in it.
    package var messages: Int64
    /// ID of the newest message in it; 0 for none.
    package var newestMessage: Int64
    /// Bytes of the database in it.
    package var bytes: Int64
    /// SHA-256 of the database in it, in hexadecimal.
    package var hash: String
    /// The schema can go on above numbers that were given out later.
    package var canJump: Bool
    /// The last run before it was killed, and a log with messages of its own is in it.
    package var hasLog: Bool

    /// Copies that are kept.
    package static let kept = 2
    /// Time for which contents that a copy may name are not collected.
    package static let youngMilliseconds: Int64 = 3 * 24 * 3_600_000
    /// Folder of the copies in a data folder.
    package static let shelf = "before-upgrade"
    /// Name of the description; it is written last.
    private static let noteName = "copy.json"
    /// Name of the log's folder in a copy.
    static let logName = "log"
    /// More of a description is not read.
    private static let maximumNoteBytes = 4_096
    /// Bytes that stay free.
    private static let keptFreeBytes: Int64 = 64 * 1024 * 1024

    // MARK: On the disk

    /// Copies in a data folder, oldest first. What is not whole is left out.
    package static func all(in folder: String) -> [UpgradeCopy] {
        let shelf = "\(folder)/\(Self.shelf)"
        return BackupFiles.names(in: shelf).filter { !$0.hasSuffix(BackupName.partial("")) }
            .compactMap { Self("\(shelf)/\($0)") }
            .sorted { ($0.atMilliseconds, $0.path) < ($1.atMilliseconds, $1.path) }
    }

    /// True while contents that the newest copy may name must not be collected. A copy that is dated after now was made by a
    /// clock that was wrong, and counts as old.
    package static func keepsContents(in folder: String, now: Int64) -> Bool {
        self.all(in: folder).contains { $0.atMilliseconds <= now && now - $0.atMilliseconds < Self.youngMilliseconds }
    }

    /// Removes all but the newest ones.
    package static func prune(in folder: String) {
        for copy in Self.all(in: folder).dropLast(Self.kept) { _ = BackupShelf.remove(copy.path) }
    }

    private init?(_ path: String) {
        guard let bytes = try? BackupFiles.read("\(path)/\(Self.noteName)", at: 0, atMost: Self.maximumNoteBytes),
            let json = try? JSONValue(parsing: bytes), json["teahouse"]?.string == "before-upgrade",
            let at = json["at"]?.integer, let version = json["version"]?.string, let from = json["from"]?.integer,
            let to = json["to"]?.integer, let position = json["position"]?.integer,
            let messages = json["messages"]?.integer, let newest = json["newestMessage"]?.integer,
            let size = json["bytes"]?.integer, let hash = json["hash"]?.string, let hasLog = json["log"]?.boolean,
            let canJump = json["canJump"]?.boolean,
            BackupFiles.size("\(path)/\(BackupPlace.database)") == size
        else { return nil }
        self.path = path
        self.atMilliseconds = at
        self.version = version
        self.from = from
        self.to = to
        self.position = position
        self.messages = messages
        self.newestMessage = newest
        self.bytes = size
        self.hash = hash
        self.canJump = canJump
        self.hasLog = hasLog
    }

    private init(_ path: String, _ upgrade: SchemaUpgrade, at: Int64, version: String, bytes: Int64, hash: String) {
        self.path = path
        self.atMilliseconds = at
        self.version = version
        self.from = upgrade.from
        self.to = upgrade.to
        self.position = upgrade.position
        self.messages = upgrade.messages
        self.newestMessage = upgrade.newestMessage
        self.bytes = bytes
        self.hash = hash
        self.canJump = upgrade.canJump
        self.hasLog = upgrade.logPath != nil
    }

    private var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("teahouse")
        json.string("before-upgrade")
        let numbers: [(StaticString, Int64)] = [
            ("at", self.atMilliseconds), ("from", self.from), ("to", self.to), ("position", self.position),
            ("messages", self.messages), ("newestMessage", self.newestMessage), ("bytes", self.bytes),
        ]
        for (key, number) in numbers {
            json.key(key)
            json.integer(number)
        }
        json.key("version")
        json.string(self.version)
        json.key("hash")
        json.string(self.hash)
        json.key("log")
        json.boolean(self.hasLog)
        json.key("canJump")
        json.boolean(self.canJump)
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    // MARK: Making one

    /// Makes a copy of a database that is about to be upgraded. One of the same bytes that an upgrade has left which failed is
    /// used again: a start that fails again and again neither fills the disk nor replaces a copy by another.
    ///
    /// - Parameters:
    ///   - version: version of this teahouse.
    ///   - now: UTC milliseconds.
    ///   - withoutCopy: the switch that starts without one, for the text of a refusal.
    /// - Throws: `refused` where there is no room; what else went wrong. Then there is no new copy.
    package static func make(
        _ upgrade: SchemaUpgrade, version: String, now: Int64, withoutCopy: String
    ) throws(BackupError) -> UpgradeCopy {
        let size = BackupFiles.size(upgrade.databasePath) ?? 0
        if let known = try Self.known(upgrade, size) { return known }
        let shelf = "\(upgrade.folder)/\(Self.shelf)"
        try BackupFiles.makeFolder(shelf)
        for name in BackupFiles.names(in: shelf) where name.hasSuffix(BackupName.partial("")) {
            BackupFiles.removeTree("\(shelf)/\(name)")
        }
        let logs = upgrade.logPath.map { path in BackupFiles.names(in: path).map { "\(path)/\($0)" } } ?? []
        let needed = logs.reduce(size) { $0 + (BackupFiles.size($1) ?? 0) }
        try Self.checkRoom(in: shelf, for: needed, upgrade, withoutCopy)
        let name = BackupName.next(at: now, in: shelf, prefix: "schema-\(upgrade.from)-")
        let partial = "\(shelf)/\(BackupName.partial(name))"
        do throws(BackupError) {
            try BackupFiles.makeFolder(partial)
            let copied = try BackupFiles.copy(upgrade.databasePath, to: "\(partial)/\(BackupPlace.database)")
            if let path = upgrade.logPath { try Self.copyLog(path, to: partial) }
            let copy = UpgradeCopy(
                "\(shelf)/\(name)", upgrade, at: now, version: version, bytes: copied.bytes, hash: copied.hash)
            let json = copy.json
            _ = try BackupFiles.write("\(partial)/\(Self.noteName)") { offset throws(BackupError) in
                Array(json.dropFirst(Int(offset)))
            }
            try BackupFiles.syncFolders(partial)
            guard rename(partial, copy.path) == 0 else { throw .failure("name", copy.path) }
            try BackupFiles.syncFolder(shelf)
            try BackupFiles.syncFolder(upgrade.folder)
            return copy
        } catch {
            BackupFiles.removeTree(partial)
            throw error
        }
    }

    /// The copy of the same bytes, if there is one.
    private static func known(_ upgrade: SchemaUpgrade, _ size: Int64) throws(BackupError) -> UpgradeCopy? {
        let same = Self.all(in: upgrade.folder).filter { $0.from == upgrade.from && $0.bytes == size }
        guard !same.isEmpty else { return nil }
        let hash = try BackupFiles.hash(upgrade.databasePath).hash
        return same.last { $0.hash == hash && $0.hasLog == (upgrade.logPath != nil) }
    }

    static func copyLog(_ path: String, to folder: String) throws(BackupError) {
        let copy = "\(folder)/\(Self.logName)"
        try BackupFiles.makeFolder(copy)
        for name in BackupFiles.names(in: path) where BackupFiles.size("\(path)/\(name)") != nil {
            _ = try BackupFiles.copy("\(path)/\(name)", to: "\(copy)/\(name)")
        }
    }

    private static func checkRoom(
        in shelf: String, for bytes: Int64, _ upgrade: SchemaUpgrade, _ withoutCopy: String
    ) throws(BackupError) {
        var status = statvfs()
        guard statvfs(shelf, &status) == 0 else { return }
        let free = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        guard free - Self.keptFreeBytes < bytes else { return }
        throw .refused(
            """
            the database is to be brought from schema \(upgrade.from) to \(upgrade.to), and a copy of it is made before; that \
            takes \(bytes) bytes, and \(free) are free: free some room, or make a backup with the former teahouse and start once \
            with \(withoutCopy). Nothing was changed
            """)
    }
}
