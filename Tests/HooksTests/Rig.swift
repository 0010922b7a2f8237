import Broker
import ByteCodec
import ChatModel
import Diagnostics
import Execution
import Glibc
import HTTPClient
import Store
import TeahouseTesting
import Testing

@testable import Hooks

/// A store, a broker and hooks on a temporary folder, without gateways: sessions are opened by hand.
final class Rig {
    let folder: TemporaryFolder
    let store: Store
    let broker: Broker
    let client: HTTPClient
    let hooks: Hooks?
    let lines: LogLines
    private var isRunning = true
    private var lastHandle: UInt64 = 0

    /// - Parameter receiver: `nil` switches hooks off.
    init(
        _ receiver: String?, on folder: TemporaryFolder = TemporaryFolder(),
        rule: AddressRule = AddressRule(), queueRequests: Int? = nil,
        _ change: (inout HooksOptions) -> Void = { _ in }
    ) throws {
        self.folder = folder
        let lines = LogLines()
        self.lines = lines
        let log = Log(level: .debug, write: { lines.add($0) })
        var options: HooksOptions?
        if let receiver {
            var made = HooksOptions(address: try HTTPAddress(receiver))
            made.lingerMilliseconds = 5
            made.firstRetryMilliseconds = 5
            made.lastRetryMilliseconds = 20
            made.timeoutMilliseconds = 20_000
            made.log = log
            change(&made)
            options = made
        }
        var storing = StoreOptions(folder: folder.path)
        storing.ballastBytes = 0
        storing.stopWritingFreeBytes = 0
        storing.queuesHooks = options?.events.contains { $0.needsQueuedMessages } ?? false
        if let queueRequests { storing.queueRequests = queueRequests }
        self.store = try Store(storing)
        self.broker = Broker(store: self.store, limits: BrokerLimits(), clock: .system, log: .silent)
        var outgoing = HTTPClientOptions()
        outgoing.rule = rule
        self.client = try HTTPClient(outgoing)
        self.hooks = options.map { [store, broker, client] in
            Hooks($0, store: store, broker: broker, client: client)
        }
    }

    deinit { self.stop() }

    func stop() {
        guard self.isRunning else { return }
        self.isRunning = false
        self.hooks?.stop()
        self.client.stop()
        self.store.close()
        self.broker.stop()
    }

    // MARK: People

    @discardableResult
    func add(_ names: String...) throws -> [UserID] {
        try self.store.writeAndWait { transaction throws(StoreError) in
            var ids: [UserID] = []
            for name in names { ids.append(try transaction.people.ensureUser(UserName(name)!).id) }
            return ids
        }
    }

    func group(_ name: String, _ members: String...) throws {
        let ids = try members.map { try self.add($0)[0] }
        try self.store.writeAndWait { transaction throws(StoreError) in
            try transaction.conversations.createChannel(.group, ChannelName(name)!, creator: ids[0], members: ids)
        }
    }

    /// Opens a session and waits until the broker has it.
    @discardableResult
    func signIn(_ name: String, _ deviceClass: DeviceClass = .app, _ level: DeviceLevel = .primary) throws -> SessionID
    {
        self.signIn(name, as: try self.add(name)[0], deviceClass, level)
    }

    /// The same for somebody who is known: without a word to the store.
    func signIn(
        _ name: String, as user: UserID, _ deviceClass: DeviceClass = .app, _ level: DeviceLevel = .primary
    ) -> SessionID {
        self.lastHandle += 1
        let outlet = SilentOutlet()
        self.broker.open(
            SessionOpening(
                description: SessionDescription(
                    id: SessionID(rawValue: 0), user: user, userName: UserName(name)!, deviceClass: deviceClass,
                    deviceLevel: level, deviceID: "device\(self.lastHandle)", protocolName: "test", address: "test",
                    isEncrypted: false, openedAtMilliseconds: 0), outlet: outlet, handle: self.lastHandle))
        return outlet.waitForSession()
    }

    /// Sends a message and waits until it is stored.
    func say(_ body: String, from: String, to address: ConversationAddress, flags: MessageFlags = .countsAsUnread)
        throws
    {
        let sender = from == systemUserName.text ? UserID.system : try self.add(from)[0]
        let done = ConditionLock<AppendResult?>(nil)
        self.broker.publish(
            as: sender, authority: .operator, to: address, token: ClientToken(Array("token-\(body)".utf8)),
            content: MessageContent(kind: .text, flags: flags, wire: .wuKong, body: Array(body.utf8))
        ) { result in done.change { $0 = result } }
        guard case .accepted? = done.wait(until: { $0 != nil }, then: { $0 }) else {
            throw RigError(description: "\(body) was not taken")
        }
    }

    func say(_ body: String, from: String, to peer: String) throws {
        try self.say(body, from: from, to: .direct(UserName(peer)!))
    }

    func say(_ body: String, from: String, group: String) throws {
        try self.say(body, from: from, to: .channel(.group, ChannelName(group)!))
    }

    /// How many events wait.
    func waiting() throws -> Int64 {
        try self.store.readAndWait { transaction throws(StoreError) in try transaction.hooks.length().events }
    }
}

struct RigError: Error, CustomStringConvertible {
    var description: String
}

/// An outlet that hears nothing but its opening.
final class SilentOutlet: Outlet {
    private let session = ConditionLock<SessionID?>(nil)

    func deliver(_ events: [SessionEvent]) {
        for case .opened(_, let id) in events { self.session.change { $0 = id } }
    }

    func measure(_ handles: [UInt64], then: @escaping @Sendable ([UInt64: SessionMeasure]) -> Void) { then([:]) }

    func waitForSession() -> SessionID { self.session.wait(until: { $0 != nil }, then: { $0! }) }
}

/// What was logged.
final class LogLines: Sendable {
    private let lines = Lock<[String]>([])

    func add(_ line: String) { self.lines.withLock { $0.append(line) } }

    func contain(_ text: String) -> Bool { self.lines.withLock { $0.contains { $0.contains(text) } } }
}

// MARK: Reading what a receiver got

extension ReceivedRequest {
    /// The name after `?event=`.
    var event: String { String(self.target.split(separator: "=").last ?? "") }

    var json: JSONValue { (try? JSONValue(parsing: self.body)) ?? .null }

    /// Texts of the messages of `msg.notify`, or of the one of `msg.offline`.
    var payloads: [String] {
        (self.json.array ?? [self.json]).map { message in
            let bytes = message["payload"]?.string.flatMap { Base64.decode(Array($0.utf8)) } ?? []
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    var receivers: [String] { (self.json["to_uids"]?.array ?? []).compactMap(\.string) }
}

extension [ReceivedRequest] {
    func of(_ event: HookEvent) -> [ReceivedRequest] { self.filter { $0.event == event.rawValue } }

    /// All texts of `msg.notify`, in the order they came.
    var notified: [String] { self.of(.messages).flatMap(\.payloads) }
}
