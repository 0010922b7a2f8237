import ByteCodec
import CLinux
import Glibc

/// When a data folder was last verified and what came of it: a small file in the folder, for the doctor, the status and
/// the console. It is a hint: a folder that cannot be written to has none, and what cannot be read is unknown.
package struct LastVerify: Hashable, Sendable {
    /// More is not read: the file has three short fields.
    private static let maximumBytes = 1_024

    /// UTC milliseconds.
    package var atMilliseconds: Int64
    /// How many things were wrong; 0 for a folder in order.
    package var findings: Int64
    /// Contents of files were looked at and not read.
    package var isQuick: Bool

    package init(atMilliseconds: Int64, findings: Int64, isQuick: Bool) {
        self.atMilliseconds = atMilliseconds
        self.findings = findings
        self.isQuick = isQuick
    }

    private static func path(in folder: String) -> String { "\(folder)/last-verify.json" }

    /// Replaces what was there, wholly or not at all; readable for the owner alone. Blocks.
    ///
    /// - Returns: whether it is on the disk.
    @discardableResult
    package func write(in folder: String) -> Bool {
        let new = Self.path(in: folder) + ".new"
        unlink(new)
        let descriptor = clinux_open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let bytes = self.json
        let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(new, Self.path(in: folder)) == 0 else {
            unlink(new)
            return false
        }
        return (try? DataFolder.sync(folder)) != nil
    }

    private var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("at")
        json.integer(self.atMilliseconds)
        json.key("findings")
        json.integer(self.findings)
        json.key("quick")
        json.boolean(self.isQuick)
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// Reads what the last verify left; `nil` when there was none, or when it cannot be read. Blocks.
    package static func read(in folder: String) -> LastVerify? {
        // A pipe in its place must not hold the reader up.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = clinux_open(Self.path(in: folder), flags, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.maximumBytes + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0, count <= Self.maximumBytes,
            let json = try? JSONValue(parsing: Array(bytes[..<count])), let at = json["at"]?.integer, at >= 0,
            let findings = json["findings"]?.integer, findings >= 0, let isQuick = json["quick"]?.boolean
        else { return nil }
        return LastVerify(atMilliseconds: at, findings: findings, isQuick: isQuick)
    }
}
