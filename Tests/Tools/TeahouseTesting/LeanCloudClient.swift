package import LeanCloudWire

/// A client of LeanCloud's realtime protocol over a real WebSocket. It waits for what must come and gives up loudly.
package final class LeanCloudClient {
    private let socket: ClientWebSocket
    private let subprotocol: LeanCloudSubprotocol
    private let appID: String
    private var inbox: [GenericCommand] = []
    private var hasEnded = false
    /// Number of the newest request.
    package private(set) var lastRequest: Int32 = 0
    /// The client that requests are from; set by `open`. `nil` leaves it out, as SDKs do that are alone on a
    /// connection.
    package var peer: String?
    /// The session's token, from the newest answer that had one.
    package private(set) var sessionToken: String?

    /// - Parameter receiveBufferBytes: how much the kernel keeps for who does not read; `nil` for as it likes.
    package init(
        port: UInt16, appID: String, subprotocol: LeanCloudSubprotocol = .init(.binary, .countsMissedMessages),
        path: String = "/", fields: [(String, String)] = [], receiveBufferBytes: Int32? = nil
    ) throws {
        self.subprotocol = subprotocol
        self.appID = appID
        self.socket = try ClientWebSocket(
            port: port, path: path, fields: [("Sec-WebSocket-Protocol", subprotocol.name)] + fields,
            receiveBufferBytes: receiveBufferBytes)
    }

    /// The subprotocol that the server answered with, as it stands there.
    package var answeredSubprotocol: String? { self.socket.field("sec-websocket-protocol") }

    /// Code of the server's close frame; `nil` before.
    package var closeCode: UInt16? { self.socket.closeCode }

    /// Drops the connection without a word.
    package func drop() { self.socket.drop() }

    // MARK: Commands

    /// Sends a command.
    package func send(_ command: GenericCommand) throws {
        let bytes = self.subprotocol.encode(command)
        try self.socket.send(self.subprotocol.usesTextFrames ? .text(bytes) : .binary(bytes))
    }

    /// Sends a frame as it is.
    package func send(frame: ClientWebSocket.Message) throws { try self.socket.send(frame) }

    /// Waits for one more command; `nil` when the server has closed.
    package func next() throws -> GenericCommand? {
        if !self.inbox.isEmpty { return self.inbox.removeFirst() }
        return try self.arriving()
    }

    private func arriving() throws -> GenericCommand? {
        guard !self.hasEnded, let message = try self.socket.receive() else {
            self.hasEnded = true
            return nil
        }
        let command =
            switch message {
            case .text(let bytes): try self.decode(bytes, isText: true)
            case .binary(let bytes): try self.decode(bytes, isText: false)
            }
        if let token = command.sessionMessage?.st { self.sessionToken = token }
        return command
    }

    private func decode(_ bytes: [UInt8], isText: Bool) throws -> GenericCommand {
        try bytes.withUnsafeBytes {
            try self.subprotocol.decode($0, isText: isText, limits: WireLimits(frameBytes: 1 << 24, fields: 1 << 20))
        }
    }

    /// Waits for the first command that fits, those that came before included; the others stay.
    ///
    /// - Parameter what: for the error when the server closes before.
    package func wait(
        _ what: String = "a command", where fits: (GenericCommand) -> Bool
    ) throws -> GenericCommand {
        if let index = self.inbox.firstIndex(where: fits) { return self.inbox.remove(at: index) }
        while let command = try self.arriving() {
            if fits(command) { return command }
            self.inbox.append(command)
        }
        throw TestClientError(description: "the server closed before \(what) came; there was \(self.inbox)")
    }

    /// Waits for a command of this kind, past others.
    package func wait(_ cmd: CommandType, _ op: OpType? = nil) throws -> GenericCommand {
        try self.wait("\(cmd) \(op.map { "\($0)" } ?? "")") { $0.cmd == cmd && (op == nil || $0.op == op) }
    }

    /// Sends a request with the next number and waits for its answer; what comes meanwhile stays for `wait`.
    @discardableResult
    package func request(
        _ cmd: CommandType, _ op: OpType? = nil, _ fill: (inout GenericCommand) -> Void = { _ in }
    ) throws -> GenericCommand {
        self.lastRequest += 1
        let number = self.lastRequest
        var command = GenericCommand()
        command.cmd = cmd
        command.op = op
        command.i = number
        command.peerId = self.peer
        fill(&command)
        try self.send(command)
        return try self.wait("the answer to \(number)") { $0.i == command.i }
    }

    /// Waits until everything the server did before now has arrived, by an echo. What came stays for `wait`.
    package func settle() throws { try self.request(.echo) }

    /// Commands that have arrived and were not taken. Call `settle` before, when something must not come.
    package var waiting: [GenericCommand] { self.inbox }

    /// Drops the commands that were not taken.
    package func forgetWaiting() { self.inbox.removeAll() }

    /// Waits for the server to close; returns what came before.
    package func waitForEnd() throws -> [GenericCommand] {
        var commands: [GenericCommand] = []
        while let command = try self.next() { commands.append(command) }
        return commands
    }

    // MARK: Sessions

    /// Asks to sign in.
    ///
    /// - Parameters:
    ///   - token: a device token, where the server takes these.
    ///   - fill: what else the session command says; by default what the JavaScript SDK says of its features.
    package func tryToOpen(
        _ name: String?, token: String? = nil, _ fill: (inout SessionCommand) -> Void = { _ in }
    ) throws -> GenericCommand {
        try self.request(.session, .open) { command in
            command.appId = self.appID
            command.peerId = name
            var message = SessionCommand()
            message.ua = "js/5.0.0"
            message.configBitmap = ConfigBitmap(rawValue: 187)
            message.s = token
            fill(&message)
            command.sessionMessage = message
        }
    }

    /// Opens a session.
    @discardableResult
    package func open(
        _ name: String, token: String? = nil, _ fill: (inout SessionCommand) -> Void = { _ in }
    ) throws -> GenericCommand {
        let answer = try self.tryToOpen(name, token: token, fill)
        guard answer.cmd == .session, answer.op == .opened else {
            throw TestClientError(description: "sign-in of \(name) refused: \(answer)")
        }
        return answer
    }
}

extension TestServer {
    /// App ID of the server.
    package var leanCloudAppID: String { self.server.accounts.app.keys.appID }

    /// A connection to LeanCloud's gateway that has said nothing yet.
    package func leanCloudSocket(
        _ subprotocol: LeanCloudSubprotocol = .init(.binary, .countsMissedMessages), path: String = "/",
        fields: [(String, String)] = [], receiveBufferBytes: Int32? = nil
    ) throws -> LeanCloudClient {
        try LeanCloudClient(
            port: self.port, appID: self.leanCloudAppID, subprotocol: subprotocol, path: path, fields: fields,
            receiveBufferBytes: receiveBufferBytes)
    }

    /// A client that is signed in through LeanCloud's gateway, with a device token; the person is added when missing.
    package func leanCloud(
        _ name: String, _ subprotocol: LeanCloudSubprotocol = .init(.binary, .countsMissedMessages),
        _ fill: (inout SessionCommand) -> Void = { _ in }
    ) throws -> LeanCloudClient {
        let client = try self.leanCloudSocket(subprotocol)
        try client.open(name, token: try self.token(name, .app), fill)
        return client
    }
}
