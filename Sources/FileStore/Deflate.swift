import CZlib
import Execution

/// Compresses pieces, each by itself. Confined to one thread at a time; about 260 KiB.
final class Deflater {
    /// Effort, 1...9.
    static let level: Int32 = 4

    private let stream: UnsafeMutablePointer<z_stream>

    init(level: Int32 = Deflater.level) {
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
        guard czlib_deflate_raw(self.stream, level) == Z_OK else { preconditionFailure("zlib has no memory") }
    }

    deinit {
        deflateEnd(self.stream)
        self.stream.deallocate()
    }

    /// A deflate stream of the bytes that ends on a byte and forgets what was before: more may follow it.
    func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        deflateReset(self.stream)
        // A full flush adds at most five bytes for each stored block and the empty one at the end.
        let bound = Int(deflateBound(self.stream, UInt(bytes.count))) + 16
        return [UInt8](unsafeUninitializedCapacity: bound) { room, count in
            self.stream.pointee.next_in = UnsafeMutablePointer(
                mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            self.stream.pointee.avail_in = UInt32(bytes.count)
            self.stream.pointee.next_out = room.baseAddress
            self.stream.pointee.avail_out = UInt32(bound)
            let result = deflate(self.stream, Z_FULL_FLUSH)
            precondition(result == Z_OK && self.stream.pointee.avail_in == 0 && self.stream.pointee.avail_out > 0)
            count = bound - Int(self.stream.pointee.avail_out)
        }
    }

    /// The bytes in deflate's stored blocks, uncompressed, with an empty one at the end as a full flush leaves it.
    /// Source: RFC 1951 section 3.2.4.
    static func store(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 5 * (bytes.count / 65_535 + 2))
        var offset = 0
        while offset < bytes.count {
            let count = min(65_535, bytes.count - offset)
            let length = UInt16(count)
            result += [0, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
            result += bytes[offset..<offset + count]
            offset += count
        }
        result += [0, 0, 0, 0xFF, 0xFF]
        return result
    }
}

/// Decompresses pieces. Confined to one thread at a time.
final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
        guard czlib_inflate_raw(self.stream) == Z_OK else { preconditionFailure("zlib has no memory") }
    }

    deinit {
        inflateEnd(self.stream)
        self.stream.deallocate()
    }

    /// Decompresses one piece.
    ///
    /// - Returns: `nil` when it does not become `count` bytes exactly: nothing can make it longer than it was.
    func inflate(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        inflateReset(self.stream)
        var isWhole = false
        // One byte more than expected, so that too much shows.
        let plain = [UInt8](unsafeUninitializedCapacity: count + 1) { room, filled in
            self.stream.pointee.next_in = UnsafeMutablePointer(
                mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            self.stream.pointee.avail_in = UInt32(bytes.count)
            self.stream.pointee.next_out = room.baseAddress
            self.stream.pointee.avail_out = UInt32(count + 1)
            let result = CZlib.inflate(self.stream, Z_SYNC_FLUSH)
            filled = count + 1 - Int(self.stream.pointee.avail_out)
            isWhole = result == Z_OK && self.stream.pointee.avail_in == 0 && filled == count
        }
        return isWhole ? plain : nil
    }
}

/// Compressors that are lent to whoever works: as many as threads work at once, however many uploads there are.
final class CoderPool: Sendable {
    private struct Coders {
        var deflaters: [Deflater] = []
        var inflaters: [Inflater] = []
        var probes: [Deflater] = []
    }

    // SAFETY: a coder is in the list or lent to one thread, never both.
    private struct Shelf: @unchecked Sendable {
        var coders = Coders()
    }

    private let shelf = Lock(Shelf())

    func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let coder = self.shelf.withLock { Lent($0.coders.deflaters.popLast()) }.value ?? Deflater()
        defer { self.give(coder) }
        return coder.compress(bytes)
    }

    /// How many bytes become of these with the least effort.
    func probe(_ bytes: UnsafeRawBufferPointer) -> Int {
        let coder = self.shelf.withLock { Lent($0.coders.probes.popLast()) }.value ?? Deflater(level: 1)
        let lent = Lent(coder)
        defer { self.shelf.withLock { $0.coders.probes.append(lent.value) } }
        return coder.compress(bytes).count
    }

    func inflate(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        let coder = self.shelf.withLock { Lent($0.coders.inflaters.popLast()) }.value ?? Inflater()
        let lent = Lent(coder)
        defer { self.shelf.withLock { $0.coders.inflaters.append(lent.value) } }
        return coder.inflate(bytes, count: count)
    }

    private func give(_ coder: Deflater) {
        let lent = Lent(coder)
        self.shelf.withLock { $0.coders.deflaters.append(lent.value) }
    }

    // SAFETY: carries a coder across the lock, to or from the one thread that uses it.
    private struct Lent<Coder>: @unchecked Sendable {
        let value: Coder
        init(_ value: Coder) { self.value = value }
    }
}
