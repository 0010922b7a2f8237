import CLinux
import Glibc

/// Bounds of copying a snapshot.
package struct SnapshotOptions: Sendable {
    /// Bytes copied in a second at most; 0 for as fast as the disk is.
    package var bytesPerSecond: Int64 = 64 * 1024 * 1024
    /// Size of SQLite's log at which the copy is given up: the log cannot be emptied while a snapshot is held.
    package var maximumLogBytes: Int64 = 1 << 30

    package init() {}
}

/// Facts about the database in a snapshot.
package struct SnapshotFacts: Hashable, Sendable {
    /// Bytes of the copy.
    package var bytes: Int64
    /// Version of its schema.
    package var schemaVersion: Int64
    /// Epoch of the database it was made from.
    package var epoch: Int64
    /// Position of the newest change in it.
    package var position: Int64
    /// Number of users in it.
    package var users: Int64
    /// Number of conversations in it.
    package var conversations: Int64
    /// Number of messages in it.
    package var messages: Int64

    package init(
        bytes: Int64, schemaVersion: Int64, epoch: Int64, position: Int64, users: Int64, conversations: Int64,
        messages: Int64
    ) {
        self.bytes = bytes
        self.schemaVersion = schemaVersion
        self.epoch = epoch
        self.position = position
        self.users = users
        self.conversations = conversations
        self.messages = messages
    }
}

/// Facts that a store needs to copy its database.
struct SnapshotSource: Sendable {
    let databasePath: String
    /// Bytes that stay free on the disk of the copy.
    let keepsFreeBytes: Int64
}

extension Store {
    /// Pages of one step: a mebibyte.
    private static let stepPages: Int32 = 256
    /// Bytes after which the copy is synced, so that no sync of the server's log waits for much of it.
    private static let syncBytes: Int64 = 8 * 1024 * 1024
    /// How long a copy that is ahead of its pace sleeps at once.
    private static let napMilliseconds: Int64 = 50

    /// Copies the database into a file, as it is once everything is in it that was acknowledged before the call. Blocks, for
    /// seconds or minutes; writing and reading go on meanwhile. The copy stands alone: it needs neither of the logs.
    ///
    /// A reader holds the snapshot and copies it in steps; it never checkpoints and takes no lock that the writer waits for.
    ///
    /// - Parameters:
    ///   - path: a file that is not there. It is removed again when there is no copy.
    ///   - progress: called after each step with the bytes that are copied and all of them; false ends it.
    /// - Returns: `nil` when it was ended early.
    /// - Throws: `invalid` where there is no room, or too much is written meanwhile; `full`, `unavailable`, `fatal`.
    package func takeSnapshot(
        at path: String, _ options: SnapshotOptions = SnapshotOptions(),
        progress: (_ done: Int64, _ all: Int64) -> Bool = { _, _ in true }
    ) throws(StoreError) -> SnapshotFacts? {
        try self.waitUntilApplied()
        try self.snapshots.begin()
        do throws(StoreError) {
            let isWhole = try self.copySnapshot(to: path, options, progress)
            self.snapshots.end()
            guard isWhole else {
                Self.removeCopy(path)
                return nil
            }
        } catch {
            self.snapshots.end()
            Self.removeCopy(path)
            throw error
        }
        do throws(StoreError) {
            return try Self.detach(path)
        } catch {
            Self.removeCopy(path)
            throw error
        }
    }

    private static func removeCopy(_ path: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
    }

    private func copySnapshot(
        to path: String, _ options: SnapshotOptions, _ progress: (Int64, Int64) -> Bool
    ) throws(StoreError) -> Bool {
        let source = self.snapshotSource
        let file = clinux_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DataFolder.failure("make \(path)") }
        defer { Glibc.close(file) }
        let connection = try Connection(path: source.databasePath, role: .reader)
        try connection.run("BEGIN")
        // The transaction has its snapshot with its first read.
        let pages = try connection.first("PRAGMA page_count") { row throws(StoreError) in row.int64(0) } ?? 0
        try Self.checkRoom(for: pages * 4_096, file, keeping: source.keepsFreeBytes)
        let startedAt = clinux_monotonic_nanoseconds()
        var synced: Int64 = 0
        var problem: StoreError?
        let isWhole = try connection.copySnapshot(to: path, pages: Self.stepPages) { done, all in
            let bytes = done * 4_096
            if bytes - synced >= Self.syncBytes || done == all {
                synced = bytes
                if fdatasync(file) != 0 { problem = DataFolder.failure("sync \(path)") }
            }
            let metrics = self.metrics
            if metrics.isReadOnly { problem = .full }
            if metrics.logBytes > options.maximumLogBytes {
                problem = .invalid(
                    """
                    \(metrics.logBytes) bytes were written while the database was copied, more than may wait: make the backup \
                    at a quieter time, or faster (backup.bytes_per_second)
                    """)
            }
            guard problem == nil, !self.snapshots.isClosed, progress(bytes, all * 4_096) else { return false }
            guard options.bytesPerSecond > 0, done < all else { return true }
            let due = startedAt + Int64(Double(bytes) / Double(options.bytesPerSecond) * 1_000_000_000)
            while !self.snapshots.isClosed {
                let left = (due - clinux_monotonic_nanoseconds()) / 1_000_000
                guard left > 0 else { break }
                usleep(UInt32(min(left, Self.napMilliseconds) * 1_000))
            }
            return true
        }
        try connection.run("COMMIT")
        if let problem { throw problem }
        if self.snapshots.isClosed && !isWhole { throw .unavailable }
        return isWhole
    }

    private static func checkRoom(for bytes: Int64, _ file: Int32, keeping kept: Int64) throws(StoreError) {
        var status = statvfs()
        guard fstatvfs(file, &status) == 0 else { return }
        let free = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        guard free - kept >= bytes else {
            throw .invalid("a copy of the database takes \(bytes) bytes, and \(free) are free: free some room")
        }
    }

    /// Makes the copy independent of the server's log, and counts what is in it.
    private static func detach(_ path: String) throws(StoreError) -> SnapshotFacts {
        try detachFromLog(databaseAt: path)
        // One that reads alone would leave files of a log beside it.
        let connection = try Connection(path: path, role: .writer(synchronous: "FULL"))
        let counts = try ReadTransaction(connection, UserNames()).messages.counts()
        let messages = try connection.messageCount()
        let pages = try connection.first("PRAGMA page_count") { row throws(StoreError) in row.int64(0) } ?? 0
        return SnapshotFacts(
            bytes: pages * 4_096, schemaVersion: Int64(try connection.schemaVersion()), epoch: counts.epoch,
            position: try connection.meta("position"), users: counts.users, conversations: counts.conversations,
            messages: messages)
    }
}

/// A copy of a database that nobody writes to, for reading. Confined to one thread.
package final class SnapshotReader {
    private let transaction: ReadTransaction

    /// - Throws: `fatal` when it cannot be read.
    package init(_ path: String) throws(StoreError) {
        self.transaction = ReadTransaction(try Connection(path: path, role: .reader), UserNames())
    }

    /// Reads from the copy.
    package func read<Value>(
        _ body: (ReadTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value { try body(self.transaction) }
}
