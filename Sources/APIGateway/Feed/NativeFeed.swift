import ChatModel
import NativeAPI
import Store

/// Part of the feed to read: what happened in `conversations` after `after`, up to `through`.
struct FeedRound: Hashable {
    /// Everything up to this position was sent.
    var after: Int64
    /// Last position of the round; later changes belong to the next one.
    var through: Int64
    /// Conversations in which something may have happened; `nil` for all of the person. Changes of people, and of what is
    /// for the person alone, are read with any.
    var conversations: [ConversationID]?
    /// Changes that a round before found and did not send: they are sent first, in the words of now.
    var rest: FeedPage?
}

/// Facts about the database that decide whether a client can go on where it was; of one snapshot.
struct FeedFacts: Hashable, Sendable {
    /// Database that positions are of.
    var epoch: Int64
    /// Newest position.
    var newest: Int64
    /// Oldest position after which nothing was pruned.
    var oldest: Int64
}

/// Place where a client wants to begin.
enum FeedStart: Hashable, Sendable {
    /// At the newest position: the client reads a snapshot next.
    case snapshot
    case after(FeedCursor)
    /// The client's cursor cannot be read.
    case unknown
}

/// One event as it goes out.
struct FeedFrame: Hashable, Sendable {
    /// Position of the event; `nil` for one without a cursor.
    var position: Int64?
    /// JSON text of an object; empty until it is known how the people of `person` or `request` are shown.
    var json: [UInt8]
    /// For a change of a person: who it is. Worded when the round has been read, as the profile service may have to ask.
    var person: UserName?
    /// For a request to join a team: what it is. Worded then, too.
    var request: NativeTeamRequest?
}

/// Result of reading a round.
struct FeedResult: Sendable {
    /// In the order of their positions.
    var frames: [FeedFrame]
    /// Everything up to this position is in `frames`: less than the round's `through` where the result was cut.
    var through: Int64
    /// Changes that were found and did not fit, up to `FeedReader.maximumFound`.
    var rest: FeedPage?
    /// Too much happened to be told: the client has to load everything again.
    var isGap = false
}

/// Decides what a native client is sent and when. Events in, actions out; knows neither socket nor store.
///
/// The broker says which conversations something happened in, and after each commit the position up to which all of it
/// has been said. Only up to there a round is read: the cursor of an event promises that nothing before it is missing,
/// and of one commit the messages come before the changes. Changes of people are in every round; that there are some
/// begins a round only when `readPeople` says so, because they concern very many sessions at once, or nobody. Live events and catching up are the same: a round reads the
/// newest state of what changed, and the next one follows when it was sent. So memory is bounded by two times
/// `maximumTouched` numbers and the rest of one page, whatever happens, and a client that reads slowly gets newer states instead of more of them.
struct NativeFeed {
    /// Action that the owner has to take next.
    enum Action: Hashable {
        case none
        /// Reads the facts about the database; `opened` or `readFailed` follows.
        case readFacts
        /// Reads a round; `received` or `readFailed` follows.
        case read(FeedRound)
    }

    /// First words to the client.
    enum Greeting: Hashable {
        /// The client goes on at this position; what follows is above it.
        case hello(position: Int64)
        /// The same, but the client has to load everything: its cursor is unknown or too old.
        case gap(position: Int64)
    }

    /// Conversations that one set remembers apart; with one more all of them are looked at.
    static let maximumTouched = 1_000

    /// Conversations in which something happened: a bounded number of them, or all.
    private struct TouchedSet {
        private var some: Set<ConversationID> = []
        private var isAll = false

        static var all: TouchedSet {
            var all = TouchedSet()
            all.isAll = true
            return all
        }

        var isEmpty: Bool { !self.isAll && self.some.isEmpty }

        /// Sorted; `nil` for all of the person.
        var conversations: [ConversationID]? { self.isAll ? nil : self.some.sorted() }

        init() {}

        init(_ conversations: [ConversationID]?) {
            self.isAll = conversations == nil
            self.some = Set(conversations ?? [])
        }

        mutating func insert(_ conversation: ConversationID) {
            guard !self.isAll else { return }
            self.some.insert(conversation)
            if self.some.count > NativeFeed.maximumTouched { self = .all }
        }

        mutating func formUnion(_ other: TouchedSet) {
            if other.isAll { self = .all }
            for conversation in other.some { self.insert(conversation) }
        }
    }

    /// Changes of people up to `told` that were not read yet.
    private enum PeopleState {
        case untouched
        /// There may be some: they wait for another reason to read, or for `readPeople`.
        case waiting
        /// They are read next.
        case due
    }

    private enum Phase {
        /// The facts about the database are awaited.
        case opening
        case live
        case reading(FeedRound)
        /// A read failed; waits for `retry`.
        case waiting
        /// The client has gone, or may listen no more.
        case over
    }

    private var phase = Phase.opening
    /// Database that positions are of; known once opened.
    private var epoch: Int64 = 1
    /// Everything up to this position was sent, or concerns somebody else.
    private(set) var position: Int64 = 0
    /// The broker has said everything up to this position.
    private var told: Int64 = 0
    /// Touched by commits up to `told`, and not read yet.
    private var touched = TouchedSet()
    /// Touched by a commit above `told`: a round up to `told` would miss it.
    private var untold = TouchedSet()
    /// The same two for changes of people.
    private var people = PeopleState.untouched
    /// Found by the last round, and not sent.
    private var rest: FeedPage?
    private var areUntoldPeople = false
    /// Touched after the last position that was said.
    private var isTouched = false
    private var isCongested = false

    /// Cursor of the last event, or one behind it with which the client misses nothing.
    var cursor: FeedCursor { FeedCursor(epoch: self.epoch, position: self.position) }

    /// True when everything that has been said was sent.
    var isResting: Bool { if case .live = self.phase { !self.isCongested } else { false } }

    /// True while a failed read waits for `retry`.
    var isWaiting: Bool { if case .waiting = self.phase { true } else { false } }

    /// True when the client was greeted and has not gone: events without a cursor can be told.
    var isOpen: Bool {
        switch self.phase {
        case .opening, .over: false
        case .live, .reading, .waiting: true
        }
    }

    /// True when the feed has ended; no event leads to an action any more.
    var isOver: Bool { if case .over = self.phase { true } else { false } }

    /// The session hears of everything that happens from now on: the facts can be read.
    func begin() -> Action { if case .opening = self.phase { .readFacts } else { .none } }

    /// The facts of a snapshot that was taken after the session was registered with the broker.
    ///
    /// - Returns: no greeting when the client has gone meanwhile.
    mutating func opened(_ facts: FeedFacts, at start: FeedStart) -> (greeting: Greeting?, next: Action) {
        guard case .opening = self.phase else { return (nil, .none) }
        self.phase = .live
        self.epoch = facts.epoch
        self.told = max(self.told, facts.newest)
        self.position = facts.newest
        switch start {
        case .snapshot: return (.hello(position: self.position), self.next())
        case .after(let cursor):
            guard cursor.epoch == facts.epoch, cursor.position >= facts.oldest, cursor.position <= facts.newest else {
                return (.gap(position: self.position), self.next())
            }
            self.position = cursor.position
            if cursor.position < facts.newest { self.touched = .all }
            return (.hello(position: self.position), self.next())
        case .unknown: return (.gap(position: self.position), self.next())
        }
    }

    /// Something happened in a conversation. It is read after the next `told`.
    ///
    /// - Returns: true when it is the first word since the last `told`.
    @discardableResult
    mutating func touch(_ conversation: ConversationID) -> Bool {
        self.untold.insert(conversation)
        defer { self.isTouched = true }
        return !self.isTouched
    }

    /// Somebody is shown otherwise, or something about them that is the person's own. It is read with the next round, or
    /// after `readPeople`.
    ///
    /// - Returns: as `touch`.
    @discardableResult
    mutating func touchPeople() -> Bool {
        self.areUntoldPeople = true
        defer { self.isTouched = true }
        return !self.isTouched
    }

    /// The changes of people that have been said are read now.
    mutating func readPeople() -> Action {
        guard case .waiting = self.people else { return .none }
        self.people = .due
        return self.next()
    }

    /// Everything up to `position` has been said by calls of `touch` and `touchPeople`.
    mutating func told(_ position: Int64) -> Action {
        self.told = max(self.told, position)
        // At or below the position it was sent already. What `touched` has from before may be above it all the same.
        if position > self.position {
            self.touched.formUnion(self.untold)
            if self.areUntoldPeople, case .untouched = self.people { self.people = .waiting }
        }
        self.untold = TouchedSet()
        self.areUntoldPeople = false
        self.isTouched = false
        return self.next()
    }

    /// The round that was asked for. The owner sends the frames, in front of what the next action leads to.
    mutating func received(_ result: FeedResult) -> (send: [FeedFrame], isGap: Bool, next: Action) {
        guard case .reading(let round) = self.phase else { return ([], false, .none) }
        self.phase = .live
        self.rest = result.rest
        if result.isGap {
            self.position = max(self.position, round.through)
            return ([], true, self.next())
        }
        if result.through < round.through { self.touchAgain(round) }
        self.position = max(self.position, min(result.through, round.through))
        return (result.frames, false, self.next())
    }

    /// The facts or a round could not be read now: the owner calls `retry` after a while.
    mutating func readFailed() {
        guard case .reading(let round) = self.phase else { return }
        self.touchAgain(round)
        self.rest = round.rest
        self.phase = .waiting
    }

    /// The round, or the rest of it, is read again.
    private mutating func touchAgain(_ round: FeedRound) {
        self.touched.formUnion(TouchedSet(round.conversations))
        self.people = .due
    }

    /// Time has passed since a read failed.
    mutating func retry() -> Action {
        switch self.phase {
        case .opening: return .readFacts
        case .waiting:
            self.phase = .live
            return self.next()
        case .live, .reading, .over: return .none
        }
    }

    /// The client has gone, or may listen no more.
    ///
    /// - Returns: false when the feed had ended before.
    mutating func end() -> Bool {
        guard !self.isOver else { return false }
        self.phase = .over
        return true
    }

    /// The outbox went over its high-water mark: nothing is read until it has drained.
    mutating func outboxRose() { self.isCongested = true }

    /// The outbox is below its low-water mark again.
    mutating func outboxDrained() -> Action {
        self.isCongested = false
        return self.next()
    }

    private mutating func next() -> Action {
        guard case .live = self.phase, !self.isCongested else { return .none }
        guard self.told > self.position else { return .none }
        if self.touched.isEmpty {
            switch self.people {
            case .untouched:
                self.position = self.told
                return .none
            case .waiting: return .none
            case .due: break
            }
        }
        let round = FeedRound(
            after: self.position, through: self.told, conversations: self.touched.conversations, rest: self.rest)
        self.touched = TouchedSet()
        self.rest = nil
        self.people = .untouched
        self.phase = .reading(round)
        return .read(round)
    }
}
