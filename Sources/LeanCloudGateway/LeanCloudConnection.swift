import Accounts
import Broker
import ChatModel
import Execution
import LeanCloudTranslation
import LeanCloudWire
import Transport

/// One socket of an app: several clients may be signed in on it. Confined to its reactor.
final class LeanCloudConnection: ConnectionHandler {
    let connection: Connection
    unowned let gateway: LeanCloudGateway
    let subprotocol: LeanCloudSubprotocol
    /// By client id, who is signing in too.
    private var sessions: [UserName: LeanCloudSession] = [:]
    /// The one that was opened first answers for commands without a name.
    private var first: LeanCloudSession?
    private var lastOpening: UInt64 = 0
    /// A page of a foreign origin: it is told so, and nothing it says is looked at.
    private let isForeign: Bool
    /// True when a client on the connection is of the Java SDK.
    private var isJava = false
    /// Refused requests in the second that began at `refusalsSince`.
    private var refusals = 0
    private var refusalsSince: Instant?

    private var settings: LeanCloudSettings { self.gateway.settings }

    init(
        connection: Connection, gateway: LeanCloudGateway, _ subprotocol: LeanCloudSubprotocol, isForeign: Bool
    ) {
        self.connection = connection
        self.gateway = gateway
        self.subprotocol = subprotocol
        self.isForeign = isForeign
    }

    // MARK: From the connection

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        guard !self.isForeign else { return }
        if kind == .binary, !self.subprotocol.usesTextFrames, let compact = CompactAcknowledgement(in: bytes),
            let session = self.first, compact.peer.map(session.client.isSpelled) ?? true,
            session.acknowledge(compact, at: self.gateway)
        {
            return
        }
        do throws(LeanCloudWireError) {
            let limits = WireLimits(frameBytes: self.settings.commandBytes)
            self.handle(try self.subprotocol.decode(bytes, isText: kind == .text, limits: limits))
        } catch {
            // Its number is read all the same, so that the client hears which request it was. The transport bounds it.
            let request = self.subprotocol.salvage(bytes, isText: kind == .text)
            var fault = LeanCloudFault.unparseableMessage
            if case .frameTooLong = error.reason { fault = .frameTooLong }
            self.fail(request, fault.saying(error.description))
        }
    }

    func outboxDrained() { for session in self.sessions.values { session.outboxDrained() } }

    func outboxRose() { for session in self.sessions.values { session.outboxRose() } }

    /// Tells the Java SDK alone that the server goes: it connects again by itself after this and not after a mere
    /// close.
    ///
    /// Source: JavaScript SDK 5, `realtime.js` and `websocket-plus.js`: it asks the router at once, which is going too;
    /// what is thrown then nobody catches, and Node ends its process. The C#, Swift and Objective-C SDKs
    /// (`LCConnection.cs`, `RTMConnection.swift`, `LCRTMConnection.m`) do after a close what they do after this.
    func goingAway() {
        guard self.isJava else { return }
        var command = GenericCommand()
        command.cmd = .goaway
        self.send(command)
    }

    func expiring(_ end: ConnectionEnd) { self.fail(nil, end == .idle ? .readTimeout : .loginTimeout) }

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
            guard let session = self.session(for: command) else { return self.fail(command, .sessionRequired) }
            session.handle(command)
        }
    }

    /// The client that a command is from; without a name the only one, or the one that was opened first.
    private func session(for command: GenericCommand) -> LeanCloudSession? {
        guard let name = command.peerId else { return self.first }
        return UserName(name).flatMap { self.sessions[$0] }
    }

    /// The same with `i` where it came with one. Source: JavaScript and C# SDKs, which compare it.
    private static func echo(of command: GenericCommand) -> GenericCommand {
        var echo = GenericCommand()
        echo.cmd = .echo
        echo.i = command.i
        echo.peerId = command.peerId
        return echo
    }

    /// Offline pushes are not served; Java's SDK announces its device all the same, and opens its clients later.
    private func acceptPushLogin(_ command: GenericCommand) {
        guard self.isOurs(command) else { return }
        // Live queries announce themselves by another service.
        if (command.service ?? 0) == 0 { self.isJava = true }
        var answer = GenericCommand()
        answer.cmd = .loggedin
        answer.i = command.i
        answer.service = 0
        self.send(answer)
        self.connection.awaitSignIn(seconds: self.settings.announcedSeconds)
    }

    // MARK: Clients

    /// True when the command names our app; a client that names another is answered so and closed. Source: LeanCloud,
    /// error and close code 4100; the SDKs give up.
    private func isOurs(_ command: GenericCommand) -> Bool {
        if let appID = command.appId, self.gateway.serves(app: appID) { return true }
        self.fail(command, .appNotAvailable)
        self.close(.appNotAvailable)
        return false
    }

    private func open(_ command: GenericCommand) {
        guard self.isOurs(command) else { return }
        let name = command.peerId ?? ""
        guard let client = UserName(name.isEmpty ? Self.inventedName() : name) else {
            return self.fail(
                command,
                .invalidLogin.saying(
                    "a client id has 1 to \(UserName.maximumScalars) characters and no control characters"))
        }
        if let known = self.sessions[client] { return known.openAgain(command) }
        guard self.sessions.count < self.settings.clientsPerConnection else {
            return self.fail(command, .appQuotaExceeded.saying("too many clients on one connection"))
        }
        self.lastOpening += 1
        let session = LeanCloudSession(client, command, number: self.lastOpening, on: self)
        self.sessions[client] = session
        if self.first == nil { self.first = session }
        self.connection.holdSignInDeadline()
        if session.sdk == .java { self.isJava = true }
        session.signIn()
    }

    /// For a client that has no name of its own. Only the JavaScript SDK opens one.
    private static func inventedName() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next() | 1 << 63, radix: 16) + String(generator.next() | 1 << 63, radix: 16)
    }

    /// A client is gone, or was not let in.
    func remove(_ session: LeanCloudSession) {
        guard self.sessions[session.client] === session else { return }
        self.sessions[session.client] = nil
        if self.sessions.isEmpty { self.connection.restartSignInDeadline() }
        if self.first === session { self.first = self.sessions.values.min { $0.number < $1.number } }
    }

    /// True when nobody is signed in or signing in.
    var isEmpty: Bool { self.sessions.isEmpty }

    /// Finds a client that is still here, by its number.
    func session(number: UInt64) -> LeanCloudSession? { self.sessions.values.first { $0.number == number } }

    // MARK: Sending

    func send(_ command: GenericCommand) { self.send(command.encoded()) }

    /// Sends a command that has been written down.
    func send(_ command: [UInt8]) { self.send(frame: self.subprotocol.frame(of: command)) }

    /// Sends what the subprotocol has encoded.
    func send(frame: [UInt8]) {
        if self.subprotocol.usesTextFrames {
            self.connection.sendText(frame)
        } else {
            self.connection.sendBinary(frame)
        }
    }

    // MARK: Floods

    /// Notes that a request was refused. More of them in a second than `refusalsPerSecond` wait in the client's socket
    /// until the second is over: each command is answered, and nobody is kept busy by one client.
    func countRefusal() {
        let now = self.gateway.now()
        if self.refusalsSince.map({ now.milliseconds(since: $0) >= 1_000 }) ?? true {
            (self.refusals, self.refusalsSince) = (0, now)
        }
        self.refusals += 1
        guard self.refusals == self.settings.refusalsPerSecond else { return }
        self.connection.pauseReading()
        let id = self.connection.id
        self.gateway.reactor.after(milliseconds: 1_000) { $0.connection(id)?.resumeReading() }
    }

    /// Closes the socket after a while. Source: all SDKs connect again after this code, with the session they have.
    func closeLater() {
        let id = self.connection.id
        self.gateway.reactor.after(milliseconds: self.settings.holdSeconds * 1_000) { reactor in
            reactor.connection(id)?.close(code: .tryAgainLater, reason: "the server is busy: try again")
        }
    }

    /// Says no to a request, or of the connection as a whole when there is none.
    func fail(_ request: GenericCommand?, _ fault: LeanCloudFault) {
        self.countRefusal()
        var command = GenericCommand()
        command.cmd = .error
        command.i = request?.i
        command.peerId = request?.peerId
        command.service = 2
        command.errorMessage = ErrorCommand(fault)
        self.send(command)
    }

    /// Source: LeanCloud, whose close codes are those of its errors.
    func close(_ fault: LeanCloudFault) {
        self.connection.close(code: WebSocketCloseCode(rawValue: UInt16(fault.code)), reason: fault.reason)
    }

    /// Source: LeanCloud, error and close code 4110; browsers' SDKs give up.
    func refuseOrigin() {
        self.fail(nil, .invalidOrigin)
        self.close(.invalidOrigin)
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
