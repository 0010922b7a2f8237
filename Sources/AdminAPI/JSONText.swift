/// A JSON value as the admin socket uses them: numbers are whole.
enum JSONText {
    case null
    case flag(Bool)
    case number(Int64)
    case string(String)
    case array([JSONText])
    case object([String: JSONText])

    /// Deepest nesting that is read.
    static let maximumDepth = 16

    /// The value that fills all of `bytes`; `nil` when they are not that.
    static func parse(_ bytes: [UInt8]) -> JSONText? {
        bytes.withUnsafeBufferPointer { bytes in
            var parser = JSONTextParser(bytes: bytes)
            guard let value = parser.value(depth: 0) else { return nil }
            parser.skipSpace()
            return parser.isAtEnd ? value : nil
        }
    }
}

/// Reads JSON text. Source of the grammar: RFC 8259.
private struct JSONTextParser {
    // SAFETY: the buffer outlives the parser, which lives inside one closure; every index is checked before use.
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { self.position == self.bytes.count }
    private var current: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    mutating func skipSpace() {
        while let byte = self.current, byte == 0x20 || (0x09...0x0D).contains(byte) { self.position += 1 }
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        self.skipSpace()
        guard self.current == UInt8(ascii: byte) else { return false }
        self.position += 1
        return true
    }

    private mutating func take(word: StaticString, _ value: JSONText) -> JSONText? {
        let end = self.position + word.utf8CodeUnitCount
        guard end <= self.bytes.count else { return nil }
        for offset in 0..<word.utf8CodeUnitCount
        where self.bytes[self.position + offset] != word.utf8Start[offset] { return nil }
        self.position = end
        return value
    }

    mutating func value(depth: Int) -> JSONText? {
        guard depth < JSONText.maximumDepth else { return nil }
        self.skipSpace()
        switch self.current {
        case UInt8(ascii: "{"): return self.object(depth)
        case UInt8(ascii: "["): return self.array(depth)
        case UInt8(ascii: "\""): return self.string().map { .string($0) }
        case UInt8(ascii: "t"): return self.take(word: "true", .flag(true))
        case UInt8(ascii: "f"): return self.take(word: "false", .flag(false))
        case UInt8(ascii: "n"): return self.take(word: "null", .null)
        default: return self.number()
        }
    }

    private mutating func object(_ depth: Int) -> JSONText? {
        self.position += 1
        var fields: [String: JSONText] = [:]
        if self.take("}") { return .object(fields) }
        repeat {
            self.skipSpace()
            guard let key = self.string(), self.take(":"), let value = self.value(depth: depth + 1) else { return nil }
            // A repeated name has no meaning that both sides are sure to share.
            guard fields.updateValue(value, forKey: key) == nil else { return nil }
        } while self.take(",")
        return self.take("}") ? .object(fields) : nil
    }

    private mutating func array(_ depth: Int) -> JSONText? {
        self.position += 1
        var items: [JSONText] = []
        if self.take("]") { return .array(items) }
        repeat {
            guard let value = self.value(depth: depth + 1) else { return nil }
            items.append(value)
        } while self.take(",")
        return self.take("]") ? .array(items) : nil
    }

    private mutating func number() -> JSONText? {
        let start = self.position
        while let byte = self.current, byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) { self.position += 1 }
        return Int64(String(decoding: self.bytes[start..<self.position], as: UTF8.self)).map { .number($0) }
    }

    private mutating func string() -> String? {
        guard self.current == UInt8(ascii: "\"") else { return nil }
        self.position += 1
        var text: [UInt8] = []
        while let byte = self.current {
            self.position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"): guard self.escape(into: &text) else { return nil }
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape(into text: inout [UInt8]) -> Bool {
        guard let byte = self.current else { return false }
        self.position += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "u"):
            guard let scalar = self.escapedScalar() else { return false }
            text.append(contentsOf: String(Character(scalar)).utf8)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        default: return false
        }
        return true
    }

    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let first = self.hexadecimal() else { return nil }
        guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
        guard self.current == UInt8(ascii: "\\") else { return nil }
        self.position += 1
        guard self.current == UInt8(ascii: "u") else { return nil }
        self.position += 1
        guard let second = self.hexadecimal(), (0xDC00..<0xE000).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    private mutating func hexadecimal() -> UInt32? {
        guard self.position + 4 <= self.bytes.count else { return nil }
        let digits = String(decoding: self.bytes[self.position..<self.position + 4], as: UTF8.self)
        guard !digits.hasPrefix("+"), !digits.hasPrefix("-"), let value = UInt32(digits, radix: 16) else { return nil }
        self.position += 4
        return value
    }
}

extension FieldWriter {
    /// Adds a JSON string: quotes, backslashes and control characters escaped, everything else as it is.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: ((byte < 0x10 ? "\\u000" : "\\u00") + digits).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
