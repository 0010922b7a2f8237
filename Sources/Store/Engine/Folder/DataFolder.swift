import CLinux
import Glibc

/// Names for errno values.
enum FileError {
    static let noSpace = ENOSPC
    static let quotaExceeded = EDQUOT

    /// The disk or its file system is damaged: not a mistake in the configuration.
    static func meansFailedDisk(_ reason: Int32) -> Bool { reason == EIO || reason == EUCLEAN }
}

/// The data folder: made, checked and locked before the database is opened, and watched for room.
///
/// The lock is an exclusive `flock` on `lock`; the kernel drops it when the process ends, however it ends.
package final class DataFolder {
    let path: String
    private let lock: Int32

    static func databasePath(in folder: String) -> String { "\(folder)/teahouse.db" }

    /// - Throws: `alreadyRunning`; `invalid` when the folder cannot be made or others may write to it; `fatal` when the
    ///   disk fails.
    init(_ path: String) throws(StoreError) {
        try Self.make(path)
        try Self.checkOwnership(of: path)
        let descriptor = clinux_open("\(path)/lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open \(path)/lock") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = clinux_errno()
            close(descriptor)
            throw reason == EWOULDBLOCK ? .alreadyRunning(path) : Self.failure("lock \(path)/lock", reason)
        }
        self.path = path
        self.lock = descriptor
    }

    deinit { close(self.lock) }

    /// Makes the database: under another name, which it gives up when all of it is on the disk. So an empty file of the
    /// database's name is never one that was being made.
    ///
    /// - Parameter fill: writes the schema, closes the file and leaves no log.
    func makeDatabase(_ fill: (_ path: String) throws(StoreError) -> Void) throws(StoreError) {
        let new = self.databasePath + ".new"
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(new + suffix) }
        // For the owner only; SQLite would let others read, and makes its log like the file.
        let descriptor = clinux_open(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("make \(new)") }
        close(descriptor)
        try fill(new)
        guard rename(new, self.databasePath) == 0 else { throw Self.failure("rename \(new)") }
        try Self.sync(self.path)
    }

    var databasePath: String { Self.databasePath(in: self.path) }

    /// Makes the folder and the missing ones above it; each new name is synced into its parent.
    package static func make(_ path: String) throws(StoreError) {
        var missing: [String] = []
        var current = path
        while access(current, F_OK) != 0 && !current.isEmpty {
            missing.append(current)
            current = Self.parent(of: current)
        }
        for folder in missing.reversed() {
            guard mkdir(folder, 0o700) == 0 || clinux_errno() == EEXIST else { throw Self.failure("make \(folder)") }
            try Self.sync(Self.parent(of: folder))
        }
    }

    private static func parent(of path: String) -> String {
        var trimmed = Substring(path)
        while trimmed.count > 1 && trimmed.last == "/" { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    private static func checkOwnership(of path: String) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.failure("look at \(path)") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .invalid("\(path) is not a folder: choose another") }
        guard status.st_mode & 0o022 == 0 else {
            throw .invalid("others may write to \(path): run chmod 700 \(path) and check what is in it")
        }
    }

    /// Makes the names inside a folder durable.
    static func sync(_ folder: String) throws(StoreError) {
        let descriptor = clinux_open(folder, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { throw Self.failure("open \(folder)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .fatal("cannot sync \(folder): errno \(clinux_errno())") }
    }

    static func failure(_ action: String, _ reason: Int32 = clinux_errno()) -> StoreError {
        if reason == FileError.noSpace || reason == FileError.quotaExceeded { return .full }
        let text = "cannot \(action): \(String(cString: strerror(reason)))"
        return FileError.meansFailedDisk(reason) ? .fatal("\(text): check the disk") : .invalid(text)
    }

    /// Bytes and files that may still be written, as a share that an ordinary user gets; `nil` when the system does
    /// not say.
    func freeBytes() -> Int64? {
        var status = statvfs()
        guard statvfs(self.path, &status) == 0 else { return nil }
        // A file system that counts its files (tmpfs, ext4) is full too when it has none left; btrfs says 0 of 0.
        if status.f_files > 0 && status.f_favail < 16 { return 0 }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    private var ballastPath: String { "\(self.path)/ballast" }

    /// Reserves room that `releaseBallast` gives back. Does nothing when it is there.
    ///
    /// - Returns: false when there is no room for it.
    @discardableResult
    func makeBallast(bytes: Int64) -> Bool {
        guard bytes > 0 else { return true }
        let descriptor = clinux_open(self.ballastPath, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard posix_fallocate(descriptor, 0, off_t(bytes)) == 0 else {
            unlink(self.ballastPath)
            return false
        }
        return true
    }

    func releaseBallast() { unlink(self.ballastPath) }
}
