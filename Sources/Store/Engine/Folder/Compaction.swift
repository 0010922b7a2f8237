import CLinux
import Glibc

/// Sizes of a database before and after it was compacted, bytes.
package struct Compaction: Hashable, Sendable {
    package var before: Int64
    package var after: Int64
}

/// Writes the database of a stopped server anew, without the pages that are free, and puts the new file in its place when
/// all of it is on the disk. The old one stays as it is until then.
///
/// - Throws: `alreadyRunning`; `notFound` without a database; `invalid` where the last server did not end cleanly, where
///   the schema is another one, or where there is no room for both files; `full`; `fatal` for damage.
package func compactFolder(_ path: String) throws(StoreError) -> Compaction {
    guard try !isNewFolder(path) else {
        throw .notFound("a database in \(path): name the folder that holds teahouse.db")
    }
    let folder = try DataFolder(path)
    if let damage = try folder.logDamage() { throw .fatal("\(damage): restore the last backup") }
    let compaction = try folder.compactDatabase()
    return withExtendedLifetime(folder) { compaction }
}

extension DataFolder {
    /// Room that has to be left beside both files.
    private static let spareBytes: Int64 = 16 << 20

    fileprivate func compactDatabase() throws(StoreError) -> Compaction {
        let before = Self.size(of: self.databasePath)
        let new = self.databasePath + ".compact"
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(new + suffix) }
        do throws(StoreError) {
            try self.writeCompacted(new, room: before + Self.spareBytes)
            let after = Self.size(of: new)
            guard rename(new, self.databasePath) == 0 else { throw Self.failure("rename \(new)") }
            try Self.sync(self.path)
            return Compaction(before: before, after: after)
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] { unlink(new + suffix) }
            throw error
        }
    }

    /// Writes and checks the new file. The connections are closed at the end, and no log of SQLite's is left.
    private func writeCompacted(_ new: String, room: Int64) throws(StoreError) {
        let connection = try Connection(path: self.databasePath, role: .writer(synchronous: "FULL"))
        let schema = try connection.schemaVersion()
        guard schema == Schema.version else {
            throw .invalid("the database has schema \(schema), this teahouse \(Schema.version): start teahouse once")
        }
        guard try connection.meta("log_segments") == 0 else {
            throw .invalid("the last server did not end by itself: start teahouse once, and stop it")
        }
        try connection.checkpoint(truncating: true)
        guard self.freeBytes() ?? .max >= room else {
            throw .invalid("the new file needs room beside the old one: make \(room) bytes free in \(self.path)")
        }
        // For the owner only, as SQLite would not make it.
        let descriptor = clinux_open(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("make \(new)") }
        close(descriptor)
        try connection.run("VACUUM INTO ?", new)
        try Self.checkCompacted(new)
        try Self.syncFile(new)
    }

    private static func checkCompacted(_ path: String) throws(StoreError) {
        let connection = try Connection(path: path, role: .writer(synchronous: "FULL"))
        let lines = try connection.query("PRAGMA integrity_check(1)") { row throws(StoreError) in row.text(0) }
        guard lines == ["ok"] else {
            throw .fatal("the database cannot be written anew: run teahouse verify; nothing was changed")
        }
        try connection.checkpoint(truncating: true)
    }

    private static func syncFile(_ path: String) throws(StoreError) {
        let descriptor = clinux_open(path, O_RDONLY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw Self.failure("open \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("sync \(path)") }
    }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
