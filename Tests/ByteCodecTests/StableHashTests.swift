import ByteCodec
import Testing

@Suite("Stable hash")
struct StableHashTests {
    private static let prime32: UInt64 = 2_654_435_761

    @Test(
        "agrees with known xxh64 values of texts",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)])
    func texts(_ text: String, _ hash: UInt64) {
        #expect(StableHash.xxh64(text) == hash)
        #expect(StableHash.xxh64(Array(text.utf8)) == hash)
    }

    /// Lengths and seeds of the reference implementation's own sanity check, over its generated buffer.
    @Test(
        "agrees with the reference implementation's sanity values",
        arguments: [
            (0, 0, 0xEF46_DB37_51D8_E999), (0, Self.prime32, 0xAC75_FDA2_929B_17EF), (1, 0, 0xE934_A84A_DB05_2768),
            (1, Self.prime32, 0x5014_6076_43A9_B4C3), (4, 0, 0x9136_A0DC_A574_57EE), (14, 0, 0x8282_DCC4_994E_35C8),
            (14, Self.prime32, 0xC3BD_6BF6_3DEB_6DF0), (222, 0, 0xB641_AE8C_B691_C174),
            (222, Self.prime32, 0x20CB_8AB7_AE10_C14A),
        ] as [(Int, UInt64, UInt64)])
    func sanity(_ count: Int, _ seed: UInt64, _ hash: UInt64) {
        var state = Self.prime32
        let bytes = (0..<count).map { _ in
            defer { state = state &* 11_400_714_785_074_694_797 }
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        #expect(StableHash.xxh64(bytes, seed: seed) == hash)
    }
}
