import Testing

@testable import MessageLog

@Suite("CRC-32C") struct CRC32CTests {
    /// Source: RFC 3720 (iSCSI), appendix B.4, and the check value of the Rocksoft model.
    private static let vectors: [(bytes: [UInt8], crc: UInt32)] = [
        ([], 0),
        (Array("123456789".utf8), 0xE306_9283),
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
        ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        ((0..<32).map { UInt8($0) }, 0x46DD_794E),
        ((0..<32).map { UInt8(31 - $0) }, 0x113F_DB5C),
    ]

    @Test("has the values of the standard, by instruction and by table")
    func standard() {
        for vector in Self.vectors {
            #expect(vector.bytes.withUnsafeBytes { CRC32C.checksum(of: $0) } == vector.crc)
            #expect(vector.bytes.withUnsafeBytes { CRC32C.checksumByTable(of: $0) } == vector.crc)
        }
    }

    @Test("is the same by both ways, whatever the length, the alignment and the pieces")
    func bothWays() {
        var random = SeededRandom(3)
        let bytes = (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) }
        bytes.withUnsafeBytes { bytes in
            for start in 0..<9 {
                for end in start...300 {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    let crc = CRC32C.checksum(of: part)
                    #expect(crc == CRC32C.checksumByTable(of: part))
                    let middle = start + (end - start) / 3
                    let first = CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[start..<middle]))
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[middle..<end])
                    #expect(CRC32C.checksum(of: rest, after: first) == crc)
                }
            }
        }
    }
}
