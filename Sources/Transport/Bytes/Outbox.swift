import Glibc

/// Bytes that one connection still has to send: small pieces copied into one buffer, large shared ones by reference
/// between them, in the order they were added.
struct Outbox: ~Copyable {
    /// Shared messages of at least so many bytes are referred to, smaller ones are copied: below, one `writev` entry
    /// costs more than the copy.
    static let sharingThresholdBytes = 2048

    private struct Piece {
        /// How many copied bytes (counted from the first one ever) go out before this piece.
        let position: Int
        let bytes: SharedBytes
    }

    private var copied = ByteQueue()
    /// Copied bytes that have gone out already.
    private var sentCopied = 0
    private var pieces: [Piece] = []
    private var nextPiece = 0
    /// Bytes of the first waiting piece that have gone out already.
    private var sentOfPiece = 0
    /// Bytes that wait, both kinds.
    private(set) var count = 0

    var isEmpty: Bool { self.count == 0 }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        self.copied.append(bytes)
        self.count += bytes.count
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { self.append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { self.append($0) } }

    /// The header of an unmasked WebSocket frame.
    mutating func appendFrameHeader(_ opcode: WebSocketOpcode, payloadCount: Int) {
        var added = 0
        self.copied.append(upTo: WebSocketFrame.maximumHeaderCount) { room in
            added = WebSocketFrame.writeHeader(opcode, payloadCount: payloadCount, to: room)
            return added
        }
        self.count += added
    }

    mutating func append(shared bytes: SharedBytes) {
        guard bytes.count >= Self.sharingThresholdBytes else { return self.append(bytes.bytes) }
        self.pieces.append(Piece(position: self.sentCopied + self.copied.count, bytes: bytes))
        self.count += bytes.count
    }

    mutating func removeAll() {
        self.copied.removeAll()
        self.pieces = []
        (self.nextPiece, self.sentOfPiece, self.count) = (0, 0, 0)
    }

    /// The first bytes that lie in one place.
    var first: UnsafeRawBufferPointer {
        guard self.nextPiece < self.pieces.count else { return UnsafeRawBufferPointer(self.copied.bytes) }
        let piece = self.pieces[self.nextPiece]
        let before = piece.position - self.sentCopied
        if before > 0 { return UnsafeRawBufferPointer(rebasing: self.copied.bytes[..<before]) }
        return UnsafeRawBufferPointer(rebasing: piece.bytes.bytes[self.sentOfPiece...])
    }

    /// Fills `vectors` with the first places; returns how many were filled.
    func gather(into vectors: UnsafeMutableBufferPointer<iovec>) -> Int {
        var filled = 0
        func add(_ bytes: UnsafeRawBufferPointer) {
            guard !bytes.isEmpty, filled < vectors.count else { return }
            vectors[filled] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
            filled += 1
        }
        let copied = UnsafeRawBufferPointer(self.copied.bytes)
        var taken = 0
        for index in self.nextPiece..<self.pieces.count where filled < vectors.count {
            let piece = self.pieces[index]
            let end = piece.position - self.sentCopied
            add(UnsafeRawBufferPointer(rebasing: copied[taken..<end]))
            taken = end
            let sent = index == self.nextPiece ? self.sentOfPiece : 0
            add(UnsafeRawBufferPointer(rebasing: piece.bytes.bytes[sent...]))
        }
        if taken < copied.count { add(UnsafeRawBufferPointer(rebasing: copied[taken...])) }
        return filled
    }

    /// True when all waiting bytes lie in one place.
    var isContiguous: Bool { self.nextPiece == self.pieces.count }

    /// Drops what has gone out.
    mutating func sent(_ sent: Int) {
        self.count -= sent
        var rest = sent
        while rest > 0, self.nextPiece < self.pieces.count {
            let piece = self.pieces[self.nextPiece]
            let before = min(rest, piece.position - self.sentCopied)
            self.dropCopied(before)
            rest -= before
            let ofPiece = min(rest, piece.bytes.count - self.sentOfPiece)
            rest -= ofPiece
            self.sentOfPiece += ofPiece
            guard self.sentOfPiece == piece.bytes.count else { return }
            self.nextPiece += 1
            self.sentOfPiece = 0
        }
        self.dropCopied(rest)
        if self.nextPiece == self.pieces.count, !self.pieces.isEmpty {
            self.pieces = []
            self.nextPiece = 0
        }
    }

    private mutating func dropCopied(_ count: Int) {
        guard count > 0 else { return }
        self.copied.consume(count)
        self.sentCopied += count
    }
}
