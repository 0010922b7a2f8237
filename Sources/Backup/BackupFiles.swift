import CLinux
import ChatModel
import FileStore
import Glibc

/// Files and folders of backups, each call with the type of what it throws.
package enum BackupFiles {
    /// Bytes read or written at once.
    static let pieceBytes = 512 * 1024
    /// Bytes after which a file is synced, so that no sync of a server's log waits for much of it.
    private static let syncBytes: Int64 = 8 * 1024 * 1024

    /// Makes a folder for the owner alone, and those above it.
    static func makeFolder(_ path: String) throws(BackupError) {
        if mkdir(path, 0o700) == 0 { return }
        let reason = clinux_errno()
        if reason == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try Self.makeFolder(String(path[..<slash]))
            guard mkdir(path, 0o700) == 0 || clinux_errno() == EEXIST else { throw .failure("make", path) }
            return
        }
        guard reason == EEXIST else { throw .failure("make", path) }
        guard Self.isFolder(path) else { throw .io(action: "use \(path), which is no folder", errno: ENOTDIR) }
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Bytes of a plain file; `nil` when it is not there or anything else.
    static func size(_ path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// The names in a folder but `.` and `..`, sorted; none when it is not there.
    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Paths of the plain files below a folder, relative to it, sorted. Links and sockets are passed over.
    static func all(in root: String, _ below: String = "") -> [String] {
        var found: [String] = []
        for name in Self.names(in: below.isEmpty ? root : "\(root)/\(below)") {
            let path = below.isEmpty ? name : "\(below)/\(name)"
            var status = stat()
            guard lstat("\(root)/\(path)", &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR { found += Self.all(in: root, path) }
            if status.st_mode & S_IFMT == S_IFREG { found.append(path) }
        }
        return found
    }

    /// Makes the names in a folder durable.
    static func syncFolder(_ path: String) throws(BackupError) {
        let descriptor = clinux_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw .failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .failure("sync", path) }
    }

    /// Makes the names in a folder and in all below it durable.
    package static func syncFolders(_ path: String) throws(BackupError) {
        for name in Self.names(in: path) {
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            try Self.syncFolders("\(path)/\(name)")
        }
        try Self.syncFolder(path)
    }

    /// Removes a folder with all in it, as far as it can.
    package static func removeTree(_ path: String) {
        for name in Self.names(in: path) {
            let inner = "\(path)/\(name)"
            var status = stat()
            guard lstat(inner, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR { Self.removeTree(inner) } else { unlink(inner) }
        }
        rmdir(path)
    }

    /// Gives a file, or a folder with all in it, to a user.
    static func give(_ path: String, _ user: uid_t, _ group: gid_t) throws(BackupError) {
        guard lchown(path, user, group) == 0 else { throw .failure("give away", path) }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        for name in Self.names(in: path) { try Self.give("\(path)/\(name)", user, group) }
    }

    /// Reads up to so many bytes; fewer only at the end of the file.
    static func read(_ path: String, at offset: Int64, atMost count: Int) throws(BackupError) -> [UInt8] {
        let descriptor = clinux_open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { throw .failure("open", path) }
        defer { close(descriptor) }
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            while filled < count {
                // SAFETY: `pread` writes at most what is left of the room behind what is filled.
                let got = pread(
                    descriptor, room.baseAddress.map { $0 + filled }, count - filled, off_t(offset) + off_t(filled))
                if got < 0, clinux_errno() == EINTR { continue }
                failed = got < 0
                guard got > 0 else { return }
                filled += got
            }
        }
        if failed { throw .failure("read", path) }
        return bytes
    }

    /// Writes a new file from pieces, synced when it returns.
    ///
    /// - Parameter next: the bytes from an offset on; none at the end.
    /// - Returns: its bytes and their SHA-256 in hexadecimal.
    static func write(
        _ path: String, _ next: (Int64) throws(BackupError) -> [UInt8]
    ) throws(BackupError) -> (bytes: Int64, hash: String) {
        let descriptor = clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failure("make", path) }
        defer { close(descriptor) }
        let hasher = ContentHasher()
        var (offset, synced): (Int64, Int64) = (0, 0)
        while true {
            let piece = try next(offset)
            guard !piece.isEmpty else { break }
            piece.withUnsafeBytes { hasher.update($0) }
            var rest = piece[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, clinux_errno() == EINTR { continue }
                guard count > 0 else { throw .failure("write", path) }
                rest = rest.dropFirst(count)
            }
            offset += Int64(piece.count)
            if offset - synced >= Self.syncBytes {
                synced = offset
                guard fdatasync(descriptor) == 0 else { throw .failure("sync", path) }
            }
        }
        guard fsync(descriptor) == 0 else { throw .failure("sync", path) }
        return (offset, hasher.hash().hex)
    }

    /// Copies a file.
    static func copy(_ old: String, to new: String) throws(BackupError) -> (bytes: Int64, hash: String) {
        try Self.write(new) { offset throws(BackupError) in try Self.read(old, at: offset, atMost: Self.pieceBytes) }
    }

    /// Bytes of a file and their SHA-256 in hexadecimal.
    static func hash(_ path: String) throws(BackupError) -> (bytes: Int64, hash: String) {
        let hasher = ContentHasher()
        var offset: Int64 = 0
        while true {
            let piece = try Self.read(path, at: offset, atMost: Self.pieceBytes)
            guard !piece.isEmpty else { return (offset, hasher.hash().hex) }
            piece.withUnsafeBytes { hasher.update($0) }
            offset += Int64(piece.count)
        }
    }
}
