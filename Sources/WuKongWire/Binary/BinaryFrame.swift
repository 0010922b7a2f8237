import ByteCodec

/// The header of a frame and where its body lies.
///
/// One byte `type << 4 | flags`, then the length of the body in one to four bytes, seven bits each, lowest group first;
/// the top bit says that another byte follows. PING and PONG have no length. Source: WuKongIMGoProto, `protocol.go`.
package struct BinaryFrame {
    /// Length bytes at most.
    static let maximumLengthBytes = 4

    /// Kind of the frame.
    package let type: BinaryPacketType
    /// 0...15.
    package let flags: UInt8
    /// Bytes before the body.
    package let headerBytes: Int
    /// 0...268_435_455.
    package let bodyBytes: Int

    /// Bytes of the whole frame.
    package var totalBytes: Int { self.headerBytes + self.bodyBytes }

    /// Reads the header that `bytes` start with; `nil` when they end within it.
    ///
    /// - Throws: `unknownType`, `lengthTooLong`.
    package init?(startOf bytes: UnsafeRawBufferPointer) throws(BinaryWireError) {
        guard let first = bytes.first else { return nil }
        guard let type = BinaryPacketType(firstByte: first) else { throw .unknownType(first >> 4) }
        self.type = type
        self.flags = first & 0x0F
        if type.isSingleByte {
            self.headerBytes = 1
            self.bodyBytes = 0
            return
        }
        var length = 0
        for group in 0..<Self.maximumLengthBytes {
            guard group + 1 < bytes.count else { return nil }
            let byte = bytes[group + 1]
            length |= Int(byte & 0x7F) << (7 * group)
            if byte < 0x80 {
                self.headerBytes = group + 2
                self.bodyBytes = length
                return
            }
        }
        throw .lengthTooLong
    }

    /// Reads the one frame that `frame` must be.
    ///
    /// - Parameter read: reads the fields of the body; `nil` for a type that does not come from that side.
    /// - Throws: `notOneFrame`, `wrongDirection`, `malformed`.
    static func decode<Packet>(
        _ frame: UnsafeRawBufferPointer, _ read: (BinaryFrame, inout ByteReader) throws(DecodeError) -> Packet?
    ) throws(BinaryWireError) -> Packet {
        let header = try Self.whole(frame)
        let packet: Packet?
        do throws(DecodeError) {
            var body = header.body(of: frame)
            packet = try read(header, &body)
            if packet != nil { try body.finish() }
        } catch {
            throw .malformed(header.type, error)
        }
        guard let packet else { throw .wrongDirection(header.type) }
        return packet
    }

    /// The header of `frame`, which must be exactly one.
    static func whole(_ frame: UnsafeRawBufferPointer) throws(BinaryWireError) -> BinaryFrame {
        guard let header = try BinaryFrame(startOf: frame), header.totalBytes == frame.count else {
            throw .notOneFrame
        }
        return header
    }

    /// The body of the frame that this is the header of.
    func body(of frame: UnsafeRawBufferPointer) -> ByteReader {
        ByteReader(UnsafeRawBufferPointer(rebasing: frame[self.headerBytes...]))
    }
}

extension ByteReader {
    /// The longest string, in bytes: its length is a signed 16-bit number.
    static let maximumBinaryStringBytes = Int(Int16.max)

    /// The bytes of a string, whatever they are.
    mutating func binaryField() throws(DecodeError) -> UnsafeRawBufferPointer {
        var copy = self
        let count = Int(try copy.u16())
        guard count <= Self.maximumBinaryStringBytes else {
            throw DecodeError(.tooLong(bytes: count, limit: Self.maximumBinaryStringBytes), at: self.offset)
        }
        let field = try copy.raw(count)
        self = copy
        return field
    }

    /// A string, which must be UTF-8.
    mutating func binaryString() throws(DecodeError) -> String {
        let start = self.offset
        let utf8 = try self.binaryField()
        guard UTF8Check.isValid(utf8) else { throw DecodeError(.invalidUTF8, at: start) }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// Everything that is left.
    mutating func rest() throws(DecodeError) -> [UInt8] { try self.bytes(self.remaining) }
}
