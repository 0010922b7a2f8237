/// What the generator writes into every message, so that each delivery can be timed and checked.
package struct Stamp: Equatable, Sendable {
    /// Tells this run's messages from those an earlier run left behind.
    package var run: UInt32
    /// Which sender: its ordinal among the senders of the run.
    package var sender: UInt32
    /// The sender's messages are numbered from 0.
    package var counter: UInt32
    /// Monotonic nanoseconds when the message was written to the sender's buffer.
    package var sentAt: Int64

    package init(run: UInt32, sender: UInt32, counter: UInt32, sentAt: Int64) {
        self.run = run
        self.sender = sender
        self.counter = counter
        self.sentAt = sentAt
    }

    /// Characters of a stamp: 8 + 8 + 8 + 16 hex digits and two dots, a multiple of three so that its base64 form
    /// stands at a fixed place.
    package static let count = 42
    package static let base64Count = 56

    private static let hexDigits = StaticBytes("0123456789abcdef")
    private static let hexValues: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, digit) in "0123456789abcdef".utf8.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// Writes `count` characters.
    package func write(to out: UnsafeMutablePointer<UInt8>) {
        Self.writeHex(UInt64(self.run), digits: 8, to: out)
        Self.writeHex(UInt64(self.sender), digits: 8, to: out + 8)
        Self.writeHex(UInt64(self.counter), digits: 8, to: out + 16)
        Self.writeHex(UInt64(bitPattern: self.sentAt), digits: 16, to: out + 24)
        out[40] = UInt8(ascii: ".")
        out[41] = UInt8(ascii: ".")
    }

    /// Reads what `write` wrote; `nil` for anything else.
    package init?(_ text: UnsafePointer<UInt8>) {
        guard let run = Self.readHex(text, digits: 8), let sender = Self.readHex(text + 8, digits: 8),
            let counter = Self.readHex(text + 16, digits: 8), let sentAt = Self.readHex(text + 24, digits: 16)
        else { return nil }
        self.init(
            run: UInt32(run), sender: UInt32(sender), counter: UInt32(counter), sentAt: Int64(bitPattern: sentAt))
    }

    /// Writes the low `digits` hex digits of `value`, with leading zeros.
    @inline(__always)
    static func writeHex(_ value: UInt64, digits: Int, to out: UnsafeMutablePointer<UInt8>) {
        var rest = value
        for place in stride(from: digits - 1, through: 0, by: -1) {
            out[place] = Self.hexDigits.start[Int(rest & 15)]
            rest >>= 4
        }
    }

    @inline(__always)
    static func readHex(_ text: UnsafePointer<UInt8>, digits: Int) -> UInt64? {
        Self.hexValues.withUnsafeBufferPointer { values in
            var value: UInt64 = 0
            var seen: UInt8 = 0
            for place in 0..<digits {
                let digit = values[Int(text[place])]
                seen |= digit
                value = value << 4 | UInt64(digit & 15)
            }
            return seen == 0xff ? nil : value
        }
    }
}

/// Bytes of a text in the program itself.
struct StaticBytes: Sendable {
    private let text: StaticString

    init(_ text: StaticString) { self.text = text }

    var count: Int { self.text.utf8CodeUnitCount }
    // SAFETY: the literal lives as long as the process and nobody writes to it.
    var start: UnsafePointer<UInt8> { self.text.utf8Start }
    var array: [UInt8] { Array(UnsafeBufferPointer(start: self.start, count: self.count)) }
}
