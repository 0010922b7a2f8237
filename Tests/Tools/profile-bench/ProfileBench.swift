import ChatModel
import Execution
import Glibc
import Profiles
import Store

/// Measures look-ups of profiles alone: what is in memory, what is not, and what it would cost to read an asker's own
/// words with each look-up instead of keeping them.
@main
struct ProfileBench {
    static let people = 10_000
    static let members = 500
    static let friends = 1_000
    /// Names of one look-up: a screen of a client.
    static let batch = 20
    static let hitRounds = 200_000

    static func main() {
        guard CommandLine.arguments.count == 2 else {
            print("usage: profile-bench FOLDER")
            exit(64)
        }
        do throws(StoreError) {
            try self.run(CommandLine.arguments[1])
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    private static func run(_ folder: String) throws(StoreError) {
        let store = try Store(StoreOptions(folder: folder))
        let (users, group) = try self.fill(store)
        let profiles = Profiles(store: store)
        let names = users.map(\.name)
        self.misses(profiles, names)
        let asker = users[0].id
        self.hits(profiles, names, threads: 1, "one name, nobody's context", count: 1, asker: nil, group: nil)
        self.hits(profiles, names, threads: 1, "a screen, nobody's context", count: Self.batch, asker: nil, group: nil)
        self.hits(profiles, names, threads: 1, "a screen in a group", count: Self.batch, asker: asker, group: group)
        self.hits(profiles, names, threads: 2, "a screen in a group", count: Self.batch, asker: asker, group: group)
        try self.context(store, profiles, asker, group, Array(names[0..<Self.batch]))
        let metrics = profiles.metrics
        print("memory: \(metrics.entries) entries, counted as \(metrics.bytes / 1024) KiB")
        profiles.stop()
        store.close()
    }

    private static func fill(
        _ store: Store
    ) throws(StoreError) -> (users: [(id: UserID, name: UserName)], group: ConversationID) {
        try store.writeAndWait { writing throws(StoreError) in
            var users: [(id: UserID, name: UserName)] = []
            for number in 0..<Self.people {
                let name = UserName("user\(number)")!
                let id = try writing.people.createUser(name, displayName: "User number \(number)")
                try writing.people.setProfile(of: id, ProfilePatch(avatar: "/v1/users/\(name)/avatar"))
                users.append((id, name))
            }
            let group = try writing.conversations.createChannel(
                .group, ChannelName("everybody")!, title: "Everybody", creator: users[0].id,
                members: users[1..<Self.members].map(\.id))
            for user in users[0..<Self.members] {
                try writing.conversations.setNickname(of: user.id, "member \(user.name)", in: group, by: .operator)
            }
            for user in users[1...Self.friends] {
                try writing.friends.make(users[0].id, user.id)
                try writing.friends.setRemark(user.id, of: users[0].id, "friend \(user.name)")
            }
            return (users, group)
        }
    }

    /// Everybody once, so that nothing is there before; 64 look-ups wait at a time.
    private static func misses(_ profiles: Profiles, _ names: [UserName]) {
        let done = ConditionLock(0)
        let start = Clock.system.now()
        var asked = 0
        while asked < names.count {
            let sent = asked
            done.wait(until: { sent - $0 < 64 * Self.batch }, then: { _ in })
            let page = Array(names[asked..<min(asked + Self.batch, names.count)])
            profiles.lookUp(page, by: nil, in: nil, waitMilliseconds: 10_000) { infos in
                done.change { $0 += infos.count { !$0.isPlaceholder } }
            }
            asked += page.count
        }
        done.wait(until: { $0 == names.count }, then: { _ in })
        self.report("misses, \(Self.batch) names a look-up", names.count, since: start)
        print("  \(profiles.metrics.tableReads) reads of the table")
    }

    private static func hits(
        _ profiles: Profiles, _ names: [UserName], threads: Int, _ title: String, count: Int, asker: UserID?,
        group: ConversationID?
    ) {
        // The context comes into memory, too.
        let warm = ConditionLock(false)
        profiles.lookUp([names[0]], by: asker, in: group, waitMilliseconds: 10_000) { _ in warm.change { $0 = true } }
        warm.wait(until: { $0 }, then: { _ in })
        let rounds = Self.hitRounds / threads
        let pages = (0..<100).map { page in Array(names[(page * count)..<(page * count + count)]) }
        let start = Clock.system.now()
        let workers = (0..<threads).map { _ in
            Thread(name: "asker") {
                let shown = Lock(0)
                for round in 0..<rounds {
                    profiles.lookUp(pages[round % pages.count], by: asker, in: group, waitMilliseconds: 0) { infos in
                        shown.withLock { $0 += infos.count { !$0.isPlaceholder } }
                    }
                }
                precondition(shown.withLock { $0 } == rounds * count, "a hit was none")
            }
        }
        for worker in workers { worker.join() }
        self.report("hits, \(title), \(threads) threads", rounds * threads, since: start, "look-ups")
    }

    /// Costs of one look-up in a group when the words of the asker and the names of the group are read each time.
    private static func context(
        _ store: Store, _ profiles: Profiles, _ asker: UserID, _ group: ConversationID, _ names: [UserName]
    ) throws(StoreError) {
        let rounds = 2_000
        var start = Clock.system.now()
        for _ in 0..<rounds {
            _ = try store.readAndWait { reading throws(StoreError) in
                var found = 0
                for name in names {
                    guard let user = try reading.people.user(named: name) else { continue }
                    if try reading.friends.one(user.id, of: asker)?.remark != nil { found += 1 }
                    if try reading.conversations.member(user.id, in: group)?.nickname != nil { found += 1 }
                }
                return found
            }
        }
        self.report("reading alias and team name of a screen each time", rounds, since: start, "look-ups")
        start = Clock.system.now()
        for _ in 0..<rounds / 10 {
            _ = try store.readAndWait { reading throws(StoreError) in try reading.profiles.remarks(by: asker) }
        }
        self.report("reading all \(Self.friends) remarks of an asker", rounds / 10, since: start, "reads")
        start = Clock.system.now()
        for _ in 0..<rounds / 10 {
            _ = try store.readAndWait { reading throws(StoreError) in try reading.profiles.teamNames(in: group) }
        }
        self.report("reading all \(Self.members) names of a group", rounds / 10, since: start, "reads")
    }

    private static func report(_ title: String, _ count: Int, since start: Instant, _ unit: String = "names") {
        let nanoseconds = Clock.system.now().nanoseconds - start.nanoseconds
        let each = Double(nanoseconds) / Double(count) / 1_000
        print(
            "\(title): \(Int(Double(count) * 1e9 / Double(nanoseconds))) \(unit)/s, "
                + "\((each * 100).rounded() / 100) us each")
    }
}
