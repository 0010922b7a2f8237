import Execution

/// Decides when the sessions of one reactor read changes of people whose commit has been said.
///
/// The store does not know who watches a person: each session looks for itself, and all of them at most once in a while,
/// so that people who change very often do not keep the readers busy. Who was told alone of a change reads at once.
struct PeopleSchedule {
    /// Action that the owner takes next.
    enum Action: Equatable {
        case none
        /// All sessions read.
        case readAll
        /// `timePassed` is called after so long.
        case wait(milliseconds: Int64)
    }

    /// Shortest time between two reads of all sessions, milliseconds.
    static let milliseconds: Int64 = 1_000

    /// Sessions that were told alone after the last position.
    private var alone: Set<UInt64> = []
    /// A person was shown otherwise after the last position.
    private var areWatchersTouched = false
    /// The same before it, and sessions have not read yet.
    private var areWatchersWaiting = false
    private var isTimerSet = false
    private var next: Instant

    init(now: Instant) { self.next = now }

    /// A session alone is told of a change: one of its own person.
    mutating func touch(_ handle: UInt64) { self.alone.insert(handle) }

    /// A person is shown otherwise to whoever watches them.
    mutating func touchWatchers() { self.areWatchersTouched = true }

    /// Everything up to a position has been said by `touch` and `touchWatchers`.
    ///
    /// - Returns: the sessions that read now, and what is to be done for all.
    mutating func told(at clock: @autoclosure () -> Instant) -> (alone: Set<UInt64>, next: Action) {
        let alone = self.alone
        self.alone = []
        if self.areWatchersTouched { self.areWatchersWaiting = true }
        self.areWatchersTouched = false
        guard self.areWatchersWaiting, !self.isTimerSet else { return (alone, .none) }
        let now = clock()
        guard now < self.next else { return (alone, self.readAll(at: now)) }
        self.isTimerSet = true
        return (alone, .wait(milliseconds: max(1, self.next.milliseconds(since: now))))
    }

    /// The time of `wait` has passed.
    mutating func timePassed(at now: Instant) -> Action {
        self.isTimerSet = false
        return self.readAll(at: now)
    }

    private mutating func readAll(at now: Instant) -> Action {
        self.areWatchersWaiting = false
        self.next = now.advanced(byMilliseconds: Self.milliseconds)
        return .readAll
    }
}
