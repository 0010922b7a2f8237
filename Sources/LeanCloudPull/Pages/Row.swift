import ByteCodec

/// One JSON object of a page or a file: its line, and what is asked of it. Pure.
struct Row: Sendable {
    /// Without white space between values and without a line end.
    let line: [UInt8]
    private let members: [LooseJSON.Member]

    /// Bytes of one row that are kept as they are; longer ones are told of as failed.
    static let maximumBytes = 16 * 1024 * 1024
    /// Objects and arrays within each other; what an app nests deeper is kept among the odd rows.
    private static let maximumDepth = 256

    /// Why something is no row that programs could read.
    enum Oddity: String, Sendable, CaseIterable {
        case noObject = "no JSON object"
        case notUTF8 = "not UTF-8"
        case notJSON = "not JSON"
        case tooDeep = "nested too deep"
        case noID = "no objectId that could be a name"
        case noMessageID = "no msg-id"
        case noTime = "no timestamp"
    }

    /// A line that was written by `line`.
    init?(line: [UInt8]) {
        guard let found = line.withUnsafeBytes({ LooseJSON.members($0) }) else { return nil }
        self.line = line
        self.members = found.members
    }

    /// Reads an object as somebody sent it.
    static func read(_ text: [UInt8]) -> Result<Row, Oddity> {
        guard UTF8Check.isValid(text) else { return .failure(.notUTF8) }
        guard text.withUnsafeBytes({ LooseJSON.members($0) }) != nil else { return .failure(.noObject) }
        // Before white space is taken out: `[1 2]` must not become `[12]`.
        if let oddity = Self.oddity(of: text) { return .failure(oddity) }
        guard let row = Row(line: text.withUnsafeBytes { LooseJSON.compact($0) }) else { return .failure(.noObject) }
        return .success(row)
    }

    /// Reason why a strict reader would refuse the row. Half of a surrogate pair and a repeated name are no reason: the
    /// grammar allows both, and apps have stored both.
    private static func oddity(of text: [UInt8]) -> Oddity? {
        text.withUnsafeBytes { text -> Oddity? in
            var reader = JSONReader(text, maximumDepth: Self.maximumDepth)
            do throws(JSONError) {
                try reader.skipValue()
                try reader.finish()
                return nil
            } catch {
                switch error.reason {
                case .loneSurrogate, .duplicateKey: return nil
                case .tooDeep: return .tooDeep
                case .inputEnded, .unexpectedByte, .controlCharacter, .invalidEscape, .invalidUTF8, .trailingBytes,
                    .tooLong, .wrongKind, .notAnInteger, .numberOutOfRange, .invalidBase64:
                    return .notJSON
                }
            }
        }
    }

    // MARK: Members

    /// The text of a member as it stands in the row; the last one of that name.
    private func range(_ name: StaticString) -> Range<Int>? {
        name.withUTF8Buffer { wanted in
            self.members.last { self.line[$0.name].elementsEqual(wanted) }?.value
        }
    }

    func has(_ name: StaticString) -> Bool { self.range(name) != nil }

    /// A string; `nil` when it is another value or no text.
    func string(_ name: StaticString) -> String? {
        guard let range = self.range(name), range.count >= 2, self.line[range.lowerBound] == UInt8(ascii: "\"") else {
            return nil
        }
        let inside = self.line[(range.lowerBound + 1)..<(range.upperBound - 1)]
        guard inside.contains(UInt8(ascii: "\\")) else { return String(decoding: inside, as: UTF8.self) }
        return (try? JSONValue(parsing: Array(self.line[range])))?.string
    }

    /// A whole number, also in quotes, or with a fraction that is dropped.
    func integer(_ name: StaticString) -> Int64? {
        guard let range = self.range(name) else { return nil }
        var digits = self.line[range]
        if digits.first == UInt8(ascii: "\"") { digits = digits.dropFirst().dropLast() }
        let text = String(decoding: digits, as: UTF8.self)
        if let whole = Int64(text) { return whole }
        return Double(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }

    func isTrue(_ name: StaticString) -> Bool {
        self.range(name).map { String(decoding: self.line[$0], as: UTF8.self) == "true" } ?? false
    }

    /// A date: a text, `{"__type":"Date","iso":...}`, or milliseconds.
    func milliseconds(_ name: StaticString) -> Int64? {
        guard let range = self.range(name) else { return nil }
        if let text = self.string(name) { return Dates.milliseconds(text) ?? Int64(text) }
        if let inside = Row(line: Array(self.line[range])) {
            return inside.string("iso").flatMap { Dates.milliseconds($0) }
        }
        return self.integer(name)
    }

    /// A member that is an object.
    func object(_ name: StaticString) -> Row? {
        self.range(name).flatMap { Row(line: Array(self.line[$0])) }
    }

    /// The name of an object: what stands for it in file names and sorts rows.
    var objectID: String? {
        guard let id = self.string("objectId"), Self.isName(id) else { return nil }
        return id
    }

    /// 1 to 64 letters, digits, `-` and `_`.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension Row.Oddity: Error {}

/// A row that no program could read, as a line of its own: its bytes are all there.
struct OddRow: Sendable {
    let line: [UInt8]

    init(_ oddity: Row.Oddity, _ bytes: [UInt8]) {
        var json = JSONWriter()
        json.beginObject()
        json.key("why")
        json.string(oddity.rawValue)
        json.key("base64")
        json.base64(of: bytes)
        json.endObject()
        self.line = json.bytes
    }
}
