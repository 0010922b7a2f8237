import ByteCodec
import CLinux
import Glibc

/// A small JSON file in a data folder that says what was last done with it, for the doctor, the status and the console. It is
/// a hint: a folder that cannot be written to has none, and what cannot be read is unknown.
struct FolderNote {
    /// More is not read: a note has a few short fields.
    private static let maximumBytes = 1_024

    private let folder: String
    let path: String

    init(_ name: String, in folder: String) {
        self.folder = folder
        self.path = "\(folder)/\(name)"
    }

    /// Replaces what was there, wholly or not at all; readable for the owner alone. Blocks.
    ///
    /// - Returns: whether it is on the disk.
    func write(_ fill: (inout JSONWriter) -> Void) -> Bool {
        var json = JSONWriter()
        json.beginObject()
        fill(&json)
        json.endObject()
        let bytes = json.bytes + [UInt8(ascii: "\n")]
        let new = self.path + ".new"
        unlink(new)
        let descriptor = clinux_open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(new, self.path) == 0 else {
            unlink(new)
            return false
        }
        return (try? DataFolder.sync(self.folder)) != nil
    }

    /// Reads it; `nil` when there is none, or when it cannot be read. Blocks.
    func read() -> JSONValue? {
        // A pipe in its place must not hold the reader up.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = clinux_open(self.path, flags, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.maximumBytes + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0, count <= Self.maximumBytes else { return nil }
        return try? JSONValue(parsing: Array(bytes[..<count]))
    }
}
