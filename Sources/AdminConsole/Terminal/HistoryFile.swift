import Glibc

/// File of the lines that were typed behind `:` and `/`, the newest last. Nobody else can read it.
struct HistoryFile {
    /// Lines that are read and kept.
    private static let maximumLines = 1_000
    /// Bytes that are read of it.
    private static let maximumBytes = 1 << 20

    let path: String

    /// Lines of the file; `nil` when there is none.
    func read() -> [String]? {
        let file = open(self.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < Self.maximumBytes {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        return Array(lines.suffix(Self.maximumLines))
    }

    /// Adds a line, as well as it can be: the console goes on without.
    func append(_ line: String) {
        guard !line.contains("\n") else { return }
        self.makeFolders()
        let file = open(self.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let bytes = Array((line + "\n").utf8)
        _ = write(file, bytes, bytes.count)
    }

    private func makeFolders() {
        let names = self.path.split(separator: "/").dropLast()
        var folder = ""
        for name in names {
            folder += "/" + name
            mkdir(folder, 0o700)
        }
    }
}

/// A file that does not exist yet.
enum NewFile {
    /// Writes a text into a new file that only its owner can read.
    ///
    /// - Returns: reason why it failed; `nil` when it is written.
    static func write(_ text: String, to path: String) -> String? {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else {
                let reason = String(cString: strerror(errno))
                unlink(path)
                return reason
            }
            start += count
        }
        return nil
    }
}
