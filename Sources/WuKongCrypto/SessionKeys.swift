import ByteCodec
import COpenSSL

/// The keys of one session of the binary encoding, and what is done with them.
///
/// The AES-128 key is the first 16 digits of the MD5, in hexadecimal, of the base64 of the shared X25519 secret; the
/// initialisation vector is the salt, which the server chooses. Both stay the same for every message, and nothing proves
/// who the server is: this hides messages from a glance, TLS is what protects them. Source: WuKongIM v2.2.5 and the JS,
/// iOS, Android and Flutter SDKs, which agree on every byte.
///
/// Both sides use it: the server with the client's key, a client with the server's key and salt.
///
/// SAFETY: owns an OpenSSL context and frees it; stays on the thread of its workspace.
package final class SessionKeys {
    /// Workspace that the sessions of this thread share.
    package let workspace: CryptoWorkspace
    private let key: CipherBlock
    private let vector: CipherBlock
    private let encryption: OpaquePointer
    /// The last block that went through the cipher: what its next one is mixed with.
    @exclusivity(unchecked) private var lastBlock: CipherBlock

    /// The initialisation vector as the client gets it: 16 letters and digits.
    package var salt: String { String(decoding: self.vector.array, as: UTF8.self) }

    /// - Parameters:
    ///   - peerKeyBase64: the public key of the other side.
    ///   - salt: what the server said, on a client's side; random without.
    /// - Throws: `invalidPublicKey`, `weakPublicKey`, `invalidSalt`, `unavailable`.
    package init(
        shared keyPair: KeyPair, with peerKeyBase64: String, salt: String? = nil, in workspace: CryptoWorkspace
    ) throws(WuKongCryptoError) {
        let secret = try keyPair.sharedSecret(with: peerKeyBase64)
        let vector = if let salt { Array(salt.utf8) } else { try Random.characters(CipherBlock.bytes) }
        guard vector.count == CipherBlock.bytes, vector.allSatisfy({ $0 < 0x80 }) else { throw .invalidSalt }
        var digits: [UInt8] = []
        Hex.append(workspace.md5(Base64.encode(secret)).span, to: &digits)
        self.key = CipherBlock(digits.prefix(CipherBlock.bytes))
        self.vector = CipherBlock(vector)
        self.workspace = workspace
        self.encryption = try workspace.makeEncryption(key: self.key, vector: self.vector)
        self.lastBlock = self.vector
    }

    deinit { EVP_CIPHER_CTX_free(self.encryption) }

    // MARK: Payloads

    /// Appends the encrypted payload as it stands in SEND and RECV: base64 text.
    package func encrypt(_ payload: [UInt8], appendingTo text: inout [UInt8]) {
        self.workspace.block.removeAll(keepingCapacity: true)
        self.workspace.block.append(contentsOf: payload)
        self.encryptBlock()
        self.workspace.block.withUnsafeBytes { Base64.encode($0, appendingTo: &text) }
    }

    /// The payload that `encrypt` was given.
    ///
    /// - Throws: `payloadNotBase64`, `payloadNotDecryptable`.
    package func decrypt(_ text: [UInt8]) throws(WuKongCryptoError) -> [UInt8] {
        guard var bytes = LenientBase64.decode(text) else { throw .payloadNotBase64 }
        guard !bytes.isEmpty, bytes.count % CipherBlock.bytes == 0 else { throw .payloadNotDecryptable }
        self.workspace.decrypt(&bytes, key: self.key, vector: self.vector)
        let padding = bytes[bytes.count - 1]
        guard padding > 0, padding <= CipherBlock.bytes,
            bytes.suffix(Int(padding)).allSatisfy({ $0 == padding })
        else { throw .payloadNotDecryptable }
        bytes.removeLast(Int(padding))
        return bytes
    }

    // MARK: Message keys

    /// Appends the message key of a SEND or RECV: the MD5, in 32 lower case hexadecimal digits, of the encrypted text
    /// of `signature` followed by `payload`.
    ///
    /// - Parameters:
    ///   - signature: the packet's fields, as `BinarySignature` puts them together.
    ///   - payload: the encrypted payload, base64 text.
    package func messageKey(signing signature: [UInt8], _ payload: [UInt8], appendingTo digits: inout [UInt8]) {
        self.workspace.block.removeAll(keepingCapacity: true)
        self.workspace.block.append(contentsOf: signature)
        self.workspace.block.append(contentsOf: payload)
        self.encryptBlock()
        self.workspace.text.removeAll(keepingCapacity: true)
        self.workspace.block.withUnsafeBytes { Base64.encode($0, appendingTo: &self.workspace.text) }
        Hex.append(self.workspace.md5(self.workspace.text).span, to: &digits)
    }

    /// True when a packet's message key is the right one.
    package func isMessageKey(_ key: [UInt8], signing signature: [UInt8], _ payload: [UInt8]) -> Bool {
        var expected: [UInt8] = []
        expected.reserveCapacity(32)
        self.messageKey(signing: signature, payload, appendingTo: &expected)
        return key == expected
    }

    // MARK: Pieces

    /// Pads (PKCS #7) and encrypts the workspace's block, in place.
    private func encryptBlock() {
        let padding = CipherBlock.bytes - self.workspace.block.count % CipherBlock.bytes
        self.workspace.block.append(contentsOf: repeatElement(UInt8(padding), count: padding))
        self.workspace.block.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { self.encrypt(start, count: bytes.count, to: start) }
        }
    }

    /// Encrypts `count` bytes, which must be whole blocks, to `output`, which may be where they stand. What `input`
    /// starts with is another block afterwards.
    ///
    /// Each text starts with the same initialisation vector, which OpenSSL takes 130 ns to set. The cipher mixes the
    /// first block with the last one it made; mixing that block and the vector in beforehand leaves the vector.
    func encrypt(_ input: UnsafeMutableRawPointer, count: Int, to output: UnsafeMutableRawPointer) {
        precondition(
            count > 0 && count % CipherBlock.bytes == 0 && count <= Int32.max, "\(count) bytes cannot be encrypted")
        (CipherBlock(at: input) ^ self.vector ^ self.lastBlock).store(at: input)
        // SAFETY: the cipher reads and writes `count` bytes.
        var written: Int32 = 0
        let isDone = EVP_EncryptUpdate(
            self.encryption, output.assumingMemoryBound(to: UInt8.self), &written,
            input.assumingMemoryBound(to: UInt8.self), Int32(count))
        precondition(isDone == 1 && Int(written) == count, "AES-128-CBC failed on whole blocks")
        self.lastBlock = CipherBlock(at: output + count - CipherBlock.bytes)
    }
}
