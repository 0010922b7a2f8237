import Accounts
import AdminAPI
import AdminService
import Broker
import ChatModel
import Diagnostics
import Execution
import FileStore
import Glibc
import Profiles
import Store
import Testing
import Transfers
import WuKongTranslation

/// A real store, broker, accounts, files and profiles in a temporary folder, with the admin service on its socket.
final class Fixture: Sendable {
    let folder: String
    let store: Store
    let accounts: Accounts
    let broker: Broker
    let moderation: Moderation
    let transfers: Transfers
    let profiles: Profiles
    let service: AdminService
    let outlet = RecordingOutlet()

    init(
        longPath: Bool = false, clock: Clock = .system, _ change: (inout AdminServiceOptions) -> Void = { _ in },
        transfers: (inout TransferOptions) -> Void = { _ in }
    ) throws {
        var template = Array("/tmp/teahouse-admin-XXXXXX".utf8CString)
        var folder = String(cString: try #require(mkdtemp(&template)))
        if longPath { folder += "/" + String(repeating: "long", count: 50) }
        self.folder = folder
        var storeOptions = StoreOptions(folder: folder)
        storeOptions.ballastBytes = 0
        storeOptions.stopWritingFreeBytes = 0
        storeOptions.clock = clock
        storeOptions.systemMessages = WuKongSystemMessages.messages
        self.store = try Store(storeOptions)
        var accountsOptions = AccountsOptions()
        accountsOptions.passwords.memoryBytes = 8_192
        accountsOptions.passwords.passes = 1
        accountsOptions.clock = clock
        self.accounts = Accounts(self.store, folder: folder, options: accountsOptions)
        try self.accounts.app.open(appID: "teahouse-test-app-gzGzoHsz")
        self.broker = Broker(store: self.store, limits: BrokerLimits(), clock: .system, log: .silent)
        let bodies = WuKongBodies()
        self.moderation = try Moderation(
            store: self.store, broker: self.broker, bodies: [.native: bodies, .wuKong: bodies])
        var transferOptions = TransferOptions()
        transferOptions.stopUploadsFreeBytes = 0
        transferOptions.stopUploadsFreePercent = 0
        transfers(&transferOptions)
        self.transfers = Transfers(
            store: self.store, providers: [try ObjectFolder(folder + "/files")], options: transferOptions, clock: clock,
            log: .silent)
        self.profiles = Profiles(store: self.store)
        var options = AdminServiceOptions(folder: folder, version: "1.0", addresses: ["127.0.0.1:7677"])
        options.clock = clock
        change(&options)
        self.service = try AdminService(
            options, store: self.store, accounts: self.accounts, broker: self.broker, moderation: self.moderation,
            transfers: self.transfers, profiles: self.profiles)
    }

    deinit {
        self.service.stop()
        self.transfers.stop()
        self.profiles.stop()
        self.accounts.stop()
        self.broker.stop()
        self.store.close()
        removeTree("\(self.folder)/files")
        for name in ["teahouse.db", "teahouse.db-wal", "teahouse.db-shm", "lock", "ballast", "setup-token", "app.key"] {
            unlink("\(self.folder)/\(name)")
        }
        rmdir(self.folder)
        if self.folder.hasSuffix("long") { rmdir(String(self.folder.dropLast(201))) }
    }

    /// The path of the only content on the disk.
    func onlyContent() throws -> String { try #require(contents(under: "\(self.folder)/files/objects").first) }

    func client() throws -> AdminClient { try AdminClient(dataFolder: self.folder) }

    /// Adds people.
    func add(_ names: String...) throws {
        for name in names {
            _ = try self.accounts.wait { self.accounts.addUser(UserName(name)!, then: $0) }
        }
    }

    /// Opens a session, as a gateway does, and waits until the broker has it.
    func signIn(_ name: String, _ deviceClass: DeviceClass, handle: UInt64) throws {
        let user = try #require(
            try self.store.readAndWait { transaction throws(StoreError) in
                try transaction.people.user(named: UserName(name)!)
            })
        let description = SessionDescription(
            id: SessionID(rawValue: 0), user: user.id, userName: user.name, deviceClass: deviceClass,
            deviceLevel: .primary, deviceID: "phone-\(handle)", protocolName: "test", address: "127.0.0.1:1",
            isEncrypted: false, openedAtMilliseconds: 0)
        self.broker.open(SessionOpening(description: description, outlet: self.outlet, handle: handle))
        self.outlet.wait { $0.opened.contains(handle) }
    }
}

/// A gateway that only notes what the broker tells it.
final class RecordingOutlet: Outlet {
    struct Noted {
        var opened: Set<UInt64> = []
        var ended: [UInt64: SessionEndReason] = [:]
        var received: [String] = []
    }

    private let noted = ConditionLock(Noted())

    func deliver(_ events: [SessionEvent]) {
        self.noted.change { noted in
            for event in events {
                switch event {
                case .opened(let handle, _): noted.opened.insert(handle)
                case .ended(let handle, let reason): noted.ended[handle] = reason
                case .published, .event, .withdrawn, .happened, .typing, .position: break
                case .message(let delivery, _):
                    noted.received.append(String(decoding: delivery.message.content.body, as: UTF8.self))
                }
            }
        }
    }

    /// Each session is as busy as its handle says, and the one numbered 9 is over by then.
    func measure(_ handles: [UInt64], then: @escaping @Sendable ([UInt64: SessionMeasure]) -> Void) {
        var measures: [UInt64: SessionMeasure] = [:]
        for handle in handles where handle != 9 {
            measures[handle] = SessionMeasure(
                activeAtMilliseconds: Int64(handle) * 1_000, queuedBytes: Int(handle) * 10, unacknowledged: Int(handle))
        }
        then(measures)
    }

    /// Events that came so far, oldest first.
    var received: [String] { self.noted.wait(until: { _ in true }, then: { $0.received }) }

    func wait(until ready: (Noted) -> Bool) { self.noted.wait(until: ready, then: { _ in }) }
}

extension Fixture {
    /// Until when a member of a group is muted, UTC milliseconds.
    func mutedUntil(_ name: UserName, in group: ChannelName) throws -> Int64 {
        let member = try self.store.readAndWait { store throws(StoreError) in
            let conversation = try store.conversations.one(.channel(.group, group), seenBy: .system)
            let user = try store.people.user(named: name)
            guard let conversation, let user else { return Member?.none }
            return try store.conversations.member(user.id, in: conversation.id)
        }
        return try #require(member).mutedUntilMilliseconds
    }
}

extension AdminClient {
    func refusal(of request: AdminRequest) -> AdminError? {
        do throws(AdminError) {
            _ = try self.ask(request)
            return nil
        } catch {
            return error
        }
    }

    func count(_ request: AdminRequest) throws -> Int64 {
        let answer = try self.ask(request)
        if case .teams(.invited(let invited)) = answer { return Int64(invited.added.count) }
        guard case .count(let count) = answer else { throw AdminError(.protocolError, "another answer was due") }
        return count
    }

    func sessions() throws -> [AdminSession] {
        guard case .sessions(let sessions, nil) = try self.ask(.listSessions(nil, after: nil)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return sessions
    }
}

let romeo = UserName("romeo")!
let juliet = UserName("juliet")!
let verona = ChannelName("verona")!

/// Files under a folder that are contents, at any depth.
func contents(under folder: String) -> [String] {
    names(in: folder).flatMap { name -> [String] in
        let path = "\(folder)/\(name)"
        let below = contents(under: path)
        if !below.isEmpty { return below }
        return name.count >= 64 && !name.hasSuffix(".idx") ? [path] : []
    }
}

private func names(in folder: String) -> [String] {
    guard let open = opendir(folder) else { return [] }
    defer { closedir(open) }
    var names: [String] = []
    while let entry = readdir(open) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names
}

private func removeTree(_ folder: String) {
    for name in names(in: folder) {
        let path = "\(folder)/\(name)"
        if unlink(path) != 0 { removeTree(path) }
    }
    rmdir(folder)
}
