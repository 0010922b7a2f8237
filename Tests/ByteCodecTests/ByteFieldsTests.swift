import ByteCodec
import Testing

/// One field of each kind.
private let golden: [UInt8] = [
    0xAB,  // u8
    0x12, 0x34,  // u16
    0xDE, 0xAD, 0xBE, 0xEF,  // u32
    0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF,  // u64
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE,  // i64
    0x00, 0x03, 0xE8, 0x8C, 0xB6,  // length and text
    0xAC, 0x02,  // varint
    0x01, 0x02,  // raw
]

@Suite("Byte reader and writer")
struct ByteFieldsTests {
    @discardableResult
    private static func reading<Result>(_ bytes: [UInt8], _ body: (inout ByteReader) throws -> Result) throws -> Result
    {
        try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return try body(&reader)
        }
    }

    private static func readAll(_ reader: inout ByteReader) throws {
        #expect(try reader.u8() == 0xAB)
        #expect(try reader.u16() == 0x1234)
        #expect(try reader.u32() == 0xDEAD_BEEF)
        #expect(try reader.u64() == 0x0123_4567_89AB_CDEF)
        #expect(try reader.i64() == -2)
        #expect(try reader.string() == "茶")
        #expect(try reader.varint() == 300)
        #expect(try reader.bytes(2) == [1, 2])
        try reader.finish()
    }

    @Test("writes fields in network order and reads them back")
    func everyField() throws {
        var writer = ByteWriter(capacity: 40)
        writer.u8(0xAB)
        writer.u16(0x1234)
        writer.u32(0xDEAD_BEEF)
        writer.u64(0x0123_4567_89AB_CDEF)
        writer.i64(-2)
        writer.string("茶")
        writer.varint(300)
        writer.raw([1, 2])
        #expect(writer.bytes == golden)
        try Self.reading(golden) { try Self.readAll(&$0) }
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
    }

    @Test("bytes that end early throw, wherever they end", arguments: 0..<golden.count)
    func everyCut(_ count: Int) throws {
        // The fields one by one, so that the last failing call is the one that meets the cut.
        let error = #expect(throws: DecodeError.self) {
            try Self.reading(Array(golden[..<count])) { reader in
                _ = try reader.u8()
                _ = try reader.u16()
                _ = try reader.u32()
                _ = try reader.u64()
                _ = try reader.i64()
                _ = try reader.string()
                _ = try reader.varint()
                _ = try reader.bytes(2)
            }
        }
        guard case .inputEnded(let missing) = error?.reason else {
            Issue.record("not about missing bytes: \(String(describing: error))")
            return
        }
        #expect(missing > 0)
    }

    @Test("a failing call consumes nothing")
    func keepsPlace() throws {
        try Self.reading([0x00, 0x05, 0x61]) { reader in
            #expect(throws: DecodeError(.inputEnded(missing: 4), at: 2)) { try reader.string() }
            #expect(reader.offset == 0)
            let length = try reader.u16()
            #expect(length == 5)
            #expect(reader.remaining == 1)
            #expect(throws: DecodeError(.trailingBytes(1), at: 2)) { try reader.finish() }
        }
    }

    @Test("refuses text that is not UTF-8")
    func invalidUTF8() throws {
        try Self.reading([0, 1, 0xFF]) { reader in
            #expect(throws: DecodeError(.invalidUTF8, at: 0)) { try reader.string() }
        }
    }

    @Test(
        "writes varints in their shortest form and reads them back",
        arguments: [
            (0, 1), (1, 1), (127, 1), (128, 2), (16383, 2), (16384, 3), (1 << 63, 10), (UInt64.max, 10),
        ] as [(UInt64, Int)])
    func varints(_ value: UInt64, _ length: Int) throws {
        var writer = ByteWriter()
        writer.varint(value)
        #expect(writer.bytes.count == length)
        #expect(try Self.reading(writer.bytes) { try $0.varint() } == value)
    }

    @Test(
        "refuses varints that are too long or padded",
        arguments: [
            [0x80, 0x00], [0xFF, 0x80, 0x00], [UInt8](repeating: 0xFF, count: 10),
            [UInt8](repeating: 0x80, count: 9) + [0x02], [UInt8](repeating: 0x80, count: 10) + [0x01],
        ] as [[UInt8]])
    func badVarints(_ bytes: [UInt8]) throws {
        try Self.reading(bytes) { reader in
            #expect(throws: DecodeError(.invalidVarint, at: 0)) { try reader.varint() }
        }
    }
}
