import Accounts
import Broker
import ChatModel
import Execution
import LeanCloudTranslation
import LeanCloudWire
import Store
import Transport

/// One client on a connection, from its sign-in to its end. Confined to its reactor.
///
/// ```
/// signingIn --let in--> registering --registered--> active --closed, kicked, connection lost--> over
/// ```
final class LeanCloudSession {
    enum Phase {
        case signingIn
        case registering
        case active
        case over
    }

    unowned let connection: LeanCloudConnection
    let client: UserName
    private(set) var phase = Phase.signingIn
    /// Its number in the gateway; 0 until it has one.
    var handle: UInt64 = 0
    private(set) var identity: Identity?
    private(set) var sessionID: SessionID?
    /// The command that opened it, answered when the broker has it.
    private(set) var opening: GenericCommand

    var gateway: LeanCloudGateway { self.connection.gateway }
    var house: LeanCloudHouse { self.connection.gateway.house }

    private init(_ client: UserName, _ opening: GenericCommand, on connection: LeanCloudConnection) {
        self.client = client
        self.opening = opening
        self.connection = connection
    }

    // MARK: Commands

    func handle(_ command: GenericCommand) {
        guard case .active = self.phase else { return self.fail(command, .sessionRequired) }
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
        return command
    }

    /// Something that nobody asked for, to be filled.
    func push(_ cmd: CommandType, _ op: OpType? = nil) -> GenericCommand {
        var command = GenericCommand()
        command.cmd = cmd
        command.op = op
        command.peerId = self.client.text
        command.service = 2
        command.serverTs = self.house.clock.wallMilliseconds()
        return command
    }

    func send(_ command: GenericCommand) { self.connection.send(command) }

    func fail(_ request: GenericCommand, _ fault: LeanCloudFault) {
        var command = self.answer(to: request, .error)
        command.errorMessage = ErrorCommand(fault)
        self.send(command)
    }

    /// Something that runs a body on this thread with this session, if it is still there.
    func later() -> @Sendable (@escaping @Sendable (LeanCloudSession) -> Void) -> Void { self.gateway.later(self) }

    /// What changes by a write of this session say of who caused them.
    var origin: EventOrigin { EventOrigin(.leanCloud, session: self.sessionID?.rawValue) }
}
