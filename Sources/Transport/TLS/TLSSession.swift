import COpenSSL
import CLinux
import Glibc

/// Result of one read or write on a socket, plain or encrypted.
package enum TransferResult {
    case moved(Int)
    /// The kernel has nothing, or no room: `wantsOutput` tells what to wait for.
    case blocked(wantsOutput: Bool)
    /// The peer has sent its last byte.
    case closed
    /// `errno`, or 0 when TLS itself failed.
    case failed(Int32)
}

/// One end of a TLS connection, over a non-blocking socket that it does not own.
package final class TLSSession {
    /// A record carries at most so much; with as much room a read never leaves decrypted bytes behind.
    package static let recordBytes = 16 * 1024

    private let session: OpaquePointer

    /// The server's end.
    ///
    /// - Parameter context: an `SSL_CTX`; the session keeps its own reference.
    init?(context: OpaquePointer, descriptor: Int32) {
        guard let session = SSL_new(context) else { return nil }
        self.session = session
        guard SSL_set_fd(session, descriptor) == 1 else {
            SSL_free(session)
            return nil
        }
        SSL_set_accept_state(session)
    }

    /// The client's end: the server must have a certificate for `host`, a name or an address, from somebody whom the
    /// context trusts.
    ///
    /// - Parameter context: an `SSL_CTX`; the session keeps its own reference.
    package init?(client context: OpaquePointer, descriptor: Int32, host: String) {
        guard let session = SSL_new(context) else { return nil }
        self.session = session
        let isName = IPAddress(host) == nil
        SSL_set_verify(session, SSL_VERIFY_PEER, nil)
        let isReady =
            isName
            ? SSL_set1_host(session, host) == 1 && copenssl_ask_for_name(session, host) == 1
            : X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1
        guard isReady, SSL_set_fd(session, descriptor) == 1 else {
            SSL_free(session)
            return nil
        }
        SSL_set_connect_state(session)
    }

    /// The client's end of a connection that looks at a certificate and sends nothing: any is accepted, and
    /// `certificateProblem` says whether the context trusts it. The name is asked for and not compared.
    ///
    /// - Parameter context: an `SSL_CTX`; the session keeps its own reference.
    package init?(lookingWith context: OpaquePointer, descriptor: Int32, name: String) {
        guard let session = SSL_new(context) else { return nil }
        self.session = session
        SSL_set_verify(session, SSL_VERIFY_NONE, nil)
        guard IPAddress(name) != nil || copenssl_ask_for_name(session, name) == 1, SSL_set_fd(session, descriptor) == 1
        else {
            SSL_free(session)
            return nil
        }
        SSL_set_connect_state(session)
    }

    /// The other end's certificate, after the handshake; `nil` when it has shown none.
    package func peerCertificate() -> PeerCertificate? {
        guard let certificate = SSL_get1_peer_certificate(self.session) else { return nil }
        defer { X509_free(certificate) }
        return PeerCertificate(reading: certificate)
    }

    /// Why the other end's certificate was not accepted; `nil` when it was.
    package var certificateProblem: String? {
        let result = SSL_get_verify_result(self.session)
        return result == X509_V_OK ? nil : String(cString: X509_verify_cert_error_string(result))
    }

    deinit { SSL_free(self.session) }

    /// Goes on with the handshake; `.moved(0)` when it is complete.
    package func handshake() -> TransferResult {
        ERR_clear_error()
        let result = SSL_do_handshake(self.session)
        return result == 1 ? .moved(0) : self.failure(result)
    }

    /// Reads until `room` has not space for another record or nothing more is there.
    package func read(into room: UnsafeMutableRawBufferPointer) -> TransferResult {
        var filled = 0
        while room.count - filled >= Self.recordBytes, let base = room.baseAddress {
            ERR_clear_error()
            let count = SSL_read(self.session, base + filled, Int32(room.count - filled))
            if count <= 0 {
                return filled > 0 ? .moved(filled) : self.failure(count)
            }
            filled += Int(count)
        }
        return .moved(filled)
    }

    /// Encrypts and sends as much of `bytes` as the socket takes.
    package func write(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
        ERR_clear_error()
        let count = SSL_write(self.session, bytes.baseAddress, Int32(clamping: bytes.count))
        return count > 0 ? .moved(Int(count)) : self.failure(count)
    }

    /// Tells the peer that nothing more comes. What the socket does not take is lost: the peer sees the end anyway.
    package func sayGoodbye() {
        ERR_clear_error()
        SSL_shutdown(self.session)
    }

    private func failure(_ result: Int32) -> TransferResult {
        let code = clinux_errno()
        switch SSL_get_error(self.session, result) {
        case SSL_ERROR_WANT_READ: return .blocked(wantsOutput: false)
        case SSL_ERROR_WANT_WRITE: return .blocked(wantsOutput: true)
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL: return code == 0 ? .closed : .failed(code)
        default: return .failed(0)
        }
    }
}
