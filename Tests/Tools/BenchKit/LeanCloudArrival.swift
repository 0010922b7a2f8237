import Glibc

/// Facts that the generator needs of every `direct` command, at their place in the command.
///
/// Source: schema `push_server.messages2`, `DirectCommand` and `AckCommand`.
struct LeanCloudArrival {
    /// The content; empty when it is no text. Valid as long as the command is, as the others.
    private(set) var content = UnsafeRawBufferPointer(start: nil, count: 0)
    private var conversation = UnsafeRawBufferPointer(start: nil, count: 0)
    private var id = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Bytes of the id of a message or a conversation. They have 22 to 29; with two of this length the length of an
    /// acknowledgement is still one byte.
    static let longestID = 60

    /// - Parameter direct: what field 104 of the command holds.
    init(_ direct: UnsafeRawBufferPointer) throws(BenchError) {
        var fields = LeanCloudFields(direct)
        while try fields.next() {
            switch fields.number {
            case 1: self.content = fields.content
            case 11: self.conversation = fields.content
            case 12: self.id = fields.content
            default: break
            }
        }
        guard (1...Self.longestID).contains(self.id.count), (1...Self.longestID).contains(self.conversation.count)
        else { throw .server("a direct lacks its id or cid, or they are too long") }
    }

    /// Tells the server that the message is here, as all SDKs but JavaScript's do for each one, in a frame of its own.
    ///
    /// Fields: cmd 1 = 3; ackMessage 105 with mid 3 and cid 4.
    func acknowledge(to unsent: inout ByteBuffer) {
        let inner = 2 + self.id.count + 2 + self.conversation.count
        let count = 2 + 3 + inner
        let start = unsent.reserve(count + WebSocketFrame.longestHeader).assumingMemoryBound(to: UInt8.self)
        let header = WebSocketFrame.writeHeader(2, payloadCount: count, to: start)
        var out = start + header
        out[0] = 0x08
        out[1] = 0x03
        out[2] = 0xca
        out[3] = 0x06
        out[4] = UInt8(inner)
        out += 5
        Self.write(self.id, tag: 0x1a, to: &out)
        Self.write(self.conversation, tag: 0x22, to: &out)
        unsent.commit(header + count)
    }

    private static func write(_ text: UnsafeRawBufferPointer, tag: UInt8, to out: inout UnsafeMutablePointer<UInt8>) {
        out[0] = tag
        out[1] = UInt8(text.count)
        memcpy(out + 2, text.baseAddress!, text.count)
        out += 2 + text.count
    }
}
