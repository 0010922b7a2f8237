import Glibc

/// The name an app knows a person by: LeanCloud's clientId, WuKongIM's uid.
///
/// 1...64 Unicode scalars without control characters. The app chose it, so it is neither normalised nor compared by
/// meaning: two names are equal when their UTF-8 bytes are.
package struct UserName: Hashable, Sendable, CustomStringConvertible {
    /// Text of the name.
    package let text: String

    /// Most Unicode scalars in a name. Source: LeanCloud realtime guide, clientId.
    package static let maximumScalars = 64

    /// - Returns: `nil` when `text` is empty, too long, or holds a control character.
    package init?(_ text: String) {
        guard Self.isAcceptable(text, maximumScalars: Self.maximumScalars) else { return nil }
        self.text = text
    }

    package var description: String { self.text }

    package static func == (left: UserName, right: UserName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    /// True when these are the bytes of the name.
    package func isSpelled(_ bytes: UnsafeRawBufferPointer) -> Bool { self.text.isSpelled(bytes) }

    package func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    static func isAcceptable(_ text: String, maximumScalars: Int) -> Bool {
        var count = 0
        for scalar in text.unicodeScalars {
            count += 1
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            if isControl || count > maximumScalars { return false }
        }
        return count > 0
    }
}

/// The name an app knows a group or room by: WuKongIM's channel id, LeanCloud's conversation id. Compared as bytes.
package struct ChannelName: Hashable, Sendable, CustomStringConvertible {
    /// Text of the name.
    package let text: String

    /// Most Unicode scalars in a channel name.
    package static let maximumScalars = 128

    /// - Returns: `nil` when `text` is empty, too long, or holds a control character.
    package init?(_ text: String) {
        guard UserName.isAcceptable(text, maximumScalars: Self.maximumScalars) else { return nil }
        self.text = text
    }

    package var description: String { self.text }

    package static func == (left: ChannelName, right: ChannelName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The name of a stored object that is hard to guess: 24 hexadecimal digits for what was made here, anything of 1...64
/// visible ASCII characters for what was imported. Source: LeanCloud's `objectId`, which is MongoDB's.
package struct ObjectID: Hashable, Sendable, CustomStringConvertible {
    /// Text of the name.
    package let text: String

    /// Most characters.
    package static let maximumLength = 64

    /// - Returns: `nil` when `text` is empty, too long, or has other characters.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// A new one: four bytes of seconds, so that later ones sort later, and eight that nobody can guess.
    package init(atMilliseconds now: Int64) {
        let digits = Array("0123456789abcdef".utf8)
        let seconds = UInt32(truncatingIfNeeded: now / 1_000)
        let bytes =
            withUnsafeBytes(of: seconds.bigEndian, Array.init)
            + withUnsafeBytes(of: UInt64.random(in: .min ... .max), Array.init)
        self.text = String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// True when these are the bytes of the name.
    package func isSpelled(_ bytes: UnsafeRawBufferPointer) -> Bool { self.text.isSpelled(bytes) }

    private init(known text: String) { self.text = text }

    /// Identifier of a value that no store has given one.
    package static let zero = ObjectID(known: String(repeating: "0", count: 24))

    package var description: String { self.text }
}

/// A person in the store: small, never reused, never shown outside.
package struct UserID: Hashable, Sendable, Comparable {
    package var rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: UserID, right: UserID) -> Bool { left.rawValue < right.rawValue }

    /// Sender of the server's own messages: the operator, or a business server without a sender.
    package static let system = UserID(rawValue: 0)
}

/// A conversation in the store: small, never reused, never shown outside.
package struct ConversationID: Hashable, Sendable, Comparable {
    package var rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: ConversationID, right: ConversationID) -> Bool { left.rawValue < right.rawValue }
}

/// A message anywhere: a positive 63-bit snowflake (41 bits of milliseconds, 10 of node, 12 of counter). Within one
/// conversation it rises with the sequence, so a message is found by id without an index of its own.
package struct MessageID: Hashable, Sendable, Comparable {
    package var rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: MessageID, right: MessageID) -> Bool { left.rawValue < right.rawValue }
}

/// Place in the one order of all messages and events of a store, which only rises, over restarts too.
///
/// The position of a message is its id; an event takes its position from the same numbers. A commit has the position of
/// the last thing in it, or one of its own, so no two commits share one. Compare positions of one epoch only.
package struct StorePosition: RawRepresentable, Hashable, Sendable, Comparable {
    package var rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Position of a stored message.
    package init(_ message: MessageID) { self.rawValue = message.rawValue }

    /// Position before everything.
    package static let zero = StorePosition(rawValue: 0)

    package static func < (left: StorePosition, right: StorePosition) -> Bool { left.rawValue < right.rawValue }
}

/// The sender's key for spotting a resend, chosen by the client: 1...128 bytes of UTF-8.
package struct ClientToken: Hashable, Sendable {
    /// Bytes of the identifier.
    package let bytes: [UInt8]

    /// Most bytes in a token.
    package static let maximumBytes = 128

    /// - Returns: `nil` when `bytes` is empty or too long.
    package init?(_ bytes: [UInt8]) {
        guard (1...Self.maximumBytes).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}

extension String {
    /// True when these are its bytes in UTF-8.
    fileprivate func isSpelled(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.baseAddress else { return self.isEmpty }
        let isEqual = self.utf8.withContiguousStorageIfAvailable {
            $0.count == bytes.count && memcmp($0.baseAddress!, first, bytes.count) == 0
        }
        return isEqual ?? self.utf8.elementsEqual(bytes)
    }
}
