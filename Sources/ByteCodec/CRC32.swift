/// The CRC-32 of IEEE 802.3: polynomial 0x04C11DB7 reflected, start and end inverted, as in Ethernet, zip and Go's
/// `crc32.ChecksumIEEE`.
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
    }

    /// Checksum of the bytes, as gzip and zip use it.
    package static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        let table = Self.table
        return ~bytes.reduce(~UInt32(0)) { crc, byte in
            crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)]
        }
    }
}
