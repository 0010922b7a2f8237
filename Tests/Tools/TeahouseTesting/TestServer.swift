import Broker
package import ChatModel
import Execution
package import Server
package import Store
import Transport

/// A whole server in this process: real sockets on port 0 of loopback, a real database in a temporary folder. Its rates
/// are such that no test reaches them by chance, and nobody is told that friends come and go.
package final class TestServer {
    /// Data folder, deleted with the object.
    package let folder: TemporaryFolder
    private let configure: (inout ServerOptions) -> Void
    /// Server that runs now.
    package private(set) var server: TeahouseServer
    private var isRunning = true

    /// - Parameter configure: changes the options; also used by every `restart`.
    package init(
        on folder: TemporaryFolder = TemporaryFolder(), _ configure: @escaping (inout ServerOptions) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.configure = configure
        self.server = try Self.start(folder.path, configure)
    }

    deinit { self.stop() }

    private static func start(_ path: String, _ configure: (inout ServerOptions) -> Void) throws -> TeahouseServer {
        var options = ServerOptions(folder: path, listeners: [ListenAddress(host: "127.0.0.1", port: 0)])
        options.store.ballastBytes = 0
        options.store.logRoomBytes = 32 * 1_024 * 1_024
        options.store.stopWritingFreeBytes = 0
        options.servesTLS = false
        options.broker.perUser = RateLimit(perSecond: 1e6, burst: 1e6)
        options.broker.perConversation = RateLimit(perSecond: 1e6, burst: 1e6)
        options.broker.keptCommands = RateLimit(perSecond: 1e6, burst: 1e6)
        options.leanCloud.requestRate = RateLimit(perSecond: 1e6, burst: 1e6)
        options.leanCloud.historyRate = RateLimit(perSecond: 1e6, burst: 1e6)
        // Device tokens are what tests have at hand.
        options.accounts.app.signIn = .token
        options.accounts.app.signsConversations = false
        options.accounts.app.signsHistory = false
        options.business.presenceSettleMilliseconds = 3_600_000
        configure(&options)
        return try TeahouseServer(options)
    }

    /// Port of the server that runs now.
    package var port: UInt16 { self.server.addresses[0].port }

    /// Stops the server as SIGTERM does; the folder stays.
    package func stop() {
        guard self.isRunning else { return }
        self.isRunning = false
        self.server.stop(deadlineMilliseconds: 1000)
    }

    /// Stops the server and starts it on the same folder.
    package func restart() throws {
        self.stop()
        self.server = try Self.start(self.folder.path, self.configure)
        self.isRunning = true
    }

    // MARK: People and groups

    /// Adds people.
    package func add(_ names: String...) throws { try self.add(names) }

    /// Adds people by name.
    package func add(_ names: [String]) throws {
        let users = names.map { UserName($0)! }
        try self.server.store.writeAndWait { transaction throws(StoreError) in
            for user in users { _ = try transaction.people.ensureUser(user) }
        }
    }

    /// A sign-in token for a person, who is added when missing.
    package func token(
        _ name: String, _ deviceClass: DeviceClass = .desktop, level: DeviceLevel = .secondary
    ) throws -> String {
        try self.add([name])
        let accounts = self.server.accounts
        let issued = try accounts.wait {
            accounts.issueToken(for: UserName(name)!, class: deviceClass, level: level, lifetimeSeconds: nil, then: $0)
        }
        return issued.token.text
    }

    /// Identifier of a person.
    package func id(_ name: String) throws -> UserID {
        let user = UserName(name)!
        return try self.server.store.readAndWait { transaction throws(StoreError) in
            guard let found = try transaction.people.user(named: user) else { throw .notFound(user.text) }
            return found.id
        }
    }

    /// Makes a group; its people are added when missing. The first one owns it.
    @discardableResult
    package func group(_ channel: String, _ names: [String]) throws -> ConversationID {
        try self.add(names)
        let members = try names.map { try self.id($0) }
        let name = ChannelName(channel)!
        return try self.server.store.writeAndWait { transaction throws(StoreError) in
            try transaction.conversations.createChannel(.group, name, title: nil, creator: members[0], members: members)
        }
    }

    /// Changes something in the store and waits for the commit.
    @discardableResult
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) throws -> Value {
        try self.server.store.writeAndWait(body)
    }

    /// Sends so many texts of so many bytes into a conversation, past all rates, and waits until they are stored.
    package func fill(_ id: ConversationID, by name: String, count: Int, bytes: Int) throws {
        let sender = try self.id(name)
        let body = #"{"type":1,"content":""# + String(repeating: "x", count: bytes) + #""}"#
        let content = MessageContent(kind: .text, flags: .countsAsUnread, wire: .native, body: Array(body.utf8))
        let left = ConditionLock(count)
        for _ in 0..<count {
            self.server.broker.publish(
                as: sender, authority: .operator, to: .id(id), token: nil, content: content
            ) { _ in left.change { $0 -= 1 } }
        }
        left.wait(until: { $0 == 0 }, then: { _ in })
        let head = try self.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.conversations.one(id)?.head
        }
        guard head == Int64(count) else { throw TestClientError(description: "\(head ?? 0) of \(count) were stored") }
    }

    /// The whole history of a conversation, as far as 1,000 messages, seen by somebody.
    package func history(_ address: ConversationAddress, seenBy name: String) throws -> [Message] {
        let asker = try self.id(name)
        return try self.server.store.readAndWait { transaction throws(StoreError) in
            guard let conversation = try transaction.conversations.one(address, seenBy: asker) else { return [] }
            return try transaction.messages.latest(in: conversation.id, limit: 1000, as: .unrestricted)
        }
    }

    /// Waits until everybody who is signed in has been told of what was changed before now: the writer tells the
    /// broker, the broker its observers, whose commands go to the writer and come back.
    package func settle() throws {
        for _ in 0..<2 {
            try self.write { _ throws(StoreError) in }
            for _ in 0..<2 {
                let turn = ConditionLock(false)
                self.server.broker.metrics { _ in turn.change { $0 = true } }
                turn.wait(until: { $0 }, then: { _ in })
            }
        }
    }

    // MARK: Clients

    /// A client that is signed in. What was changed before is not told to it as news.
    package func connect(
        _ name: String, _ deviceClass: DeviceClass = .desktop, level: DeviceLevel = .secondary,
        device: String? = nil, token: String? = nil
    ) throws -> TestClient {
        let token = try token ?? self.tokenForNow(name, deviceClass, level)
        let client = try self.socket()
        try client.signIn(name, token: token, deviceClass, device: device)
        return client
    }

    private func tokenForNow(_ name: String, _ deviceClass: DeviceClass, _ level: DeviceLevel) throws -> String {
        let token = try self.token(name, deviceClass, level: level)
        try self.settle()
        return token
    }

    /// A connection that has said nothing yet.
    ///
    /// - Parameter receiveBufferBytes: how much the kernel keeps for who does not read; `nil` for as it likes.
    package func socket(receiveBufferBytes: Int32? = nil) throws -> TestClient {
        try TestClient(port: self.port, receiveBufferBytes: receiveBufferBytes)
    }

    /// A client of the binary encoding that is signed in.
    package func connectBinary(
        _ name: String, _ deviceClass: DeviceClass = .app, level: DeviceLevel = .secondary, device: String? = nil,
        over carrier: BinaryClient.Carrier = .tcp, version: UInt8 = 5, token: String? = nil
    ) throws -> BinaryClient {
        let token = try token ?? self.tokenForNow(name, deviceClass, level)
        let client = try self.binarySocket(over: carrier, version: version)
        try client.signIn(name, token: token, deviceClass, device: device)
        return client
    }

    /// A connection for the binary encoding that has said nothing yet.
    package func binarySocket(
        over carrier: BinaryClient.Carrier = .tcp, version: UInt8 = 5
    ) throws -> BinaryClient {
        try BinaryClient(port: self.port, over: carrier, version: version)
    }

    /// Findings of `verify` in the folder, which must be stopped.
    package func findings() throws -> [String] { try verifyFolder(self.folder.path).findings.map(\.description) }
}
