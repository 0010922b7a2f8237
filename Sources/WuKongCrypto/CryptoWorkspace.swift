import COpenSSL

/// Workspace that the session keys of one thread share: algorithms looked up once, contexts, and buffers that keep
/// their memory.
///
/// SAFETY: owns the OpenSSL objects and frees them; stays on the thread that made it.
package final class CryptoWorkspace {
    private let cipher: OpaquePointer
    private let digest: OpaquePointer
    private let digestContext: OpaquePointer
    private let decryption: OpaquePointer
    /// Text on its way through the cipher, and its base64.
    var block: [UInt8] = []
    var text: [UInt8] = []

    /// - Throws: `unavailable` when OpenSSL has no AES-128-CBC or MD5.
    package init() throws(WuKongCryptoError) {
        let cipher = EVP_CIPHER_fetch(nil, "AES-128-CBC", nil)
        let digest = EVP_MD_fetch(nil, "MD5", nil)
        let digestContext = EVP_MD_CTX_new()
        let decryption = EVP_CIPHER_CTX_new()
        // The key and the vector come with each payload.
        guard let cipher, let digest, let digestContext, let decryption,
            EVP_DecryptInit_ex2(decryption, cipher, nil, nil, nil) == 1,
            EVP_CIPHER_CTX_set_padding(decryption, 0) == 1
        else {
            EVP_CIPHER_free(cipher)
            EVP_MD_free(digest)
            EVP_MD_CTX_free(digestContext)
            EVP_CIPHER_CTX_free(decryption)
            throw Failure.unavailable("AES-128-CBC or MD5")
        }
        self.cipher = cipher
        self.digest = digest
        self.digestContext = digestContext
        self.decryption = decryption
    }

    deinit {
        EVP_CIPHER_free(self.cipher)
        EVP_MD_free(self.digest)
        EVP_MD_CTX_free(self.digestContext)
        EVP_CIPHER_CTX_free(self.decryption)
    }

    /// A context that encrypts whole blocks with this key; its owner frees it.
    func makeEncryption(key: CipherBlock, vector: CipherBlock) throws(WuKongCryptoError) -> OpaquePointer {
        guard let context = EVP_CIPHER_CTX_new() else { throw Failure.unavailable("AES-128-CBC") }
        let isReady = Self.withPointers(key, vector) { key, vector in
            EVP_EncryptInit_ex2(context, self.cipher, key, vector, nil) == 1
        }
        guard isReady, EVP_CIPHER_CTX_set_padding(context, 0) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw Failure.unavailable("AES-128-CBC")
        }
        return context
    }

    /// Decrypts whole blocks in place. Padding stays for the caller to take off.
    func decrypt(_ bytes: inout [UInt8], key: CipherBlock, vector: CipherBlock) {
        precondition(bytes.count % CipherBlock.bytes == 0 && bytes.count <= Int32.max, "no whole blocks")
        var written: Int32 = 0
        let isDone = bytes.withUnsafeMutableBufferPointer { bytes in
            Self.withPointers(key, vector) { EVP_DecryptInit_ex2(self.decryption, nil, $0, $1, nil) == 1 }
                && EVP_DecryptUpdate(
                    self.decryption, bytes.baseAddress, &written, bytes.baseAddress, Int32(bytes.count)) == 1
        }
        precondition(isDone && Int(written) == bytes.count, "AES-128-CBC failed on whole blocks")
    }

    private static func withPointers<Result>(
        _ key: CipherBlock, _ vector: CipherBlock,
        _ body: (UnsafePointer<UInt8>?, UnsafePointer<UInt8>?) -> Result
    ) -> Result {
        withUnsafeBytes(of: key) { key in
            withUnsafeBytes(of: vector) { vector in
                body(
                    key.assumingMemoryBound(to: UInt8.self).baseAddress,
                    vector.assumingMemoryBound(to: UInt8.self).baseAddress)
            }
        }
    }

    /// The MD5 of bytes.
    func md5(_ bytes: [UInt8]) -> InlineArray<16, UInt8> {
        bytes.withUnsafeBytes { self.md5($0) }
    }

    /// The MD5 of bytes.
    func md5(_ bytes: UnsafeRawBufferPointer) -> InlineArray<16, UInt8> {
        var result = InlineArray<16, UInt8>(repeating: 0)
        var span = result.mutableSpan
        span.withUnsafeMutableBufferPointer { room in
            let isDone =
                EVP_DigestInit_ex2(self.digestContext, self.digest, nil) == 1
                && EVP_DigestUpdate(self.digestContext, bytes.baseAddress, bytes.count) == 1
                && EVP_DigestFinal_ex(self.digestContext, room.baseAddress, nil) == 1
            precondition(isDone, "MD5 failed")
        }
        return result
    }
}
