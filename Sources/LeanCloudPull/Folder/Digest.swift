import ByteCodec
import COpenSSL

/// A hash of bytes that come in pieces.
final class Digest {
    enum Kind {
        case sha256
        /// Checksum that LeanCloud's SDKs store with a file.
        case md5
    }

    private let context: OpaquePointer

    init(_ kind: Kind) {
        let algorithm = kind == .sha256 ? EVP_sha256() : EVP_md5()
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, algorithm, nil) == 1 else {
            preconditionFailure("OpenSSL has no SHA-256 or no MD5")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(self.context) }

    func update(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ EVP_DigestUpdate(self.context, $0.baseAddress, $0.count) }) == nil {
            let copy = Array(bytes)
            EVP_DigestUpdate(self.context, copy, copy.count)
        }
    }

    /// In hexadecimal; once only.
    func finish() -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        EVP_DigestFinal_ex(self.context, &digest, &count)
        return Hex.encode(digest.prefix(Int(count)))
    }

    static func of(_ kind: Kind, _ bytes: [UInt8]) -> String {
        let digest = Digest(kind)
        digest.update(bytes)
        return digest.finish()
    }
}
