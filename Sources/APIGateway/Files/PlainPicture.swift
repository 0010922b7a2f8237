import ByteCodec

/// A picture for who has none, for apps that show no SVG: a head and shoulders on a colour of their own. A PNG with one bit
/// for each of 96 x 96 points.
///
/// Source: the PNG specification, "Chunk layout" and "Deflate/Inflate compression"; RFC 1950 for the checksum.
enum PlainPicture {
    private static let side = 96

    static func png(_ seed: String) -> [UInt8] {
        let hash = seed.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        // Dark enough for white on it.
        let colour = (0..<3).map { UInt8(64 + (hash >> (8 * UInt32($0))) & 0x7F) }
        var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let size = Self.bigEndian(UInt32(Self.side))
        // One bit for a point, with a palette.
        png += Self.chunk("IHDR", size + size + [1, 3, 0, 0, 0])
        png += Self.chunk("PLTE", colour + [255, 255, 255])
        png += Self.chunk("IDAT", Self.zlib(Self.points()))
        png += Self.chunk("IEND", [])
        return png
    }

    /// A filter byte for each line, then its points.
    private static func points() -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<Self.side {
            bytes.append(0)
            for start in stride(from: 0, to: Self.side, by: 8) {
                bytes.append((0..<8).reduce(0) { $0 << 1 | (Self.isWhite(start + $1, y) ? 1 : 0) })
            }
        }
        return bytes
    }

    private static func isWhite(_ x: Int, _ y: Int) -> Bool {
        let (fromMiddle, fromHead, fromBottom) = (x - 48, y - 38, y - 96)
        let isHead = fromMiddle * fromMiddle + fromHead * fromHead <= 16 * 16
        let isBody = fromMiddle * fromMiddle * 34 * 34 + fromBottom * fromBottom * 30 * 30 <= 30 * 30 * 34 * 34
        return isHead || isBody
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return Self.bigEndian(UInt32(data.count)) + body + Self.bigEndian(CRC32.checksum(of: body))
    }

    /// One stored block: it is shorter than 64 KiB.
    private static func zlib(_ data: [UInt8]) -> [UInt8] {
        let count = UInt16(data.count)
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [0x78, 0x01, 1, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)] + data
            + Self.bigEndian(high << 16 | low)
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }
}
