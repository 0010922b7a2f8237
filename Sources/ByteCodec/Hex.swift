/// Bytes as hexadecimal digits, lower case when written, either case when read.
package enum Hex {
    /// Lower-case hexadecimal digits, two per byte.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            digits.append(Self.digit(byte >> 4))
            digits.append(Self.digit(byte & 0xF))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Appends two digits for each byte.
    package static func append(_ bytes: Span<UInt8>, to digits: inout [UInt8]) {
        for index in bytes.indices {
            digits.append(Self.digit(bytes[index] >> 4))
            digits.append(Self.digit(bytes[index] & 0xF))
        }
    }

    /// Writes two digits for each byte to the start of `room`.
    package static func write(_ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer) {
        precondition(room.count >= 2 * bytes.count, "no room for \(bytes.count) bytes in hexadecimal")
        for index in bytes.indices {
            room[2 * index] = Self.digit(bytes[index] >> 4)
            room[2 * index + 1] = Self.digit(bytes[index] & 0xF)
        }
    }

    /// `nil` when the count is odd or a character is no digit.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = Self.value(character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    /// The digit of 0...15.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Value 0...15 of one digit; `nil` for any other byte.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
