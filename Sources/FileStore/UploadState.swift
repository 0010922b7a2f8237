import ChatModel

/// Durable state of an unfinished upload, beside the pieces in its `.part` file.
///
/// On the disk, little-endian: `teahpart`; codec (0, 1, or 255 while it is not decided); 3 zero bytes; the number of
/// tail
/// bytes (4); the number of pieces (8); for each piece stored offset (8), CRC-32 plain (4), CRC-32 stored (4); the
/// stored
/// length (8); the tail; CRC-32 of all before.
struct UploadState {
    private static let magic = Array("teahpart".utf8)
    private static let undecided: UInt8 = 255

    var codec: FileCodec?
    var pieces: [ContentIndex.Piece] = []
    /// Bytes of the `.part` file that count.
    var storedLength: Int64 = 0
    /// Plain bytes after the last piece, fewer than a piece has.
    var tail: [UInt8] = []

    var offset: Int64 { Int64(self.pieces.count) * Int64(ContentIndex.pieceBytes) + Int64(self.tail.count) }

    func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.append(self.codec.map { UInt8($0.rawValue) } ?? Self.undecided)
        bytes += [0, 0, 0]
        Self.append(UInt32(self.tail.count), to: &bytes)
        Self.append(UInt64(self.pieces.count), to: &bytes)
        for piece in self.pieces {
            Self.append(UInt64(piece.storedOffset), to: &bytes)
            Self.append(piece.plainCRC, to: &bytes)
            Self.append(piece.storedCRC, to: &bytes)
        }
        Self.append(UInt64(self.storedLength), to: &bytes)
        bytes += self.tail
        Self.append(Checksum.of(bytes), to: &bytes)
        return bytes
    }

    init() {}

    /// - Returns: `nil` for what is no state, or damaged.
    init?(parsing bytes: [UInt8]) {
        guard bytes.count >= 36, bytes.starts(with: Self.magic),
            Checksum.of(Array(bytes.dropLast(4))) == Self.number(bytes, at: bytes.count - 4, UInt32.self)
        else { return nil }
        let tailCount = Int(Self.number(bytes, at: 12, UInt32.self))
        let count = Self.number(bytes, at: 16, UInt64.self)
        guard count <= UInt64(bytes.count), bytes.count == 36 + Int(count) * 16 + tailCount else { return nil }
        self.codec = FileCodec(rawValue: Int64(bytes[8]))
        self.pieces = (0..<Int(count)).map { row in
            let at = 24 + row * 16
            return ContentIndex.Piece(
                storedOffset: Int64(truncatingIfNeeded: Self.number(bytes, at: at, UInt64.self)),
                plainCRC: Self.number(bytes, at: at + 8, UInt32.self),
                storedCRC: Self.number(bytes, at: at + 12, UInt32.self))
        }
        let end = 24 + Int(count) * 16
        self.storedLength = Int64(truncatingIfNeeded: Self.number(bytes, at: end, UInt64.self))
        self.tail = Array(bytes[(end + 8)..<(end + 8 + tailCount)])
        guard self.codec != nil || self.pieces.isEmpty else { return nil }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    private static func number<Number: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int, _: Number.Type) -> Number {
        bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }
}
