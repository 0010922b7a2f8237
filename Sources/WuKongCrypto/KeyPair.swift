import ByteCodec
import COpenSSL

/// An X25519 key pair (RFC 7748), for one side of a handshake.
///
/// Making one costs about as much as agreeing on a secret with it. A server may use one pair for many sessions: each
/// client brings a key of its own and each session has its own salt.
///
/// SAFETY: owns the OpenSSL key and its context and frees them; stays on the thread that made it.
package final class KeyPair {
    static let keyBytes = 32

    private let key: OpaquePointer
    /// Agrees on one secret after the other: to make it costs as much as to look up the algorithm.
    private let agreement: OpaquePointer
    /// The public key as the peer gets it: 44 characters of base64.
    package let publicKeyBase64: String

    /// A random pair.
    package convenience init() throws(WuKongCryptoError) {
        try self.init(privateKey: try Random.bytes(Self.keyBytes))
    }

    /// The pair of a given private key, which must have 32 bytes: for tests.
    package init(privateKey: [UInt8]) throws(WuKongCryptoError) {
        precondition(privateKey.count == Self.keyBytes, "an X25519 key has 32 bytes")
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, privateKey, privateKey.count) else {
            throw Failure.unavailable("X25519")
        }
        let agreement = EVP_PKEY_CTX_new(key, nil)
        var publicKey = [UInt8](repeating: 0, count: Self.keyBytes)
        var count = publicKey.count
        guard let agreement, EVP_PKEY_derive_init(agreement) == 1,
            EVP_PKEY_get_raw_public_key(key, &publicKey, &count) == 1, count == Self.keyBytes
        else {
            EVP_PKEY_CTX_free(agreement)
            EVP_PKEY_free(key)
            throw Failure.unavailable("X25519")
        }
        self.key = key
        self.agreement = agreement
        self.publicKeyBase64 = String(decoding: Base64.encode(publicKey), as: UTF8.self)
    }

    deinit {
        EVP_PKEY_CTX_free(self.agreement)
        EVP_PKEY_free(self.key)
    }

    /// The 32 bytes that only the holders of both private keys know.
    ///
    /// - Throws: `invalidPublicKey`, `weakPublicKey`.
    func sharedSecret(with peerKeyBase64: String) throws(WuKongCryptoError) -> [UInt8] {
        // Longer than any key: not worth reading.
        guard peerKeyBase64.utf8.count <= 64, let bytes = LenientBase64.decode(Array(peerKeyBase64.utf8)),
            bytes.count == Self.keyBytes,
            let peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, bytes, bytes.count)
        else {
            ERR_clear_error()
            throw .invalidPublicKey
        }
        defer { EVP_PKEY_free(peer) }
        guard EVP_PKEY_derive_set_peer(self.agreement, peer) == 1 else { throw Failure.unavailable("X25519") }
        var secret = [UInt8](repeating: 0, count: Self.keyBytes)
        var count = secret.count
        // OpenSSL refuses the secret that is zero, which a point of low order gives.
        guard EVP_PKEY_derive(self.agreement, &secret, &count) == 1, count == Self.keyBytes,
            secret.contains(where: { $0 != 0 })
        else {
            ERR_clear_error()
            throw .weakPublicKey
        }
        return secret
    }
}
