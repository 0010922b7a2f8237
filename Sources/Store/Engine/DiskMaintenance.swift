import ChatModel
import Diagnostics
import Execution

/// Maintenance on the writer's thread: watches free disk space, shortens the log, removes old client tokens.
final class DiskMaintenance {
    /// How long the writer sleeps at most.
    static let tickMilliseconds: Int32 = 1_000
    /// Log size at which the log is emptied even when the writer is not idle.
    static let truncateLogBytes: Int64 = 64 * 1024 * 1024

    /// Room that must have come back, beside that of the ballast, to take messages again at once.
    private static let resumeMarginBytes: Int64 = 1024 * 1024
    /// After how long a full disk is tried again although no room shows.
    private static let retryMilliseconds: Int64 = 5_000

    private let options: StoreOptions
    private let folder: DataFolder
    private let connection: Connection
    private let gauges: StoreGauges
    private let guardian: ClockGuard
    /// The last time that is written down as believed.
    private var believed: Int64
    /// The operator was told that the clock is in doubt.
    private var hasDoubted = false
    private var pruning: TokenPruning
    private var commandPruning: CommandPruning
    private let freePages: FreePages
    /// Messages are refused for want of room.
    private(set) var isReadOnly = false
    /// The reserve file is there.
    private(set) var hasReserve = false
    private var fullSince: Instant
    private var freeWhenFull: Int64 = 0
    private var lastLook: Instant
    private var logBytesAtCheckpoint: Int64 = 0

    init(
        _ options: StoreOptions, _ folder: DataFolder, _ connection: Connection, _ guardian: ClockGuard,
        _ gauges: StoreGauges
    ) throws(StoreError) {
        self.options = options
        self.folder = folder
        self.connection = connection
        self.gauges = gauges
        self.guardian = guardian
        self.believed = try connection.lastBelievedMilliseconds() ?? options.clock.wallMilliseconds()
        // A database from before it was kept. Without room for it the next start looks at the ids again.
        if try connection.meta("clock_believed") == 0 { try? connection.setMeta("clock_believed", self.believed) }
        self.lastLook = options.clock.now()
        self.fullSince = self.lastLook
        self.pruning = TokenPruning(options)
        self.commandPruning = CommandPruning(options)
        self.freePages = FreePages(
            folder.databasePath, keptBytes: options.freeBytesKept, options.log, options.clock)
        self.look()
        self.sayClock()
        if !self.isReadOnly { self.hasReserve = folder.makeBallast(bytes: options.ballastBytes) }
    }

    // MARK: Room

    /// A statement found the disk full, or the look at it did.
    func diskIsFull() {
        guard !self.isReadOnly else { return }
        self.isReadOnly = true
        self.fullSince = self.options.clock.now()
        self.freeWhenFull = self.folder.freeBytes() ?? 0
        self.folder.releaseBallast()
        self.hasReserve = false
        self.gauges.update { $0.metrics.isReadOnly = true }
        self.options.log.error(
            "disk_full",
            [
                "folder": .name(self.options.folder), "free": .bytes(self.freeWhenFull),
                "help": .text("messages are refused, reading works; free some room and teahouse goes on by itself"),
            ])
    }

    private func look() {
        // Where the system does not say how much is free, a full disk shows itself by a failing statement.
        let free = self.folder.freeBytes() ?? Int64.max
        self.gauges.update { $0.metrics.freeBytes = free }
        if self.isReadOnly {
            self.resume(withFree: free)
        } else if free < self.options.stopWritingFreeBytes {
            self.diskIsFull()
        }
    }

    /// Takes messages again when there is room for the ballast too: otherwise taking it back would end the room at
    /// once. Where the free bytes do not show what is short (a quota), trying again after a while shows it.
    private func resume(withFree free: Int64) {
        guard free - self.options.ballastBytes >= self.options.stopWritingFreeBytes else { return }
        let hasGrown = free - self.freeWhenFull >= self.options.ballastBytes + Self.resumeMarginBytes
        let waited = self.options.clock.now().milliseconds(since: self.fullSince) >= Self.retryMilliseconds
        guard hasGrown || waited, self.folder.makeBallast(bytes: self.options.ballastBytes) else { return }
        self.isReadOnly = false
        self.hasReserve = true
        self.gauges.update { $0.metrics.isReadOnly = false }
        self.options.log.info("disk_has_room", ["free": .bytes(free)])
    }

    /// Once a second: is there room, and does the clock stand still.
    func tick(isIdle: Bool) throws(StoreError) {
        let now = self.options.clock.now()
        self.lastLook = now
        self.look()
        self.observeClock()
        if isIdle { try self.emptyLog() }
    }

    // MARK: Log

    /// After each batch: a checkpoint when the log is long, and the tick when a busy writer never sleeps.
    func afterCommit() throws(StoreError) {
        let log = self.connection.logBytes
        if log < self.logBytesAtCheckpoint { self.logBytesAtCheckpoint = 0 }
        if log >= Self.truncateLogBytes, log - self.logBytesAtCheckpoint >= self.options.checkpointLogBytes {
            try self.shortenLog()
        } else if log - self.logBytesAtCheckpoint >= self.options.checkpointLogBytes {
            try self.connection.checkpoint(truncating: false)
            self.logBytesAtCheckpoint = log
            self.gauges.update { $0.metrics.checkpoints += 1 }
        }
        let elapsed = self.options.clock.now().milliseconds(since: self.lastLook)
        if elapsed >= Int64(Self.tickMilliseconds) { try self.tick(isIdle: false) }
    }

    func emptyLog() throws(StoreError) {
        guard self.connection.logBytes > 0 else { return }
        try self.shortenLog()
        self.gauges.update { $0.metrics.logBytes = self.connection.logBytes }
    }

    /// Empties the log, or copies what it can while a snapshot is held: emptying would wait for its reader.
    private func shortenLog() throws(StoreError) {
        try self.connection.checkpoint(truncating: !self.gauges.snapshots.areHeld)
        self.logBytesAtCheckpoint = self.connection.logBytes
        self.gauges.update { $0.metrics.checkpoints += 1 }
    }

    // MARK: Clock

    /// Looks at the clock: before each batch, and once a second.
    func observeClock() { if self.guardian.observe(self.options.clock) { self.sayClock() } }

    /// Tells the operator how the clock stands.
    func sayClock() {
        let state = self.guardian.state
        self.gauges.update { $0.metrics.clock = state }
        let wasDoubted = self.hasDoubted
        self.hasDoubted = self.guardian.isInDoubt
        switch state {
        case .doubted(let ahead):
            self.options.log.warning(
                "clock_doubted",
                [
                    "ahead": .milliseconds(ahead),
                    "help": .text(
                        "nothing is deleted for its age: set the clock right, or say that it is: server.clock trusted"),
                ])
        case .believed, .settling: if wasDoubted { self.options.log.info("clock_plausible") }
        }
    }

    /// Writes down the time that is believed, every ten minutes and at the end.
    func noteBelievedTime(isLast: Bool) throws(StoreError) {
        guard self.guardian.isSteady else { return }
        let wall = self.options.clock.wallMilliseconds()
        guard isLast || (wall - self.believed).magnitude >= UInt64(Self.believedMilliseconds) else { return }
        try self.connection.setMeta("clock_believed", wall)
        self.believed = wall
    }

    /// Between two times that are written down.
    private static let believedMilliseconds: Int64 = 600_000

    // MARK: Idle work

    /// True when the wall clock can be used to tell ages.
    var wallIsSteady: Bool { self.guardian.isSteady }

    /// A short piece of work for a quiet moment.
    ///
    /// - Returns: whether there is more.
    func idleSlice() throws(StoreError) -> Bool {
        try self.noteBelievedTime(isLast: false)
        if try self.pruning.slice(self.connection, self.options.clock, wallIsSteady: self.wallIsSteady) { return true }
        return try self.commandPruning.slice(
            self.connection, self.options.clock, wallIsSteady: self.wallIsSteady)
    }

    /// Gives blocks of free pages back to the file system, when nothing else is left to do.
    ///
    /// - Returns: whether there is more.
    func returnFreePages() throws(StoreError) -> Bool {
        guard !self.gauges.snapshots.areHeld, !self.connection.isInTransaction else { return false }
        return try self.freePages.slice(self.connection)
    }
}
