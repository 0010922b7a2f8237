/// The fields of a protobuf message, one after the other and where they lie: nothing is copied or kept.
///
/// `LeanCloudWire` makes values of commands, which would cost the generator more than a delivery costs the server; this
/// reads the two kinds of command that come a million times a second.
///
/// Source: protobuf.dev, "Encoding", message structure. Groups are in none of LeanCloud's messages.
struct LeanCloudFields {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    /// Number of the field that `next` went to.
    private(set) var number = 0
    /// Value of a varint field; else 0.
    private(set) var value: UInt64 = 0
    /// Bytes of a field that has a length, valid as long as the message is; else empty.
    private(set) var content = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ message: UnsafeRawBufferPointer) { self.bytes = message }

    /// Goes to the next field.
    ///
    /// - Returns: false at the end of the message.
    /// - Throws: `server` when the message ends inside a field, or is none.
    mutating func next() throws(BenchError) -> Bool {
        guard self.offset < self.bytes.count else { return false }
        let tag = try self.varint()
        self.number = Int(truncatingIfNeeded: tag >> 3)
        self.value = 0
        self.content = UnsafeRawBufferPointer(start: nil, count: 0)
        switch tag & 7 {
        case 0: self.value = try self.varint()
        case 1: _ = try self.takeBytes(8)
        case 2: self.content = try self.takeBytes(try self.varint())
        case 5: _ = try self.takeBytes(4)
        default: throw .server("the server sent a field of wire type \(tag & 7), which no command has")
        }
        return true
    }

    private mutating func varint() throws(BenchError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while self.offset < self.bytes.count, shift < 64 {
            let byte = self.bytes[self.offset]
            self.offset += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Self.cut
    }

    private mutating func takeBytes(_ count: UInt64) throws(BenchError) -> UnsafeRawBufferPointer {
        guard count <= UInt64(self.bytes.count - self.offset) else { throw Self.cut }
        defer { self.offset += Int(count) }
        return self.bytes.part(self.offset, Int(count))
    }

    private static var cut: BenchError { .server("the server sent a command that ends inside a field") }
}
