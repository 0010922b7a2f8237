import COpenSSL
import Glibc

/// Facts of a certificate that a server has shown.
package struct PeerCertificate: Hashable, Sendable {
    /// Names and addresses that it is for, as it says them: `*.example.com`.
    package let names: [String]
    /// Common name of who signed it, or the organisation where that has none; empty where it has neither.
    package let issuer: String
    /// End of its life, UTC milliseconds.
    package let expiresAtMilliseconds: Int64

    /// Maximum bytes of all names together; more are left out.
    private static let maximumNameBytes = 64 * 1024

    /// - Parameter certificate: an `X509`, which stays the caller's.
    init?(reading certificate: OpaquePointer) {
        var room = [CChar](repeating: 0, count: Self.maximumNameBytes)
        let count = copenssl_certificate_names(certificate, &room, room.count)
        let text = String(decoding: room.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.names = text.split(separator: "\n").map(String.init)
        var issuer = [CChar](repeating: 0, count: 256)
        let length = copenssl_certificate_issuer(certificate, &issuer, issuer.count)
        self.issuer = String(decoding: issuer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        var end = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1 else { return nil }
        self.expiresAtMilliseconds = Int64(timegm(&end)) * 1_000
    }

    /// True when the certificate is for this host name or address. Source: RFC 6125 section 6.4: a star stands for one
    /// whole label, the leftmost.
    package func covers(_ name: String) -> Bool {
        let wanted = ASCII.lowercased(name)
        return self.names.contains { known in
            let known = ASCII.lowercased(known)
            if known == wanted { return true }
            guard known.hasPrefix("*."), let dot = wanted.firstIndex(of: ".") else { return false }
            return wanted[dot...] == known.dropFirst()
        }
    }
}
