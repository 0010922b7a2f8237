import Glibc

/// Finds a JSON key in texts that one program writes: texts of one kind have it at nearly the same place, so the place
/// of the last hit is tried first, then its neighbourhood, then the whole text.
///
/// It does not parse: it is for texts whose string values cannot hold the key.
package struct KeyFinder {
    private let name: StaticBytes
    private var hint = 0
    /// Digits of numbers and ids in front of a key may come and go between two texts.
    private static let neighbourhood = 8

    /// `name` includes its quotes, the colon, and the opening quote of a string value.
    package init(_ name: StaticString) { self.name = StaticBytes(name) }

    /// True when the key is at the same place as last time.
    @inline(__always)
    package func isWhereItWas(in text: UnsafeRawBufferPointer) -> Bool { self.matches(text, at: self.hint) }

    /// The offset just after the key, or `nil` when the text does not have it.
    package mutating func end(in text: UnsafeRawBufferPointer) -> Int? {
        if self.matches(text, at: self.hint) { return self.hint + self.name.count }
        let near = max(0, self.hint - Self.neighbourhood)...(self.hint + Self.neighbourhood)
        for offset in near where self.matches(text, at: offset) { return self.found(at: offset) }
        for offset in 0..<max(0, text.count - self.name.count + 1) where self.matches(text, at: offset) {
            return self.found(at: offset)
        }
        return nil
    }

    private mutating func found(at offset: Int) -> Int {
        self.hint = offset
        return offset + self.name.count
    }

    @inline(__always)
    private func matches(_ text: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        offset + self.name.count <= text.count
            && memcmp(text.baseAddress! + offset, self.name.start, self.name.count) == 0
    }
}

extension UnsafeRawBufferPointer {
    /// The decimal number at `offset` and where it ends; `nil` when no digit is there.
    func number(at offset: Int) -> (value: UInt64, end: Int)? {
        var value: UInt64 = 0
        var end = offset
        while end < self.count, case let digit = self[end] &- UInt8(ascii: "0"), digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            end += 1
        }
        return end > offset ? (value, end) : nil
    }

    /// The bytes from `offset` to the next quotation mark; `nil` when none follows.
    func quoted(at offset: Int) -> UnsafeRawBufferPointer? {
        guard let start = self.baseAddress, offset < self.count,
            let end = memchr(start + offset, Int32(UInt8(ascii: "\"")), self.count - offset)
        else { return nil }
        return UnsafeRawBufferPointer(start: start + offset, count: UnsafeRawPointer(end) - (start + offset))
    }

    /// A part, which the caller knows to be inside.
    func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self.baseAddress! + offset, count: count)
    }
}
