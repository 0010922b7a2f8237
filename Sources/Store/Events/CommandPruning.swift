import ChatModel
import Execution

/// Forgets commands above the largest number kept, and those past their time, a slice at a time; with them events of the
/// log and rows of the feed.
///
/// Age waits for a wall clock that runs evenly, as it does for client tokens; number does not.
struct CommandPruning {
    /// Commands removed in one slice.
    static let sliceRows = 500
    /// Between two looks.
    static let roundMilliseconds: Int64 = 600_000

    private let maximum: Int64
    private var nextLook: Instant

    init(_ options: StoreOptions) {
        self.maximum = options.commands
        self.nextLook = options.clock.now()
    }

    /// - Parameter wallIsSteady: false while the age of a command is in doubt.
    /// - Returns: whether there is more.
    mutating func slice(_ connection: Connection, _ clock: Clock, wallIsSteady: Bool) throws(StoreError) -> Bool {
        let now = clock.now()
        guard now >= self.nextLook else { return false }
        let newest = try connection.first("SELECT max(sequence) FROM command") { row throws(StoreError) in row.int64(0)
        }
        let oldest =
            wallIsSteady
            ? clock.wallMilliseconds() - ConversationBounds.commandDays * 86_400_000 : Int64.min
        try connection.run(
            """
            DELETE FROM command WHERE sequence IN (
                SELECT sequence FROM command ORDER BY sequence LIMIT ?1) AND (sequence <= ?2 OR sent_at < ?3)
            """, Self.sliceRows, (newest ?? 0) - self.maximum, oldest)
        var goesOn = connection.changes == Self.sliceRows
        if !goesOn {
            let day: Int64 = 86_400_000
            let wall = clock.wallMilliseconds()
            try connection.pruneEvents(before: wallIsSteady ? wall - EventLogBounds.days * day : Int64.min)
            goesOn = try connection.pruneFeed(before: wallIsSteady ? wall - FeedBounds.days * day : 0)
        }
        if !goesOn { self.nextLook = now.advanced(byMilliseconds: Self.roundMilliseconds) }
        return goesOn
    }
}
