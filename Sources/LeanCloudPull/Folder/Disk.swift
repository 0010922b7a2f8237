import CLinux
import Glibc

/// Files and folders, with errors that name the path. Everything is for the owner's eyes alone: what apps keep is private.
package enum Disk {
    static func failure(_ path: String, _ code: Int32 = clinux_errno()) -> PullError { .disk(path: path, code: code) }

    /// Makes a folder with those above it, unless it is there.
    package static func makeFolder(_ path: String) throws(PullError) {
        if mkdir(path, 0o700) == 0 || clinux_errno() == EEXIST { return }
        guard clinux_errno() == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw Self.failure(path)
        }
        try Self.makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || clinux_errno() == EEXIST else { throw Self.failure(path) }
    }

    /// Bytes of a file; `nil` when there is none.
    package static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    /// Gives a file another name, for good.
    package static func rename(_ from: String, to path: String) throws(PullError) {
        guard Glibc.rename(from, path) == 0 else { throw Self.failure(path) }
        try Self.syncFolder(of: path)
    }

    /// Removes a file, if it is there.
    package static func remove(_ path: String) throws(PullError) {
        guard unlink(path) == 0 || clinux_errno() == ENOENT else { throw Self.failure(path) }
    }

    static func syncFolder(of path: String) throws(PullError) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = clinux_open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw Self.failure(folder) }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder, and have nothing to sync in it either.
        guard fsync(descriptor) == 0 || clinux_errno() == EINVAL else { throw Self.failure(folder) }
    }

    /// Names in a folder, sorted; none when it is not there.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// A small file, whole; `nil` when there is none.
    static func read(_ path: String, maximumBytes: Int = 16 << 20) throws(PullError) -> [UInt8]? {
        guard let file = try InputFile(path) else { return nil }
        var bytes: [UInt8] = []
        while true {
            let piece = try file.read()
            if piece.isEmpty { return bytes }
            bytes += piece
            guard bytes.count <= maximumBytes else { throw Self.failure(path, EFBIG) }
        }
    }

    /// Writes a small file so that it is there whole, or as it was.
    package static func write(_ bytes: [UInt8], to path: String) throws(PullError) {
        let file = try OutputFile(path + ".new")
        try file.write(bytes)
        try file.finish()
        try Self.rename(path + ".new", to: path)
    }
}

/// A file that is read from its beginning, piece by piece.
package final class InputFile {
    private let path: String
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 256 * 1024)

    /// - Returns: `nil` when there is no such file.
    package init?(_ path: String) throws(PullError) {
        self.path = path
        self.descriptor = clinux_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard self.descriptor < 0 else { return }
        if clinux_errno() == ENOENT { return nil }
        throw Disk.failure(path)
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }

    /// The next bytes; none at the end.
    package func read() throws(PullError) -> ArraySlice<UInt8> {
        while true {
            let count = Glibc.read(self.descriptor, &self.buffer, self.buffer.count)
            if count >= 0 { return self.buffer[..<count] }
            if clinux_errno() != EINTR { throw Disk.failure(self.path) }
        }
    }
}

/// A file that is written from its end on, through a buffer.
package final class OutputFile {
    private static let bufferBytes = 256 * 1024

    private let path: String
    private var descriptor: Int32
    private var buffer: [UInt8] = []
    /// Bytes of the file, what waits in the buffer included.
    package private(set) var count: Int64

    /// - Parameter keeping: bytes at the beginning that stay; what is behind them goes. `nil` for a new file.
    package init(_ path: String, keeping: Int64? = nil) throws(PullError) {
        self.path = path
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (keeping == nil ? O_TRUNC : 0)
        self.descriptor = clinux_open(path, flags, 0o600)
        guard self.descriptor >= 0 else { throw Disk.failure(path) }
        self.count = 0
        guard let keeping else { return }
        // A file that is shorter than it should be lost its end, which comes again.
        let kept = min(keeping, Disk.size(path) ?? 0)
        guard ftruncate(self.descriptor, Int(kept)) == 0, lseek(self.descriptor, Int(kept), SEEK_SET) == Int(kept)
        else {
            let failure = Disk.failure(path)
            close(self.descriptor)
            self.descriptor = -1
            throw failure
        }
        self.count = kept
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }

    /// A file to which lines are added; a last line without its end, of a process that was killed, goes first.
    package static func appending(_ path: String) throws(PullError) -> OutputFile {
        var whole: Int64 = 0
        var read: Int64 = 0
        if let file = try InputFile(path) {
            while true {
                let piece = try file.read()
                if piece.isEmpty { break }
                if let end = piece.lastIndex(of: UInt8(ascii: "\n")) {
                    whole = read + Int64(piece.distance(from: piece.startIndex, to: end)) + 1
                }
                read += Int64(piece.count)
            }
        }
        return try OutputFile(path, keeping: whole)
    }

    /// Adds bytes.
    package func write(_ bytes: some Collection<UInt8>) throws(PullError) {
        self.buffer.append(contentsOf: bytes)
        self.count += Int64(bytes.count)
        if self.buffer.count >= Self.bufferBytes { try self.flush() }
    }

    /// Adds a line and its end.
    package func write(line: some Collection<UInt8>) throws(PullError) {
        try self.write(line)
        try self.write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    private func flush() throws(PullError) {
        var written = 0
        while written < self.buffer.count {
            let count = self.buffer.withUnsafeBytes {
                Glibc.write(self.descriptor, $0.baseAddress! + written, $0.count - written)
            }
            if count < 0 && clinux_errno() == EINTR { continue }
            guard count > 0 else { throw Disk.failure(self.path, count == 0 ? ENOSPC : clinux_errno()) }
            written += count
        }
        self.buffer.removeAll(keepingCapacity: true)
    }

    /// Everything written so far is on the disk.
    package func sync() throws(PullError) {
        try self.flush()
        guard fdatasync(self.descriptor) == 0 else { throw Disk.failure(self.path) }
    }

    /// The same, and the file is closed.
    package func finish() throws(PullError) {
        try self.sync()
        let descriptor = self.descriptor
        self.descriptor = -1
        guard close(descriptor) == 0 else { throw Disk.failure(self.path) }
    }
}

/// The lines of a file, one after the other. A last line without its end is none: it was being written.
package final class LineReader {
    /// Most bytes of a line: the longest row of a pull, told of as one that no program could read, is shorter.
    package static let maximumBytes = 64 << 20

    private let path: String
    private let maximumBytes: Int
    private let file: InputFile
    private var buffer: [UInt8] = []
    private var used = 0
    private var isOver = false
    /// Lines that were read.
    private var number: Int64 = 0

    /// - Parameter maximumBytes: most bytes of a line.
    /// - Returns: `nil` when there is no such file.
    package init?(_ path: String, maximumBytes: Int = LineReader.maximumBytes) throws(PullError) {
        guard let file = try InputFile(path) else { return nil }
        self.path = path
        self.maximumBytes = maximumBytes
        self.file = file
    }

    /// The next line, without its end; `nil` at the end of the file.
    ///
    /// - Throws: `disk`; `input` for a line that is longer than any row.
    package func next() throws(PullError) -> [UInt8]? {
        var searched = self.used
        while true {
            if let end = self.buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { self.used = end + 1 }
                self.number += 1
                return Array(self.buffer[self.used..<end])
            }
            guard !self.isOver else { return nil }
            guard self.buffer.count - self.used <= self.maximumBytes else {
                throw .input(
                    path: self.path, reason: "line \(self.number + 1) has more than \(self.maximumBytes) bytes")
            }
            self.buffer.removeFirst(self.used)
            self.used = 0
            searched = self.buffer.count
            let piece = try self.file.read()
            self.isOver = piece.isEmpty
            self.buffer += piece
        }
    }
}

/// The right to work in a folder, until the process ends.
package final class FolderLock {
    private let descriptor: Int32

    /// - Throws: `alreadyRunning` where another process has it.
    package init(_ path: String, folder: String) throws(PullError) {
        self.descriptor = clinux_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard self.descriptor >= 0 else { throw Disk.failure(path) }
        guard flock(self.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .alreadyRunning(path: folder) }
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }
}
