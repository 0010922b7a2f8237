/// Why bytes are not the fields that their reader asked for, and where.
package struct DecodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Reason why the bytes cannot be read.
    package enum Reason: Hashable, Sendable {
        /// This many bytes are missing.
        case inputEnded(missing: Int)
        case invalidUTF8
        /// A varint that does not fit 64 bits, or is longer than its value needs.
        case invalidVarint
        case trailingBytes(Int)
        /// A field of more bytes than its format allows.
        case tooLong(bytes: Int, limit: Int)
        /// A number that its field gives no meaning.
        case unknownValue
    }

    /// Bytes before the field that failed.
    package let offset: Int
    /// Reason why the bytes cannot be read.
    package let reason: Reason

    /// Makes an error at a byte offset of the input.
    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String {
        switch self.reason {
        case .inputEnded(let missing): "\(missing) bytes are missing after byte \(self.offset)"
        case .invalidUTF8: "the text at byte \(self.offset) is not UTF-8"
        case .invalidVarint: "the number at byte \(self.offset) is no valid variable-length integer"
        case .trailingBytes(let count): "\(count) bytes follow the last field at byte \(self.offset)"
        case .unknownValue: "the number at byte \(self.offset) has no meaning there"
        case .tooLong(let bytes, let limit): "the field at byte \(self.offset) has \(bytes) bytes, \(limit) are allowed"
        }
    }
}

/// Reads fields in network byte order. A call that throws consumes nothing.
///
/// SAFETY: the reader keeps the buffer's address. It must not leave the closure that lent the buffer.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// Bytes read so far.
    package private(set) var offset = 0

    /// Reads from borrowed bytes, which must outlive the reader.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Bytes not read yet.
    package var remaining: Int { self.bytes.count - self.offset }

    /// Reads one byte. Throws when the input ends too early.
    package mutating func u8() throws(DecodeError) -> UInt8 { try self.integer() }

    /// Reads two bytes, big-endian. Throws when the input ends too early.
    package mutating func u16() throws(DecodeError) -> UInt16 { try self.integer() }

    /// Reads four bytes, big-endian. Throws when the input ends too early.
    package mutating func u32() throws(DecodeError) -> UInt32 { try self.integer() }

    /// Reads eight bytes, big-endian. Throws when the input ends too early.
    package mutating func u64() throws(DecodeError) -> UInt64 { try self.integer() }

    /// Reads eight bytes, big-endian, two's complement. Throws when the input ends too early.
    package mutating func i64() throws(DecodeError) -> Int64 { try self.integer() }

    /// The next `count` bytes as a view into the buffer, valid as long as the buffer is.
    package mutating func raw(_ count: Int) throws(DecodeError) -> UnsafeRawBufferPointer {
        precondition(count >= 0, "a negative count of bytes")
        try self.require(count)
        defer { self.offset += count }
        return UnsafeRawBufferPointer(rebasing: self.bytes[self.offset..<self.offset + count])
    }

    /// The next `count` bytes, copied.
    package mutating func bytes(_ count: Int) throws(DecodeError) -> [UInt8] {
        [UInt8](try self.raw(count))
    }

    /// A `u16` length, then that many bytes of UTF-8.
    package mutating func string() throws(DecodeError) -> String {
        var copy = self
        let count = Int(try copy.u16())
        let utf8 = try copy.raw(count)
        guard UTF8Check.isValid(utf8) else { throw DecodeError(.invalidUTF8, at: self.offset) }
        self = copy
        return String(decoding: utf8, as: UTF8.self)
    }

    /// Unsigned LEB128 of at most ten bytes, in its shortest form.
    package mutating func varint() throws(DecodeError) -> UInt64 {
        var value: UInt64 = 0
        var position = self.offset
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard position < self.bytes.count else { throw DecodeError(.inputEnded(missing: 1), at: self.offset) }
            let byte = self.bytes[position]
            position += 1
            let group = UInt64(byte & 0x7F)
            // The tenth byte has room for one bit only.
            if shift == 63, group > 1 { break }
            value |= group << shift
            guard byte < 0x80 else { continue }
            if byte == 0, shift > 0 { break }
            self.offset = position
            return value
        }
        throw DecodeError(.invalidVarint, at: self.offset)
    }

    /// Throws unless every byte was read.
    package func finish() throws(DecodeError) {
        guard self.remaining == 0 else { throw DecodeError(.trailingBytes(self.remaining), at: self.offset) }
    }

    private func require(_ count: Int) throws(DecodeError) {
        guard count <= self.remaining else {
            throw DecodeError(.inputEnded(missing: count - self.remaining), at: self.offset)
        }
    }

    private mutating func integer<Value: FixedWidthInteger>() throws(DecodeError) -> Value {
        let size = MemoryLayout<Value>.size
        try self.require(size)
        defer { self.offset += size }
        return Value(bigEndian: self.bytes.loadUnaligned(fromByteOffset: self.offset, as: Value.self))
    }
}
