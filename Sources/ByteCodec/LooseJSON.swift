/// Finds values in JSON text without judging it: brackets, strings and escapes alone are looked at. Pages of strangers'
/// servers are taken apart with this, so that one broken row does not take the others along, and the id of a request
/// that cannot be read is found. Pure.
package enum LooseJSON {
    /// A member of an object, by where its name and its value are in the text.
    package struct Member: Hashable, Sendable {
        /// Between the quotes, escapes as they stand.
        package var name: Range<Int>
        /// From the first byte of the value to behind its last.
        package var value: Range<Int>
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// The first position from `start` that is no white space.
    package static func skipSpace(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var position = start
        while position < text.count, Self.isSpace(text[position]) { position += 1 }
        return position
    }

    /// The position behind the value that begins at `start`; `nil` when the text ends before it does.
    package static func endOfValue(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        guard start < text.count else { return nil }
        switch text[start] {
        case UInt8(ascii: "\""): return Self.endOfString(text, start)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return Self.endOfBrackets(text, start)
        default:
            var position = start
            while position < text.count, !Self.endsScalar(text[position]) { position += 1 }
            return position > start ? position : nil
        }
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"): true
        default: Self.isSpace(byte)
        }
    }

    /// The position behind the string that begins at `start`; `nil` when the text ends before it does.
    package static func endOfString(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        var position = start + 1
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""): return position + 1
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
        return nil
    }

    private static func endOfBrackets(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        var depth = 0
        var position = start
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                guard let end = Self.endOfString(text, position) else { return nil }
                position = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return position + 1 }
            default: break
            }
            position += 1
        }
        return nil
    }

    /// The elements of the array that begins at `start`, and the position behind it; `nil` when it is not whole.
    package static func elements(_ text: UnsafeRawBufferPointer, _ start: Int) -> (ranges: [Range<Int>], end: Int)? {
        guard start < text.count, text[start] == UInt8(ascii: "[") else { return nil }
        var ranges: [Range<Int>] = []
        var position = Self.skipSpace(text, start + 1)
        while position < text.count {
            if text[position] == UInt8(ascii: "]") { return (ranges, position + 1) }
            guard let end = Self.endOfValue(text, position) else { return nil }
            ranges.append(position..<end)
            position = Self.skipSpace(text, end)
            if position < text.count, text[position] == UInt8(ascii: ",") {
                position = Self.skipSpace(text, position + 1)
            }
        }
        return nil
    }

    /// The members of the object that begins at `start`, and the position behind it; `nil` when it is none, or not whole.
    package static func members(_ text: UnsafeRawBufferPointer, _ start: Int = 0) -> (members: [Member], end: Int)? {
        var position = Self.skipSpace(text, start)
        guard position < text.count, text[position] == UInt8(ascii: "{") else { return nil }
        var members: [Member] = []
        position = Self.skipSpace(text, position + 1)
        while position < text.count {
            if text[position] == UInt8(ascii: "}") { return (members, position + 1) }
            guard text[position] == UInt8(ascii: "\""), let nameEnd = Self.endOfString(text, position) else {
                return nil
            }
            let name = (position + 1)..<(nameEnd - 1)
            position = Self.skipSpace(text, nameEnd)
            guard position < text.count, text[position] == UInt8(ascii: ":") else { return nil }
            position = Self.skipSpace(text, position + 1)
            guard let end = Self.endOfValue(text, position) else { return nil }
            members.append(Member(name: name, value: position..<end))
            position = Self.skipSpace(text, end)
            if position < text.count, text[position] == UInt8(ascii: ",") {
                position = Self.skipSpace(text, position + 1)
            }
        }
        return nil
    }

    /// The text without white space between its values: one line, unless a string holds a line end.
    package static func compact(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(text.count)
        var position = 0
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "\"") {
                let end = min(text.count, Self.endOfString(text, position) ?? text.count)
                line.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[position..<end]))
                position = end
                continue
            }
            if !Self.isSpace(byte) { line.append(byte) }
            position += 1
        }
        return line
    }
}
