import ByteCodec

/// XXH64 as the signed number that is stored: tells a resend from another message, and finds a client token.
///
/// Not cryptographic and need not be. A sender who looks for two bodies with one hash loses a message of their own;
/// token keys are made with a seed that nobody outside knows.
enum XXHash {
    static func of(_ bytes: [UInt8], seed: UInt64 = 0) -> Int64 {
        Int64(bitPattern: StableHash.xxh64(bytes, seed: seed))
    }
}
