import ByteCodec

/// The ID of a message: 16 bytes, as text 22 characters of base64 without padding.
package struct LeanCloudMessageID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// - Parameter bytes: exactly 16, random ones for a new message.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "a message ID has \(Self.byteCount) bytes, not \(bytes.count)")
        self.bytes = bytes
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
        guard let bytes = Base64.decode(characters, .urlSafe), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The alphabet that is safe in URLs.
    package var description: String { String(decoding: Base64.encode(self.bytes, .urlSafe), as: UTF8.self) }
}

/// The ID of a conversation, a file or another stored object: 12 bytes, as text 24 hexadecimal digits.
package struct LeanCloudObjectID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 12

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

    /// What the ID of a temporary conversation begins with; those are no object IDs.
    package static let temporaryPrefix = "_tmp:"
}
