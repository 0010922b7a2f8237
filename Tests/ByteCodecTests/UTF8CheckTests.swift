import ByteCodec
import Testing

@Suite("UTF-8 check")
struct UTF8CheckTests {
    @Test(
        "accepts the first and last scalar of each length",
        arguments: [
            "\u{0}", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}",
            "\u{10FFFF}", "", "plain text, long enough for words", "茶馆里的人很多，说话的人也很多🍵",
        ])
    func accepts(_ text: String) {
        #expect(UTF8Check.isValid(Array(text.utf8)))
    }

    @Test("agrees with the standard library on every pair of bytes", arguments: 0...255 as ClosedRange<UInt8>)
    func pairs(_ first: UInt8) {
        for second in UInt8.min ... .max {
            let bytes = [first, second]
            #expect(UTF8Check.isValid(bytes) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }

    @Test("agrees with the standard library on damaged text", arguments: 0..<200 as Range<UInt64>)
    func damaged(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bytes = Array("ascii run of eight é 茶馆 🍵 end\u{7FF}\u{800}\u{FFFF}\u{10000}".utf8)
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
        }
        bytes = Array(bytes.dropLast(Int.random(in: 0...4, using: &generator)))
        #expect(UTF8Check.isValid(bytes) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
    }
}
