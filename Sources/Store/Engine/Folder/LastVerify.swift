import ByteCodec

/// When a data folder was last verified and what came of it: a small file in the folder, for the doctor, the status and
/// the console. It is a hint: a folder that cannot be written to has none, and what cannot be read is unknown.
package struct LastVerify: Hashable, Sendable {
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

    private static func note(in folder: String) -> FolderNote { FolderNote("last-verify.json", in: folder) }

    /// Replaces what was there, wholly or not at all; readable for the owner alone. Blocks.
    ///
    /// - Returns: whether it is on the disk.
    @discardableResult
    package func write(in folder: String) -> Bool {
        Self.note(in: folder).write { json in
            json.key("at")
            json.integer(self.atMilliseconds)
            json.key("findings")
            json.integer(self.findings)
            json.key("quick")
            json.boolean(self.isQuick)
        }
    }

    /// Reads what the last verify left; `nil` when there was none, or when it cannot be read. Blocks.
    package static func read(in folder: String) -> LastVerify? {
        guard let json = Self.note(in: folder).read(), let at = json["at"]?.integer, at >= 0,
            let findings = json["findings"]?.integer, findings >= 0, let isQuick = json["quick"]?.boolean
        else { return nil }
        return LastVerify(atMilliseconds: at, findings: findings, isQuick: isQuick)
    }
}
