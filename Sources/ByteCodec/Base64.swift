/// Base64 of RFC 4648, read strictly: no white space, no missing or extra padding, no stray bits in the last character.
package enum Base64 {
    /// Character set for the values 62 and 63.
    package enum Alphabet: Hashable, Sendable {
        /// Section 4: `+`, `/`, padded with `=`.
        case standard
        /// Section 5: `-`, `_`, without padding.
        case urlSafe
    }

    /// Encodes as text; the standard alphabet pads with `=`.
    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> [UInt8] {
        var text: [UInt8] = []
        bytes.withUnsafeBytes { Self.encode($0, alphabet, appendingTo: &text) }
        return text
    }

    package static func encode(
        _ bytes: UnsafeRawBufferPointer, _ alphabet: Alphabet = .standard, appendingTo text: inout [UInt8]
    ) {
        let count = Self.encodedCount(of: bytes.count, alphabet)
        text.append(addingCapacity: count) { room in
            room.withUnsafeMutableBufferPointer { room, used in
                Self.encode(bytes, alphabet, to: UnsafeMutableRawBufferPointer(room))
                used = count
            }
        }
    }

    /// How many characters `encode` writes for so many bytes.
    package static func encodedCount(of count: Int, _ alphabet: Alphabet = .standard) -> Int {
        let (groups, rest) = count.quotientAndRemainder(dividingBy: 3)
        return groups * 4 + (rest == 0 ? 0 : alphabet == .standard ? 4 : rest + 1)
    }

    /// Writes the characters to the start of `room`, which has at least `encodedCount` bytes.
    package static func encode(
        _ bytes: UnsafeRawBufferPointer, _ alphabet: Alphabet = .standard, to room: UnsafeMutableRawBufferPointer
    ) {
        precondition(room.count >= Self.encodedCount(of: bytes.count, alphabet), "no room for base64")
        guard let input = bytes.baseAddress, var output = room.baseAddress else { return }
        // SAFETY: a pair's index has twelve bits; eight bytes are read where there are eight, and what is written has
        // been counted above.
        let pairs = alphabet == .standard ? Self.standardPairs : Self.urlSafePairs
        pairs.withUnsafeBufferPointer { pairs in
            var done = 0
            while done + 8 <= bytes.count {
                let word = input.loadUnaligned(fromByteOffset: done, as: UInt64.self).byteSwapped
                output.storeBytes(of: pairs[Int(word >> 52)], as: UInt16.self)
                output.storeBytes(of: pairs[Int(word >> 40 & 0xFFF)], toByteOffset: 2, as: UInt16.self)
                output.storeBytes(of: pairs[Int(word >> 28 & 0xFFF)], toByteOffset: 4, as: UInt16.self)
                output.storeBytes(of: pairs[Int(word >> 16 & 0xFFF)], toByteOffset: 6, as: UInt16.self)
                done += 6
                output += 8
            }
            while done + 3 <= bytes.count {
                let word = Int(bytes[done]) << 16 | Int(bytes[done + 1]) << 8 | Int(bytes[done + 2])
                output.storeBytes(of: pairs[word >> 12], as: UInt16.self)
                output.storeBytes(of: pairs[word & 0xFFF], toByteOffset: 2, as: UInt16.self)
                done += 3
                output += 4
            }
            guard done < bytes.count else { return }
            let hasTwo = done + 2 == bytes.count
            let word = Int(bytes[done]) << 16 | (hasTwo ? Int(bytes[done + 1]) << 8 : 0)
            output.storeBytes(of: pairs[word >> 12], as: UInt16.self)
            let third = hasTwo ? UInt8(truncatingIfNeeded: pairs[word & 0xFFF]) : UInt8(ascii: "=")
            if hasTwo || alphabet == .standard { output.storeBytes(of: third, toByteOffset: 2, as: UInt8.self) }
            if alphabet == .standard { output.storeBytes(of: UInt8(ascii: "="), toByteOffset: 3, as: UInt8.self) }
        }
    }

    /// `nil` when the text is not exactly what `encode` would write.
    package static func decode(_ text: [UInt8], _ alphabet: Alphabet = .standard) -> [UInt8]? {
        text.withUnsafeBytes { Self.decode($0, alphabet) }
    }

    /// `nil` when the text is not exactly what `encode` would write.
    package static func decode(_ text: UnsafeRawBufferPointer, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var isValid = true
        let decoded = [UInt8](unsafeUninitializedCapacity: Self.room(toDecode: text.count)) { room, used in
            let count = Self.decode(text, alphabet, to: UnsafeMutableRawBufferPointer(room))
            isValid = count != nil
            used = count ?? 0
        }
        return isValid ? decoded : nil
    }

    /// How many bytes `decode` wants to have for so many characters.
    package static func room(toDecode count: Int) -> Int { count / 4 * 3 + 2 }

    /// Writes the bytes to the start of `room`, which has at least `room(toDecode:)` of them.
    ///
    /// - Returns: how many there are; `nil` when the text is not exactly what `encode` would write.
    package static func decode(
        _ text: UnsafeRawBufferPointer, _ alphabet: Alphabet = .standard, to room: UnsafeMutableRawBufferPointer
    ) -> Int? {
        precondition(room.count >= Self.room(toDecode: text.count), "no room for what base64 says")
        var count = text.count
        if alphabet == .standard {
            guard count % 4 == 0 else { return nil }
            if count > 0, text[count - 1] == UInt8(ascii: "=") { count -= text[count - 2] == UInt8(ascii: "=") ? 2 : 1 }
        }
        let tail = count % 4
        guard tail != 1 else { return nil }
        let values = alphabet == .standard ? Self.standardValues : Self.urlSafeValues
        var (input, used) = (0, 0)
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
        var hasStrayBits = false
        if tail > 0 {
            let (a, b) = (values[Int(text[input])], values[Int(text[input + 1])])
            let c = tail == 3 ? values[Int(text[input + 2])] : 0
            seen |= a | b | c
            let word = UInt32(a) << 18 | UInt32(b) << 12 | UInt32(c) << 6
            hasStrayBits = word & (tail == 3 ? 0xFF : 0xFFFF) != 0
            room[used] = UInt8(truncatingIfNeeded: word >> 16)
            if tail == 3 { room[used + 1] = UInt8(truncatingIfNeeded: word >> 8) }
            used += tail - 1
        }
        return hasStrayBits || seen & 0x80 != 0 ? nil : used
    }

    private static let standardPairs = Self.pairs(UInt8(ascii: "+"), UInt8(ascii: "/"))
    private static let urlSafePairs = Self.pairs(UInt8(ascii: "-"), UInt8(ascii: "_"))

    /// The two characters of each twelve bits, the first one in the low byte: Linux here is little-endian.
    private static func pairs(_ character62: UInt8, _ character63: UInt8) -> [UInt16] {
        let characters =
            Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + [character62, character63]
        return (0..<4096).map { UInt16(characters[$0 >> 6]) | UInt16(characters[$0 & 63]) << 8 }
    }

    private static let standardValues = Self.values(UInt8(ascii: "+"), UInt8(ascii: "/"))
    private static let urlSafeValues = Self.values(UInt8(ascii: "-"), UInt8(ascii: "_"))

    /// Table from byte to value; 0xFF for bytes outside the alphabet whose last two characters are given.
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
