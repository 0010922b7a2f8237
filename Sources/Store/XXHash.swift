/// XXH64: tells a resend from another message, and finds a client token.
///
/// Not cryptographic and need not be. A sender who looks for two bodies with one hash loses a message of their own;
/// token keys are made with a seed that nobody outside knows.
///
/// Source: xxHash specification, "XXH64 Algorithm Description".
enum XXHash {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The hash, as the signed number that is stored.
    static func of(_ bytes: [UInt8], seed: UInt64 = 0) -> Int64 {
        bytes.withUnsafeBytes { Int64(bitPattern: Self.hash($0, seed)) }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
        var offset = 0
        var hash: UInt64
        if bytes.count >= 32 {
            var lanes: (UInt64, UInt64, UInt64, UInt64) = (
                seed &+ Self.prime1 &+ Self.prime2, seed &+ Self.prime2, seed, seed &- Self.prime1
            )
            while bytes.count - offset >= 32 {
                lanes.0 = Self.round(lanes.0, Self.word(bytes, offset))
                lanes.1 = Self.round(lanes.1, Self.word(bytes, offset + 8))
                lanes.2 = Self.round(lanes.2, Self.word(bytes, offset + 16))
                lanes.3 = Self.round(lanes.3, Self.word(bytes, offset + 24))
                offset += 32
            }
            hash = Self.rotate(lanes.0, 1) &+ Self.rotate(lanes.1, 7) &+ Self.rotate(lanes.2, 12)
            hash &+= Self.rotate(lanes.3, 18)
            for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
                hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
            }
        } else {
            hash = seed &+ Self.prime5
        }
        hash &+= UInt64(bytes.count)
        return Self.finish(Self.mixTail(hash, bytes, from: offset))
    }

    private static func mixTail(_ start: UInt64, _ bytes: UnsafeRawBufferPointer, from first: Int) -> UInt64 {
        var hash = start
        var offset = first
        while bytes.count - offset >= 8 {
            hash = Self.rotate(hash ^ Self.round(0, Self.word(bytes, offset)), 27) &* Self.prime1 &+ Self.prime4
            offset += 8
        }
        if bytes.count - offset >= 4 {
            let half = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            hash = Self.rotate(hash ^ (half &* Self.prime1), 23) &* Self.prime2 &+ Self.prime3
            offset += 4
        }
        while offset < bytes.count {
            hash = Self.rotate(hash ^ (UInt64(bytes[offset]) &* Self.prime5), 11) &* Self.prime1
            offset += 1
        }
        return hash
    }

    private static func finish(_ start: UInt64) -> UInt64 {
        var hash = (start ^ (start >> 33)) &* Self.prime2
        hash = (hash ^ (hash >> 29)) &* Self.prime3
        return hash ^ (hash >> 32)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        Self.rotate(lane &+ word &* Self.prime2, 31) &* Self.prime1
    }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }
}
