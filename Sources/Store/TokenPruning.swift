import Execution

/// Forgets client tokens past their horizon, a slice at a time, once a day through the whole table.
///
/// It waits while the wall clock is in doubt: a clock that jumps years ahead must not make the store forget tokens
/// that clients still may use.
struct TokenPruning {
    /// Rows looked at in one slice.
    static let sliceRows = 2_000
    /// Between two rounds.
    static let roundMilliseconds: Int64 = 86_400_000
    /// How long the wall clock must have run evenly before a round, and how far it may be off.
    static let steadyMilliseconds: Int64 = 3_600_000
    private static let dayMilliseconds: Int64 = 86_400_000

    private struct Key {
        let conversation: Int64
        let sender: Int64
        let token: [UInt8]
    }

    private let horizonMilliseconds: Int64
    private var notBefore: Instant
    private var place: Key?
    private var isInRound = false
    private var lastSeen: (now: Instant, wall: Int64)

    init(_ options: StoreOptions) {
        self.horizonMilliseconds = Int64(options.tokenDays) * Self.dayMilliseconds
        let now = options.clock.now()
        self.notBefore = now.advanced(byMilliseconds: Self.steadyMilliseconds)
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
        self.place = nil
        self.notBefore = now.advanced(byMilliseconds: Self.steadyMilliseconds)
    }

    /// - Returns: whether the round goes on.
    mutating func slice(_ connection: Connection, _ clock: Clock) throws(StoreError) -> Bool {
        self.observe(clock)
        let now = clock.now()
        if !self.isInRound {
            guard now >= self.notBefore else { return false }
            self.isInRound = true
            self.notBefore = now.advanced(byMilliseconds: Self.roundMilliseconds)
        }
        let oldest = clock.wallMilliseconds() - self.horizonMilliseconds
        let rows = try self.nextRows(connection)
        let old = rows.filter { $0.storedAt < oldest }
        if !old.isEmpty { try self.delete(old.map(\.key), connection) }
        self.place = rows.last?.key
        self.isInRound = rows.count == Self.sliceRows
        if !self.isInRound { self.place = nil }
        return self.isInRound
    }

    private func nextRows(_ connection: Connection) throws(StoreError) -> [(key: Key, storedAt: Int64)] {
        try connection.query(
            """
            SELECT conversation_id, sender_id, token, stored_at FROM client_token
            WHERE (conversation_id, sender_id, token) > (?, ?, ?)
            ORDER BY conversation_id, sender_id, token LIMIT ?
            """, self.place?.conversation ?? 0, self.place?.sender ?? 0, self.place?.token ?? [], Self.sliceRows
        ) { row throws(StoreError) in
            (Key(conversation: row.int64(0), sender: row.int64(1), token: row.blob(2)), row.int64(3))
        }
    }

    private func delete(_ keys: [Key], _ connection: Connection) throws(StoreError) {
        try connection.run("BEGIN IMMEDIATE")
        for key in keys {
            try connection.run(
                "DELETE FROM client_token WHERE conversation_id = ? AND sender_id = ? AND token = ?",
                key.conversation, key.sender, key.token)
        }
        try connection.run("COMMIT")
    }
}
