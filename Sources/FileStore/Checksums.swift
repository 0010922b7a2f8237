import COpenSSL
import CZlib
package import ChatModel

/// SHA-256 of bytes that come in pieces, as OpenSSL makes it.
package final class ContentHasher {
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            preconditionFailure("OpenSSL has no SHA-256")
        }
        self.context = context
    }

    private init(copying other: ContentHasher) {
        guard let context = EVP_MD_CTX_new(), EVP_MD_CTX_copy_ex(context, other.context) == 1 else {
            preconditionFailure("OpenSSL cannot copy a SHA-256")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(self.context) }

    func copy() -> ContentHasher { ContentHasher(copying: self) }

    /// Takes the next piece.
    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        EVP_DigestUpdate(self.context, bytes.baseAddress, bytes.count)
    }

    /// The hash of all so far; more may come.
    package func hash() -> ContentHash {
        let end = self.copy()
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(end.context, &digest, nil)
        guard let hash = ContentHash(digest) else { preconditionFailure("SHA-256 has 32 bytes") }
        return hash
    }
}

/// CRC-32 as gzip has it (RFC 1952 section 8).
enum Checksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }

    static func of(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { Self.of($0) } }

    /// Checksum of two pieces one after the other, from the checksums of each.
    static func combine(_ first: UInt32, _ second: UInt32, secondCount: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_combine(UInt(first), UInt(second), secondCount))
    }
}
