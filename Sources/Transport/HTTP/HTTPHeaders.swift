/// The header fields of a request, in the order they were sent, as one block of bytes.
package struct HTTPHeaders: Sendable {
    private struct Field {
        let name: Range<Int>
        let value: Range<Int>
    }

    private let block: [UInt8]
    private var fields: [Field] = []

    init(block: [UInt8]) { self.block = block }

    mutating func add(name: Range<Int>, value: Range<Int>) { self.fields.append(Field(name: name, value: value)) }

    /// These with others before them, which therefore count where a field is read once.
    func preceded(by fields: [(String, String)]) -> HTTPHeaders {
        var block: [UInt8] = []
        var ranges: [Field] = []
        for (name, value) in fields + self.pairs.map({ ($0.name, $0.value) }) {
            let start = block.count
            block += name.utf8
            let middle = block.count
            block += value.utf8
            ranges.append(Field(name: start..<middle, value: middle..<block.count))
        }
        var headers = HTTPHeaders(block: block)
        headers.fields = ranges
        return headers
    }

    /// Number of fields.
    package var count: Int { self.fields.count }

    /// The first value of a field; names are compared without regard to ASCII case.
    package subscript(name: StaticString) -> String? {
        self.fields.first { self.isName($0, name) }.map { self.text($0.value) }
    }

    /// Every value of a field.
    package func all(_ name: StaticString) -> [String] {
        self.fields.filter { self.isName($0, name) }.map { self.text($0.value) }
    }

    /// True when a field with a list value, such as `Connection`, contains `token`; ASCII case is ignored.
    package func hasToken(_ token: String, in name: StaticString) -> Bool {
        self.all(name).contains { value in
            value.split(separator: ",").contains { item in
                ASCII.trimmed(item).utf8.elementsEqual(token.utf8) { ASCII.lowercased($0) == ASCII.lowercased($1) }
            }
        }
    }

    /// All fields, for logs and proxies.
    package var pairs: [(name: String, value: String)] {
        self.fields.map { (self.text($0.name), self.text($0.value)) }
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: self.block[range], as: UTF8.self) }

    private func isName(_ field: Field, _ name: StaticString) -> Bool {
        guard field.name.count == name.utf8CodeUnitCount else { return false }
        return (0..<field.name.count).allSatisfy { index in
            ASCII.lowercased(self.block[field.name.lowerBound + index]) == ASCII.lowercased(name.utf8Start[index])
        }
    }
}

/// Rules for ASCII text in protocol headers.
package enum ASCII {
    /// Lower case of an ASCII letter; any other byte unchanged.
    package static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    /// Text with its ASCII letters in lower case.
    package static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(Self.lowercased), as: UTF8.self)
    }

    /// True for an ASCII letter.
    package static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= 0x61 && lower <= 0x7A
    }

    /// True for an ASCII digit.
    package static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Value 0...15 of a hexadecimal digit; `nil` for any other byte.
    package static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// A character of a method or header name. Source: RFC 9110 section 5.6.2, `tchar`.
    package static func isTokenCharacter(_ byte: UInt8) -> Bool {
        if Self.isLetter(byte) || Self.isDigit(byte) { return true }
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default: return false
        }
    }

    /// Without blanks and tabs at both ends.
    package static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}
