import HTTPClient
import LeanCloudWire

/// A client of the realtime protocol for a trial: signs in, writes one message, and reads one.
final class ReadyChat {
    /// Proof that a client shows when it opens its session.
    enum Proof {
        case none
        case token(String)
        case signature(String, timestamp: Int64, nonce: String)
    }

    static let subprotocol = LeanCloudSubprotocol(.binary, .countsMissedMessages)
    /// As the newest JavaScript SDK; without them nothing of a temporary conversation comes.
    private static let features = ConfigBitmap(rawValue: 187)
    /// Life of the trial's conversation, seconds.
    private static let lifeSeconds: Int32 = 60
    /// Maximum number of commands to look through for one that must come.
    private static let mostCommands = 100

    private let socket: BlockingWebSocket
    private let appID: String
    private let client: String
    private var lastRequest: Int32 = 0
    private var waiting: [GenericCommand] = []

    init(_ socket: BlockingWebSocket, appID: String, client: String) {
        self.socket = socket
        self.appID = appID
        self.client = client
    }

    // MARK: Commands

    private func next() throws(ReadyFailure) -> GenericCommand {
        let message: BlockingWebSocket.Message?
        do throws(HTTPClientError) { message = try self.socket.receive() } catch {
            throw ReadyFailure(error.description)
        }
        guard case .binary(let bytes)? = message else { throw ReadyFailure("the server closed the connection") }
        do {
            return try bytes.withUnsafeBytes {
                try Self.subprotocol.decode($0, isText: false, limits: WireLimits(frameBytes: 1 << 20, fields: 1 << 16))
            }
        } catch {
            throw ReadyFailure("a command cannot be read")
        }
    }

    /// Waits for a command, those included that came before.
    private func wait(_ what: String, where fits: (GenericCommand) -> Bool) throws(ReadyFailure) -> GenericCommand {
        if let index = self.waiting.firstIndex(where: fits) { return self.waiting.remove(at: index) }
        for _ in 0..<Self.mostCommands {
            let command = try self.next()
            if fits(command) { return command }
            self.waiting.append(command)
        }
        throw ReadyFailure("\(what) does not come")
    }

    /// Sends a request and waits for its answer.
    private func request(
        _ cmd: CommandType, _ op: OpType? = nil, _ fill: (inout GenericCommand) -> Void
    ) throws(ReadyFailure) -> GenericCommand {
        self.lastRequest += 1
        let number = self.lastRequest
        var command = GenericCommand()
        command.cmd = cmd
        command.op = op
        command.i = number
        command.appId = self.appID
        command.peerId = self.client
        fill(&command)
        do throws(HTTPClientError) { try self.socket.send(.binary(Self.subprotocol.encode(command))) } catch {
            throw ReadyFailure(error.description)
        }
        // A refusal of the whole connection answers no request.
        let answer = try self.wait("the answer to \(cmd)") { $0.i == number || ($0.i == nil && $0.cmd == .error) }
        if let refusal = answer.errorMessage { throw ReadyFailure("\(refusal.code) \(refusal.reason)") }
        if let refusal = answer.sessionMessage, let code = refusal.code, code != 0 {
            throw ReadyFailure("\(code) \(refusal.reason ?? "")")
        }
        if let refusal = answer.ackMessage, let code = refusal.code, code != 0 {
            throw ReadyFailure("\(code) \(refusal.reason ?? "")")
        }
        return answer
    }

    // MARK: Steps

    /// Asks for nothing: says whether the server takes commands on this connection.
    func prove() throws(ReadyFailure) { _ = try self.request(.echo) { $0.peerId = nil } }

    func open(_ proof: Proof) throws(ReadyFailure) {
        let answer = try self.request(.session, .open) { command in
            var message = SessionCommand()
            message.ua = "teahouse/ready"
            message.configBitmap = Self.features
            switch proof {
            case .none: break
            case .token(let token): message.s = token
            case .signature(let signature, let timestamp, let nonce):
                message.s = signature
                message.t = timestamp
                message.n = nonce
            }
            command.sessionMessage = message
        }
        guard answer.op == .opened else { throw ReadyFailure("the session is not opened") }
    }

    /// Starts a conversation that ends by itself; its id.
    func start(with other: String) throws(ReadyFailure) -> String {
        let answer = try self.request(.conv, .start) { command in
            var message = ConvCommand()
            message.m = [self.client, other]
            message.tempConv = true
            message.tempConvTTL = Self.lifeSeconds
            command.convMessage = message
        }
        guard let id = answer.convMessage?.cid else { throw ReadyFailure("the conversation has no id") }
        return id
    }

    /// Writes a message; its id.
    func send(to conversation: String) throws(ReadyFailure) -> String {
        let answer = try self.request(.direct) { command in
            var message = DirectCommand()
            message.cid = conversation
            message.msg = #"{"_lctype":-1,"_lctext":"teahouse is ready"}"#
            command.directMessage = message
        }
        guard let id = answer.ackMessage?.uid else { throw ReadyFailure("the message has no id") }
        return id
    }

    func receive(_ message: String) throws(ReadyFailure) {
        _ = try self.wait("the message") { $0.cmd == .direct && $0.directMessage?.id == message }
    }

    func findInHistory(_ message: String, of conversation: String) throws(ReadyFailure) {
        let answer = try self.request(.logs) { command in
            var logs = LogsCommand()
            logs.cid = conversation
            logs.limit = 10
            command.logsMessage = logs
        }
        guard answer.logsMessage?.logs.contains(where: { $0.msgId == message }) == true else {
            throw ReadyFailure("it is not in the history")
        }
    }

    /// Leaves; what is answered does not matter.
    func close() { _ = try? self.request(.session, .close) { $0.sessionMessage = SessionCommand() } }
}
