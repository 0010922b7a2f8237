import ByteCodec

/// The last backup of a data folder: a small file in the folder, for the doctor, the status and the console. It is a hint, as
/// `LastVerify` is. Only a backup that was verified is noted.
package struct LastBackup: Hashable, Sendable {
    /// Time of the snapshot in it, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Time at which it was verified, UTC milliseconds.
    package var verifiedAtMilliseconds: Int64
    /// Name of its folder.
    package var name: String
    /// Bytes of all its files.
    package var bytes: Int64
    /// First eight bytes of the hash of its list of files, in hexadecimal: the backup's own manifest says the whole.
    package var proof: String

    /// Characters of the name that are kept.
    private static let maximumCharacters = 128

    package init(atMilliseconds: Int64, verifiedAtMilliseconds: Int64, name: String, bytes: Int64, proof: String) {
        self.atMilliseconds = atMilliseconds
        self.verifiedAtMilliseconds = verifiedAtMilliseconds
        self.name = String(name.prefix(Self.maximumCharacters))
        self.bytes = bytes
        self.proof = String(proof.prefix(16))
    }

    private static func note(in folder: String) -> FolderNote { FolderNote("last-backup.json", in: folder) }

    /// Replaces what was there, wholly or not at all; readable for the owner alone. Blocks.
    ///
    /// - Returns: whether it is on the disk.
    @discardableResult
    package func write(in folder: String) -> Bool {
        Self.note(in: folder).write { json in
            json.key("at")
            json.integer(self.atMilliseconds)
            json.key("verified")
            json.integer(self.verifiedAtMilliseconds)
            json.key("name")
            json.string(self.name)
            json.key("bytes")
            json.integer(self.bytes)
            json.key("proof")
            json.string(self.proof)
        }
    }

    /// Reads what is noted; `nil` when there was none, or when it cannot be read. Blocks.
    package static func read(in folder: String) -> LastBackup? {
        guard let json = Self.note(in: folder).read(), let at = json["at"]?.integer, at >= 0,
            let verified = json["verified"]?.integer, verified >= 0, let name = json["name"]?.string,
            let bytes = json["bytes"]?.integer, bytes >= 0, let proof = json["proof"]?.string
        else { return nil }
        return LastBackup(
            atMilliseconds: at, verifiedAtMilliseconds: verified, name: name, bytes: bytes, proof: proof)
    }
}
