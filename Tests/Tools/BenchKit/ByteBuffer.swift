import Glibc

/// Bytes that are added at the end and taken from the front, in memory of their own.
///
/// The generator has to stay much cheaper than the server it measures, so its hot path writes through pointers.
struct ByteBuffer: ~Copyable {
    // SAFETY: `memory` holds `capacity` bytes, owned by this value alone; 0 <= start <= end <= capacity.
    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    private var start = 0
    private var end = 0

    deinit { free(self.memory) }

    var count: Int { self.end - self.start }

    /// Bytes in the buffer; valid until the next change.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self.memory?.advanced(by: self.start), count: self.count)
    }

    /// Makes room for `count` bytes at the end and returns where they go; `commit` then says how many were written.
    mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if self.capacity - self.end < count {
            self.capacity = max(2 * self.capacity, self.end + count, 512)
            self.memory = realloc(self.memory, self.capacity)
        }
        return self.memory! + self.end
    }

    mutating func commit(_ count: Int) { self.end += count }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        memcpy(self.reserve(bytes.count), source, bytes.count)
        self.end += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { self.append($0) } }

    /// Drops bytes from the front.
    mutating func removeFirst(_ count: Int) {
        self.start += count
        if self.start == self.end { self.removeAll() }
    }

    /// Empties the buffer and keeps its memory.
    mutating func removeAll() {
        self.start = 0
        self.end = 0
    }
}
