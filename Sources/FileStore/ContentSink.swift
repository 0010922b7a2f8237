import ChatModel

/// One upload into a folder of contents: whole pieces go into its `.part` file as they are kept, what is less than a piece
/// waits in memory.
final class ContentSink: UploadSink {
    /// Percent that a piece must save to be worth compressing, and that the first one must save for all.
    private static let worthPercent = 3
    private static let worthPercentFirst = 5
    /// While pieces do not shrink, every so many one is tried again.
    private static let retryPieces = 8
    private static let probeBytes = 64 * 1024

    private struct Mark {
        var state: UploadState
        var hasher: ContentHasher
    }

    private let folder: ContentFolder
    private let key: TransferKey
    private let part: OpenFile
    private var state: UploadState
    private var hasher: ContentHasher
    private var marked: Mark?
    private var stubborn = 0
    private var finished: ContentIndex?
    /// Bytes of the file that the last `sync` made durable.
    private var syncedOffset: Int64
    /// After a sync that failed nobody knows what reached the disk, and the next one would say that all did.
    private var failure: FileStoreError?

    var offset: Int64 { self.state.offset }

    init(
        _ folder: ContentFolder, _ key: TransferKey, _ part: OpenFile, _ state: UploadState = UploadState(),
        _ hasher: ContentHasher = ContentHasher()
    ) {
        self.folder = folder
        self.key = key
        self.part = part
        self.state = state
        self.hasher = hasher
        self.syncedOffset = state.offset
        self.state.tail.reserveCapacity(ContentIndex.pieceBytes)
    }

    // MARK: Taking

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileStoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = min(rest.count, ContentIndex.pieceBytes - self.state.tail.count)
            let next = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
            if self.state.tail.isEmpty, count == ContentIndex.pieceBytes {
                // A whole piece in one go needs no copy.
                try self.keep(next)
                self.hasher.update(next)
            } else {
                self.state.tail.append(contentsOf: next)
                if self.state.tail.count == ContentIndex.pieceBytes {
                    do throws(FileStoreError) {
                        try self.keepTail()
                    } catch {
                        // As if these bytes had not come.
                        self.state.tail.removeLast(count)
                        throw error
                    }
                }
                self.hasher.update(next)
            }
            rest = rest.dropFirst(count)
        }
    }

    private func keepTail() throws(FileStoreError) {
        let tail = self.state.tail
        try tail.withBytes { (bytes) throws(FileStoreError) in try self.keep(bytes) }
        self.state.tail.removeAll(keepingCapacity: true)
    }

    /// Writes a piece. Nothing has changed when it throws.
    private func keep(_ piece: UnsafeRawBufferPointer) throws(FileStoreError) {
        let codec = self.state.codec ?? self.decide(piece)
        try self.folder.faults.before(.writePiece)
        let start =
            codec == .gzip && self.state.pieces.isEmpty ? Int64(GzipFrame.header.count) : self.state.storedLength
        if codec == .gzip, self.state.pieces.isEmpty { try self.part.write(GzipFrame.header, at: 0) }
        let plainCRC = Checksum.of(piece)
        var storedCRC = plainCRC
        var count = piece.count
        if codec == .gzip {
            let stored = self.encode(piece)
            storedCRC = Checksum.of(stored)
            count = stored.count
            try self.part.write(stored, at: start)
        } else {
            try self.part.write(piece, at: start)
        }
        self.state.codec = codec
        self.state.pieces.append(
            ContentIndex.Piece(storedOffset: start, plainCRC: plainCRC, storedCRC: storedCRC))
        self.state.storedLength = start + Int64(count)
    }

    /// By the middle of the first piece.
    private func decide(_ piece: UnsafeRawBufferPointer) -> FileCodec {
        guard self.folder.compresses, piece.count > 64 else { return .plain }
        let count = min(piece.count, Self.probeBytes)
        let start = (piece.count - count) / 2
        let probed = self.folder.coders.probe(UnsafeRawBufferPointer(rebasing: piece[start..<start + count]))
        return probed * 100 < count * (100 - Self.worthPercentFirst) ? .gzip : .plain
    }

    private func encode(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
        if self.stubborn > 0, self.stubborn % Self.retryPieces != 0 {
            self.stubborn += 1
            return Deflater.store(piece)
        }
        let compressed = self.folder.coders.compress(piece)
        if compressed.count * 100 < piece.count * (100 - Self.worthPercent) {
            self.stubborn = 0
            return compressed
        }
        self.stubborn += 1
        return Deflater.store(piece)
    }

    // MARK: Making durable

    func sync() throws(FileStoreError) {
        try self.folder.faults.before(.syncPart)
        try self.syncPart()
        try self.folder.faults.before(.writeState)
        let path = self.folder.statePath(self.key)
        guard let file = try OpenFile.open(path + ".new", .fresh) else { return }
        try file.write(self.state.encoded(), at: 0)
        try file.sync()
        try self.folder.faults.before(.nameState)
        try Files.rename(path + ".new", path)
        try Files.syncFolder(self.folder.temporary)
        self.syncedOffset = self.offset
    }

    private func syncPart() throws(FileStoreError) {
        if let failure = self.failure { throw failure }
        do throws(FileStoreError) {
            try self.part.sync()
        } catch {
            self.failure = error
            throw error
        }
    }

    func mark() { self.marked = Mark(state: self.state, hasher: self.hasher.copy()) }

    func rollback() throws(FileStoreError) {
        guard let marked = self.marked else { preconditionFailure("nothing was marked") }
        self.state = marked.state
        self.hasher = marked.hasher.copy()
        self.stubborn = 0
        // What was kept after the mark must not come back after a restart.
        if self.syncedOffset > self.offset { try self.sync() }
        try self.part.truncate(to: self.state.storedLength)
    }

    // MARK: The end

    func finish() throws(FileStoreError) -> StoredObject {
        try self.folder.faults.before(.finishPart)
        let before = self.state
        // What is less than a piece stays in the tail, so that this can be done again when the disk refuses.
        defer { self.state = before }
        if !self.state.tail.isEmpty { try self.keepTail() }
        var index = ContentIndex(
            hash: self.hasher.hash(), size: before.offset, storedSize: self.state.storedLength,
            codec: self.state.codec ?? .plain, pieces: self.state.pieces)
        if index.codec == .gzip {
            let trailer = GzipFrame.trailer(crc: index.contentCRC, size: index.size)
            try self.part.write(trailer, at: index.storedSize)
            index.storedSize += Int64(trailer.count)
        }
        try self.part.truncate(to: index.storedSize)
        if !self.folder.faults.unsynced.contains(.finishPart) { try self.syncPart() }
        try self.folder.faults.before(.writeIndex)
        let path = self.folder.temporaryIndexPath(self.key)
        guard let file = try OpenFile.open(path, .fresh) else { throw .missing(index.hash) }
        try file.write(index.encoded(), at: 0)
        try file.sync()
        self.finished = index
        return StoredObject(
            hash: index.hash, size: index.size, storedSize: index.storedSize, codec: index.codec,
            provider: self.folder.name)
    }

    func place() throws(FileStoreError) {
        guard let index = self.finished else { preconditionFailure("place() before finish()") }
        try self.folder.place(index, part: self.part.path, index: self.folder.temporaryIndexPath(self.key))
    }

    func cleanUp() {
        try? self.folder.faults.before(.cleanUp)
        self.folder.discardUpload(self.key)
    }
}
