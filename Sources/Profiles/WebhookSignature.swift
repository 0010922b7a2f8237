import HTTPClient

/// Check that a request was signed with our shared secret, and lately.
///
/// The other user system signs as we do (`RequestSignature`): the field holds `t=SECONDS,v1=HEX`, where HEX is the
/// HMAC-SHA256 of `SECONDS.BODY`. Within the window the same request may come twice: what it asks for, to look somebody
/// up anew, does no harm the second time.
package enum WebhookSignature {
    /// The field of the request's head.
    package static let field = "X-Teahouse-Signature"
    /// How far the sender's clock may be from ours, and how long a request stays good.
    package static let windowSeconds: Int64 = 300
    /// Bytes of the field's value.
    package static let maximumBytes = 256

    /// Verdict on a signature.
    package enum Verdict: Hashable, Sendable {
        case genuine
        /// No signature, or nothing that looks like one.
        case malformed
        /// Signed too long ago, or in the future.
        case outsideWindow
        /// Another secret or another body.
        case forged
    }

    /// Checks the signature's time and digest.
    package static func check(
        _ value: String?, body: [UInt8], secret: [UInt8], nowUnixSeconds now: Int64,
        windowSeconds: Int64 = Self.windowSeconds
    ) -> Verdict {
        guard let value, value.utf8.count <= Self.maximumBytes, let (seconds, digest) = Self.parts(value) else {
            return .malformed
        }
        guard (now - windowSeconds...now + windowSeconds).contains(seconds) else { return .outsideWindow }
        let expected = RequestSignature.text(secret: secret, unixSeconds: seconds, body: body)
        return Self.areEqual("t=\(seconds),v1=\(digest)", expected) ? .genuine : .forged
    }

    /// `SECONDS` and `HEX`; parts with other names are passed over.
    private static func parts(_ value: String) -> (seconds: Int64, digest: String)? {
        var seconds: Int64?
        var digest: String?
        for part in value.split(separator: ",") {
            let text = part.drop { $0 == " " }
            if text.hasPrefix("t=") {
                let digits = text.dropFirst(2)
                guard seconds == nil, digits.utf8.count <= 15, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
                else { return nil }
                seconds = Int64(digits)
            } else if text.hasPrefix("v1=") {
                guard digest == nil, text.utf8.count == 3 + 64 else { return nil }
                digest = text.dropFirst(3).lowercased()
            }
        }
        guard let seconds, let digest else { return nil }
        return (seconds, digest)
    }

    /// In a time that does not depend on where they differ.
    private static func areEqual(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
