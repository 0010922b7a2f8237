import CLinux
import Glibc
import Store

/// A secret in a file of its own that only the server's user can read: one line of printable characters.
enum SecretFile {
    /// Content of a secret file.
    enum Content: Equatable {
        case missing
        /// Nothing but white space.
        case empty
        case text(String)
    }

    /// Reads at most `maximumBytes` of it, without white space.
    ///
    /// - Throws: `invalid` when others can read it too, or it cannot be read.
    static func read(_ path: String, maximumBytes: Int) throws(StoreError) -> Content {
        let descriptor = clinux_open(path, O_RDONLY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else {
            if clinux_errno() == ENOENT { return .missing }
            throw Self.failure("read", path)
        }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("read", path) }
        guard status.st_mode & 0o077 == 0 else {
            throw .invalid("\(path) can be read by others: chmod 600 it, or remove it for a new one")
        }
        var bytes = [UInt8](repeating: 0, count: maximumBytes + 64)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw Self.failure("read", path) }
        let text = bytes[..<count].filter { $0 > 0x20 && $0 < 0x7F }
        return text.isEmpty ? .empty : .text(String(decoding: text, as: UTF8.self))
    }

    /// Makes the file, mode 0600, and returns when it is on the disk.
    ///
    /// - Throws: `invalid`, also when it is there already; `full`.
    static func make(_ path: String, _ text: String) throws(StoreError) {
        let descriptor = clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("write", path) }
        defer { Glibc.close(descriptor) }
        let line = Array((text + "\n").utf8)
        guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            let error = Self.failure("write", path)
            unlink(path)
            throw error
        }
        try Self.syncFolder(of: path)
    }

    /// Makes the file, in place of one that is there; a crash leaves the old one or the new one.
    static func replace(_ path: String, _ text: String) throws(StoreError) {
        let draft = path + ".new"
        unlink(draft)
        try Self.make(draft, text)
        guard rename(draft, path) == 0 else {
            let error = Self.failure("write", path)
            unlink(draft)
            throw error
        }
        try Self.syncFolder(of: path)
    }

    /// Without this the name may be gone after a power cut, and what was sealed with the secret lost.
    private static func syncFolder(of path: String) throws(StoreError) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = clinux_open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { throw Self.failure("write", path) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("write", path) }
    }

    private static func failure(_ what: String, _ path: String) -> StoreError {
        let reason = clinux_errno()
        if reason == ENOSPC || reason == EDQUOT { return .full }
        return .invalid("cannot \(what) \(path): \(String(cString: strerror(reason)))")
    }
}
