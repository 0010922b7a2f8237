import COpenSSL

/// Certificates that servers must chain to: the authorities of this system, and those in the operator's file.
final class TrustStore: @unchecked Sendable {
    // SAFETY: an SSL_CTX is only read after `init`; OpenSSL counts its references atomically.
    let context: OpaquePointer

    /// - Parameter caFile: more authorities, PEM.
    init(caFile: String?) throws(HTTPClientError) {
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw .tls(host: "this server", reason: "OpenSSL has no memory")
        }
        self.context = context
        guard copenssl_harden_client(context) == 1 else {
            throw .tls(host: "this server", reason: "OpenSSL refuses its settings")
        }
        guard let caFile else { return }
        let isLoaded = SSL_CTX_load_verify_file(context, caFile) == 1
        ERR_clear_error()
        guard isLoaded else { throw .badTrust(path: caFile) }
    }

    deinit { SSL_CTX_free(self.context) }
}
