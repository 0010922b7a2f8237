import COpenSSL
import Glibc

/// Computes the checksum of one request's body while it comes.
final class RequestChecksum {
    private let expected: UploadChecksum
    private let context: OpaquePointer

    /// - Returns: `nil` when OpenSSL refuses the algorithm, as it does with MD5 on machines set to FIPS.
    init?(_ expected: UploadChecksum) {
        guard let context = EVP_MD_CTX_new() else { return nil }
        let algorithm =
            switch expected.algorithm {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            }
        guard EVP_DigestInit_ex(context, algorithm, nil) == 1 else {
            EVP_MD_CTX_free(context)
            return nil
        }
        self.expected = expected
        self.context = context
    }

    deinit { EVP_MD_CTX_free(self.context) }

    func add(_ bytes: UnsafeRawBufferPointer) {
        let isDone = EVP_DigestUpdate(self.context, bytes.baseAddress, bytes.count)
        precondition(isDone == 1, "EVP_DigestUpdate failed")
    }

    /// Compares the bytes with the announced checksum. Call once.
    func matches() -> Bool {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_DigestFinal_ex(self.context, &digest, &count) == 1 else { return false }
        return digest.prefix(Int(count)).elementsEqual(self.expected.digest)
    }
}
