import Glibc

/// The body of every message the generator sends: a text message of WuKong's kind whose content is a stamp and padding
/// to 100 characters, 123 bytes in all. That is a multiple of three, so its base64 form has no padding.
package enum MessageBody {
    static let prefix = StaticBytes(#"{"type":1,"content":""#)
    static let contentCount = 100

    /// The body with zeros where the stamp goes.
    package static func bytes() -> [UInt8] { self.prefix.array + self.content() + Array(#""}"#.utf8) }

    /// The text of a body alone: zeros where the stamp goes, and padding.
    static func content() -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "0"), count: Stamp.count)
            + [UInt8](repeating: UInt8(ascii: "x"), count: self.contentCount - Stamp.count)
    }

    /// Where the stamp's base64 form starts in the base64 form of the body: the 21 bytes in front are 28 characters.
    package static let base64StampOffset = 28

    private static let alphabet = StaticBytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0, count: 256)
        for (value, character) in Self.alphabet.array.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// base64 of a multiple of three bytes: `4 / 3 * count` characters to `out`.
    package static func encodeBase64(
        _ bytes: UnsafePointer<UInt8>, count: Int, to out: UnsafeMutablePointer<UInt8>
    ) {
        let alphabet = Self.alphabet.start
        for group in 0..<(count / 3) {
            let bits =
                Int(bytes[3 * group]) << 16 | Int(bytes[3 * group + 1]) << 8 | Int(bytes[3 * group + 2])
            out[4 * group] = alphabet[bits >> 18]
            out[4 * group + 1] = alphabet[bits >> 12 & 63]
            out[4 * group + 2] = alphabet[bits >> 6 & 63]
            out[4 * group + 3] = alphabet[bits & 63]
        }
    }

    /// Undoes `encodeBase64`; characters outside the alphabet decode to rubbish, which a stamp then refuses.
    package static func decodeBase64(
        _ text: UnsafePointer<UInt8>, count: Int, to out: UnsafeMutablePointer<UInt8>
    ) {
        self.values.withUnsafeBufferPointer { values in
            for group in 0..<(count / 4) {
                let high = Int(values[Int(text[4 * group])]) << 18 | Int(values[Int(text[4 * group + 1])]) << 12
                let bits = high | Int(values[Int(text[4 * group + 2])]) << 6 | Int(values[Int(text[4 * group + 3])])
                out[3 * group] = UInt8(truncatingIfNeeded: bits >> 16)
                out[3 * group + 1] = UInt8(truncatingIfNeeded: bits >> 8)
                out[3 * group + 2] = UInt8(truncatingIfNeeded: bits)
            }
        }
    }

    /// The stamp in a body that starts at `body`, or `nil` when the body is not one of the generator's.
    package static func stamp(in body: UnsafeRawBufferPointer) -> Stamp? {
        guard body.count >= self.prefix.count + Stamp.count, let start = body.baseAddress,
            memcmp(start, self.prefix.start, self.prefix.count) == 0
        else { return nil }
        return Stamp(start.assumingMemoryBound(to: UInt8.self) + self.prefix.count)
    }

    /// The stamp in a body in base64 form.
    package static func stamp(inBase64 text: UnsafeRawBufferPointer) -> Stamp? {
        guard text.count >= self.base64StampOffset + Stamp.base64Count, let start = text.baseAddress else { return nil }
        let stamp = start.assumingMemoryBound(to: UInt8.self) + self.base64StampOffset
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Stamp.count) { plain in
            self.decodeBase64(stamp, count: Stamp.base64Count, to: plain.baseAddress!)
            return Stamp(UnsafePointer(plain.baseAddress!))
        }
    }
}
