/// Bytes around the pieces of a gzip object. Source: RFC 1952 section 2.3.
enum GzipFrame {
    /// Magic, deflate, no flags, no time, no word on the effort, no word on the system.
    static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    /// An empty last block with fixed codes, then CRC-32 and size of the content.
    static let trailerBytes = 10

    /// - Parameter size: of the content; its lowest 32 bits are written.
    static func trailer(crc: UInt32, size: Int64) -> [UInt8] {
        var bytes: [UInt8] = [0x03, 0x00]
        withUnsafeBytes(of: crc.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: size).littleEndian) { bytes += $0 }
        return bytes
    }
}
