import ChatModel
import Execution
import Store

/// What is kept in memory. Per person what everybody sees; what only an asker sees, and names inside a conversation, are
/// kept whole under the asker and the conversation: one write throws out one key.
enum ProfileKey: Hashable, Sendable {
    case person(UserName)
    /// What this person calls others.
    case asker(UserID)
    /// Who is in a conversation, and their names there.
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
    /// What the other user system said, for the time when it does not answer.
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
    struct Entry {
        let key: ProfileKey
        var value: ProfileValue
        var cost: Int
        var loadedAt: Instant
        var expiresAt: Instant
        fileprivate var wasUsed = false
    }

    private let maximumEntries: Int
    private let maximumBytes: Int
    private var places: [ProfileKey: Int] = [:]
    private var slots: [Entry?] = []
    private var free: [Int] = []
    private var hand = 0
    private(set) var bytes = 0
    private(set) var evicted: Int64 = 0

    init(maximumEntries: Int, maximumBytes: Int) {
        self.maximumEntries = max(1, maximumEntries)
        self.maximumBytes = maximumBytes
    }

    var count: Int { self.places.count }

    /// What is kept, also when it is out of date.
    func entry(_ key: ProfileKey) -> Entry? { self.places[key].flatMap { self.slots[$0] } }

    /// What is kept and still good at `now`.
    mutating func fresh(_ key: ProfileKey, at now: Instant) -> ProfileValue? {
        guard let place = self.places[key], let expiresAt = self.slots[place]?.expiresAt, expiresAt > now else {
            return nil
        }
        self.slots[place]?.wasUsed = true
        return self.slots[place]?.value
    }

    /// Keeps an answer, unless it alone is over the bound.
    mutating func set(_ key: ProfileKey, _ value: ProfileValue, at now: Instant, until expiresAt: Instant) {
        self.remove(key)
        let cost = value.cost
        guard cost <= self.maximumBytes else { return }
        while self.count >= self.maximumEntries || self.bytes + cost > self.maximumBytes { self.evictOne() }
        let entry = Entry(key: key, value: value, cost: cost, loadedAt: now, expiresAt: expiresAt)
        if let place = self.free.popLast() {
            self.slots[place] = entry
            self.places[key] = place
        } else {
            self.places[key] = self.slots.count
            self.slots.append(entry)
        }
        self.bytes += cost
    }

    @discardableResult
    mutating func remove(_ key: ProfileKey) -> Bool {
        guard let place = self.places.removeValue(forKey: key) else { return false }
        self.bytes -= self.slots[place]?.cost ?? 0
        self.slots[place] = nil
        self.free.append(place)
        return true
    }

    mutating func removeAll() {
        self.places.removeAll()
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
                self.slots[self.hand]?.wasUsed = false
            } else {
                self.remove(entry.key)
                self.evicted += 1
                return
            }
        }
    }
}
