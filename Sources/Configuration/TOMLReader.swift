/// One `key = value` of a file, with its table in front of the key.
struct TOMLEntry: Hashable {
    var key: String
    var value: SettingValue
    var line: Int
}

/// Reads the part of TOML that a configuration needs: comments, tables, strings, integers, booleans and arrays of
/// strings. Anything else is an error that names the line.
struct TOMLReader {
    private let bytes: [UInt8]
    private let path: String
    private var offset = 0
    private var line = 1

    init(_ bytes: [UInt8], path: String) {
        self.bytes = bytes
        self.path = path
    }

    /// - Throws: `ConfigurationError` for the first thing that is not understood, or a key that comes twice.
    mutating func entries() throws(ConfigurationError) -> [TOMLEntry] {
        guard String(validating: self.bytes, as: UTF8.self) != nil else {
            throw self.error("the file is not UTF-8 text")
        }
        var entries: [TOMLEntry] = []
        var seen: Set<String> = []
        var table = ""
        while true {
            self.skipBlank(lines: true)
            guard let byte = self.peek else { return entries }
            if byte == UInt8(ascii: "[") {
                table = try self.tableName() + "."
            } else {
                let line = self.line
                let key = table + (try self.keyName())
                self.skipBlank(lines: false)
                guard self.takeByte(UInt8(ascii: "=")) else { throw self.error("expected = after \(key)") }
                self.skipBlank(lines: false)
                guard seen.insert(key).inserted else { throw self.error("\(key) is set twice") }
                entries.append(TOMLEntry(key: key, value: try self.value(of: key), line: line))
            }
            try self.endOfLine()
        }
    }

    // MARK: Pieces

    private var peek: UInt8? { self.offset < self.bytes.count ? self.bytes[self.offset] : nil }

    private mutating func takeByte(_ byte: UInt8) -> Bool {
        guard self.peek == byte else { return false }
        self.offset += 1
        return true
    }

    /// Skips spaces and, over lines, newlines and comments.
    private mutating func skipBlank(lines: Bool) {
        while let byte = self.peek {
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") {
                self.offset += 1
            } else if lines && byte == UInt8(ascii: "\n") {
                self.offset += 1
                self.line += 1
            } else if lines && byte == UInt8(ascii: "#") {
                self.skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        while let byte = self.peek, byte != UInt8(ascii: "\n") { self.offset += 1 }
    }

    private mutating func endOfLine() throws(ConfigurationError) {
        self.skipBlank(lines: false)
        if self.peek == UInt8(ascii: "#") { self.skipComment() }
        guard self.peek == nil || self.peek == UInt8(ascii: "\n") else {
            throw self.error("expected the end of the line")
        }
    }

    private mutating func keyName() throws(ConfigurationError) -> String {
        let start = self.offset
        while let byte = self.peek, Self.isKeyByte(byte) { self.offset += 1 }
        guard self.offset > start else { throw self.error("expected a key, such as listen = [\"0.0.0.0:7677\"]") }
        return String(decoding: self.bytes[start..<self.offset], as: UTF8.self)
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private mutating func tableName() throws(ConfigurationError) -> String {
        _ = self.takeByte(UInt8(ascii: "["))
        self.skipBlank(lines: false)
        let name = try self.keyName()
        self.skipBlank(lines: false)
        guard self.takeByte(UInt8(ascii: "]")) else { throw self.error("expected ] after the table name \(name)") }
        return name
    }

    private mutating func value(of key: String) throws(ConfigurationError) -> SettingValue {
        switch self.peek {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try self.string())
        case UInt8(ascii: "["): return .texts(try self.strings(of: key))
        default: return try self.word(of: key)
        }
    }

    private mutating func word(of key: String) throws(ConfigurationError) -> SettingValue {
        let start = self.offset
        while let byte = self.peek, Self.isKeyByte(byte) || byte == UInt8(ascii: "+") { self.offset += 1 }
        let word = String(decoding: self.bytes[start..<self.offset], as: UTF8.self)
        if word == "true" || word == "false" { return .boolean(word == "true") }
        if !word.hasPrefix("_"), !word.hasSuffix("_"), let number = Int64(word.filter { $0 != "_" }) {
            return .integer(number)
        }
        throw self.error(
            "\(key) needs a number, true, false, a \"text\" or a [\"list\"]\(word.isEmpty ? "" : ", not \(word)")")
    }

    private mutating func strings(of key: String) throws(ConfigurationError) -> [String] {
        _ = self.takeByte(UInt8(ascii: "["))
        var strings: [String] = []
        while true {
            self.skipBlank(lines: true)
            if self.takeByte(UInt8(ascii: "]")) { return strings }
            guard self.peek == UInt8(ascii: "\"") || self.peek == UInt8(ascii: "'") else {
                throw self.error("\(key) needs a list of \"texts\"")
            }
            strings.append(try self.string())
            self.skipBlank(lines: true)
            guard self.takeByte(UInt8(ascii: ",")) || self.peek == UInt8(ascii: "]") else {
                throw self.error("expected , or ] in the list of \(key)")
            }
        }
    }

    private mutating func string() throws(ConfigurationError) -> String {
        let quote = self.bytes[self.offset]
        self.offset += 1
        var text: [UInt8] = []
        while let byte = self.peek, byte != UInt8(ascii: "\n") {
            self.offset += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") {
                text.append(contentsOf: try self.escape())
            } else {
                text.append(byte)
            }
        }
        throw self.error("the text is not closed on its line")
    }

    private mutating func escape() throws(ConfigurationError) -> [UInt8] {
        guard let byte = self.peek else { throw self.error("the text is not closed on its line") }
        self.offset += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [byte]
        case UInt8(ascii: "u"):
            let digits = self.bytes[self.offset...].prefix(4)
            guard digits.count == 4, let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(value)
            else { throw self.error("\\u needs four hexadecimal digits of a character") }
            self.offset += 4
            return Array(String(scalar).utf8)
        default: throw self.error("\\\(Character(Unicode.Scalar(byte))) is no escape; for a backslash write \\\\")
        }
    }

    private func error(_ problem: String) -> ConfigurationError {
        ConfigurationError(origin: .file(path: self.path, line: self.line), problem: problem)
    }
}

/// Keys and values of a small file in the form of the configuration, which belongs to a person and not to the server.
package struct PersonalFile: Sendable {
    /// Values by their keys, with the table in front: `aliases.conv`.
    package var values: [String: SettingValue] = [:]

    /// - Parameter path: place of the file, as errors tell it.
    /// - Throws: the first thing in it that is not understood, with its line.
    package init(_ bytes: [UInt8], path: String) throws(ConfigurationError) {
        var reader = TOMLReader(bytes, path: path)
        for entry in try reader.entries() { self.values[entry.key] = entry.value }
    }
}
