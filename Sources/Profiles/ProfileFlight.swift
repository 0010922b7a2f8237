import ChatModel
import Execution
import Store

/// Call to make once the answer is ready.
typealias ProfileCall = @Sendable () -> Void
/// Makes the call from what came and what is still missing.
typealias ProfileAnswering = ([ProfileKey: ProfileValue], _ missing: Set<ProfileKey>) -> ProfileCall

/// Somebody who waits for several keys.
final class ProfileWaiter {
    /// Values so far, and those that were in memory, old or not.
    var values: [ProfileKey: ProfileValue]
    var missing: Set<ProfileKey>
    /// Missing values that will not arrive.
    var failed: Set<ProfileKey> = []
    /// `nil` once it was answered.
    var answer: ProfileAnswering?

    init(
        values: [ProfileKey: ProfileValue], missing: Set<ProfileKey>,
        answer: @escaping ProfileAnswering
    ) {
        self.values = values
        self.missing = missing
        self.answer = answer
    }
}

/// One question about one key: there is never a second one beside it. Confined to the core's lock.
final class ProfileFlight {
    enum Part<Value> {
        case waiting
        case failed
        case got(Value)

        var isWaiting: Bool {
            if case .waiting = self { return true }
            return false
        }

        var value: Value? {
            if case .got(let value) = self { return value }
            return nil
        }
    }

    let key: ProfileKey
    /// When it was asked for.
    let since: Instant
    var waiters: [ProfileWaiter] = []
    /// So many, and those who were answered meanwhile are taken out.
    private var crowd = 64
    /// Has been asked; what is written from now on may be missing in its answer.
    var isUnderWay = false
    /// Its key was invalidated while it was under way.
    var isOutdated = false
    /// Somebody went away without the last word: watchers are told when it comes.
    var isOwed = false
    /// Value in memory before half of the answer replaced it, seen only by callers that were answered early.
    var before: ProfileValue??
    var row = Part<ProfileRow?>.waiting
    /// `got(nil)`: the other user system does not know the name, or there is none.
    var fetched: Part<FetchedProfile?>

    init(_ key: ProfileKey, since: Instant, asksProvider: Bool) {
        self.key = key
        self.since = since
        self.fetched = asksProvider && key.isPerson ? .waiting : .got(nil)
    }

    /// True when a caller that waits this long, counted from the request, need not wait any more. An outdated one is
    /// asked again.
    func isOverdue(after milliseconds: Int64, at now: Instant) -> Bool {
        !self.isOutdated && now.milliseconds(since: self.since) >= milliseconds
    }

    func add(_ waiter: ProfileWaiter) {
        if self.waiters.count >= self.crowd {
            self.waiters.removeAll { $0.answer == nil }
            self.crowd = max(64, 2 * self.waiters.count)
        }
        self.waiters.append(waiter)
    }
}

/// Flights that are asked for together: one read, one request.
final class ProfileBatch: Sendable {
    let number: UInt64
    let keys: [ProfileKey]
    let names: [UserName]

    init(number: UInt64, keys: [ProfileKey]) {
        self.number = number
        self.keys = keys
        self.names = keys.compactMap { key in
            if case .person(let name) = key { return name }
            return nil
        }
    }

    /// Everything the store knows of a batch, at one moment.
    func read(_ reading: ReadTransaction) throws(StoreError) -> ProfileTableAnswer {
        var answer = ProfileTableAnswer(rows: try reading.profiles.profileRows(self.names))
        for key in self.keys {
            switch key {
            case .person: break
            case .asker(let user): answer.others[key] = .remarks(KnownRemarks(try reading.profiles.remarks(by: user)))
            case .names(let id): answer.others[key] = .names(KnownNames(try reading.profiles.teamNames(in: id)))
            case .team(let id): answer.others[key] = .team(KnownTeam(try Self.team(id, reading)))
            }
        }
        return answer
    }

    private static func team(_ id: ConversationID, _ reading: ReadTransaction) throws(StoreError) -> TeamInfo {
        guard let conversation = try reading.conversations.one(id) else { return TeamInfo(conversation: id) }
        let card = try reading.conversations.card(of: id)
        return TeamInfo(
            conversation: id, kind: conversation.kind, channel: conversation.channel, title: conversation.title,
            picture: Picture(full: card?.logo), notice: card?.notice, attributes: card?.attributes,
            flags: conversation.flags, memberCount: conversation.memberCount)
    }
}

/// Answer of one read of the store.
struct ProfileTableAnswer: Sendable {
    var rows: [UserName: ProfileRow]
    var others: [ProfileKey: ProfileValue] = [:]
}
