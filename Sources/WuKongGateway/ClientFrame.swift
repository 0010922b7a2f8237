import Broker
import ChatModel
import WuKongTranslation
import WuKongWire

/// A frame of a client, decoded: the same value in both encodings.
///
/// A request carries an id when its client expects an answer that repeats it, which only the JSON encoding has.
enum ClientFrame: Hashable, Sendable {
    /// A sign-in. `fault` says why the codec cannot serve this client.
    case connect(WuKongRequestID?, ConnectParameters, fault: ConnectFault?)
    /// A message. The answer to it repeats `ticket`.
    case send(ClientMessage, ticket: UInt64)
    /// A message that the codec refuses.
    case unusableSend(WuKongReason, ticket: UInt64)
    /// - Parameter syncOnce: whether it says that a command was acted on.
    case acknowledge(MessageID, syncOnce: Bool)
    case ping(WuKongRequestID?)
    /// The client is about to leave.
    case disconnect(WuKongRequestID?)
    /// A request that is understood and not served.
    case unsupported(WuKongRequestID?, String)
    /// A frame of the right shape that is no request.
    case invalid(WuKongRequestError)
    /// Bytes that are no frame.
    ///
    /// - Parameter endsStream: nobody knows where the next frame begins.
    case malformed(WuKongRequestID?, String, endsStream: Bool)
    /// Bytes after which nobody knows where the next frame begins, in an encoding that has no words for it.
    case broken(String)
}

/// A message as a client wants it sent.
struct ClientMessage: Hashable, Sendable {
    var channelID: String
    /// As sent: it may be none of WuKongIM's.
    var channelType: Int
    var clientToken: ClientToken?
    var content: MessageContent
}

/// A reason why a codec cannot serve the client that signs in.
struct ConnectFault: Hashable, Sendable {
    var reason: WuKongReason
    var text: String
}

/// A piece of what a client sent, as a codec cuts it.
enum InboundPiece {
    /// A whole frame, for `SessionCodec.decode`. Valid during the call only.
    case frame(UnsafeRawBufferPointer)
    /// A frame that the codec has decoded, or what it says about bytes that are none.
    case decoded(ClientFrame)
}
