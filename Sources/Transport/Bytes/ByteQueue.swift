import Glibc

/// Bytes that are appended at the end and consumed from the front.
///
/// An empty queue owns no memory: ten thousand silent connections have two of these each.
package struct ByteQueue: ~Copyable {
    // SAFETY: `base` is `capacity` bytes from malloc, owned by this value alone and freed once; `head...tail` is the
    // initialised part.
    private var base: UnsafeMutableRawPointer?
    private var head = 0
    private var tail = 0
    private var capacity = 0

    /// Makes an empty queue, which owns no memory yet.
    package init() {}

    deinit { free(self.base) }

    /// Bytes in the queue.
    package var count: Int { self.tail - self.head }
    /// True when the queue holds no byte.
    package var isEmpty: Bool { self.tail == self.head }

    /// Waiting bytes, oldest first. Valid until the next change of the queue.
    package var bytes: UnsafeMutableRawBufferPointer {
        guard let base = self.base else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return UnsafeMutableRawBufferPointer(start: base + self.head, count: self.count)
    }

    /// Copies the bytes to the end.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        memcpy(self.room(for: bytes.count), source, bytes.count)
        self.tail += bytes.count
    }

    /// Copies the bytes to the end.
    package mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { self.append($0) } }

    /// Copies the text's UTF-8 to the end.
    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { self.append(UnsafeRawBufferPointer($0)) }
    }

    /// Copies the text's UTF-8 to the end.
    package mutating func append(_ text: StaticString) {
        self.append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Lets `write` fill up to `count` bytes in place; it returns how many it wrote.
    package mutating func append(upTo count: Int, _ write: (UnsafeMutableRawPointer) -> Int) {
        let written = write(self.room(for: count))
        precondition(written >= 0 && written <= count, "wrote \(written) bytes into room for \(count)")
        self.tail += written
    }

    /// Drops `count` bytes from the front; the memory goes with the last byte.
    package mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "consumed \(count) of \(self.count) bytes")
        self.head += count
        if self.head == self.tail { self.removeAll() }
    }

    /// Drops every byte and keeps the memory.
    package mutating func removeAll() {
        free(self.base)
        (self.base, self.head, self.tail, self.capacity) = (nil, 0, 0, 0)
    }

    /// Room for `count` more bytes behind the last one.
    private mutating func room(for count: Int) -> UnsafeMutableRawPointer {
        if let base = self.base, self.tail + count <= self.capacity { return base + self.tail }
        let needed = self.count + count
        if let base = self.base, needed <= self.capacity / 2 {
            memmove(base, base + self.head, self.count)
        } else {
            let capacity = max(512, needed, min(2 * self.capacity, needed + (1 << 20)))
            guard let grown = malloc(capacity) else { fatalError("out of memory for a buffer of \(capacity) bytes") }
            if let base = self.base { memcpy(grown, base + self.head, self.count) }
            free(self.base)
            (self.base, self.capacity) = (grown, capacity)
        }
        (self.head, self.tail) = (0, self.count)
        guard let base = self.base else { fatalError("a buffer of \(self.capacity) bytes has no memory") }
        return base + self.tail
    }
}
