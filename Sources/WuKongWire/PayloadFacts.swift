import ByteCodec

/// What the server notices in a payload that is otherwise opaque to it.
package struct PayloadFacts: Hashable, Sendable {
    /// UIDs that one message can mention, or be for; those that follow are passed over.
    package static let maximumMentions = 500
    /// Objects within each other in a payload that may stand inside a frame: there it lies two levels down, and the
    /// whole must not exceed what readers accept.
    private static let maximumDepth = JSONReader.maximumDepth - 2

    /// Whether the payload is exactly one well-formed JSON object, so that it may stand inside another JSON text. The
    /// other facts are taken from that object only.
    package private(set) var isJSONObject = false
    /// The object's `type` when that is an integer, else 0.
    package private(set) var contentType = 0
    /// Everybody in the conversation is mentioned: `mention.all` is 1 or true.
    package private(set) var mentionsAll = false
    /// The strings in `mention.uids`, as they stand there.
    package private(set) var mentionedUIDs: [String] = []

    /// The UIDs that alone may see the message; empty for everybody. The list of names is `onlyVisibleTo`, or
    /// `OnlyVisiableForPartClientIds`, as ChatKit-OC spells it.
    package private(set) var visibleUIDs: [String] = []

    /// The facts of a payload in which there is nothing to notice.
    package init() {}

    package init(of payload: [UInt8]) {
        self = payload.withUnsafeBytes { PayloadFacts(of: $0) }
    }

    /// Reads the payload once. Source for `mention`: `encodeMsg` of the JS, iOS and Android SDKs.
    package init(of payload: UnsafeRawBufferPointer) {
        do throws(JSONError) {
            var reader = JSONReader(payload, maximumDepth: Self.maximumDepth)
            try self.read(from: &reader)
            try reader.finish()
            self.isJSONObject = true
        } catch {
            // No JSON object: it travels on as the bytes it is.
            self = PayloadFacts()
        }
    }

    private mutating func read(from reader: inout JSONReader) throws(JSONError) {
        try reader.readObject { (key, reader) throws(JSONError) in
            if key == "type" {
                self.contentType = Int(reader.integer() ?? 0)
            } else if key == "mention", try reader.peek() == .object {
                return try self.readMention(from: &reader)
            } else if key == "onlyVisibleTo" || key == "OnlyVisiableForPartClientIds", try reader.peek() == .array {
                return try Self.readUIDs(from: &reader, into: &self.visibleUIDs)
            }
            try reader.skipValue()
        }
    }

    private mutating func readMention(from reader: inout JSONReader) throws(JSONError) {
        try reader.readObject { (key, reader) throws(JSONError) in
            if key == "all" {
                self.mentionsAll = try reader.peek() == .boolean ? reader.boolean() : reader.integerOrSkip() == 1
            } else if key == "uids", try reader.peek() == .array {
                try Self.readUIDs(from: &reader, into: &self.mentionedUIDs)
            } else {
                try reader.skipValue()
            }
        }
    }

    private static func readUIDs(
        from reader: inout JSONReader, into uids: inout [String]
    ) throws(JSONError) {
        try reader.readArray { reader throws(JSONError) in
            if uids.count < Self.maximumMentions, try reader.peek() == .string {
                uids.append(try reader.string())
            } else {
                try reader.skipValue()
            }
        }
    }
}

extension JSONReader {
    /// The integer at the reader's position, which stays unread; `nil` for any other value.
    fileprivate func integer() -> Int64? {
        var copy = self
        return try? copy.int64()
    }

    /// The integer at the reader's position, `nil` for any other value, which is passed over.
    fileprivate mutating func integerOrSkip() throws(JSONError) -> Int64? {
        let value = self.integer()
        try self.skipValue()
        return value
    }
}
