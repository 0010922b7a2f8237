import ByteCodec

/// Texts that nobody can guess.
enum Secrets {
    /// 128 bits as 32 hexadecimal digits, from the system's random numbers.
    static func hex() -> String { Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }) }
}
