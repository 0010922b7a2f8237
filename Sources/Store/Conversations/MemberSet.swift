import COpenSSL
import ChatModel

/// The people of a conversation that is the only one of exactly these people.
enum MemberSet {
    /// Names by their bytes, each once.
    static func sorted(_ names: [UserName]) -> [[UInt8]] {
        Set(names.map { Array($0.text.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// SHA-256 over the names, each behind its length, so that `ab, c` and `a, bc` are two.
    ///
    /// - Parameter isTemporary: people may have a temporary conversation beside their unique one. No name is as long as the
    ///   mark in front of it says.
    static func key(of names: [UserName], isTemporary: Bool = false) throws(StoreError) -> [UInt8] {
        var text: [UInt8] = isTemporary ? [0xFF, 0xFF, 0xFF, 0xFF] : []
        for name in self.sorted(names) {
            text += withUnsafeBytes(of: UInt32(name.count).bigEndian, Array.init)
            text += name
        }
        return try self.digest(text, EVP_sha256())
    }

    /// Unique ID shown to clients: MD5 over the names without anything between, in hexadecimal. Source: LeanCloud
    /// realtime,
    /// `uniqueId`; its REST guide's sample is 6c7b0e5afcae9aa1139a0afa25833dec for BillGates and SteveJobs.
    static func shownID(of names: [UserName]) throws(StoreError) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let digest = try self.digest(self.sorted(names).flatMap(\.self), EVP_md5())
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func digest(_ bytes: [UInt8], _ algorithm: OpaquePointer?) throws(StoreError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let isMade = bytes.withUnsafeBytes {
            EVP_Digest($0.baseAddress, $0.count, &digest, &count, algorithm, nil)
        }
        guard isMade == 1 else { throw .invalid("OpenSSL makes no digest: check its configuration") }
        return Array(digest.prefix(Int(count)))
    }
}
