import ByteCodec

/// A password hash as LeanCloud exports it, in the form it is stored here: `leancloud$SALT$HASH`.
///
/// The hash is standard base64 of SHA-512 of salt and password, hashed 512 times more. It is cheap to guess against, so
/// the first right password replaces it. Source: LeanCloud data export guide, "Passwords of _User".
package struct ImportedPassword: Hashable, Sendable {
    private static let prefix = "leancloud$"
    private static let rounds = 512
    /// Most bytes of a salt; LeanCloud's have about 50.
    private static let maximumSaltBytes = 256

    /// Salt, as the export has it.
    package let salt: String
    private let hash: [UInt8]

    /// Hash as the export has it, in base64.
    package var hashText: String { String(decoding: Base64.encode(self.hash), as: UTF8.self) }

    /// From an export.
    ///
    /// - Returns: `nil` when the hash is not base64 of 64 bytes, or the salt has more than 256.
    package init?(salt: String, hash: String) {
        guard salt.utf8.count <= Self.maximumSaltBytes, let bytes = Base64.decode(Array(hash.utf8)), bytes.count == 64
        else { return nil }
        self.salt = salt
        self.hash = bytes
    }

    /// Reads what `stored` writes.
    ///
    /// - Returns: `nil` for what is stored in another form.
    package init?(stored: String) {
        guard stored.hasPrefix(Self.prefix) else { return nil }
        let rest = stored.dropFirst(Self.prefix.count)
        // Base64 has no such sign; a salt might.
        guard let end = rest.lastIndex(of: "$") else { return nil }
        self.init(salt: String(rest[..<end]), hash: String(rest[rest.index(after: end)...]))
    }

    /// Text that is stored as the password hash of the user.
    package var stored: String {
        "\(Self.prefix)\(self.salt)$\(self.hashText)"
    }

    /// Some 0.3 ms.
    func fits(_ password: String) -> Bool {
        var hash = Digest.sha512(Array((self.salt + password).utf8))
        for _ in 0..<Self.rounds { hash = Digest.sha512(hash) }
        return Sodium.isEqual(hash, self.hash)
    }
}
