/// A hash that is the same in every run and on every machine, for what is stored or told to others.
///
/// xxHash64, as its specification (github.com/Cyan4973/xxHash, doc/xxhash_spec.md) describes it. It is fast and spreads
/// well; it does not resist someone who looks for collisions.
package enum StableHash {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// Hashes the text's UTF-8. Source: xxHash specification, XXH64.
    package static func xxh64(_ text: String, seed: UInt64 = 0) -> UInt64 {
        var text = text
        return text.withUTF8 { Self.xxh64(UnsafeRawBufferPointer($0), seed: seed) }
    }

    /// Hashes the bytes. Source: xxHash specification, XXH64.
    package static func xxh64(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { Self.xxh64($0, seed: seed) }
    }

    /// Hashes the bytes. Source: xxHash specification, XXH64.
    package static func xxh64(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var position = 0
        var hash = bytes.count >= 32 ? Self.stripes(of: bytes, seed, &position) : seed &+ Self.prime5
        hash &+= UInt64(bytes.count)
        while position + 8 <= bytes.count {
            hash ^= Self.round(0, Self.word64(bytes, position))
            hash = Self.rotate(hash, 27) &* Self.prime1 &+ Self.prime4
            position += 8
        }
        if position + 4 <= bytes.count {
            hash ^= Self.word32(bytes, position) &* Self.prime1
            hash = Self.rotate(hash, 23) &* Self.prime2 &+ Self.prime3
            position += 4
        }
        while position < bytes.count {
            hash ^= UInt64(bytes[position]) &* Self.prime5
            hash = Self.rotate(hash, 11) &* Self.prime1
            position += 1
        }
        return Self.avalanche(hash)
    }

    /// The whole stripes of 32 bytes, in four lanes.
    private static func stripes(
        of bytes: UnsafeRawBufferPointer, _ seed: UInt64, _ position: inout Int
    ) -> UInt64 {
        var lane1 = seed &+ Self.prime1 &+ Self.prime2
        var lane2 = seed &+ Self.prime2
        var lane3 = seed
        var lane4 = seed &- Self.prime1
        while position + 32 <= bytes.count {
            lane1 = Self.round(lane1, Self.word64(bytes, position))
            lane2 = Self.round(lane2, Self.word64(bytes, position + 8))
            lane3 = Self.round(lane3, Self.word64(bytes, position + 16))
            lane4 = Self.round(lane4, Self.word64(bytes, position + 24))
            position += 32
        }
        var hash =
            Self.rotate(lane1, 1) &+ Self.rotate(lane2, 7) &+ Self.rotate(lane3, 12) &+ Self.rotate(lane4, 18)
        for lane in [lane1, lane2, lane3, lane4] {
            hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
        }
        return hash
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        Self.rotate(lane &+ word &* Self.prime2, 31) &* Self.prime1
    }

    private static func avalanche(_ hash: UInt64) -> UInt64 {
        var hash = hash
        hash = (hash ^ hash >> 33) &* Self.prime2
        hash = (hash ^ hash >> 29) &* Self.prime3
        return hash ^ hash >> 32
    }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value &<< count | value &>> (64 - count)
    }

    private static func word64(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    private static func word32(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
        UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
    }
}
