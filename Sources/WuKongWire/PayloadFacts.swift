package import ByteCodec

/// Facts that the server takes from a payload, which is otherwise opaque to it.
///
/// A payload is read once and strictly, because its readers disagree where it is not strict: of two equal keys the JS
/// SDK takes the last one, a BOM is passed over by some and an error for others, Android's reader takes comments,
/// single quotes and hexadecimal numbers. What could be read as an object by one of them and is not exactly one object
/// here has a `fault`, and no gateway takes it.
package struct PayloadFacts: Hashable, Sendable {
    /// UIDs that one message can mention, or be for; those that follow are passed over.
    package static let maximumMentions = 500
    /// Objects within each other in a payload that may stand inside a frame: there it lies two levels down, and the
    /// whole must not exceed what readers accept.
    private static let maximumDepth = JSONReader.maximumDepth - 2
    /// Halves of surrogate pairs that are passed over in one payload: texts that an app has cut inside a character.
    private static let maximumLoneSurrogates = 16
    /// The content type of commands. Source: WuKongIM's SDKs, 99 CMD.
    package static let commandType = 99

    /// True when the payload is exactly one well-formed JSON object, so that it may stand inside another JSON text. The
    /// other facts are taken from that object only.
    package private(set) var isJSONObject = false
    /// The object's `type` when that is an integer, whatever its spelling (`1`, `1.0`, `1e0`), else 0.
    package private(set) var contentType = 0
    /// At least one SDK reads the object as a command; `contentType` is 99 then.
    package private(set) var isCommand = false
    /// Everybody in the conversation is mentioned: `mention.all` is 1 or true.
    package private(set) var mentionsAll = false
    /// The strings in `mention.uids`, as they stand there.
    package private(set) var mentionedUIDs: [String] = []

    /// The UIDs that alone may see the message; empty for everybody. The list of names is `onlyVisibleTo`, or
    /// `OnlyVisiableForPartClientIds`, as ChatKit-OC spells it.
    package private(set) var visibleUIDs: [String] = []

    /// Why nobody can say what the payload is; `nil` for one object that all read alike, and for bytes that none of
    /// them takes for an object. With a fault there are no other facts.
    package private(set) var fault: PayloadFault?

    /// The facts of a payload in which there is nothing to notice.
    package init() {}

    package init(of payload: [UInt8]) {
        self = payload.withUnsafeBytes { PayloadFacts(of: $0) }
    }

    /// Reads the payload once. Source for `mention`: `encodeMsg` of the JS, iOS and Android SDKs.
    package init(of payload: UnsafeRawBufferPointer) {
        do throws(JSONError) {
            try self.readAll(payload)
            self.isJSONObject = true
        } catch {
            self = Self.facts(of: payload, after: error)
        }
        if let fault = self.fault { self = PayloadFacts(fault: fault) }
    }

    private init(fault: PayloadFault) { self.fault = fault }

    private mutating func readAll(_ payload: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(payload, maximumDepth: Self.maximumDepth)
        try self.read(from: &reader)
        try reader.finish()
    }

    // MARK: What is not strict

    /// The facts of what is not exactly one object. Half a surrogate pair is the one liberty: JavaScript and Java write
    /// it for a text that was cut inside a character, and all that read it at all read the rest alike.
    private static func facts(of payload: UnsafeRawBufferPointer, after error: JSONError) -> PayloadFacts {
        var (copy, error) = (Array(payload), error)
        for _ in 0..<Self.maximumLoneSurrogates where error.reason == .loneSurrogate {
            // The escape is `\uD800` to `\uDFFF`, whole: U+FFFD stands for it here, and nowhere else.
            copy.replaceSubrange(error.offset + 2..<error.offset + 6, with: "FFFD".utf8)
            do throws(JSONError) {
                var facts = PayloadFacts()
                try copy.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                    try facts.readAll(UnsafeRawBufferPointer(bytes))
                }
                return facts
            } catch let next {
                error = next
            }
        }
        return Self.mayBeReadAsObject(payload) ? PayloadFacts(fault: .notOneObject(error)) : PayloadFacts()
    }

    /// True when a lenient reader could take the bytes for an object. Before its bracket it may pass over white space,
    /// zeros (of UTF-16 and UTF-32), a BOM, and comments.
    ///
    /// Source: `org.json.JSONTokener` of Android (BOM, `//`, `/* */`, `#`), `NSJSONSerialization` (UTF-16, UTF-32),
    /// `json`
    /// of Python (UTF-8 with a BOM, UTF-16, UTF-32).
    private static func mayBeReadAsObject(_ payload: UnsafeRawBufferPointer) -> Bool {
        let first = payload.firstIndex { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF && $0 < 0xFE }
        guard let first else { return false }
        switch payload[first] {
        case UInt8(ascii: "{"): return true
        case UInt8(ascii: "/"), UInt8(ascii: "#"): return payload[first...].contains(UInt8(ascii: "{"))
        default: return false
        }
    }

    // MARK: The object

    private mutating func read(from reader: inout JSONReader) throws(JSONError) {
        try reader.readObject { (key, reader) throws(JSONError) in
            if key == "type" {
                return try self.readType(from: &reader)
            } else if key == "mention", try reader.peek() == .object {
                return try self.readMention(from: &reader)
            } else if key == "onlyVisibleTo" || key == "OnlyVisiableForPartClientIds", try reader.peek() == .array {
                return try Self.readUIDs(from: &reader, into: &self.visibleUIDs)
            }
            try reader.skipValue()
        }
    }

    private mutating func readType(from reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .number:
            if let whole = reader.integer().flatMap(Int32.init(exactly:)) {
                try reader.skipValue()
                self.contentType = Int(whole)
            } else {
                self.takeType(try reader.double())
            }
            self.isCommand = self.contentType == Self.commandType
        case .string:
            self.isCommand = ContentTypeText(try reader.string()).isCommand
            if self.isCommand { self.contentType = Self.commandType }
        case .object, .array:
            // Apple's SDK asks any value for its integer, and one of these has none: it ends there.
            try reader.skipValue()
            self.fault = .unclearType
        case .boolean, .null: try reader.skipValue()
        }
    }

    /// A number with a fraction, an exponent, or more than 32 bits. The JS SDK compares values, those for phones cut a
    /// fraction off, and what has more bits is another number in each of them.
    private mutating func takeType(_ value: Double) {
        guard let cut = Int32(exactly: value.rounded(.towardZero)) else {
            self.fault = .unclearType
            return
        }
        if value == Double(cut) || Int(cut) == Self.commandType { self.contentType = Int(cut) }
    }

    private mutating func readMention(from reader: inout JSONReader) throws(JSONError) {
        try reader.readObject { (key, reader) throws(JSONError) in
            if key == "all" {
                switch try reader.peek() {
                case .boolean: self.mentionsAll = try reader.boolean()
                case .number: self.mentionsAll = try reader.double() == 1
                case .object, .array, .string, .null: try reader.skipValue()
                }
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

/// Why the meaning of a payload depends on who reads it.
package enum PayloadFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// It begins as a JSON object and is not exactly one.
    case notOneObject(JSONError)
    /// Its `type` is a number of more than 32 bits, an object or an array.
    case unclearType

    package var description: String {
        switch self {
        case .notOneObject(let error): "it is not one JSON object that all apps read alike: \(error)"
        case .unclearType: "its type is no number that all apps read alike"
        }
    }
}

/// A `type` that is a string, as the SDKs for phones make a number of it.
///
/// Source: `org.json.JSONObject.optInt` of Android (the whole text as a double, its fraction cut off), `-[NSString
/// integerValue]` (the digits that it begins with). The JS SDK makes none of it.
private struct ContentTypeText {
    let isCommand: Bool

    init(_ text: String) {
        let trimmed = text.unicodeScalars.drop { $0.value <= 0x20 || $0.properties.isWhitespace }
        var digits = Substring(trimmed)
        if digits.first == "+" || digits.first == "-" { digits = digits.dropFirst() }
        // 32 bits of whatever many digits: 99 is 99 with any multiple of 2^32.
        let number = digits.utf8.prefix { 0x30...0x39 ~= $0 }.reduce(UInt32(0)) { $0 &* 10 &+ UInt32($1 - 0x30) }
        var whole = String(trimmed)
        while let last = whole.unicodeScalars.last, last.value <= 0x20 || "fFdD".unicodeScalars.contains(last) {
            whole.unicodeScalars.removeLast()
        }
        let value = Double(whole)?.rounded(.towardZero)
        let isNegative = trimmed.first == "-"
        self.isCommand =
            !isNegative && (number == UInt32(PayloadFacts.commandType) || value == Double(PayloadFacts.commandType))
            || isNegative && 0 &- number == UInt32(PayloadFacts.commandType)
    }
}

extension JSONReader {
    /// The integer at the reader's position, which stays unread; `nil` for any other value.
    fileprivate func integer() -> Int64? {
        var copy = self
        return try? copy.int64()
    }
}
