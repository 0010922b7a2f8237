import ChatModel

/// Where the pieces of an object are, and how each of them is checked.
///
/// On the disk, all numbers little-endian: `teahidx1`; the hash (32 bytes); size, stored size (8 each); codec (1); 7 zero
/// bytes; the number of pieces (8); for each piece its stored offset (8), CRC-32 of its plain bytes (4), CRC-32 of its
/// stored bytes (4); CRC-32 of all before (4).
struct ContentIndex: Hashable {
    /// Plain bytes of every piece but the last.
    static let pieceBytes = 256 * 1024
    private static let magic = Array("teahidx1".utf8)
    private static let headerBytes = 72
    private static let rowBytes = 16

    struct Piece: Hashable {
        var storedOffset: Int64
        var plainCRC: UInt32
        var storedCRC: UInt32
    }

    var hash: ContentHash
    var size: Int64
    var storedSize: Int64
    var codec: FileCodec
    var pieces: [Piece]

    /// Pieces that a content of this size has.
    static func count(ofSize size: Int64) -> Int { Int((size + Int64(Self.pieceBytes) - 1) / Int64(Self.pieceBytes)) }

    /// Plain bytes of a piece.
    func plainCount(_ piece: Int) -> Int {
        Int(min(Int64(Self.pieceBytes), self.size - Int64(piece) * Int64(Self.pieceBytes)))
    }

    /// Where the stored bytes of a piece end.
    func storedEnd(_ piece: Int) -> Int64 {
        piece + 1 < self.pieces.count ? self.pieces[piece + 1].storedOffset : self.storedSize - self.trailerBytes
    }

    /// Bytes before the first piece, and after the last one.
    var headerBytes: Int64 { self.codec == .gzip ? Int64(GzipFrame.header.count) : 0 }
    var trailerBytes: Int64 { self.codec == .gzip ? Int64(GzipFrame.trailerBytes) : 0 }

    /// CRC-32 of the whole content.
    var contentCRC: UInt32 {
        var crc: UInt32 = 0
        for (number, piece) in self.pieces.enumerated() {
            crc = Checksum.combine(crc, piece.plainCRC, secondCount: self.plainCount(number))
        }
        return crc
    }

    // MARK: Bytes

    func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(Self.headerBytes + self.pieces.count * Self.rowBytes + 4)
        bytes += self.hash.bytes
        Self.append(UInt64(self.size), to: &bytes)
        Self.append(UInt64(self.storedSize), to: &bytes)
        bytes.append(UInt8(self.codec.rawValue))
        bytes += [UInt8](repeating: 0, count: 7)
        Self.append(UInt64(self.pieces.count), to: &bytes)
        for piece in self.pieces {
            Self.append(UInt64(piece.storedOffset), to: &bytes)
            Self.append(piece.plainCRC, to: &bytes)
            Self.append(piece.storedCRC, to: &bytes)
        }
        Self.append(Checksum.of(bytes), to: &bytes)
        return bytes
    }

    /// - Returns: `nil` for what is no index, or damaged.
    init?(parsing bytes: [UInt8]) {
        guard bytes.count >= Self.headerBytes + 4, bytes.starts(with: Self.magic),
            let hash = ContentHash(Array(bytes[8..<40])), let codec = FileCodec(rawValue: Int64(bytes[56]))
        else { return nil }
        let count = Self.number(bytes, at: 64, UInt64.self)
        guard count <= UInt64(bytes.count), bytes.count == Self.headerBytes + Int(count) * Self.rowBytes + 4,
            Checksum.of(Array(bytes.dropLast(4))) == Self.number(bytes, at: bytes.count - 4, UInt32.self)
        else { return nil }
        self.hash = hash
        self.size = Int64(truncatingIfNeeded: Self.number(bytes, at: 40, UInt64.self))
        self.storedSize = Int64(truncatingIfNeeded: Self.number(bytes, at: 48, UInt64.self))
        self.codec = codec
        self.pieces = (0..<Int(count)).map { row in
            let at = Self.headerBytes + row * Self.rowBytes
            return Piece(
                storedOffset: Int64(truncatingIfNeeded: Self.number(bytes, at: at, UInt64.self)),
                plainCRC: Self.number(bytes, at: at + 8, UInt32.self),
                storedCRC: Self.number(bytes, at: at + 12, UInt32.self))
        }
        guard self.isSound else { return nil }
    }

    init(hash: ContentHash, size: Int64, storedSize: Int64, codec: FileCodec, pieces: [Piece]) {
        self.hash = hash
        self.size = size
        self.storedSize = storedSize
        self.codec = codec
        self.pieces = pieces
    }

    /// The offsets rise and fit the sizes.
    private var isSound: Bool {
        guard self.size >= 0, self.storedSize >= 0, self.pieces.count == Self.count(ofSize: self.size) else {
            return false
        }
        var end = self.headerBytes
        for piece in self.pieces {
            guard piece.storedOffset >= end, piece.storedOffset < self.storedSize else { return false }
            end = piece.storedOffset
        }
        return end <= self.storedSize - self.trailerBytes
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    private static func number<Number: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int, _: Number.Type) -> Number {
        bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }
}
