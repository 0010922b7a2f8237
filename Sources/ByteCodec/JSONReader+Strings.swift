/// A string as it stands in a JSON text, already checked.
struct JSONStringToken {
    /// The bytes between the quotes.
    ///
    /// SAFETY: points into the buffer of its reader and lives no longer than that.
    let raw: UnsafeRawBufferPointer
    let hasEscapes: Bool

    /// The bytes the string stands for, in UTF-8.
    func decoded() -> [UInt8] {
        guard self.hasEscapes else { return [UInt8](self.raw) }
        var result: [UInt8] = []
        result.reserveCapacity(self.raw.count)
        var position = 0
        while position < self.raw.count {
            let byte = self.raw[position]
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                position += 1
                continue
            }
            position += 2
            switch self.raw[position - 1] {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"): Self.append(self.scalar(at: &position), to: &result)
            case let other: result.append(other)
            }
        }
        return result
    }

    /// The scalar whose hexadecimal digits start at `position`, which moves behind it and its second half.
    private func scalar(at position: inout Int) -> UInt32 {
        let first = self.unit(at: position)
        position += 4
        guard 0xD800...0xDBFF ~= first else { return first }
        let second = self.unit(at: position + 2)
        position += 6
        return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    }

    private func unit(at position: Int) -> UInt32 {
        (position..<position + 4).reduce(0) { $0 << 4 | UInt32(Hex.value(self.raw[$1]) ?? 0) }
    }

    private static func append(_ scalar: UInt32, to result: inout [UInt8]) {
        // The reader refused lone surrogates, and four digits, or a pair, reach no further than U+10FFFF.
        guard let scalar = Unicode.Scalar(scalar) else { preconditionFailure("an unchecked surrogate") }
        result.append(contentsOf: UTF8.encode(scalar)!)
    }
}

extension JSONReader {
    /// Reads a string and decodes its escapes. Throws for any other value and for text that is not UTF-8.
    package mutating func string() throws(JSONError) -> String {
        try self.expect(.string)
        let token = try self.scanString()
        guard token.hasEscapes else { return String(decoding: token.raw, as: UTF8.self) }
        return String(decoding: token.decoded(), as: UTF8.self)
    }

    /// A string as its UTF-8 bytes.
    package mutating func utf8() throws(JSONError) -> [UInt8] {
        try self.expect(.string)
        return try self.scanString().decoded()
    }

    /// The bytes that a string of base64 stands for.
    package mutating func base64() throws(JSONError) -> [UInt8] {
        try self.expect(.string)
        let start = self.offset
        let token = try self.scanString()
        // Some encoders write `/` as `\/`, which is common in base64.
        let decoded = token.hasEscapes ? Base64.decode(token.decoded()) : Base64.decode(token.raw)
        guard let decoded else { throw JSONError(.invalidBase64, at: start) }
        return decoded
    }

    /// Consumes the string whose opening quote is next, checking all of it.
    mutating func scanString() throws(JSONError) -> JSONStringToken {
        let start = self.offset + 1
        var hasEscapes = false
        var seen: UInt64 = 0
        self.offset = start
        while true {
            self.offset = JSONScan.endOfPlainRun(in: self.bytes, from: self.offset, to: self.end, seen: &seen)
            guard self.offset < self.end else { throw JSONError(.inputEnded, at: self.offset) }
            switch self.bytes[self.offset] {
            case UInt8(ascii: "\""):
                let raw = UnsafeRawBufferPointer(rebasing: self.bytes[start..<self.offset])
                guard JSONScan.isASCII(seen) || UTF8Check.isValid(raw) else { throw JSONError(.invalidUTF8, at: start) }
                self.offset += 1
                return JSONStringToken(raw: raw, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try self.scanEscape()
            default:
                throw JSONError(.controlCharacter, at: self.offset)
            }
        }
    }

    /// Passes over one escape, or over the two that make a surrogate pair.
    private mutating func scanEscape() throws(JSONError) {
        let start = self.offset
        guard start + 1 < self.end else { throw JSONError(.inputEnded, at: self.end) }
        self.offset += 2
        switch self.bytes[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            let unit = try self.scanUnit()
            if 0xDC00...0xDFFF ~= unit { throw JSONError(.loneSurrogate, at: start) }
            if 0xD800...0xDBFF ~= unit { try self.scanSecondHalf(of: start) }
        default:
            throw JSONError(.invalidEscape, at: start)
        }
    }

    private mutating func scanSecondHalf(of first: Int) throws(JSONError) {
        for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
            guard self.offset < self.end else { throw JSONError(.inputEnded, at: self.offset) }
            guard self.bytes[self.offset] == expected else { throw JSONError(.loneSurrogate, at: first) }
            self.offset += 1
        }
        guard 0xDC00...0xDFFF ~= (try self.scanUnit()) else { throw JSONError(.loneSurrogate, at: first) }
    }

    /// The four hexadecimal digits of an escape.
    private mutating func scanUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard self.offset < self.end else { throw JSONError(.inputEnded, at: self.offset) }
            guard let digit = Hex.value(self.bytes[self.offset]) else {
                throw JSONError(.invalidEscape, at: self.offset)
            }
            unit = unit << 4 | UInt32(digit)
            self.offset += 1
        }
        return unit
    }
}
