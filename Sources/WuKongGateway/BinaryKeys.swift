import Diagnostics
import WuKongCrypto

/// Keys and contexts that the binary sessions of one reactor share: its half of every key exchange, and OpenSSL's.
///
/// One key pair serves all of them, because each client brings a key of its own and each session gets a salt of its own;
/// it lives as long as the server runs.
final class BinaryKeys {
    private let pair: KeyPair
    private let workspace: CryptoWorkspace

    /// - Returns: `nil`, and a line in the log, when OpenSSL refuses the algorithms.
    init?(log: Log) {
        do throws(WuKongCryptoError) {
            self.pair = try KeyPair()
            self.workspace = try CryptoWorkspace()
        } catch {
            log.error("binary encoding is off", ["reason": .text(error.description)])
            return nil
        }
    }

    /// The server's public key, as CONNACK carries it.
    var publicKeyBase64: String { self.pair.publicKeyBase64 }

    /// The keys of a session whose client has this public key.
    func makeSession(with clientKey: String) throws(WuKongCryptoError) -> SessionKeys {
        try SessionKeys(shared: self.pair, with: clientKey, in: self.workspace)
    }
}
