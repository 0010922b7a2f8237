import ByteCodec

extension ByteWriter {
    /// The header of a frame whose body has `bodyBytes` bytes, at most 268_435_455.
    mutating func binaryHeader(_ type: BinaryPacketType, flags: UInt8, bodyBytes: Int) {
        self.u8(type.rawValue << 4 | flags)
        guard !type.isSingleByte else { return }
        precondition(bodyBytes < 1 << 28, "a body of \(bodyBytes) bytes does not fit a frame")
        self.varint(UInt64(bodyBytes))
    }

    /// The length in bytes, then the bytes: at most 32767.
    mutating func binaryField(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= Int16.max, "a field of \(bytes.count) bytes does not fit a signed 16-bit length")
        self.u16(UInt16(bytes.count))
        self.raw(bytes)
    }

    /// A string of at most 32767 bytes.
    mutating func binaryString(_ text: String) {
        var text = text
        text.withUTF8 { self.binaryField(UnsafeRawBufferPointer($0)) }
    }
}
