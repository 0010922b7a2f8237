package import ChatModel

extension MessageID {
    /// Milliseconds of 1 January 2020 UTC: ids count from here and last until 2089.
    package static let epochMilliseconds: Int64 = 1_577_836_800_000
    private static let counterBits: Int64 = 12
    private static let nodeBits: Int64 = 10

    static func first(ofMillisecond wall: Int64, node: Int64) -> Int64 {
        max(0, wall - Self.epochMilliseconds) << (Self.nodeBits + Self.counterBits) | node << Self.counterBits
    }

    /// The smallest id of `node` after `last`: the next in its millisecond, or the first of the next millisecond.
    static func following(_ last: Int64, node: Int64) -> Int64 {
        let counterMask: Int64 = (1 << Self.counterBits) - 1
        let isSameNode = (last >> Self.counterBits) & ((1 << Self.nodeBits) - 1) == node
        if isSameNode && last & counterMask != counterMask { return last + 1 }
        let millisecond = (last >> (Self.nodeBits + Self.counterBits)) + 1
        return millisecond << (Self.nodeBits + Self.counterBits) | node << Self.counterBits
    }

    /// The wall clock of the server when it gave the id, UTC milliseconds; later than it when the clock stepped back.
    package var milliseconds: Int64 { (self.rawValue >> (Self.nodeBits + Self.counterBits)) + Self.epochMilliseconds }
}

/// Gives message ids, positions of events, change numbers and moments; all only rise, over restarts too.
///
/// Messages and events are numbered together: the position of an event is a number of the same row as the ids. Each
/// commit that changes something stores the last one exactly (`meta.position`), so that cursors and copies can be
/// compared with it.
///
/// The database holds a number ahead of everything given (`meta.ids_until`, `meta.changes_until`, `meta.moments_until`),
/// so that a server which was killed, or whose clock stepped back, goes on above it, and a commit need not write the
/// last number each time.
///
/// A **moment** is a time by which clients ask for what is new (edits, events, reading positions). It is the wall clock
/// where that has risen, else one millisecond more than the last one: of two changes in one millisecond, a client that
/// knows the first must be told the second. After the clock was stepped back moments stay ahead of it until it has
/// caught up.
struct Sequencer {
    private static let reservedMilliseconds: Int64 = 10_000
    private static let reservedChanges: Int64 = 100_000
    private static let reservedMoments: Int64 = 1_000

    private let node: Int64
    private var lastID: Int64
    /// Position that was written last, also when its commit failed: nothing gets it again.
    private var position: Int64
    private var lastChange: Int64
    private var idsUntil: Int64
    private var changesUntil: Int64
    private var lastMoment: Int64
    private var momentsUntil: Int64

    init(_ connection: Connection) throws(StoreError) {
        self.node = try connection.meta("node_id")
        self.position = try connection.meta("position")
        self.lastID = max(try connection.meta("ids_until"), self.position)
        self.lastChange = try connection.meta("changes_until")
        self.idsUntil = self.lastID
        self.changesUntil = self.lastChange
        self.lastMoment = try connection.meta("moments_until")
        self.momentsUntil = self.lastMoment
    }

    /// Every id given so far is at most this.
    var newestID: Int64 { self.lastID }
    /// Every change number given so far is at most this.
    var newestChange: Int64 { self.lastChange }

    mutating func nextID(at wall: Int64) -> MessageID {
        let now = MessageID.first(ofMillisecond: wall, node: self.node)
        self.lastID = now > self.lastID ? now : MessageID.following(self.lastID, node: self.node)
        return MessageID(rawValue: self.lastID)
    }

    mutating func nextChange() -> Int64 {
        self.lastChange += 1
        return self.lastChange
    }

    /// A moment that no other change has, in UTC milliseconds.
    mutating func nextMoment(at wall: Int64) -> Int64 {
        self.lastMoment = max(wall, self.lastMoment + 1)
        return self.lastMoment
    }

    /// A moment that is not before any other; several changes may have it.
    mutating func moment(at wall: Int64) -> Int64 {
        self.lastMoment = max(wall, self.lastMoment)
        return self.lastMoment
    }

    /// Before a commit: stores its position, which no other commit has and which nothing in it exceeds.
    ///
    /// - Returns: the position, which counts once the commit is done.
    mutating func writePosition(_ connection: Connection, at wall: Int64) throws(StoreError) -> StorePosition {
        if self.lastID <= self.position { _ = self.nextID(at: wall) }
        self.position = self.lastID
        try connection.run("UPDATE meta SET value = ? WHERE key = 'position'", self.position)
        return StorePosition(rawValue: self.position)
    }

    /// Goes on above what records of the log say, which the database does not hold.
    mutating func begin(above id: Int64, moment: Int64) {
        self.lastID = max(self.lastID, id)
        self.lastMoment = max(self.lastMoment, moment)
    }

    /// Before a commit of records from the log: stores the position of the newest of them, which nothing in the database
    /// exceeds.
    mutating func writeApplied(_ id: Int64, _ connection: Connection) throws(StoreError) {
        self.position = max(self.position, id)
        try connection.run("UPDATE meta SET value = ? WHERE key = 'position'", self.position)
    }

    /// Before a commit: makes sure the database is ahead of every number given.
    mutating func reserve(_ connection: Connection) throws(StoreError) {
        if self.lastID > self.idsUntil {
            let until = MessageID(rawValue: self.lastID).milliseconds + Self.reservedMilliseconds
            self.idsUntil = MessageID.first(ofMillisecond: until, node: self.node)
            try connection.setMeta("ids_until", self.idsUntil)
        }
        if self.lastChange > self.changesUntil {
            self.changesUntil = self.lastChange + Self.reservedChanges
            try connection.setMeta("changes_until", self.changesUntil)
        }
        if self.lastMoment > self.momentsUntil {
            self.momentsUntil = self.lastMoment + Self.reservedMoments
            try connection.setMeta("moments_until", self.momentsUntil)
        }
    }

    /// After a rollback: what was reserved in the transaction is not in the database.
    mutating func forgetReservations() {
        self.idsUntil = 0
        self.changesUntil = 0
        self.momentsUntil = 0
    }

    /// At a clean end: the numbers themselves, so that a restart leaves no hole.
    func writeExactly(_ connection: Connection) throws(StoreError) {
        try connection.setMeta("ids_until", self.lastID)
        try connection.setMeta("changes_until", self.lastChange)
        try connection.setMeta("moments_until", self.lastMoment)
    }
}

// The numbers of the `meta` table.
extension Connection {
    /// 0 when it was never written.
    func meta(_ key: String) throws(StoreError) -> Int64 {
        try self.first("SELECT value FROM meta WHERE key = ?", key) { row throws(StoreError) in row.int64(0) } ?? 0
    }

    func setMeta(_ key: String, _ value: Int64) throws(StoreError) {
        try self.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, value)
    }
}
