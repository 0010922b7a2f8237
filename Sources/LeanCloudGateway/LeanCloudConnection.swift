import Broker
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Transport

/// One socket of an app: several clients may be signed in on it. Confined to its reactor.
final class LeanCloudConnection: ConnectionHandler {
    let connection: Connection
    unowned let gateway: LeanCloudGateway
    let subprotocol: LeanCloudSubprotocol
    /// By client id, who is signing in too; the one that was opened first answers for commands without a name.
    private var sessions: [String: LeanCloudSession] = [:]
    private var first: LeanCloudSession?

    init(connection: Connection, gateway: LeanCloudGateway, _ subprotocol: LeanCloudSubprotocol) {
        self.connection = connection
        self.gateway = gateway
        self.subprotocol = subprotocol
    }

    // MARK: From the connection

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        do throws(LeanCloudWireError) {
            let limits = WireLimits(frameBytes: self.gateway.house.settings.commandBytes)
            self.handle(try self.subprotocol.decode(bytes, isText: kind == .text, limits: limits))
        } catch {
            let isTooLong = if case .frameTooLong = error.reason { true } else { false }
            let fault: LeanCloudFault = isTooLong ? .frameTooLong : .unparseableMessage
            self.fail(nil, fault.saying(error.description))
        }
    }

    func goingAway() {
        var command = GenericCommand()
        command.cmd = .goaway
        self.send(command)
    }

    func ended(_ reason: ConnectionEnd) {
        for session in self.sessions.values { session.connectionEnded(reason) }
        self.sessions.removeAll()
        self.first = nil
    }

    // MARK: Commands

    private func handle(_ command: GenericCommand) {
        switch command.cmd {
        case .echo?: self.send(Self.echo(of: command))
        case .login?: self.acceptPushLogin(command)
        case .session? where command.op == .open: self.open(command)
        default:
            guard let session = self.session(for: command) else {
                return self.fail(command, .sessionRequired)
            }
            session.handle(command)
        }
    }

    /// The client that a command is from; without a name the only one, or the one that was opened first.
    private func session(for command: GenericCommand) -> LeanCloudSession? {
        guard let name = command.peerId else { return self.first }
        // The C# SDK's heartbeat aside, a name is that of a client.
        return self.sessions[name]
    }

    /// The same with `i` where it came with one. Source: JavaScript and C# SDKs, which compare it.
    private static func echo(of command: GenericCommand) -> GenericCommand {
        var echo = GenericCommand()
        echo.cmd = .echo
        echo.i = command.i
        echo.peerId = command.peerId
        return echo
    }

    /// Offline pushes are not served; Java's SDK keeps the connection for its clients.
    private func acceptPushLogin(_ command: GenericCommand) {
        var answer = GenericCommand()
        answer.cmd = .loggedin
        answer.i = command.i
        answer.service = 0
        self.send(answer)
    }

    // MARK: Clients

    private func open(_ command: GenericCommand) {
        if let known = command.peerId.flatMap({ self.sessions[$0] }) { return known.handle(command) }
        guard self.sessions.count < self.gateway.house.settings.clientsPerConnection else {
            return self.fail(command, .appQuotaExceeded.saying("too many clients on one connection"))
        }
        LeanCloudSession.open(command, on: self)
    }

    /// A client is signing in, or has.
    func add(_ session: LeanCloudSession) {
        self.sessions[session.client.text] = session
        if self.first == nil { self.first = session }
    }

    func remove(_ session: LeanCloudSession) {
        self.sessions[session.client.text] = nil
        if self.first === session {
            self.first = self.sessions.values.min { $0.handle < $1.handle }
        }
    }

    // MARK: Sending

    func send(_ command: GenericCommand) {
        let bytes = self.subprotocol.encode(command)
        if self.subprotocol.usesTextFrames { self.connection.sendText(bytes) } else { self.connection.sendBinary(bytes) }
    }

    /// Says no to a request, or of the connection as a whole when there is none.
    func fail(_ request: GenericCommand?, _ fault: LeanCloudFault) {
        var command = GenericCommand()
        command.cmd = .error
        command.i = request?.i
        command.peerId = request?.peerId
        command.service = 2
        command.errorMessage = ErrorCommand(fault)
        self.send(command)
    }
}

extension ErrorCommand {
    init(_ fault: LeanCloudFault) {
        self.init()
        self.code = fault.code
        self.reason = fault.reason
        self.detail = fault.detail
        self.appCode = fault.appCode
        self.appMsg = fault.appMessage
    }
}
