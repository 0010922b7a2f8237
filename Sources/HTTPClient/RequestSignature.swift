import ByteCodec
import COpenSSL

/// Proves to a receiver that a body comes from us and when: `t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of
/// `SECONDS.BODY` under a secret that both know.
package enum RequestSignature {
    /// Makes the signature header's text for a body sent at this time.
    package static func text(secret: [UInt8], unixSeconds: Int64, body: [UInt8]) -> String {
        let signed = Array("\(unixSeconds).".utf8) + body
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        HMAC(EVP_sha256(), secret, Int32(secret.count), signed, signed.count, &digest, &count)
        return "t=\(unixSeconds),v1=\(Hex.encode(digest))"
    }
}
