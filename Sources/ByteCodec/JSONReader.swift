/// Reads one JSON text (RFC 8259), value by value, without building a tree.
///
/// Strict: no comments, no trailing commas, no key twice in one object, strings are UTF-8 without lone surrogates, and
/// nesting is bounded. Each call consumes one value of the kind its name says, or throws. After an error the reader is
/// of no further use.
///
/// SAFETY: the reader keeps the buffer's address. It must not leave the closure that lent the buffer.
package struct JSONReader {
    /// Objects and arrays within each other, unless a reader is made with another limit.
    package static let maximumDepth = 32

    let bytes: UnsafeRawBufferPointer
    /// Bytes before the next unread one, from the start of the buffer.
    package internal(set) var offset: Int
    let end: Int
    private let maximumDepth: Int
    private var depth = 0

    /// Reads from borrowed bytes, which must outlive the reader; deeper nesting than `maximumDepth` is refused.
    package init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int = Self.maximumDepth) {
        self.init(bytes, 0..<bytes.count, maximumDepth: maximumDepth)
    }

    /// Reads only `range` of the buffer; offsets in errors still count from the start of the buffer.
    package init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, maximumDepth: Int = Self.maximumDepth) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range outside of its buffer")
        self.bytes = bytes
        self.offset = range.lowerBound
        self.end = range.upperBound
        self.maximumDepth = maximumDepth
    }

    // MARK: Kinds

    /// The kind of the next value, which stays unread.
    package mutating func peek() throws(JSONError) -> JSONKind {
        switch try self.nextByte() {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        default: throw self.unexpected()
        }
    }

    /// Consumes `null` and says so; any other value stays unread.
    package mutating func isNull() throws(JSONError) -> Bool {
        guard try self.peek() == .null else { return false }
        try self.literal("null")
        return true
    }

    /// Reads `true` or `false`. Throws for any other value.
    package mutating func boolean() throws(JSONError) -> Bool {
        try self.expect(.boolean)
        if self.bytes[self.offset] == UInt8(ascii: "t") {
            try self.literal("true")
            return true
        }
        try self.literal("false")
        return false
    }

    // MARK: Walks

    /// Walks an object: `member` is given each key and must consume exactly the value after it.
    package mutating func readObject(
        _ member: (JSONKey, inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        try self.enter(.object)
        var keys = JSONKeySet()
        var many: Set<[UInt8]> = []
        if try self.nextByte() == UInt8(ascii: "}") { return self.leave() }
        while true {
            guard try self.nextByte() == UInt8(ascii: "\"") else { throw self.unexpected() }
            let start = self.offset
            let key = JSONKey(try self.scanString())
            guard keys.insert(key, overflow: &many) else { throw JSONError(.duplicateKey, at: start) }
            try self.consume(UInt8(ascii: ":"))
            try member(key, &self)
            switch try self.nextByte() {
            case UInt8(ascii: ","): self.offset += 1
            case UInt8(ascii: "}"): return self.leave()
            default: throw self.unexpected()
            }
        }
    }

    /// Walks an array: `element` must consume exactly one value each time.
    package mutating func readArray(
        _ element: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        try self.enter(.array)
        if try self.nextByte() == UInt8(ascii: "]") { return self.leave() }
        while true {
            try element(&self)
            switch try self.nextByte() {
            case UInt8(ascii: ","): self.offset += 1
            case UInt8(ascii: "]"): return self.leave()
            default: throw self.unexpected()
            }
        }
    }

    /// Checks and passes over one value of any kind; its bytes are `result` of the buffer.
    @discardableResult
    package mutating func skipValue() throws(JSONError) -> Range<Int> {
        let kind = try self.peek()
        let start = self.offset
        switch kind {
        case .object: try self.readObject { (_, reader) throws(JSONError) in try reader.skipValue() }
        case .array: try self.readArray { reader throws(JSONError) in try reader.skipValue() }
        case .string: _ = try self.scanString()
        case .number: _ = try self.scanNumber()
        case .boolean: _ = try self.boolean()
        case .null: try self.literal("null")
        }
        return start..<self.offset
    }

    /// Checks one value of any kind and copies its bytes as they stand in the text.
    package mutating func rawValue() throws(JSONError) -> [UInt8] {
        let range = try self.skipValue()
        return [UInt8](UnsafeRawBufferPointer(rebasing: self.bytes[range]))
    }

    /// Throws unless only white space is left.
    package mutating func finish() throws(JSONError) {
        self.skipWhiteSpace()
        if self.offset < self.end { throw JSONError(.trailingBytes, at: self.offset) }
    }

    // MARK: Pieces

    /// Throws unless the next value is of this kind; consumes white space only.
    mutating func expect(_ kind: JSONKind) throws(JSONError) {
        let found = try self.peek()
        guard found == kind else { throw JSONError(.wrongKind(expected: kind, found: found), at: self.offset) }
    }

    /// The next byte after white space, left unread.
    @inline(__always)
    private mutating func nextByte() throws(JSONError) -> UInt8 {
        self.skipWhiteSpace()
        guard self.offset < self.end else { throw JSONError(.inputEnded, at: self.offset) }
        return self.bytes[self.offset]
    }

    @inline(__always)
    private mutating func skipWhiteSpace() {
        while self.offset < self.end {
            switch self.bytes[self.offset] {
            case 0x20, 0x0A, 0x0D, 0x09: self.offset += 1
            default: return
            }
        }
    }

    private mutating func consume(_ byte: UInt8) throws(JSONError) {
        guard try self.nextByte() == byte else { throw self.unexpected() }
        self.offset += 1
    }

    private mutating func enter(_ kind: JSONKind) throws(JSONError) {
        try self.expect(kind)
        guard self.depth < self.maximumDepth else {
            throw JSONError(.tooDeep(limit: self.maximumDepth), at: self.offset)
        }
        self.depth += 1
        self.offset += 1
    }

    private mutating func leave() {
        self.depth -= 1
        self.offset += 1
    }

    private mutating func literal(_ text: StaticString) throws(JSONError) {
        for index in 0..<text.utf8CodeUnitCount {
            guard self.offset < self.end else { throw JSONError(.inputEnded, at: self.offset) }
            guard self.bytes[self.offset] == text.utf8Start[index] else { throw self.unexpected() }
            self.offset += 1
        }
    }

    func unexpected() -> JSONError {
        JSONError(.unexpectedByte(self.bytes[self.offset]), at: self.offset)
    }
}
