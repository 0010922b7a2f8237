import Accounts
import Broker
import ChatModel
import Execution
import LeanCloudTranslation
import LeanCloudWire
import Store
import Transport

/// Last will: the message that is published when a connection is lost. Most clients leave none, and so it is kept
/// elsewhere.
enum LastWill {
    case none
    indirect case kept(PublishRequest)
}

/// One client on a connection, from its sign-in to its end. Confined to its reactor.
///
/// `SessionState` decides how it signs in and ends; `LeanCloudSession+Opening` carries that out. `LeanCloudFeed` decides
/// what it is sent and when; `LeanCloudSession+Delivery` carries that out.
final class LeanCloudSession {
    /// It holds this session until either ends.
    let connection: LeanCloudConnection
    let client: UserName
    /// Its name as it stands in commands to it.
    let peerField: [UInt8]
    /// Among the clients of the connection: those that were opened later have larger ones.
    let number: UInt64
    /// How far it is signed in, as whom, and under which tag.
    var state: SessionState
    /// Its number in the gateway; 0 until it has one.
    var handle: UInt64 = 0
    var sessionID: SessionID?
    /// Features that the client announced. The C# SDK leaves them out when it reconnects; then the features of all SDKs
    /// of today hold.
    let features: ConfigBitmap
    let sdk: LeanCloudSDK
    /// Installation that the device is registered as, for a client that wants it bound.
    let installation: String?
    /// Message to publish when the connection is lost before the client has closed its session: transient, with the id
    /// that the client was told as `envelope.shownID`. Source: LeanCloud realtime guide, last will.
    var will = LastWill.none
    /// For `LeanCloudSession+Delivery` and what belongs to it. Confined to the reactor; nothing calls back while it
    /// changes.
    @exclusivity(unchecked) var deliveries = LeanCloudDeliveries()
    /// People whom the client banned from a conversation last.
    var keptOut: Set<UserName> = []

    var phase: SessionState.Phase { self.state.phase }
    var identity: Identity? { self.state.identity }
    var tag: SessionTag? { self.state.tag }
    var device: String? { self.state.device }
    var gateway: LeanCloudGateway { self.connection.gateway }
    var services: LeanCloudServices { self.gateway.services }

    init(_ client: UserName, _ opening: GenericCommand, number: UInt64, on connection: LeanCloudConnection) {
        self.client = client
        self.peerField = GenericCommand.peerField(client.text)
        let introduction = opening.sessionMessage ?? SessionCommand()
        self.features = introduction.configBitmap ?? (introduction.r == true ? Self.commonFeatures : [])
        self.sdk = LeanCloudSDK(userAgent: introduction.ua, isReconnect: introduction.r == true)
        self.state = SessionState(opening, introduction, sdk: self.sdk)
        self.installation = self.features.contains(.bindsInstallation) ? introduction.namedDevice : nil
        self.number = number
        self.connection = connection
    }

    // MARK: What the client can do

    private static let commonFeatures: ConfigBitmap = [
        .patchMessages, .temporaryConversations, .acknowledgesTransient, .partialFailures, .omitsPeerId,
    ]

    /// True when missed messages are sent as such; else they are counted, and the client asks for them.
    var pushesMissedMessages: Bool { self.connection.subprotocol.version == .pushesMissedMessages }

    // MARK: Commands

    func handle(_ command: GenericCommand) {
        guard case .active = self.phase else { return self.fail(command, .sessionRequired) }
        if let fault = self.excess(of: command) { return self.fail(command, fault) }
        switch command.cmd {
        case .session?: self.sessionCommand(command)
        case .conv?: self.conversationCommand(command)
        case .blacklist?: self.blacklistCommand(command)
        case .direct?: self.direct(command)
        case .ack?: self.acknowledge(command)
        case .read?: self.read(command)
        case .logs?: self.logs(command)
        case .patch?: self.patch(command)
        case .report?: self.report(command)
        default: self.fail(command, .unparseableMessage.saying("this command is not served"))
        }
    }

    // MARK: Answers

    /// The answer to a request, to be filled.
    func answer(to request: GenericCommand, _ cmd: CommandType, _ op: OpType? = nil) -> GenericCommand {
        var command = self.push(cmd, op)
        command.i = request.i
        command.serverTs = self.services.clock.wallMilliseconds()
        return command
    }

    /// Something that nobody asked for, to be filled.
    func push(_ cmd: CommandType, _ op: OpType? = nil) -> GenericCommand {
        var command = GenericCommand()
        command.cmd = cmd
        command.op = op
        command.peerId = self.client.text
        command.service = 2
        command.serverTs = self.deliveries.pushTime
        return command
    }

    func send(_ command: GenericCommand) { self.connection.send(command) }

    func fail(_ request: GenericCommand, _ fault: LeanCloudFault) {
        self.connection.countRefusal()
        var command = self.answer(to: request, .error)
        command.errorMessage = ErrorCommand(fault)
        self.send(command)
    }

    /// Something that runs a body on this thread with this session, if it is still there and signed in.
    func later() -> @Sendable (@escaping @Sendable (LeanCloudSession) -> Void) -> Void { self.gateway.later(self) }

    /// Origin of the changes that this session writes.
    var origin: EventOrigin { EventOrigin(.leanCloud, session: self.sessionID?.rawValue) }
}

extension SessionCommand {
    /// Name that the device gives itself.
    var namedDevice: String? { [self.deviceToken, self.deviceId].compactMap { $0 }.first { !$0.isEmpty } }
}
