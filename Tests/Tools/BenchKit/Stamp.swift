/// Stamp that the generator writes into every message, so that each delivery can be timed and checked.
package struct Stamp: Equatable, Sendable {
    /// Tells this run's messages from those an earlier run left behind.
    package var run: UInt32
    /// Ordinal of the sender among the senders of the run.
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
    /// Writes `count` characters.
    package func write(to out: UnsafeMutablePointer<UInt8>) {
        Self.writeHex(UInt64(self.run), digits: 8, to: out)
        Self.writeHex(UInt64(self.sender), digits: 8, to: out + 8)
        Self.writeHex(UInt64(self.counter), digits: 8, to: out + 16)
        Self.writeHex(UInt64(bitPattern: self.sentAt), digits: 16, to: out + 24)
        out[40] = UInt8(ascii: ".")
        out[41] = UInt8(ascii: ".")
    }

    /// Reads what `write` wrote; `nil` for most of what it did not write. Other letters than hex digits are not noticed:
    /// they make a stamp of another run.
    package init?(_ text: UnsafePointer<UInt8>) {
        guard text[40] == UInt8(ascii: "."), text[41] == UInt8(ascii: ".") else { return nil }
        self.init(
            run: Self.readHex(text), sender: Self.readHex(text + 8), counter: Self.readHex(text + 16),
            sentAt: Int64(bitPattern: UInt64(Self.readHex(text + 24)) << 32 | UInt64(Self.readHex(text + 32))))
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

    /// The value of eight hex digits, all at once; rubbish for anything else.
    @inline(__always)
    static func readHex(_ text: UnsafePointer<UInt8>) -> UInt32 {
        let letters = UInt64(littleEndian: UnsafeRawPointer(text).loadUnaligned(as: UInt64.self))
        // '0'...'9' have their value in the low four bits; letters have bit 6 set, and their value less 9.
        let values = (letters & 0x0f0f_0f0f_0f0f_0f0f) + (letters >> 6 & 0x0101_0101_0101_0101) * 9
        let nibbles = values.byteSwapped
        let bytes = (nibbles | nibbles >> 4) & 0x00ff_00ff_00ff_00ff
        let halves = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff
        return UInt32(truncatingIfNeeded: halves | halves >> 16)
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
