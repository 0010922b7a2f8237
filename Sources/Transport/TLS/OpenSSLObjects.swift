import COpenSSL

/// Makes an error of OpenSSL's newest message on this thread, and empties its queue.
func openSSLError(_ operation: String) -> TransportError {
    let code = ERR_get_error()
    ERR_clear_error()
    var text = [CChar](repeating: 0, count: 256)
    ERR_error_string_n(code, &text, text.count)
    let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return .openSSL(operation: operation, reason: code == 0 ? "no reason given" : reason)
}

/// A key pair on the curve P-256, or one that was read.
final class PrivateKey {
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(self.pointer) }

    static func new() throws(TransportError) -> PrivateKey {
        guard let pointer = copenssl_p256_key() else { throw openSSLError("make a key") }
        return PrivateKey(pointer)
    }

    init(pem: [UInt8], path: String) throws(TransportError) {
        let pointer = withMemoryBIO(reading: pem) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        guard let pointer else { throw .badCertificate(path: path, reason: "it holds no private key in PEM form") }
        self.pointer = pointer
    }

    func pem() throws(TransportError) -> [UInt8] {
        try writtenToMemoryBIO { PEM_write_bio_PrivateKey($0, self.pointer, nil, nil, 0, nil, nil) }
    }
}

/// One X.509 certificate.
final class Certificate {
    let pointer: OpaquePointer

    /// Takes over the reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(self.pointer) }

    /// The first certificate of a PEM file.
    init(pem: [UInt8], path: String) throws(TransportError) {
        let pointer = withMemoryBIO(reading: pem) { PEM_read_bio_X509($0, nil, nil, nil) }
        guard let pointer else { throw .badCertificate(path: path, reason: "it holds no certificate in PEM form") }
        self.pointer = pointer
    }

    func pem() throws(TransportError) -> [UInt8] {
        try writtenToMemoryBIO { PEM_write_bio_X509($0, self.pointer) }
    }

    func isFor(_ key: PrivateKey) -> Bool {
        let matches = X509_check_private_key(self.pointer, key.pointer) == 1
        ERR_clear_error()
        return matches
    }

    func isSigned(by authority: Certificate) -> Bool {
        guard let key = X509_get0_pubkey(authority.pointer) else { return false }
        let matches = X509_verify(self.pointer, key) == 1
        ERR_clear_error()
        return matches
    }

    /// True when the certificate is for this host name or address literal.
    func covers(_ name: String) -> Bool {
        IPAddress(name) == nil
            ? X509_check_host(self.pointer, name, 0, 0, nil) == 1 : X509_check_ip_asc(self.pointer, name, 0) == 1
    }

    /// True when two thirds of the certificate's life are over, or when it is not valid yet.
    func isDueForRenewal(unixSeconds: Int64) -> Bool {
        guard let now = ASN1_TIME_set(nil, time_t(unixSeconds)) else { return true }
        defer { ASN1_STRING_free(now) }
        let start = X509_get0_notBefore(self.pointer)
        guard let life = Self.seconds(from: start, to: X509_get0_notAfter(self.pointer)),
            let age = Self.seconds(from: start, to: now)
        else { return true }
        return age < 0 || age >= life / 3 * 2
    }

    /// Seconds until it expires.
    func remainingSeconds(unixSeconds: Int64) -> Int64? {
        Self.remainingSeconds(of: self.pointer, unixSeconds: unixSeconds)
    }

    /// Seconds until a certificate that somebody else holds expires.
    static func remainingSeconds(of pointer: OpaquePointer, unixSeconds: Int64) -> Int64? {
        guard let now = ASN1_TIME_set(nil, time_t(unixSeconds)) else { return nil }
        defer { ASN1_STRING_free(now) }
        return Self.seconds(from: now, to: X509_get0_notAfter(pointer))
    }

    private static func seconds(from start: UnsafePointer<ASN1_TIME>?, to end: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var (days, seconds) = (Int32(0), Int32(0))
        guard ASN1_TIME_diff(&days, &seconds, start, end) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }

    /// SHA-256 of the public key in its SubjectPublicKeyInfo form: stays the same when a certificate is renewed.
    func publicKeyPin() throws(TransportError) -> [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(self.pointer), &encoded)
        guard count > 0, let encoded else { throw openSSLError("encode a public key") }
        defer { CRYPTO_free(encoded, #file, #line) }
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(encoded, Int(count), &digest)
        return digest
    }

    /// The certificate in DER form, as phones install it.
    func der() throws(TransportError) -> [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(self.pointer, &encoded)
        guard count > 0, let encoded else { throw openSSLError("encode a certificate") }
        defer { CRYPTO_free(encoded, #file, #line) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }
}

private func withMemoryBIO(reading bytes: [UInt8], _ read: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
    guard let bio = BIO_new_mem_buf(bytes, Int32(bytes.count)) else { return nil }
    defer { BIO_free(bio) }
    let object = read(bio)
    ERR_clear_error()
    return object
}

private func writtenToMemoryBIO(_ write: (OpaquePointer) -> Int32) throws(TransportError) -> [UInt8] {
    guard let bio = BIO_new(BIO_s_mem()) else { throw openSSLError("make a buffer") }
    defer { BIO_free(bio) }
    var count = 0
    guard write(bio) == 1, let bytes = copenssl_memory(bio, &count) else { throw openSSLError("write PEM") }
    return UnsafeRawBufferPointer(start: bytes, count: count).map { $0 }
}
