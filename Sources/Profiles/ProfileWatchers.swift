import ChatModel

/// Watchers of profile changes. A change of one person costs as much as that person has watchers, not as there are
/// watchers.
struct ProfileWatchers {
    typealias Listener = @Sendable (ProfileChange) -> Void

    private struct Watcher {
        var asker: UserID?
        var on: Listener
        /// `nil` for everybody, for every conversation.
        var persons: Set<UserName>?
        var teams: Set<ConversationID>?

        var named: Int { (self.persons?.count ?? 0) + (self.teams?.count ?? 0) }
    }

    private let maximumNamed: Int
    private var watchers: [UInt64: Watcher] = [:]
    private var byPerson: [UserName: Set<UInt64>] = [:]
    private var byTeam: [ConversationID: Set<UInt64>] = [:]
    private var ofEverybody: Set<UInt64> = []
    private var ofEveryTeam: Set<UInt64> = []
    private var last: UInt64 = 0

    init(maximumNamed: Int) { self.maximumNamed = maximumNamed }

    var count: Int { self.watchers.count }

    func count(of name: UserName) -> Int { self.byPerson[name]?.count ?? 0 }

    mutating func add(_ interest: WatchInterest, asker: UserID?, _ on: @escaping Listener) -> WatchID {
        self.last += 1
        let all = WatchInterest.everything
        self.watchers[self.last] = Watcher(
            asker: asker, on: on, persons: interest.persons.map { _ in [] } ?? all.persons,
            teams: interest.teams.map { _ in [] } ?? all.teams)
        if interest.persons == nil { self.ofEverybody.insert(self.last) }
        if interest.teams == nil { self.ofEveryTeam.insert(self.last) }
        let id = WatchID(number: self.last)
        _ = self.follow(Array(interest.persons ?? []), Array(interest.teams ?? []), id)
        return id
    }

    /// - Returns: false, and nothing is added, when it would name more than it may, or has ended.
    mutating func follow(_ persons: [UserName], _ teams: [ConversationID], _ id: WatchID) -> Bool {
        guard var watcher = self.watchers[id.number] else { return false }
        watcher.persons?.formUnion(persons)
        watcher.teams?.formUnion(teams)
        guard watcher.named <= self.maximumNamed else { return false }
        if watcher.persons != nil { for name in persons { self.byPerson[name, default: []].insert(id.number) } }
        if watcher.teams != nil { for team in teams { self.byTeam[team, default: []].insert(id.number) } }
        self.watchers[id.number] = watcher
        return true
    }

    mutating func unfollow(_ persons: [UserName], _ teams: [ConversationID], _ id: WatchID) {
        self.watchers[id.number]?.persons?.subtract(persons)
        self.watchers[id.number]?.teams?.subtract(teams)
        for name in persons { Self.take(id.number, from: &self.byPerson, name) }
        for team in teams { Self.take(id.number, from: &self.byTeam, team) }
    }

    mutating func remove(_ id: WatchID) {
        guard let watcher = self.watchers[id.number] else { return }
        self.unfollow(Array(watcher.persons ?? []), Array(watcher.teams ?? []), id)
        self.watchers[id.number] = nil
        self.ofEverybody.remove(id.number)
        self.ofEveryTeam.remove(id.number)
    }

    private static func take<Key: Hashable>(_ number: UInt64, from index: inout [Key: Set<UInt64>], _ key: Key) {
        index[key]?.remove(number)
        if index[key]?.isEmpty == true { index[key] = nil }
    }

    /// Watchers of a change, the oldest first.
    func listeners(for change: ProfileChange) -> [Listener] {
        var numbers: Set<UInt64>
        switch change.subject {
        case .person(let name): numbers = self.ofEverybody.union(self.byPerson[name] ?? [])
        case .member(let name, let id):
            numbers = self.ofEverybody.union(self.byPerson[name] ?? []).union(self.teamWatchers(id))
        case .members(let id), .team(let id): numbers = self.teamWatchers(id)
        case .all: numbers = Set(self.watchers.keys)
        }
        return numbers.sorted().compactMap { number in
            guard let watcher = self.watchers[number] else { return nil }
            if let only = change.onlyFor, let asker = watcher.asker, asker != only { return nil }
            return watcher.on
        }
    }

    private func teamWatchers(_ id: ConversationID) -> Set<UInt64> {
        self.ofEveryTeam.union(self.byTeam[id] ?? [])
    }
}
