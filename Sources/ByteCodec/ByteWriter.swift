/// Writes fields in network byte order into a buffer that can be kept for the next use.
package struct ByteWriter: Sendable {
    /// Bytes written so far.
    package private(set) var bytes: [UInt8] = []

    /// Makes an empty writer with room for `capacity` bytes.
    package init(capacity: Int = 0) {
        self.bytes.reserveCapacity(capacity)
    }

    /// Forgets what was written and keeps the memory.
    package mutating func removeAll() { self.bytes.removeAll(keepingCapacity: true) }

    /// Writes one byte.
    package mutating func u8(_ value: UInt8) { self.bytes.append(value) }

    /// Writes two bytes, big-endian.
    package mutating func u16(_ value: UInt16) { self.integer(value) }

    /// Writes four bytes, big-endian.
    package mutating func u32(_ value: UInt32) { self.integer(value) }

    /// Writes eight bytes, big-endian.
    package mutating func u64(_ value: UInt64) { self.integer(value) }

    /// Writes eight bytes, big-endian, two's complement.
    package mutating func i64(_ value: Int64) { self.integer(value) }

    /// Writes the bytes without a length.
    package mutating func raw(_ content: [UInt8]) { self.bytes.append(contentsOf: content) }

    /// Writes the bytes without a length.
    package mutating func raw(_ content: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: content) }

    /// The length in UTF-8 bytes as `u16`, then the bytes. `text` must have at most 65535 of them.
    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            precondition(utf8.count <= UInt16.max, "a string of \(utf8.count) bytes does not fit a 16-bit length")
            self.u16(UInt16(utf8.count))
            self.bytes.append(contentsOf: utf8)
        }
    }

    /// Unsigned LEB128: seven bits a byte, lowest group first, the top bit says that another byte follows.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(rest))
    }

    private mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { self.bytes.append(contentsOf: $0) }
    }
}
