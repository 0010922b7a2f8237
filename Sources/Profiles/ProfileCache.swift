import ChatModel
import Execution
import Store

/// Key of the memory. Per person what everybody sees; what only an asker sees, and names inside a conversation, are
/// kept whole under the asker and the conversation: one write throws out one key.
enum ProfileKey: Hashable, Sendable {
    case person(UserName)
    /// Names that this person gives to others.
    case asker(UserID)
    /// Members of a conversation, and their names there.
    case names(ConversationID)
    case team(ConversationID)

    var isPerson: Bool {
        if case .person = self { return true }
        return false
    }
}

/// One person, as everybody sees them.
final class KnownPerson: Sendable {
    /// `nil` for who is not in the user table.
    let user: UserID?
    let info: ProfileInfo
    let source: ProfileSource
    /// Profile from the other user system, for the time when it does not answer.
    let fetched: FetchedProfile?

    init(user: UserID?, info: ProfileInfo, source: ProfileSource, fetched: FetchedProfile?) {
        self.user = user
        self.info = info
        self.source = source
        self.fetched = fetched
    }
}

final class KnownRemarks: Sendable {
    let remarks: OwnRemarks
    init(_ remarks: OwnRemarks) { self.remarks = remarks }
}

final class KnownNames: Sendable {
    let names: TeamNames
    init(_ names: TeamNames) { self.names = names }
}

final class KnownTeam: Sendable {
    let info: TeamInfo
    init(_ info: TeamInfo) { self.info = info }
}

/// A reference each, so that handing one out costs one count.
enum ProfileValue: Sendable {
    case person(KnownPerson)
    case remarks(KnownRemarks)
    case names(KnownNames)
    case team(KnownTeam)

    /// About how many bytes it takes, its key and place among them.
    var cost: Int {
        switch self {
        case .person(let person):
            let info = person.info
            let texts = [
                info.externalID, info.displayName, info.picture.full, info.picture.small, info.name.text,
            ].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            return 480 + texts + (info.attributes?.count ?? 0) + (person.fetched == nil ? 0 : 160)
        case .remarks(let known):
            return Self.cost(known.remarks.friends.values) + Self.cost(known.remarks.conversations.values)
        case .names(let known): return Self.cost(known.names.nicknames.values) + 16 * known.names.members.count
        case .team(let known):
            let info = known.info
            let texts = [info.channel?.text, info.title, info.picture.full, info.notice].reduce(0) {
                $0 + ($1?.utf8.count ?? 0)
            }
            return 400 + texts + (info.attributes?.count ?? 0)
        }
    }

    private static func cost(_ texts: some Collection<String>) -> Int {
        texts.reduce(200) { $0 + 48 + $1.utf8.count }
    }
}

/// Answers within two bounds. Above either one goes whatever nobody used since the hand came by last: a clock, because a
/// hit then only sets a flag.
struct ProfileCache {
    /// A reference, so that a hit changes it where it is.
    final class Entry {
        let key: ProfileKey
        let value: ProfileValue
        let cost: Int
        let loadedAt: Instant
        let expiresAt: Instant
        fileprivate let place: Int
        fileprivate var wasUsed = false

        fileprivate init(
            _ key: ProfileKey, _ value: ProfileValue, cost: Int, at now: Instant, until expiresAt: Instant, place: Int
        ) {
            self.key = key
            self.value = value
            self.cost = cost
            self.loadedAt = now
            self.expiresAt = expiresAt
            self.place = place
        }
    }

    private let maximumEntries: Int
    private let maximumBytes: Int
    private var entries: [ProfileKey: Entry] = [:]
    /// Where the hand goes round.
    private var slots: [Entry?] = []
    private var free: [Int] = []
    private var hand = 0
    private(set) var bytes = 0
    private(set) var evicted: Int64 = 0

    init(maximumEntries: Int, maximumBytes: Int) {
        self.maximumEntries = max(1, maximumEntries)
        self.maximumBytes = maximumBytes
    }

    var count: Int { self.entries.count }

    /// Entry in memory, also when it is out of date.
    func entry(_ key: ProfileKey) -> Entry? { self.entries[key] }

    /// Value in memory that is still good at `now`.
    func fresh(_ key: ProfileKey, at now: Instant) -> ProfileValue? {
        guard let entry = self.entries[key], entry.expiresAt > now else { return nil }
        entry.wasUsed = true
        return entry.value
    }

    /// Keeps an answer, unless it alone is over the bound.
    mutating func set(_ key: ProfileKey, _ value: ProfileValue, at now: Instant, until expiresAt: Instant) {
        self.remove(key)
        let cost = value.cost
        guard cost <= self.maximumBytes else { return }
        while self.count >= self.maximumEntries || self.bytes + cost > self.maximumBytes { self.evictOne() }
        let place = self.free.popLast() ?? self.slots.count
        let entry = Entry(key, value, cost: cost, at: now, until: expiresAt, place: place)
        if place == self.slots.count { self.slots.append(entry) } else { self.slots[place] = entry }
        self.entries[key] = entry
        self.bytes += cost
    }

    @discardableResult
    mutating func remove(_ key: ProfileKey) -> Bool {
        guard let entry = self.entries.removeValue(forKey: key) else { return false }
        self.bytes -= entry.cost
        self.slots[entry.place] = nil
        self.free.append(entry.place)
        return true
    }

    mutating func removeAll() {
        self.entries.removeAll()
        self.slots.removeAll()
        self.free.removeAll()
        self.hand = 0
        self.bytes = 0
    }

    /// There is at least one entry.
    private mutating func evictOne() {
        while true {
            if self.hand >= self.slots.count { self.hand = 0 }
            defer { self.hand += 1 }
            guard let entry = self.slots[self.hand] else { continue }
            if entry.wasUsed {
                entry.wasUsed = false
            } else {
                self.remove(entry.key)
                self.evicted += 1
                return
            }
        }
    }
}
