import ChatModel

/// Reads an object piece by piece; every piece is checked before a byte of it is given away.
final class ContentReader: ObjectReader {
    let object: StoredObject
    let index: ContentIndex
    private let file: OpenFile
    private let coders: CoderPool
    /// The piece that was read last, as it is read by people.
    private var plain: (piece: Int, bytes: [UInt8])?
    /// And as it is kept.
    private var stored: (piece: Int, bytes: [UInt8])?

    init(_ object: StoredObject, _ index: ContentIndex, _ file: OpenFile, _ coders: CoderPool) {
        self.object = object
        self.index = index
        self.file = file
        self.coders = coders
    }

    func read(at offset: Int64, atMost maximum: Int) throws(FileStoreError) -> [UInt8] {
        guard offset >= 0, offset < self.index.size, maximum > 0 else { return [] }
        let piece = Int(offset / Int64(ContentIndex.pieceBytes))
        let bytes = try self.plainPiece(piece)
        let start = Int(offset - Int64(piece) * Int64(ContentIndex.pieceBytes))
        if start == 0, maximum >= bytes.count { return bytes }
        return Array(bytes[start..<min(bytes.count, start + maximum)])
    }

    func readStored(at offset: Int64, atMost maximum: Int) throws(FileStoreError) -> [UInt8] {
        guard offset >= 0, offset < self.index.storedSize, maximum > 0 else { return [] }
        let (start, bytes) = try self.storedRegion(at: offset)
        let first = Int(offset - start)
        if first == 0, maximum >= bytes.count { return bytes }
        return Array(bytes[first..<min(bytes.count, first + maximum)])
    }

    /// The header, a piece or the trailer, and where it begins.
    private func storedRegion(at offset: Int64) throws(FileStoreError) -> (start: Int64, bytes: [UInt8]) {
        if offset < self.index.headerBytes {
            return (0, try self.framed(GzipFrame.header, at: 0))
        }
        let end = self.index.storedSize - self.index.trailerBytes
        if offset >= end {
            return (end, try self.framed(GzipFrame.trailer(crc: self.index.contentCRC, size: self.index.size), at: end))
        }
        // The last piece that begins at or before the offset.
        var (low, high) = (0, self.index.pieces.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if self.index.pieces[middle].storedOffset <= offset { low = middle } else { high = middle - 1 }
        }
        return (self.index.pieces[low].storedOffset, try self.storedPiece(low))
    }

    /// Checks the bytes around the pieces, where the codec has any.
    private func framed(_ expected: [UInt8], at offset: Int64) throws(FileStoreError) -> [UInt8] {
        guard try self.file.read(at: offset, count: expected.count) == expected else { throw self.damaged }
        return expected
    }

    private func storedPiece(_ number: Int) throws(FileStoreError) -> [UInt8] {
        if let stored = self.stored, stored.piece == number { return stored.bytes }
        let piece = self.index.pieces[number]
        let count = Int(self.index.storedEnd(number) - piece.storedOffset)
        let bytes = try self.file.read(at: piece.storedOffset, count: count)
        guard bytes.count == count, Checksum.of(bytes) == piece.storedCRC else { throw self.damaged }
        self.stored = (number, bytes)
        return bytes
    }

    func plainPiece(_ number: Int) throws(FileStoreError) -> [UInt8] {
        if let plain = self.plain, plain.piece == number { return plain.bytes }
        let bytes = try self.storedPiece(number)
        guard self.index.codec == .gzip else { return bytes }
        self.stored = nil
        let count = self.index.plainCount(number)
        let inflated = bytes.withUnsafeBytes { self.coders.inflate($0, count: count) }
        guard let inflated, Checksum.of(inflated) == self.index.pieces[number].plainCRC else { throw self.damaged }
        self.plain = (number, inflated)
        return inflated
    }

    /// Reads all of it, the frame too.
    ///
    /// - Returns: false when `pace` ended it.
    func check(pace: (Int) -> Bool) throws(FileStoreError) -> Bool {
        guard try self.file.size() == self.index.storedSize else { throw self.damaged }
        if self.index.codec == .gzip {
            _ = try self.storedRegion(at: 0)
            _ = try self.storedRegion(at: self.index.storedSize - 1)
        }
        let hasher = ContentHasher()
        for number in self.index.pieces.indices {
            let bytes = try self.plainPiece(number)
            bytes.withUnsafeBytes { hasher.update($0) }
            guard pace(Int(self.index.storedEnd(number) - self.index.pieces[number].storedOffset)) else { return false }
        }
        guard hasher.hash() == self.index.hash else { throw self.damaged }
        return true
    }

    private var damaged: FileStoreError { .damaged(self.index.hash) }
}
