import COpenSSL

/// OpenSSL's random numbers.
enum Random {
    static func bytes(_ count: Int) throws(WuKongCryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw Failure.unavailable("random numbers") }
        return bytes
    }

    /// Letters and digits, each as likely as the others.
    static func characters(_ count: Int) throws(WuKongCryptoError) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var characters: [UInt8] = []
        while characters.count < count {
            // The largest multiple of 62 in a byte: what lies above would favour the first letters.
            for byte in try Self.bytes(count) where byte < 248 && characters.count < count {
                characters.append(alphabet[Int(byte) % alphabet.count])
            }
        }
        return characters
    }
}
