/// Why a text is not the JSON that its reader asked for, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Reason why the text is refused.
    package enum Reason: Hashable, Sendable {
        /// The text stops before its value is complete: more bytes could still make it whole.
        case inputEnded
        case unexpectedByte(UInt8)
        case controlCharacter
        case invalidEscape
        case loneSurrogate
        case invalidUTF8
        case duplicateKey
        case tooDeep(limit: Int)
        case trailingBytes
        /// One object of a stream is longer than its reader allows.
        case tooLong(limit: Int)
        /// Well-formed, but another kind of value was asked for.
        case wrongKind(expected: JSONKind, found: JSONKind)
        /// A well-formed number with a fraction or an exponent, where an integer was asked for.
        case notAnInteger
        case numberOutOfRange
        case invalidBase64
    }

    /// Bytes before the fault, from the start of the text, or of the stream for a splitter.
    package let offset: Int
    /// Reason why the text is refused.
    package let reason: Reason

    /// Makes an error at a byte offset of the text.
    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// True when the text up to here is JSON but not the kind of value that was asked for.
    package var isMismatch: Bool {
        switch self.reason {
        case .wrongKind, .notAnInteger, .numberOutOfRange, .invalidBase64: true
        case .inputEnded, .unexpectedByte, .controlCharacter, .invalidEscape, .loneSurrogate, .invalidUTF8,
            .duplicateKey, .tooDeep, .trailingBytes, .tooLong:
            false
        }
    }

    package var description: String { "\(self.reasonText) at byte \(self.offset)" }

    private var reasonText: String {
        switch self.reason {
        case .inputEnded: "the JSON text ends too early"
        case .unexpectedByte(let byte): "unexpected byte 0x\(String(byte, radix: 16)) in JSON"
        case .controlCharacter: "a control character stands unescaped in a JSON string"
        case .invalidEscape: "a JSON string has an unknown escape"
        case .loneSurrogate: "a JSON string has half of a surrogate pair"
        case .invalidUTF8: "a JSON string is not UTF-8"
        case .duplicateKey: "a JSON object has the same key twice"
        case .tooDeep(let limit): "JSON is nested deeper than \(limit)"
        case .trailingBytes: "bytes follow the JSON value"
        case .tooLong(let limit): "a JSON object is longer than \(limit) bytes"
        case .wrongKind(let expected, let found): "expected \(expected.phrase), found \(found.phrase)"
        case .notAnInteger: "expected an integer, found a number with a fraction or an exponent"
        case .numberOutOfRange: "a number is out of range"
        case .invalidBase64: "a string is not base64"
        }
    }
}

/// Kind of a JSON value, told by its first byte.
package enum JSONKind: Hashable, Sendable {
    case object, array, string, number, boolean, null

    /// The kind with its article, for error messages.
    package var phrase: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a boolean"
        case .null: "null"
        }
    }
}
