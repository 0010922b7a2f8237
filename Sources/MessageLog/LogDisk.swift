import CLinux
import Glibc

/// The files of the log, as far as it needs any. The second one beside `FolderDisk` is the tests': it loses, tears and
/// reorders what was not synced, and fails at any call.
///
/// A file that was opened is known by its number until `close`.
package protocol LogDisk: AnyObject {
    /// Names of the files in the log's folder, in no order.
    func names() throws(LogError) -> [String]
    /// Opens a file that exists for reading and writing.
    func open(_ name: String) throws(LogError) -> Int
    /// Makes an empty file; one of the name that is left over goes.
    func create(_ name: String) throws(LogError) -> Int
    /// Bytes of a file.
    func size(_ file: Int) throws(LogError) -> Int
    /// Reads all of a file.
    func read(_ file: Int) throws(LogError) -> [UInt8]
    /// Writes all of the bytes.
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int, at offset: Int) throws(LogError)
    /// Returns when what was written to the file is on the disk.
    func sync(_ file: Int) throws(LogError)
    /// Gives a file another name, in place of what has it.
    func rename(_ name: String, to new: String) throws(LogError)
    /// Removes a file.
    func remove(_ name: String) throws(LogError)
    /// Returns when the names of the folder are on the disk.
    func syncFolder() throws(LogError)
    /// Forgets an open file.
    func close(_ file: Int)
}

/// A folder of the file system. Made when it is missing. Confined to one thread at a time.
package final class FolderDisk: LogDisk {
    private let path: String

    /// - Throws: `full`, or `failed` when the folder cannot be made or used.
    package init(_ path: String) throws(LogError) {
        self.path = path
        guard mkdir(path, 0o700) == 0 || clinux_errno() == EEXIST else { throw Self.failure("make \(path)") }
        var parent = Substring(path)
        if let slash = parent.lastIndex(of: "/") { parent = parent[..<slash] } else { parent = "." }
        try Self.sync(folder: parent.isEmpty ? "/" : String(parent))
    }

    private static func failure(_ action: String) -> LogError {
        let reason = clinux_errno()
        if reason == ENOSPC || reason == EDQUOT { return .full }
        return .failed("cannot \(action): \(String(cString: strerror(reason)))")
    }

    private static func sync(folder: String) throws(LogError) {
        let descriptor = clinux_open(folder, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { throw self.failure("open \(folder)") }
        defer { Glibc.close(descriptor) }
        // Also for want of room: what was promised is not on the disk.
        guard fsync(descriptor) == 0 else { throw .failed("cannot sync \(folder): errno \(clinux_errno())") }
    }

    private func place(_ name: String) -> String { "\(self.path)/\(name)" }

    package func names() throws(LogError) -> [String] {
        guard let folder = opendir(self.path) else { throw Self.failure("open \(self.path)") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    package func open(_ name: String) throws(LogError) -> Int {
        let descriptor = clinux_open(self.place(name), O_RDWR | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw Self.failure("open \(self.place(name))") }
        return Int(descriptor)
    }

    package func create(_ name: String) throws(LogError) -> Int {
        let descriptor = clinux_open(self.place(name), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("make \(self.place(name))") }
        return Int(descriptor)
    }

    package func size(_ file: Int) throws(LogError) -> Int {
        var status = stat()
        guard fstat(Int32(file), &status) == 0 else { throw Self.failure("look at the log") }
        return Int(status.st_size)
    }

    package func read(_ file: Int) throws(LogError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: try self.size(file))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                pread(Int32(file), $0.baseAddress! + done, $0.count - done, off_t(done))
            }
            if count < 0 && clinux_errno() == EINTR { continue }
            guard count > 0 else { throw .failed("cannot read the log: errno \(clinux_errno())") }
            done += count
        }
        return bytes
    }

    package func write(_ bytes: UnsafeRawBufferPointer, to file: Int, at offset: Int) throws(LogError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(Int32(file), bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
            if count < 0 && clinux_errno() == EINTR { continue }
            guard count > 0 else { throw Self.failure("write to the log") }
            done += count
        }
    }

    package func sync(_ file: Int) throws(LogError) {
        guard fdatasync(Int32(file)) == 0 else { throw .failed("cannot sync the log: errno \(clinux_errno())") }
    }

    package func rename(_ name: String, to new: String) throws(LogError) {
        guard Glibc.rename(self.place(name), self.place(new)) == 0 else {
            throw Self.failure("rename \(self.place(name))")
        }
    }

    package func remove(_ name: String) throws(LogError) {
        guard unlink(self.place(name)) == 0 else { throw Self.failure("remove \(self.place(name))") }
    }

    package func syncFolder() throws(LogError) { try Self.sync(folder: self.path) }

    package func close(_ file: Int) { Glibc.close(Int32(file)) }
}
