import COpenSSL
import CSodium

/// The hash functions that other services chose: each only where their clients or servers expect it.
enum Digest {
    /// 16 bytes.
    ///
    /// - Returns: `nil` when OpenSSL refuses it, as it does on machines set to FIPS.
    static func md5(_ bytes: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 16)
        var count: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &count, EVP_md5(), nil) == 1 else { return nil }
        return digest
    }

    /// HMAC-SHA1: 20 bytes.
    ///
    /// - Returns: `nil` when OpenSSL refuses it, as it does with short keys on machines set to FIPS.
    static func hmacSHA1(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 20)
        var count: UInt32 = 0
        guard HMAC(EVP_sha1(), key, Int32(key.count), bytes, bytes.count, &digest, &count) != nil else { return nil }
        return digest
    }

    /// HMAC-SHA256 under a key of 32 bytes: 32 bytes.
    static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        precondition(key.count == Int(crypto_auth_hmacsha256_KEYBYTES), "a key of HMAC-SHA256 here has 32 bytes")
        let count = Int(crypto_auth_hmacsha256_BYTES)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            crypto_auth_hmacsha256(buffer.baseAddress!, bytes, UInt64(bytes.count), key)
            initialized = count
        }
    }

    /// 64 bytes.
    static func sha512(_ bytes: [UInt8]) -> [UInt8] {
        let count = Int(crypto_hash_sha512_BYTES)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            crypto_hash_sha512(buffer.baseAddress!, bytes, UInt64(bytes.count))
            initialized = count
        }
    }
}
