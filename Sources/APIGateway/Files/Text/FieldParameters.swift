import Transport

/// A header value such as `form-data; name="file"; filename*=UTF-8''%E4%BD%A0.txt`: a word, and parameters behind it.
///
/// Read as kindly as the programs of this world ask for: a name may be quoted or not, in raw UTF-8, percent-encoded as
/// browsers do inside quotes, in the extended notation, and in numbered pieces.
///
/// Source: RFC 2045 section 5.1 for the grammar, RFC 2231 sections 3 and 4 and RFC 8187 section 3.2 for the extended
/// notation, the WHATWG HTML standard ("multipart/form-data encoding algorithm") for the percent signs in names.
struct FieldParameters: Hashable {
    /// Most parameters; what is behind is not read.
    static let maximumCount = 32

    /// Word before the first semicolon, in lower case.
    let word: String
    private let members: [Member]

    private struct Member: Hashable {
        /// Name in lower case, with its `*` and number.
        let name: String
        let value: String
    }

    init(_ text: String) {
        var rest = Substring(text)
        let word = Self.upToSemicolon(&rest)
        self.word = ASCII.lowercased(ASCII.trimmed(word))
        var members: [Member] = []
        while !rest.isEmpty, members.count < Self.maximumCount {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == ";" }
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }) else { break }
            let name = ASCII.lowercased(ASCII.trimmed(rest[..<equals]))
            guard rest[equals] == "=" else {
                rest = rest[equals...]
                continue
            }
            rest = rest[rest.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            let value = Self.value(&rest)
            if !name.isEmpty { members.append(Member(name: name, value: value)) }
        }
        self.members = members
    }

    private static func upToSemicolon(_ rest: inout Substring) -> Substring {
        let end = rest.firstIndex(of: ";") ?? rest.endIndex
        defer { rest = rest[end...].dropFirst() }
        return rest[..<end]
    }

    /// A token, or a quoted text. A backslash quotes only quotes and itself: old browsers send whole Windows paths.
    private static func value(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else { return ASCII.trimmed(Self.upToSemicolon(&rest)) }
        var value = String.UnicodeScalarView()
        var scalars = rest.unicodeScalars.dropFirst()
        while let scalar = scalars.popFirst(), scalar != "\"" {
            if scalar == "\\", let next = scalars.first, next == "\"" || next == "\\" {
                scalars.removeFirst()
                value.append(next)
            } else {
                value.append(scalar)
            }
        }
        rest = Substring(scalars)
        _ = Self.upToSemicolon(&rest)
        return String(value)
    }

    /// The plain value of a parameter.
    subscript(_ name: String) -> String? { self.members.first { $0.name == name }?.value }

    /// A text in whichever notation it was sent; the extended one wins.
    func text(_ name: String) -> String? {
        if let extended = self[name + "*"].flatMap(Self.extended) { return extended }
        if let pieces = self.pieces(name) { return pieces }
        return self[name].map(Self.withoutPercents)
    }

    /// `UTF-8'en'%E2%82%AC`, also in Latin-1; `nil` in a character set nobody uses any more.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return Self.decoded(Self.percentDecoded(parts[2]), as: parts[0])
    }

    private static func decoded(_ bytes: [UInt8], as characterSet: some StringProtocol) -> String? {
        switch ASCII.lowercased(characterSet) {
        case "utf-8", "us-ascii", "": String(decoding: bytes, as: UTF8.self)
        case "iso-8859-1": String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: nil
        }
    }

    /// `filename*0*=UTF-8''%E4; filename*1*=%BD%A0; filename*2=".txt"`: a character may be cut in two.
    private func pieces(_ name: String) -> String? {
        var bytes: [UInt8] = []
        var characterSet: Substring = "utf-8"
        for number in 0..<Self.maximumCount {
            if let value = self["\(name)*\(number)*"] {
                var text = Substring(value)
                if number == 0 {
                    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
                    guard parts.count == 3 else { return nil }
                    characterSet = parts[0]
                    text = parts[2]
                }
                bytes += Self.percentDecoded(text)
            } else if let value = self["\(name)*\(number)"] {
                bytes += Array(value.utf8)
            } else {
                return number == 0 ? nil : Self.decoded(bytes, as: characterSet)
            }
        }
        return nil
    }

    /// Decodes percent-encoded bytes; a `%` without two digits stays as it is.
    private static func percentDecoded(_ text: some StringProtocol) -> [UInt8] {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = ASCII.hexDigit(bytes[index + 1]), let low = ASCII.hexDigit(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// Browsers write `%22`, `%0D` and `%0A` for what cannot stand between quotes, and nothing else.
    private static func withoutPercents(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        let source = Array(text.utf8)
        var index = 0
        while index < source.count {
            if let byte = Self.quotedByPercent(source[index...].prefix(3)) {
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func quotedByPercent(_ three: ArraySlice<UInt8>) -> UInt8? {
        guard three.count == 3, three[three.startIndex] == UInt8(ascii: "%"),
            let high = ASCII.hexDigit(three[three.startIndex + 1]),
            let low = ASCII.hexDigit(three[three.startIndex + 2])
        else { return nil }
        let byte = high << 4 | low
        return byte == 0x22 || byte == 0x0D || byte == 0x0A ? byte : nil
    }
}
