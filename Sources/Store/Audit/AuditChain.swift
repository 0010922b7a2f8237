import ByteCodec
import COpenSSL
import ChatModel

/// The chain that entries of the audit log form: each has the SHA-256 of the one before it and of itself.
///
/// What is hashed is a row of netstrings (`5:hello,`; source: D. J. Bernstein, "Netstrings", 1997), `-,` for a field that
/// is not there: the hash of the entry before in hexadecimal (64 zeros for the first), then number, time in
/// milliseconds, uid, operator, source, reason, word, subject, stage (0 or 1), what was asked, before, after.
enum AuditChain {
    /// Value used as the hash before the first entry.
    static let start = [UInt8](repeating: 0, count: 32)

    static func hash(_ entry: AuditEntry, after previous: [UInt8]) -> [UInt8] {
        let actor = entry.actor
        let fields: [String?] = [
            Hex.encode(previous), String(entry.number), String(entry.atMilliseconds), String(actor.uid), actor.name,
            actor.source.rawValue, actor.reason, entry.word, entry.subject, String(entry.stage.rawValue), entry.asked,
            entry.before, entry.after,
        ]
        var bytes: [UInt8] = []
        for field in fields {
            guard let field else {
                bytes += "-,".utf8
                continue
            }
            bytes += "\(field.utf8.count):".utf8
            bytes += field.utf8
            bytes.append(UInt8(ascii: ","))
        }
        var digest = [UInt8](repeating: 0, count: 32)
        let isMade = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil) }
        precondition(isMade == 1, "OpenSSL has no SHA-256")
        return digest
    }
}
