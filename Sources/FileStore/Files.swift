import CLinux
import Glibc

/// An open file of the folder of contents.
final class OpenFile {
    let path: String
    private let descriptor: Int32

    enum Mode {
        case reading
        /// For the owner only; what is there stays.
        case writing
        /// For the owner only; what is there is emptied.
        case fresh
    }

    /// A link in the place of the file is refused.
    ///
    /// - Returns: `nil` when it is not there.
    static func open(_ path: String, _ mode: Mode) throws(FileStoreError) -> OpenFile? {
        let flags: Int32 =
            switch mode {
            case .reading: O_RDONLY
            case .writing: O_RDWR | O_CREAT
            case .fresh: O_RDWR | O_CREAT | O_TRUNC
            }
        let descriptor = clinux_open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0, clinux_errno() == ENOENT, case .reading = mode { return nil }
        guard descriptor >= 0 else { throw Files.failure("open \(path)") }
        return OpenFile(path, descriptor)
    }

    private init(_ path: String, _ descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    func size() throws(FileStoreError) -> Int64 {
        var status = stat()
        guard fstat(self.descriptor, &status) == 0 else { throw Files.failure("look at \(self.path)") }
        return Int64(status.st_size)
    }

    /// True when the file has another name in the file system too.
    func hasOtherNames() throws(FileStoreError) -> Bool {
        var status = stat()
        guard fstat(self.descriptor, &status) == 0 else { throw Files.failure("look at \(self.path)") }
        return status.st_nlink > 1
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileStoreError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                self.descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset) + off_t(done))
            if count < 0, clinux_errno() == EINTR { continue }
            guard count > 0 else { throw Files.failure("write \(self.path)") }
            done += count
        }
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(FileStoreError) {
        try bytes.withBytes { (raw) throws(FileStoreError) in try self.write(raw, at: offset) }
    }

    /// Fewer bytes only at the end of the file.
    func read(at offset: Int64, count: Int) throws(FileStoreError) -> [UInt8] {
        var problem: FileStoreError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            while filled < count {
                let got = pread(
                    self.descriptor, room.baseAddress.map { $0 + filled }, count - filled,
                    off_t(offset) + off_t(filled))
                if got < 0, clinux_errno() == EINTR { continue }
                if got < 0 { problem = Files.failure("read \(self.path)") }
                guard got > 0 else { return }
                filled += got
            }
        }
        if let problem { throw problem }
        return bytes
    }

    func truncate(to size: Int64) throws(FileStoreError) {
        guard ftruncate(self.descriptor, off_t(size)) == 0 else { throw Files.failure("shorten \(self.path)") }
    }

    /// The bytes are on the disk when it returns.
    func sync() throws(FileStoreError) {
        while fdatasync(self.descriptor) != 0 {
            guard clinux_errno() == EINTR else { throw Files.failure("sync \(self.path)") }
        }
    }
}

/// Names in folders.
enum Files {
    static func failure(_ action: String) -> FileStoreError {
        let reason = clinux_errno()
        return reason == ENOSPC || reason == EDQUOT ? .full : .io(action: action, errno: reason)
    }

    /// Makes a folder for the owner only, and its name durable. One that is there must be a folder.
    static func makeFolder(_ path: String) throws(FileStoreError) {
        if mkdir(path, 0o700) == 0 { return try Self.syncFolder(Self.parent(of: path)) }
        guard clinux_errno() == EEXIST else { throw Self.failure("make \(path)") }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .io(action: "use \(path), which is no folder", errno: ENOTDIR)
        }
    }

    /// - Throws: `io` when there is a link, or anything else but a folder, by that name.
    static func refuseStranger(_ path: String) throws(FileStoreError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return }
        throw .io(action: "use \(path), which is no folder", errno: ENOTDIR)
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the names in a folder durable.
    static func syncFolder(_ path: String) throws(FileStoreError) {
        let descriptor = clinux_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw Self.failure("open \(path)") }
        defer { close(descriptor) }
        while fsync(descriptor) != 0 {
            guard clinux_errno() == EINTR else { throw Self.failure("sync \(path)") }
        }
    }

    /// - Returns: false when there is something by that name.
    static func link(_ old: String, _ new: String) throws(FileStoreError) -> Bool {
        if Glibc.link(old, new) == 0 { return true }
        guard clinux_errno() == EEXIST else { throw Self.failure("name \(new)") }
        return false
    }

    static func rename(_ old: String, _ new: String) throws(FileStoreError) {
        guard Glibc.rename(old, new) == 0 else { throw Self.failure("name \(new)") }
    }

    /// - Returns: whether there was one.
    @discardableResult
    static func remove(_ path: String) throws(FileStoreError) -> Bool {
        if unlink(path) == 0 { return true }
        guard clinux_errno() == ENOENT else { throw Self.failure("remove \(path)") }
        return false
    }

    /// Size and time of the last change; `nil` when it is not there or no plain file.
    static func facts(_ path: String) -> (size: Int64, modifiedAtMilliseconds: Int64)? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let time = status.st_mtim
        return (Int64(status.st_size), Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The names in a folder but `.` and `..`; none when it is not there.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` that keeps the type of what is thrown.
    func withBytes(_ use: (UnsafeRawBufferPointer) throws(FileStoreError) -> Void) throws(FileStoreError) {
        let result: Result<Void, FileStoreError> = self.withUnsafeBytes { raw in
            do throws(FileStoreError) {
                return .success(try use(raw))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
