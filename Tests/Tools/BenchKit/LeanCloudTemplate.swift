import Glibc
import LeanCloudWire

/// A `direct` command of the generator, but for what differs from one message to the next.
///
/// Fields stand by ascending number: cmd 1, i 5, directMessage 104 with msg 1, cid 11 and dt 14.
enum LeanCloudTemplate {
    /// Messages are numbered from here, so that the number of every slot has three bytes.
    static let firstNumber = 1 << 14

    /// The token by which a message that is sent twice is known: run, sender and counter in eight hex digits each.
    private static let tokenCount = 24
    private static let counterCount = 8

    /// - Parameter conversation: its id, at most `LeanCloudArrival.longestID` bytes.
    static func make(run: UInt32, sender: Int, to conversation: String) -> MessageTemplate {
        var token = [UInt8](repeating: UInt8(ascii: "0"), count: self.tokenCount)
        token.withUnsafeMutableBufferPointer { digits in
            Stamp.writeHex(UInt64(run), digits: 8, to: digits.baseAddress!)
            Stamp.writeHex(UInt64(sender), digits: 8, to: digits.baseAddress! + 8)
        }
        var direct = DirectCommand()
        direct.msg = String(decoding: LeanCloudBody.bytes(), as: UTF8.self)
        direct.cid = conversation
        direct.dt = String(decoding: token, as: UTF8.self)
        var command = GenericCommand()
        command.cmd = .direct
        command.i = Int32(self.firstNumber)
        command.directMessage = direct
        let bytes = command.encoded()
        let frame = WebSocketFrame.bytes(2, bytes)
        // A tag and a length, one byte each, are in front of each text.
        let bodyEnd = frame.count - self.tokenCount - 2 - conversation.utf8.count - 2
        return MessageTemplate(
            bytes: frame, slotOffset: frame.count - bytes.count + 3, counterOffset: frame.count - self.counterCount,
            stampOffset: bodyEnd - LeanCloudBody.count + LeanCloudBody.prefix.count)
    }

    /// Writes the number of the message in `slot`: a varint of three bytes.
    static func writeNumber(slot: Int, to out: UnsafeMutablePointer<UInt8>) {
        let number = self.firstNumber + slot
        out[0] = UInt8(truncatingIfNeeded: number) | 0x80
        out[1] = UInt8(truncatingIfNeeded: number >> 7) | 0x80
        out[2] = UInt8(truncatingIfNeeded: number >> 14)
    }
}

/// The content of every message: a typed message with the text of `MessageBody`, 127 bytes in all.
///
/// Source: TypedMessage of LeanCloud's SDKs, `_lctype` -1 is a text.
enum LeanCloudBody {
    static let prefix = StaticBytes(#"{"_lctype":-1,"_lctext":""#)
    private static let suffix = StaticBytes(#""}"#)

    static var count: Int { self.prefix.count + MessageBody.contentCount + self.suffix.count }

    /// The content with zeros where the stamp goes.
    static func bytes() -> [UInt8] { self.prefix.array + MessageBody.content() + self.suffix.array }

    /// The stamp in a content; `nil` when it is not one of the generator's.
    static func stamp(in content: UnsafeRawBufferPointer) -> Stamp? {
        guard content.count >= self.prefix.count + Stamp.count, let start = content.baseAddress,
            memcmp(start, self.prefix.start, self.prefix.count) == 0
        else { return nil }
        return Stamp(start.assumingMemoryBound(to: UInt8.self) + self.prefix.count)
    }
}
