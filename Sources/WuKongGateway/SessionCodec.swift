import Broker
import ChatModel
import Transport
import WuKongWire

/// An encoding of the WuKongIM protocol on one connection: bytes to `ClientFrame`, `ServerReply` to bytes. It knows
/// neither the session nor the socket. Confined to its reactor.
protocol SessionCodec: AnyObject {
    /// The encoding and its version, as operators see it.
    var protocolName: String { get }
    /// True where the SDKs have no other way to what they missed than the connection.
    var sendsMissedMessages: Bool { get }
    /// Bytes of a frame that is not complete.
    var heldBytes: Int { get }

    /// Takes the next bytes and hands out what they complete.
    ///
    /// - Parameters:
    ///   - bytes: valid during the call only.
    ///   - isActive: whether somebody is signed in, to whom a message that is too long can be answered.
    func read(
        _ bytes: UnsafeRawBufferPointer, as kind: InboundKind, isActive: Bool, each: (InboundPiece) -> Void)

    /// Decodes a frame that `read` handed out. The first sign-in sets what the codec decodes and words from then on.
    ///
    /// - Parameter frame: valid during the call only.
    func decode(_ frame: UnsafeRawBufferPointer) -> ClientFrame

    /// Decodes what can be told of a message that is longer than may be sent; `nil` when it cannot be answered.
    ///
    /// - Parameter start: its first bytes, valid during the call only.
    func decodeTooLong(beginning start: UnsafeRawBufferPointer) -> ClientFrame?

    /// Words a reply.
    ///
    /// - Returns: `nil` in an encoding that has no words for it.
    func frame(for reply: ServerReply, with writers: inout ReplyWriters) -> ReplyFrame?

    /// Sends the message that `frames.begin` was told.
    func send(isOwn: Bool, isRepeat: Bool, from frames: inout FrameCache, to connection: Connection)

    /// Sends the event that is next in `events`; nothing in an encoding that has no words for it.
    func send(_ event: StreamEvent, from events: inout EventCache, to connection: Connection)
}

/// A worded reply.
enum ReplyFrame: Hashable {
    case text([UInt8])
    case binary([UInt8])
}

/// Buffers in which the replies of a reactor are worded, one after another.
struct ReplyWriters {
    private var json = WuKongJSONWriter()
    private var packet = BinaryPacketWriter(capacity: 1024)

    mutating func text(_ write: (inout WuKongJSONWriter) -> Void) -> ReplyFrame {
        self.json.removeAll()
        write(&self.json)
        return .text(self.json.bytes)
    }

    mutating func binary(_ write: (inout BinaryPacketWriter) -> Void) -> ReplyFrame {
        self.packet.removeAll()
        write(&self.packet)
        return .binary(self.packet.bytes)
    }
}
