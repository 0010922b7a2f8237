/// Base64 of RFC 4648, read strictly: no white space, no missing or extra padding, no stray bits in the last character.
package enum Base64 {
    package enum Alphabet: Hashable, Sendable {
        /// Section 4: `+`, `/`, padded with `=`.
        case standard
        /// Section 5: `-`, `_`, without padding.
        case urlSafe
    }

    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> [UInt8] {
        var text: [UInt8] = []
        bytes.withUnsafeBytes { Self.encode($0, alphabet, appendingTo: &text) }
        return text
    }

    package static func encode(
        _ bytes: UnsafeRawBufferPointer, _ alphabet: Alphabet = .standard, appendingTo text: inout [UInt8]
    ) {
        let (groups, rest) = bytes.count.quotientAndRemainder(dividingBy: 3)
        let tail = rest == 0 ? 0 : alphabet == .standard ? 4 : rest + 1
        let start = text.count
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: groups * 4 + tail))
        let characters: StaticString =
            switch alphabet {
            case .standard: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            case .urlSafe: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            }
        // SAFETY: every index into the 64 characters is masked to six bits.
        let characterAt = characters.utf8Start
        text.withUnsafeMutableBufferPointer { text in
            var output = start
            var input = 0
            while input + 3 <= bytes.count {
                let word = UInt32(bytes[input]) << 16 | UInt32(bytes[input + 1]) << 8 | UInt32(bytes[input + 2])
                text[output] = characterAt[Int(word >> 18 & 63)]
                text[output + 1] = characterAt[Int(word >> 12 & 63)]
                text[output + 2] = characterAt[Int(word >> 6 & 63)]
                text[output + 3] = characterAt[Int(word & 63)]
                input += 3
                output += 4
            }
            guard rest > 0 else { return }
            let word = UInt32(bytes[input]) << 16 | (rest == 2 ? UInt32(bytes[input + 1]) << 8 : 0)
            text[output] = characterAt[Int(word >> 18 & 63)]
            text[output + 1] = characterAt[Int(word >> 12 & 63)]
            if rest == 2 { text[output + 2] = characterAt[Int(word >> 6 & 63)] }
        }
    }

    /// `nil` when the text is not exactly what `encode` would write.
    package static func decode(_ text: [UInt8], _ alphabet: Alphabet = .standard) -> [UInt8]? {
        text.withUnsafeBytes { Self.decode($0, alphabet) }
    }

    /// `nil` when the text is not exactly what `encode` would write.
    package static func decode(_ text: UnsafeRawBufferPointer, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var count = text.count
        if alphabet == .standard {
            guard count % 4 == 0 else { return nil }
            if count > 0, text[count - 1] == UInt8(ascii: "=") { count -= text[count - 2] == UInt8(ascii: "=") ? 2 : 1 }
        }
        let tail = count % 4
        guard tail != 1 else { return nil }
        var isValid = true
        let values = alphabet == .standard ? Self.standardValues : Self.urlSafeValues
        let decoded = [UInt8](unsafeUninitializedCapacity: count / 4 * 3 + 2) { room, used in
            var input = 0
            // Bit 7 of a value marks a character outside the alphabet; they are collected and looked at once.
            var seen: UInt8 = 0
            while input + 4 <= count {
                let (a, b) = (values[Int(text[input])], values[Int(text[input + 1])])
                let (c, d) = (values[Int(text[input + 2])], values[Int(text[input + 3])])
                seen |= a | b | c | d
                let word = UInt32(a) << 18 | UInt32(b) << 12 | UInt32(c) << 6 | UInt32(d)
                room[used] = UInt8(truncatingIfNeeded: word >> 16)
                room[used + 1] = UInt8(truncatingIfNeeded: word >> 8)
                room[used + 2] = UInt8(truncatingIfNeeded: word)
                input += 4
                used += 3
            }
            if tail > 0 {
                let (a, b) = (values[Int(text[input])], values[Int(text[input + 1])])
                let c = tail == 3 ? values[Int(text[input + 2])] : 0
                seen |= a | b | c
                let word = UInt32(a) << 18 | UInt32(b) << 12 | UInt32(c) << 6
                let stray: UInt32 = tail == 3 ? 0xFF : 0xFFFF
                if word & stray != 0 { isValid = false }
                room[used] = UInt8(truncatingIfNeeded: word >> 16)
                if tail == 3 { room[used + 1] = UInt8(truncatingIfNeeded: word >> 8) }
                used += tail - 1
            }
            if seen & 0x80 != 0 { isValid = false }
        }
        return isValid ? decoded : nil
    }

    private static let standardValues = Self.values(UInt8(ascii: "+"), UInt8(ascii: "/"))
    private static let urlSafeValues = Self.values(UInt8(ascii: "-"), UInt8(ascii: "_"))

    /// What each byte stands for, 0xFF for those outside the alphabet whose last two characters are given.
    private static func values(_ character62: UInt8, _ character63: UInt8) -> [UInt8] {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for value: UInt8 in 0..<26 {
            values[Int(UInt8(ascii: "A") + value)] = value
            values[Int(UInt8(ascii: "a") + value)] = value + 26
        }
        for value: UInt8 in 0..<10 { values[Int(UInt8(ascii: "0") + value)] = value + 52 }
        values[Int(character62)] = 62
        values[Int(character63)] = 63
        return values
    }
}
