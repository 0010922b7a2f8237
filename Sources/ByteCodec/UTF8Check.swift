/// Check that bytes are UTF-8 as RFC 3629 section 4 defines it: no overlong form, no surrogate, nothing over U+10FFFF.
package enum UTF8Check {
    /// True when all bytes are UTF-8.
    package static func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { Self.isValid($0) }
    }

    /// True when all bytes are UTF-8.
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position < bytes.count {
            if position + 8 <= bytes.count,
                bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                position += 8
                continue
            }
            guard let length = Self.scalarLength(in: bytes, at: position) else { return false }
            position += length
        }
        return true
    }

    /// Bytes of the scalar at `position`, or `nil` when there is none.
    private static func scalarLength(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int? {
        let first = bytes[position]
        if first < 0x80 { return 1 }
        // The first byte sets how many follow and the range of the second; later ones are always 0x80...0xBF.
        let (length, second): (Int, ClosedRange<UInt8>)
        switch first {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { return nil }
        var next = position + 2
        while next < position + length {
            guard bytes[next] & 0xC0 == 0x80 else { return nil }
            next += 1
        }
        return length
    }
}
