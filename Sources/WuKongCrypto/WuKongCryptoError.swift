import COpenSSL

/// Why keys could not be agreed on, or a message not be read. No case holds a key or a text.
package enum WuKongCryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer's public key is not base64 of 32 bytes.
    case invalidPublicKey
    /// The peer's public key gives a secret that everybody knows (RFC 7748, section 6.1).
    case weakPublicKey
    /// The salt is not 16 ASCII characters.
    case invalidSalt
    case payloadNotBase64
    /// Wrong length or padding: it was encrypted with another key, or changed on the way.
    case payloadNotDecryptable
    /// The crypto library refuses an algorithm or has no random numbers.
    case unavailable(String)

    package var description: String {
        switch self {
        case .invalidPublicKey: "the public key is not base64 of 32 bytes"
        case .weakPublicKey: "the public key is one of those that make the secret known to everybody"
        case .invalidSalt: "the salt is not 16 ASCII characters"
        case .payloadNotBase64: "the payload is not base64"
        case .payloadNotDecryptable: "the payload was not encrypted with the key of this session"
        case .unavailable(let what): "OpenSSL refuses \(what): this build needs one that has it, and no FIPS mode"
        }
    }
}

/// Failures of the library itself.
enum Failure {
    /// Takes the errors off the thread's queue, where the next TLS session would find them.
    static func unavailable(_ what: String) -> WuKongCryptoError {
        ERR_clear_error()
        return .unavailable(what)
    }
}
