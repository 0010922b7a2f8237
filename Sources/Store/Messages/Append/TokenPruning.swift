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

    private let horizonDays: Int64
    private let reminderDays: Int64
    private var notBefore: Instant
    private var place = Int64.min
    private var isInRound = false
    /// The round has passed the tokens.
    private var isAtReminders = false

    init(_ options: StoreOptions) {
        self.horizonDays = Int64(options.tokenDays)
        self.reminderDays = Int64(options.reminderDays)
        self.notBefore = options.clock.now()
    }

    /// - Parameter wallIsSteady: false while the age of a token is in doubt.
    /// - Returns: whether the round goes on.
    mutating func slice(_ connection: Connection, _ clock: Clock, wallIsSteady: Bool) throws(StoreError) -> Bool {
        guard wallIsSteady else {
            self.isInRound = false
            return false
        }
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
