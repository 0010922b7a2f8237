import Accounts
import Broker
import ChatModel
import Transport
import WuKongWire

/// Steps that sessions want taken. The gateway of a reactor has one output, whose memory all its sessions reuse.
struct SessionOutput {
    /// Carried out in order, right after each event.
    var actions: [SessionAction] = []
    /// Messages for the broker, handed on at the end of the loop turn.
    var publishes: [PublishRequest] = []

    mutating func reply(_ reply: ServerReply) { self.actions.append(.reply(reply)) }
}

/// A step that the owner of a session takes for it.
enum SessionAction {
    /// Tell the client.
    case reply(ServerReply)
    /// Send these messages, oldest first.
    case deliver([Delivery])
    /// Stop reading, and find out whether this is who it says.
    case authenticate(UserName, token: String, DeviceClass)
    /// Have the broker register the session. `deviceID` may be empty.
    case register(Identity, deviceID: String)
    /// The session is signed in: the deadline of signing in does not hold any more, the idle deadline does.
    case activate
    /// Tell the broker that the session is over.
    case leave(SessionID, SessionEndReason)
    /// Ask for `takeDelivered` with the next tick.
    case noteAcknowledging
    /// A command was acted on: its place in the log of commands.
    case acknowledgeCommand(SessionID, sequence: Int64)
    /// Read which ranges this person's device class missed since these positions.
    ///
    /// - Parameter only: in these conversations and no others.
    case readRanges(Identity, [ConversationID: Int64], only: Bool)
    /// Read a page of a range.
    case readPage(Identity, MissedRange)
    /// Log a refused sign-in.
    case logRefusal(ConnectParameters, String)
    /// Log bytes that cannot be followed.
    case logBroken(String)
    case close(WebSocketCloseCode, String)
}

/// A frame that answers a client or ends its session. Ids are those of the requests.
enum ServerReply: Hashable, Sendable {
    /// - Parameter timeDifference: server clock minus client clock, milliseconds.
    case connected(WuKongRequestID?, timeDifference: Int64)
    /// The connection is closed right after.
    case connectRefused(WuKongRequestID?, WuKongReason, String)
    case sent(PublishReceipt, ticket: UInt64)
    case pong(WuKongRequestID?)
    case refused(WuKongRequestID?, JSONRPCErrorCode, String)
    /// The last words on a connection that its client is not to open again by itself.
    case disconnect(WuKongReason, String)
}

/// The outcome of a message, as its sender is told it.
struct PublishReceipt: Hashable, Sendable {
    var reason: WuKongReason
    /// 0 when it was refused.
    var messageID: Int64 = 0
    /// 0 when it was refused or is not stored.
    var sequence: Int64 = 0
}
