import ByteCodec
import Testing

@Suite("CRC-32")
struct CRC32Tests {
    @Test(
        "agrees with known checksums",
        arguments: [
            ("", 0), ("a", 0xE8B7_BE43), ("123456789", 0xCBF4_3926),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
            ("plumless", 0x4DDB_0C25), ("buckeroo", 0x4DDB_0C25),
        ] as [(String, UInt32)])
    func known(_ text: String, _ checksum: UInt32) {
        #expect(CRC32.checksum(of: text.utf8) == checksum)
        #expect(CRC32.checksum(of: Array(text.utf8)) == checksum)
    }

    @Test("of all byte values")
    func allBytes() {
        #expect(CRC32.checksum(of: [UInt8](0...255)) == 0x2905_8C73)
    }
}
