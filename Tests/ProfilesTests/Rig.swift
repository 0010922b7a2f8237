import ChatModel
import Execution
import Store
import TeahouseTesting

@testable import Profiles

/// A store with four people of Verona and a group, a clock that is turned by hand, and the service on top.
final class Rig {
    let folder = TemporaryFolder()
    let clock: ManualClock
    let store: Store
    let profiles: Profiles
    let changes = Changes()
    let group: ConversationID
    let ids: [String: UserID]
    private var isRunning = true

    static let names = ["romeo", "juliet", "tybalt", "nurse"]

    init(
        _ provider: (any ProfileProvider)? = nil, clock: ManualClock = ManualClock(),
        _ change: (inout ProfileOptions) -> Void = { _ in }
    ) throws {
        self.clock = clock
        var storing = StoreOptions(folder: self.folder.path)
        storing.ballastBytes = 0
        storing.stopWritingFreeBytes = 0
        let store = try Store(storing)
        self.store = store
        (self.ids, self.group) = try store.writeAndWait { transaction throws(StoreError) in
            var ids: [String: UserID] = [:]
            for name in Rig.names { ids[name] = try transaction.people.createUser(UserName(name)!) }
            try transaction.people.setDisplayName(ids["romeo"]!, "Romeo Montague")
            let group = try transaction.conversations.createChannel(
                .group, ChannelName("capulets")!, title: "House Capulet", creator: ids["juliet"]!,
                members: [ids["tybalt"]!, ids["nurse"]!])
            return (ids, group)
        }
        var options = ProfileOptions()
        options.windowMilliseconds = 0
        change(&options)
        self.profiles = Profiles(store: store, options: options, remote: provider, clock: clock.clock)
        let changes = self.changes
        _ = self.profiles.watch { changes.add($0) }
    }

    deinit { self.stop() }

    func stop() {
        guard self.isRunning else { return }
        self.isRunning = false
        self.profiles.stop()
        self.store.close()
    }

    /// Turns the clock and makes the service look at it.
    func pass(milliseconds: Int64) {
        self.clock.advance(milliseconds: milliseconds)
        self.profiles.wake()
    }

    func id(_ name: String) -> UserID { self.ids[name]! }

    /// A look-up with its answer to come.
    func ask(
        _ names: [String], by asker: String? = nil, in conversation: ConversationID? = nil, wait: Int64 = 60_000
    ) -> Box<[ProfileInfo]> {
        let box = Box<[ProfileInfo]>()
        self.profiles.lookUp(
            names.map { UserName($0)! }, by: asker.map(self.id), in: conversation, waitMilliseconds: wait, then: box.set
        )
        return box
    }

    func lookUp(
        _ names: String..., by asker: String? = nil, in conversation: ConversationID? = nil, wait: Int64 = 60_000
    ) -> [ProfileInfo] {
        self.ask(names, by: asker, in: conversation, wait: wait).value
    }

    func shown(_ name: String, by asker: String? = nil, in conversation: ConversationID? = nil) -> String {
        self.lookUp(name, by: asker, in: conversation)[0].shownName
    }

    func team(_ id: ConversationID, by asker: String? = nil) -> TeamInfo {
        let box = Box<TeamInfo>()
        self.profiles.team(id, by: asker.map(self.id), waitMilliseconds: 60_000, then: box.set)
        return box.value
    }

    func write(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) throws {
        try self.store.writeAndWait(body)
    }

    /// Waits until the table's answer about somebody stands in memory while another user system is still asked.
    func waitForTable(_ name: String) {
        while self.profiles.inspect(UserName(name)!).info == nil { self.settle() }
    }

    /// Waits until everything that was posted for the watchers has been told.
    func settle() {
        let done = Box<Bool>()
        let marker = UserName("a marker of the test")!
        let id = self.profiles.watch(WatchInterest(persons: [marker], teams: [])) { change in
            if change.subject == .person(marker) { done.set(true) }
        }
        self.profiles.invalidate(.person(marker), cause: .request)
        _ = done.value
        self.profiles.unwatch(id)
        self.changes.drop { $0.subject == .person(marker) }
    }
}

/// A place for one answer.
final class Box<Value: Sendable>: Sendable {
    private let state = ConditionLock<[Value]>([])

    var set: @Sendable (Value) -> Void {
        { value in self.state.change { $0.append(value) } }
    }

    func set(_ value: Value) { self.state.change { $0.append(value) } }

    /// Waits for it.
    var value: Value { self.state.wait(until: { !$0.isEmpty }, then: { $0[0] }) }

    var isThere: Bool { self.state.read { !$0.isEmpty } }

    var count: Int { self.state.read { $0.count } }
}

/// What a watcher was told.
final class Changes: Sendable {
    private let state = ConditionLock<[ProfileChange]>([])

    func add(_ change: ProfileChange) { self.state.change { $0.append(change) } }

    var all: [ProfileChange] { self.state.read { $0 } }

    func clear() { self.state.change { $0 = [] } }

    func drop(_ unwanted: (ProfileChange) -> Bool) { self.state.change { $0.removeAll(where: unwanted) } }

    /// Waits until a change like this was told.
    func wait(_ isWanted: (ProfileChange) -> Bool) { self.state.wait(until: { $0.contains(where: isWanted) }) { _ in } }
}

/// A user system that answers when the test says so.
final class HandProvider: ProfileProvider {
    struct Call: Sendable {
        var names: [UserName]
        var then: @Sendable (Result<[FetchedProfile], ProfileProviderError>) -> Void
    }

    private let calls = ConditionLock<[Call]>([])
    let name = "by hand"
    let state = ProfileProviderState.working

    func fetch(
        _ names: [UserName], then: @escaping @Sendable (Result<[FetchedProfile], ProfileProviderError>) -> Void
    ) {
        self.calls.change { $0.append(Call(names: names, then: then)) }
    }

    var count: Int { self.calls.read { $0.count } }

    /// Waits for the request with this number, from 0.
    func call(_ number: Int) -> Call { self.calls.wait(until: { $0.count > number }, then: { $0[number] }) }

    /// Answers a request: everybody in it is called by a name, with a prefix.
    func answer(_ number: Int, prefix: String, ttlMilliseconds: Int64? = nil) {
        let call = self.call(number)
        call.then(
            .success(
                call.names.map {
                    FetchedProfile(
                        name: $0, displayName: "\(prefix) \($0)", ttlMilliseconds: ttlMilliseconds)
                }))
    }
}
