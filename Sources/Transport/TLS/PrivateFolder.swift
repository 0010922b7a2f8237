import CLinux
import Glibc

/// A folder for keys: 0700, files 0600, each file whole or absent.
struct PrivateFolder {
    let path: String

    init(path: String) throws(TransportError) {
        self.path = path
        guard mkdir(path, 0o700) == 0 || clinux_errno() == EEXIST else { throw Self.error(path, "make the folder") }
        guard chmod(path, 0o700) == 0 else { throw Self.error(path, "protect the folder") }
    }

    func path(of name: String) -> String { "\(self.path)/\(name)" }

    /// The whole file; `nil` when there is none.
    func read(_ name: String) throws(TransportError) -> [UInt8]? {
        let path = self.path(of: name)
        let descriptor = clinux_open(path, O_RDONLY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else {
            if clinux_errno() == ENOENT { return nil }
            throw Self.error(path, "read")
        }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0 && clinux_errno() == EINTR { continue }
            guard count >= 0 else { throw Self.error(path, "read") }
            if count == 0 { return content }
            content += piece[..<count]
        }
    }

    /// Writes beside the file, then puts it in place: a crash leaves the old file or the new one.
    func write(_ name: String, _ content: [UInt8]) throws(TransportError) {
        let path = self.path(of: name)
        let temporary = path + ".tmp"
        unlink(temporary)
        let descriptor = clinux_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.error(temporary, "write") }
        let isWritten = Self.writeAll(content, to: descriptor) && fsync(descriptor) == 0
        let code = clinux_errno()
        close(descriptor)
        guard isWritten else {
            unlink(temporary)
            throw .file(path: temporary, operation: "write", code: code)
        }
        guard rename(temporary, path) == 0 else { throw Self.error(path, "put in place") }
        try self.sync()
    }

    private func sync() throws(TransportError) {
        let descriptor = clinux_open(self.path, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { throw Self.error(self.path, "open") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.error(self.path, "sync") }
    }

    private static func writeAll(_ content: [UInt8], to descriptor: Int32) -> Bool {
        content.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
                if count < 0 && clinux_errno() == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func error(_ path: String, _ operation: String) -> TransportError {
        .file(path: path, operation: operation, code: clinux_errno())
    }
}
