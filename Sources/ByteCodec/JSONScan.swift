/// Eight bytes at a time through the inside of JSON strings.
enum JSONScan {
    /// The first position in `start..<end` that holds a quote, a backslash or a control character, or `end`.
    static func endOfPlainRun(in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        var seen: UInt64 = 0
        return Self.endOfPlainRun(in: bytes, from: start, to: end, seen: &seen)
    }

    /// The same, and collects the bits of all bytes on the way: `isASCII(seen)` is then certain, its contrary a maybe,
    /// because the last word reaches beyond the run.
    @inline(__always)
    static func endOfPlainRun(
        in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, seen: inout UInt64
    ) -> Int {
        var position = start
        while position + 8 <= end {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            seen |= word
            let marks = Self.marks(word)
            if marks != 0 { return position + marks.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < end, !Self.isSpecial(bytes[position]) {
            seen |= UInt64(bytes[position])
            position += 1
        }
        return position
    }

    static func isASCII(_ seen: UInt64) -> Bool { seen & 0x8080_8080_8080_8080 == 0 }

    static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// The top bit of the lowest special byte is set, and of no byte below it.
    ///
    /// Subtracting 1 from a zero byte, or 0x20 from a byte under 0x20, borrows into its top bit. A borrow can reach
    /// further up and mark a byte wrongly there, never below the first true mark, so only the first one is used.
    private static func marks(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            | ((word &- (ones &* 0x20)) & ~word)
        return found & 0x8080_8080_8080_8080
    }
}
