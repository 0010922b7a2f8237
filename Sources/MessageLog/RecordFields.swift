import ByteCodec
import ChatModel

/// Content of a record: one type for each kind.
package protocol LoggedContent: Sendable {
    /// Kind of the record.
    var kind: LogRecordKind { get }
    /// Writes the payload, the fields in the order in which `init` reads them.
    func write(to fields: inout FieldWriter)
}

/// Writes the fields of a payload: numbers in as few bytes as they need, bytes behind their count.
package struct FieldWriter: Sendable {
    /// Bytes written so far, behind those it was made with.
    var bytes: [UInt8]

    /// Writes one byte.
    mutating func byte(_ value: UInt8) { self.bytes.append(value) }

    /// Writes a number that is mostly small and not negative.
    mutating func number(_ value: Int64) { self.unsigned(UInt64(bitPattern: value)) }

    /// Writes a number that may be negative, in as few bytes as its magnitude needs.
    mutating func signed(_ value: Int64) { self.unsigned(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    /// Writes eight bytes: a hash, of which every value is as likely as another.
    mutating func hash(_ value: Int64) {
        withUnsafeBytes(of: value.bigEndian) { self.bytes.append(contentsOf: $0) }
    }

    /// Writes bytes behind their count.
    mutating func blob(_ content: [UInt8]) {
        self.unsigned(UInt64(content.count))
        self.bytes.append(contentsOf: content)
    }

    /// Writes a text behind the count of its bytes in UTF-8.
    mutating func text(_ content: String) {
        var content = content
        content.withUTF8 { utf8 in
            self.unsigned(UInt64(utf8.count))
            self.bytes.append(contentsOf: utf8)
        }
    }

    /// Writes numbers of people behind how many they are.
    mutating func people(_ users: [UserID]) {
        self.unsigned(UInt64(users.count))
        for user in users { self.number(user.rawValue) }
    }

    private mutating func unsigned(_ value: UInt64) {
        guard value >= 0x80 else { return self.bytes.append(UInt8(value)) }
        // One call of the array for all bytes: most numbers of a record are ids and times, of five to nine bytes.
        var groups: (UInt64, UInt16) = (0, 0)
        let count = (70 - value.leadingZeroBitCount) / 7
        withUnsafeMutableBytes(of: &groups) { groups in
            var rest = value
            for index in 0..<count - 1 {
                groups[index] = UInt8(truncatingIfNeeded: rest) | 0x80
                rest >>= 7
            }
            groups[count - 1] = UInt8(truncatingIfNeeded: rest)
            self.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: groups[..<count]))
        }
    }
}

/// Reads the fields of a payload in the order in which they were written.
///
/// SAFETY: like its `ByteReader` it must not leave the closure that lent the bytes.
struct FieldReader {
    private var base: ByteReader

    init(_ bytes: UnsafeRawBufferPointer) { self.base = ByteReader(bytes) }

    mutating func byte() throws(DecodeError) -> UInt8 { try self.base.u8() }

    mutating func number() throws(DecodeError) -> Int64 { Int64(bitPattern: try self.base.varint()) }

    mutating func signed() throws(DecodeError) -> Int64 {
        let value = try self.base.varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func hash() throws(DecodeError) -> Int64 { try self.base.i64() }

    mutating func blob() throws(DecodeError) -> [UInt8] { try self.base.bytes(try self.count()) }

    mutating func text() throws(DecodeError) -> String {
        let offset = self.base.offset
        let utf8 = try self.base.raw(try self.count())
        guard UTF8Check.isValid(utf8) else { throw DecodeError(.invalidUTF8, at: offset) }
        return String(decoding: utf8, as: UTF8.self)
    }

    mutating func people() throws(DecodeError) -> [UserID] {
        var users: [UserID] = []
        for _ in 0..<(try self.count()) { users.append(UserID(rawValue: try self.number())) }
        return users
    }

    /// A count of things of which each has at least one byte.
    mutating func count() throws(DecodeError) -> Int {
        let offset = self.base.offset
        let value = try self.base.varint()
        guard value <= UInt64(self.base.remaining) else {
            throw DecodeError(
                .tooLong(bytes: Int(clamping: value), limit: self.base.remaining), at: offset)
        }
        return Int(value)
    }

    /// - Throws: for a number without a meaning, at the field that was read last.
    func unknown() -> DecodeError { DecodeError(.unknownValue, at: self.base.offset) }

    func finish() throws(DecodeError) { try self.base.finish() }
}
