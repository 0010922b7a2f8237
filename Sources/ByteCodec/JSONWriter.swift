/// Writes JSON text into a buffer that is kept for the next text.
///
/// Commas are the writer's: call `key` and a value in turn inside an object, values inside an array. At the top level
/// whole values follow each other without a separator. Unbalanced calls are a mistake of ours and stop a debug build.
package struct JSONWriter: Sendable {
    /// JSON text written so far.
    package private(set) var bytes: [UInt8]
    private var depth = 0
    private var needsComma = false

    /// Makes an empty writer with room for `capacity` bytes.
    package init(capacity: Int = 256) {
        self.bytes = []
        self.bytes.reserveCapacity(capacity)
    }

    /// Forgets the text and keeps the memory.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.depth = 0
        self.needsComma = false
    }

    // MARK: Structure

    /// Opens an object.
    package mutating func beginObject() { self.open(UInt8(ascii: "{")) }

    /// Closes the innermost object.
    package mutating func endObject() { self.close(UInt8(ascii: "}")) }

    /// Opens an array.
    package mutating func beginArray() { self.open(UInt8(ascii: "[")) }

    /// Closes the innermost array.
    package mutating func endArray() { self.close(UInt8(ascii: "]")) }

    /// A key from our own source, which must need no escape.
    package mutating func key(_ name: StaticString) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { utf8 in
            assert(utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
            self.bytes.append(contentsOf: utf8)
        }
        self.bytes.append(UInt8(ascii: "\""))
        self.bytes.append(UInt8(ascii: ":"))
        self.needsComma = false
    }

    /// Writes a member's name; its value must follow.
    package mutating func key(_ name: String) {
        self.string(name)
        self.bytes.append(UInt8(ascii: ":"))
        self.needsComma = false
    }

    // MARK: Values

    /// Writes a string with the escapes that JSON asks for.
    package mutating func string(_ value: String) {
        self.separate()
        var value = value
        value.withUTF8 { self.quote(UnsafeRawBufferPointer($0)) }
        self.finishValue()
    }

    /// A string from bytes. What is not UTF-8 among them becomes U+FFFD, so that the text stays JSON.
    package mutating func string(_ utf8: UnsafeRawBufferPointer) {
        guard UTF8Check.isValid(utf8) else { return self.string(String(decoding: utf8, as: UTF8.self)) }
        self.separate()
        self.quote(utf8)
        self.finishValue()
    }

    /// A string from bytes. What is not UTF-8 among them becomes U+FFFD, so that the text stays JSON.
    package mutating func string(_ utf8: [UInt8]) {
        utf8.withUnsafeBytes { self.string($0) }
    }

    /// Writes an integer.
    package mutating func integer(_ value: Int64) {
        self.separate()
        self.digits(value)
        self.finishValue()
    }

    /// An integer as a string of decimal digits, for peers whose numbers are doubles.
    package mutating func decimalString(_ value: Int64) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        self.digits(value)
        self.bytes.append(UInt8(ascii: "\""))
        self.finishValue()
    }

    /// The shortest text that reads back as the same number. `value` must be finite: JSON has no other numbers.
    package mutating func double(_ value: Double) {
        precondition(value.isFinite, "JSON has no infinity and no NaN")
        self.separate()
        self.bytes.append(contentsOf: value.description.utf8)
        self.finishValue()
    }

    /// Writes `true` or `false`.
    package mutating func boolean(_ value: Bool) {
        self.literal(value ? "true" : "false")
    }

    /// Writes `null`.
    package mutating func null() {
        self.literal("null")
    }

    /// One JSON value, written before; the caller answers for it.
    package mutating func raw(_ json: UnsafeRawBufferPointer) {
        self.separate()
        self.bytes.append(contentsOf: json)
        self.finishValue()
    }

    /// One JSON value, written before; the caller answers for it.
    package mutating func raw(_ json: [UInt8]) {
        self.separate()
        self.bytes.append(contentsOf: json)
        self.finishValue()
    }

    /// A string with the standard, padded base64 of `content`.
    package mutating func base64(of content: UnsafeRawBufferPointer) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        Base64.encode(content, appendingTo: &self.bytes)
        self.bytes.append(UInt8(ascii: "\""))
        self.finishValue()
    }

    /// A string with the standard, padded base64 of `content`.
    package mutating func base64(of content: [UInt8]) {
        content.withUnsafeBytes { self.base64(of: $0) }
    }

    // MARK: Pieces

    private mutating func separate() {
        if self.needsComma { self.bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func finishValue() {
        self.needsComma = self.depth > 0
    }

    private mutating func open(_ bracket: UInt8) {
        self.separate()
        self.bytes.append(bracket)
        self.depth += 1
        self.needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        assert(self.depth > 0, "a bracket closes that was never opened")
        self.bytes.append(bracket)
        self.depth -= 1
        self.finishValue()
    }

    private mutating func literal(_ text: StaticString) {
        self.separate()
        text.withUTF8Buffer { self.bytes.append(contentsOf: $0) }
        self.finishValue()
    }

    private mutating func digits(_ value: Int64) {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { room in
            var rest = value.magnitude
            var first = room.count
            repeat {
                first -= 1
                room[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 {
                first -= 1
                room[first] = UInt8(ascii: "-")
            }
            self.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[first...]))
        }
    }

    /// Appends `utf8` in quotes, escaping what RFC 8259 section 7 demands and nothing else.
    private mutating func quote(_ utf8: UnsafeRawBufferPointer) {
        self.bytes.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            let stop = JSONScan.endOfPlainRun(in: utf8, from: start, to: utf8.count)
            if stop > start {
                self.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[start..<stop]))
            }
            guard stop < utf8.count else { break }
            self.escape(utf8[stop])
            start = stop + 1
        }
        self.bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        self.bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): self.bytes.append(byte)
        case 0x08: self.bytes.append(UInt8(ascii: "b"))
        case 0x09: self.bytes.append(UInt8(ascii: "t"))
        case 0x0A: self.bytes.append(UInt8(ascii: "n"))
        case 0x0C: self.bytes.append(UInt8(ascii: "f"))
        case 0x0D: self.bytes.append(UInt8(ascii: "r"))
        default:
            self.bytes.append(UInt8(ascii: "u"))
            self.bytes.append(UInt8(ascii: "0"))
            self.bytes.append(UInt8(ascii: "0"))
            self.bytes.append(Hex.digit(byte >> 4))
            self.bytes.append(Hex.digit(byte & 0xF))
        }
    }
}
