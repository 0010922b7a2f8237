import Execution

/// Forgets client tokens past their horizon, a slice at a time, once a day through the whole table; then reminders past
/// theirs.
///
/// It waits while the wall clock is in doubt: a clock that jumps years ahead must not make the store forget tokens
/// that clients still may use.
struct TokenPruning {
    /// Rows looked at in one slice.
    static let sliceRows = 2_000
    /// Reminders deleted in one slice.
    static let sliceReminders = 500
    /// Between two rounds.
    static let roundMilliseconds: Int64 = 86_400_000
    /// How long the wall clock must have run evenly before a round, and how far it may be off.
    static let steadyMilliseconds: Int64 = 3_600_000

    private let horizonDays: Int64
    private let reminderDays: Int64
    private var notBefore: Instant
    /// From when on the wall clock is believed.
    private var steadyFrom: Instant
    private var place = Int64.min
    private var isInRound = false
    /// The round has passed the tokens.
    private var isAtReminders = false
    private var lastSeen: (now: Instant, wall: Int64)

    init(_ options: StoreOptions) {
        self.horizonDays = Int64(options.tokenDays)
        self.reminderDays = Int64(options.reminderDays)
        let now = options.clock.now()
        self.notBefore = now.advanced(byMilliseconds: Self.steadyMilliseconds)
        self.steadyFrom = self.notBefore
        self.lastSeen = (now, options.clock.wallMilliseconds())
    }

    /// Compares the clocks; a jump of the wall clock puts the next round off.
    mutating func observe(_ clock: Clock) {
        let now = clock.now()
        let wall = clock.wallMilliseconds()
        let jump = (wall - self.lastSeen.wall) - now.milliseconds(since: self.lastSeen.now)
        self.lastSeen = (now, wall)
        guard jump.magnitude > UInt64(Self.steadyMilliseconds) else { return }
        self.isInRound = false
        self.notBefore = now.advanced(byMilliseconds: Self.steadyMilliseconds)
        self.steadyFrom = self.notBefore
    }

    /// Whether the wall clock has run evenly long enough.
    func isSteady(at now: Instant) -> Bool { now >= self.steadyFrom }

    /// - Returns: whether the round goes on.
    mutating func slice(_ connection: Connection, _ clock: Clock) throws(StoreError) -> Bool {
        self.observe(clock)
        let now = clock.now()
        if !self.isInRound {
            guard now >= self.notBefore else { return false }
            self.isInRound = true
            self.isAtReminders = false
            self.place = Int64.min
            self.notBefore = now.advanced(byMilliseconds: Self.roundMilliseconds)
        }
        if self.isAtReminders {
            self.isInRound = try self.reminderSlice(connection, clock)
        } else {
            self.isAtReminders = try !self.tokenSlice(connection, clock)
        }
        return self.isInRound
    }

    /// - Returns: whether there are more tokens.
    private mutating func tokenSlice(_ connection: Connection, _ clock: Clock) throws(StoreError) -> Bool {
        let oldest = TokenIndex.day(of: clock.wallMilliseconds()) - self.horizonDays
        let keys = try connection.query(
            "SELECT key, day FROM client_token WHERE key > ? LIMIT ?", self.place, Self.sliceRows
        ) {
            row throws(StoreError) in (key: row.int64(0), day: row.int64(1))
        }
        let old = keys.filter { $0.day < oldest }
        if !old.isEmpty { try Self.delete(old.map(\.key), connection) }
        self.place = keys.last?.key ?? self.place
        return keys.count == Self.sliceRows
    }

    /// Their numbers rise with time, so the old ones come first.
    ///
    /// - Returns: whether there may be more.
    private func reminderSlice(_ connection: Connection, _ clock: Clock) throws(StoreError) -> Bool {
        let oldest = clock.wallMilliseconds() - self.reminderDays * 86_400_000
        try connection.run(
            """
            DELETE FROM reminder WHERE created_at < ?1
                AND id IN (SELECT id FROM reminder ORDER BY id LIMIT ?2)
            """, oldest, Self.sliceReminders)
        return connection.changes == Int64(Self.sliceReminders)
    }

    private static func delete(_ keys: [Int64], _ connection: Connection) throws(StoreError) {
        try connection.run("BEGIN IMMEDIATE")
        for key in keys { try connection.run("DELETE FROM client_token WHERE key = ?", key) }
        try connection.run("COMMIT")
    }
}
