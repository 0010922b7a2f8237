import ByteCodec

/// The ID of a message: 16 bytes, as text 22 characters of base64 without padding.
package struct LeanCloudMessageID: Hashable, Sendable, CustomStringConvertible {
    /// The first eight bytes, the first one highest.
    package let high: UInt64
    /// The last eight.
    package let low: UInt64

    private static let byteCount = 16
    private static let characterCount = 22

    /// - Parameters: random numbers for an ID that says nothing.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 22 characters of either alphabet; `nil` for anything else.
    package init?(_ text: String) {
        let characters = text.utf8.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        guard let known = characters.withUnsafeBytes(Self.init(urlSafe:)) else { return nil }
        self = known
    }

    /// Reads 22 characters of the alphabet that is safe in URLs; `nil` for anything else.
    package init?(urlSafe text: UnsafeRawBufferPointer) {
        guard text.count == Self.characterCount else { return nil }
        var room = InlineArray<17, UInt8>(repeating: 0)
        let words = withUnsafeMutableBytes(of: &room) { room -> (UInt64, UInt64)? in
            guard Base64.decode(text, .urlSafe, to: room) == Self.byteCount else { return nil }
            return (room.loadUnaligned(as: UInt64.self), room.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        guard let words else { return nil }
        self.init(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
    }

    /// The alphabet that is safe in URLs.
    package var description: String {
        let bytes = [self.high.bigEndian, self.low.bigEndian]
        var text: [UInt8] = []
        bytes.withUnsafeBytes { Base64.encode($0, .urlSafe, appendingTo: &text) }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The ID of a conversation, a file or another stored object: 12 bytes, as text 24 hexadecimal digits.
package struct LeanCloudObjectID: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of an ID.
    package static let byteCount = 12

    /// Bytes of the ID, exactly `byteCount`.
    package let bytes: [UInt8]

    /// - Parameter bytes: exactly 12.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "an object ID has \(Self.byteCount) bytes, not \(bytes.count)")
        self.bytes = bytes
    }

    /// Reads 24 digits of either case; `nil` for anything else.
    package init?(_ text: String) {
        guard let bytes = Hex.decode(text), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Digits in lower case.
    package var description: String { Hex.encode(self.bytes) }

    /// Prefix of the ID of a temporary conversation, which is no object ID.
    package static let temporaryPrefix = "_tmp:"
}
