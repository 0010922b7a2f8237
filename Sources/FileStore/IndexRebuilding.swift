import CZlib
import ChatModel

/// Makes the index of an object again from its bytes.
struct IndexRebuilding {
    private static let readBytes = 64 * 1024

    private let hash: ContentHash
    private let file: OpenFile

    init(_ hash: ContentHash, _ file: OpenFile) {
        self.hash = hash
        self.file = file
    }

    /// - Throws: `damaged` when the bytes are not those of the hash.
    func index(_ codec: FileCodec) throws(FileStoreError) -> ContentIndex {
        let index = codec == .gzip ? try self.gzip() : try self.plain()
        guard let index, index.hash == self.hash else { throw .damaged(self.hash) }
        return index
    }

    private func plain() throws(FileStoreError) -> ContentIndex? {
        let size = try self.file.size()
        let hasher = ContentHasher()
        var pieces: [ContentIndex.Piece] = []
        var offset: Int64 = 0
        while offset < size {
            let bytes = try self.file.read(at: offset, count: ContentIndex.pieceBytes)
            guard !bytes.isEmpty else { return nil }
            bytes.withUnsafeBytes { hasher.update($0) }
            let crc = Checksum.of(bytes)
            pieces.append(ContentIndex.Piece(storedOffset: offset, plainCRC: crc, storedCRC: crc))
            offset += Int64(bytes.count)
        }
        return ContentIndex(hash: hasher.hash(), size: size, storedSize: size, codec: .plain, pieces: pieces)
    }

    /// Inflates block by block: a piece ends where a full one has come out and a flush stands before the next byte.
    private func gzip() throws(FileStoreError) -> ContentIndex? {
        let storedSize = try self.file.size()
        let bodyEnd = storedSize - Int64(GzipFrame.trailerBytes)
        guard bodyEnd >= Int64(GzipFrame.header.count),
            try self.file.read(at: 0, count: GzipFrame.header.count) == GzipFrame.header
        else { return nil }
        let inflater = BlockInflater()
        let hasher = ContentHasher()
        var pieces: [ContentIndex.Piece] = []
        var size: Int64 = 0
        var start = Int64(GzipFrame.header.count)
        while start < bodyEnd {
            var stored: [UInt8] = []
            inflater.beginStream()
            while !inflater.isAtFlush {
                let bytes = try self.file.read(
                    at: start + Int64(stored.count),
                    count: Int(min(Int64(Self.readBytes), bodyEnd - start - Int64(stored.count))))
                guard !bytes.isEmpty, let used = inflater.takeBytes(bytes) else { return nil }
                stored += bytes.prefix(used)
            }
            let plain = inflater.plain
            guard !plain.isEmpty else { return nil }
            plain.withUnsafeBytes { hasher.update($0) }
            pieces.append(
                ContentIndex.Piece(storedOffset: start, plainCRC: Checksum.of(plain), storedCRC: Checksum.of(stored)))
            size += Int64(plain.count)
            start += Int64(stored.count)
        }
        let index = ContentIndex(hash: hasher.hash(), size: size, storedSize: storedSize, codec: .gzip, pieces: pieces)
        let trailer = GzipFrame.trailer(crc: index.contentCRC, size: size)
        guard try self.file.read(at: bodyEnd, count: trailer.count) == trailer else { return nil }
        return index
    }
}

/// Inflates one piece whose stored length is not known.
private final class BlockInflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let room: UnsafeMutablePointer<UInt8>
    private var lastFour: UInt32 = 0
    private(set) var isAtFlush = false
    private var count = 0
    /// Bytes that came out of the block that is being read.
    private var countOfBlock = 0

    init() {
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
        self.room = .allocate(capacity: ContentIndex.pieceBytes + 1)
        guard czlib_inflate_raw(self.stream) == Z_OK else { preconditionFailure("zlib has no memory") }
    }

    deinit {
        inflateEnd(self.stream)
        self.stream.deallocate()
        self.room.deallocate()
    }

    var plain: [UInt8] { Array(UnsafeBufferPointer(start: self.room, count: self.count)) }

    func beginStream() {
        inflateReset(self.stream)
        self.isAtFlush = false
        self.count = 0
        self.countOfBlock = 0
        self.lastFour = 0
    }

    /// - Returns: how many of the bytes belong to the piece; `nil` for what is no piece.
    func takeBytes(_ bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBufferPointer { input -> Int? in
            var used = 0
            var idle = 0
            while used < input.count {
                self.stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + used })
                self.stream.pointee.avail_in = UInt32(input.count - used)
                self.stream.pointee.next_out = self.room + self.count
                self.stream.pointee.avail_out = UInt32(ContentIndex.pieceBytes + 1 - self.count)
                let result = CZlib.inflate(self.stream, Z_BLOCK)
                guard result == Z_OK || result == Z_BUF_ERROR else { return nil }
                let consumed = input.count - used - Int(self.stream.pointee.avail_in)
                let made = ContentIndex.pieceBytes + 1 - self.count - Int(self.stream.pointee.avail_out)
                // Between blocks it may return once without having moved.
                idle = consumed > 0 || made > 0 ? 0 : idle + 1
                guard idle < 3, self.count + made <= ContentIndex.pieceBytes else { return nil }
                for byte in input[used..<used + consumed].suffix(4) {
                    self.lastFour = self.lastFour << 8 | UInt32(byte)
                }
                used += consumed
                self.count += made
                self.countOfBlock += made
                let state = self.stream.pointee.data_type
                guard state & 128 != 0, consumed > 0 else { continue }
                // An empty stored block on a byte's edge: what a full flush leaves, and nothing else does.
                if self.countOfBlock == 0, self.count > 0, state & 7 == 0, self.lastFour == 0x0000_FFFF {
                    self.isAtFlush = true
                    return used
                }
                self.countOfBlock = 0
            }
            return used
        }
    }
}
