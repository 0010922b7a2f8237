import COpenSSL
import Glibc

/// A TLS client over a `TestClient`'s socket that verifies like a careful one.
final class TLSClient {
    let client: TestClient
    private let context: OpaquePointer
    private let session: OpaquePointer

    /// - Parameters:
    ///   - authority: PEM of the only trusted authority; `nil` trusts everybody.
    ///   - name: asked for by SNI when it is a name, and verified, also when it is an address.
    init(_ client: TestClient, authority: [UInt8]?, name: String, maximumVersion: Int32? = nil) throws {
        self.client = client
        guard let context = SSL_CTX_new(TLS_client_method()), let session = SSL_new(context) else {
            throw ClientError(description: "no TLS context")
        }
        self.context = context
        self.session = session
        if let maximumVersion { SSL_ctrl(session, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(maximumVersion), nil) }
        if let authority {
            let bio = BIO_new_mem_buf(authority, Int32(authority.count))
            let certificate = PEM_read_bio_X509(bio, nil, nil, nil)
            BIO_free(bio)
            X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate)
            X509_free(certificate)
            SSL_set_verify(session, SSL_VERIFY_PEER, nil)
            let parameters = SSL_get0_param(session)
            if X509_VERIFY_PARAM_set1_ip_asc(parameters, name) != 1 { SSL_set1_host(session, name) }
        }
        if name.first?.isLetter == true { _ = copenssl_ask_for_name(session, name) }
        SSL_set_fd(session, client.descriptor)
        guard SSL_connect(session) == 1 else {
            let result = SSL_get_verify_result(session)
            ERR_clear_error()
            throw ClientError(
                description: "handshake failed: \(String(cString: X509_verify_cert_error_string(Int(result))))")
        }
    }

    deinit {
        SSL_free(self.session)
        SSL_CTX_free(self.context)
    }

    var version: String { String(cString: SSL_get_version(self.session)) }

    /// SHA-256 of the server's certificate.
    var certificateDigest: [UInt8] {
        let certificate = SSL_get1_peer_certificate(self.session)
        defer { X509_free(certificate) }
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        X509_digest(certificate, EVP_sha256(), &digest, &count)
        return digest
    }

    /// How many certificates the server sent.
    var chainCount: Int { Int(OPENSSL_sk_num(SSL_get_peer_cert_chain(self.session))) }

    func send(_ bytes: [UInt8]) { SSL_write(self.session, bytes, Int32(bytes.count)) }
    func send(_ text: String) { self.send(Array(text.utf8)) }

    func readSome() -> [UInt8] {
        var room = [UInt8](repeating: 0, count: 16_384)
        let count = SSL_read(self.session, &room, Int32(room.count))
        ERR_clear_error()
        return Array(room[..<max(0, Int(count))])
    }

    func read(exactly count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = self.readSome()
            guard !piece.isEmpty else { throw ClientError(description: "the end after \(bytes.count) of \(count)") }
            bytes += piece
        }
        return bytes
    }

    func readToEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        while case let piece = self.readSome(), !piece.isEmpty { bytes += piece }
        return bytes
    }
}
