import Broker
import ChatModel
import Transport
import WuKongWire

/// One encoding of the WuKongIM protocol on one connection: bytes -> calls of the session, and what the session says
/// -> frames. Confined to the session's reactor.
///
/// Until the session is active a codec takes nothing but a sign-in; what a client sends while it signs in waits in the
/// codec for `resume`.
protocol SessionCodec: AnyObject {
    /// The encoding and its version, as operators see it.
    var protocolName: String { get }
    /// Whether the SDKs that speak it have no other way to what they missed than the connection.
    var sendsMissedMessages: Bool { get }

    /// - Parameter bytes: valid during the call only.
    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind)

    /// Answers a request that is longer than may be sent, as far as its first bytes tell which one it is.
    ///
    /// - Parameter start: valid during the call only.
    func refuseTooLong(beginning start: UnsafeRawBufferPointer)

    /// Takes what came while the client signed in: the session is active now.
    func resume()

    // MARK: What the session says

    /// - Parameter timeDifference: server clock minus client clock, milliseconds.
    func signedIn(timeDifference: Int64)
    /// The connection is closed right after.
    func refuseSignIn(_ reason: WuKongReason, _ text: String)
    /// The answer to the message with this ticket.
    func answer(_ ticket: UInt64, _ receipt: PublishReceipt)
    /// The message that `frames.begin` was told.
    func send(isOwn: Bool, isRepeat: Bool, from frames: inout FrameCache, to connection: Connection)
    /// Nothing, in an encoding that has no words for it.
    func send(_ event: StreamEvent)
    /// The last words on a connection that its client is not to open again by itself.
    func disconnect(_ reason: WuKongReason, _ text: String)
}

/// A message as a client wants it sent, in the house's words but for the channel.
struct ClientMessage {
    var channelID: String
    /// As sent: it may be none of WuKongIM's.
    var channelType: Int
    var clientToken: ClientToken?
    var content: MessageContent
}

/// What a client is told about a message it sent.
struct PublishReceipt {
    var reason: WuKongReason
    /// 0 when it was refused.
    var messageID: Int64 = 0
    /// 0 when it was refused or is not stored.
    var sequence: Int64 = 0
}
