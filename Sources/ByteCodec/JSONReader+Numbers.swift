extension JSONReader {
    /// An integer, exactly. A fraction or an exponent is refused, even when the number it makes is whole.
    package mutating func int64() throws(JSONError) -> Int64 {
        try self.expect(.number)
        let start = self.offset
        guard try self.scanNumber() else { throw JSONError(.notAnInteger, at: start) }
        let isNegative = self.bytes[start] == UInt8(ascii: "-")
        var value: Int64 = 0
        for position in (isNegative ? start + 1 : start)..<self.offset {
            let digit = Int64(self.bytes[position] - UInt8(ascii: "0"))
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            // Counted downwards, because the smallest value has no positive counterpart.
            let (next, overflowToo) = shifted.subtractingReportingOverflow(digit)
            if overflow || overflowToo { throw JSONError(.numberOutOfRange, at: start) }
            value = next
        }
        if isNegative { return value }
        guard value != .min else { throw JSONError(.numberOutOfRange, at: start) }
        return -value
    }

    /// Any number, rounded to the nearest double. One that would be infinite is out of range.
    package mutating func double() throws(JSONError) -> Double {
        try self.expect(.number)
        let start = self.offset
        _ = try self.scanNumber()
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: self.bytes[start..<self.offset]), as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw JSONError(.numberOutOfRange, at: start) }
        return value
    }

    /// Consumes the number that is next. `true` when it has neither fraction nor exponent.
    mutating func scanNumber() throws(JSONError) -> Bool {
        var isInteger = true
        if self.bytes[self.offset] == UInt8(ascii: "-") { self.offset += 1 }
        if self.offset < self.end, self.bytes[self.offset] == UInt8(ascii: "0") {
            self.offset += 1
        } else {
            try self.scanDigits()
        }
        if self.offset < self.end, self.bytes[self.offset] == UInt8(ascii: ".") {
            isInteger = false
            self.offset += 1
            try self.scanDigits()
        }
        // Setting this bit turns `E` into `e`, and nothing else into it.
        if self.offset < self.end, self.bytes[self.offset] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            self.offset += 1
            if self.offset < self.end, self.isSign(self.bytes[self.offset]) { self.offset += 1 }
            try self.scanDigits()
        }
        return isInteger
    }

    private func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

    /// One digit or more.
    private mutating func scanDigits() throws(JSONError) {
        guard self.offset < self.end else { throw JSONError(.inputEnded, at: self.offset) }
        guard 0x30...0x39 ~= self.bytes[self.offset] else { throw self.unexpected() }
        repeat { self.offset += 1 } while self.offset < self.end && 0x30...0x39 ~= self.bytes[self.offset]
    }
}
