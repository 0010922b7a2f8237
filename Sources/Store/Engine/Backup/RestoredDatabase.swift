import ChatModel
package import Execution
import MessageLog

/// How a restored database goes on.
package struct RestoreOptions: Sendable {
    /// Ends every sign-in: nobody's device or session is known any more.
    package var endsSessions = false
    /// Clock of the machine.
    package var clock = Clock.system

    package init() {}
}

/// Numbers of a restored database.
package struct RestoreFacts: Hashable, Sendable {
    /// The new epoch.
    package var epoch: Int64
    /// Sequence and revision above which everything new is.
    package var floor: Int64

    package init(epoch: Int64, floor: Int64) {
        self.epoch = epoch
        self.floor = floor
    }
}

/// Numbers by which a restore goes beyond those that clients may have been given after the backup.
enum RestoreJump {
    /// Messages of a conversation, changes in it, and rows that are numbered.
    static let numbers: Int64 = 1_000_000
    /// Changes of the whole store.
    static let changes: Int64 = 1_000_000_000
    /// Positions and ids are times; as far ahead of the clock they go.
    static let milliseconds: Int64 = 1_000
}

/// Makes the database of a backup one that a server may go on from: with the newest schema, another epoch, and all numbers that
/// clients compare beyond those that they may have seen.
///
/// - Parameter path: the file, which nobody else has open; what is made of it for good is still to be renamed.
/// - Throws: `schemaTooNew`, `fatal`, `full`.
package func prepareRestored(_ path: String, _ options: RestoreOptions) throws(StoreError) -> RestoreFacts {
    let connection = try Connection(path: path, role: .writer(synchronous: "FULL"))
    guard try connection.schemaVersion() > 0 else { throw .fatal("\(path) is no database of teahouse's") }
    try connection.migrate(clock: options.clock.wallMilliseconds(), epoch: try connection.meta("epoch"))
    let facts = try connection.goOn(options)
    try connection.checkpoint(truncating: true)
    return facts
}

/// Makes the copy of before an upgrade one that the former teahouse may go on from: its schema stays.
///
/// - Parameters:
///   - path: the file, which nobody else has open; what is made of it for good is still to be renamed.
///   - options: how it goes on where numbers were given out since, in a schema that can jump; `nil` where none were, and all
///     stays as it was.
/// - Throws: `fatal` when it is damaged.
package func prepareRolledBack(_ path: String, _ options: RestoreOptions?) throws(StoreError) -> RestoreFacts? {
    let connection = try Connection(path: path, role: .writer(synchronous: "FULL"))
    let found = try connection.query("PRAGMA quick_check(1)") { row throws(StoreError) in row.text(0) }
    guard found == ["ok"] else { throw .fatal("\(path) is damaged: \(found.first ?? "unreadable")") }
    guard let options else {
        try connection.checkpoint(truncating: true)
        return nil
    }
    let facts = try connection.goOn(options)
    try connection.checkpoint(truncating: true)
    return facts
}

/// Changes of the database of a stopped folder since a copy of it was made.
package struct ChangesSince: Hashable, Sendable {
    /// Version of its schema now.
    package var schemaVersion: Int64
    /// Messages that came since, those that only the log of the server has included.
    package var messages: Int64
    /// Nothing was changed since.
    package var isNone: Bool

    /// Looks at the database of a folder whose lock the caller holds, and empties SQLite's log into its file. The log of the
    /// server stays as it is.
    ///
    /// - Parameters:
    ///   - position: of the newest change in the copy.
    ///   - newestMessage: ID of the newest message in the copy.
    /// - Throws: `schemaTooNew`, `fatal`.
    package init(
        in folder: String, position: Int64, newestMessage: Int64
    ) throws(StoreError) {
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder), role: .writer(synchronous: "FULL"))
        let version = try connection.schemaVersion()
        guard version <= Schema.version else { throw .schemaTooNew(found: version, supported: Schema.version) }
        var messages = try connection.messageCount(afterID: newestMessage)
        var tail: [LogEntry] = []
        if try connection.meta("log_segments") > 0 {
            let disk: FolderDisk
            do throws(LogError) { disk = try FolderDisk(LogStart.path(in: folder)) } catch { throw StoreError(error) }
            tail = try LogStart(disk, connection, acceptsDamage: false).entries
        }
        for entry in tail {
            if case .message = entry { messages += 1 }
        }
        self.schemaVersion = Int64(version)
        self.messages = messages
        let newest = try connection.meta("position")
        self.isNone = messages == 0 && tail.isEmpty && position > 0 && newest == position
        try connection.checkpoint(truncating: true)
    }
}

extension Connection {
    /// True for a schema that records sequences which were passed over.
    func knowsJumps() throws(StoreError) -> Bool {
        try self.first("SELECT count(*) FROM sqlite_schema WHERE name = 'sequence_gap'") { row throws(StoreError) in
            row.int64(0) > 0
        } ?? false
    }

    /// Takes another epoch and goes beyond all numbers that were given out.
    fileprivate func goOn(_ options: RestoreOptions) throws(StoreError) -> RestoreFacts {
        try self.run("BEGIN IMMEDIATE")
        let epoch = try self.renewEpoch(after: try self.meta("epoch"))
        let floor = try self.jumpAhead(epoch: epoch, at: options.clock.wallMilliseconds())
        if options.endsSessions { try self.endAllSessions() }
        try self.run("COMMIT")
        return RestoreFacts(epoch: epoch, floor: floor)
    }

    /// Gives the database a number that none of its copies has, and lets go of the log that it had.
    fileprivate func renewEpoch(after former: Int64) throws(StoreError) -> Int64 {
        var epoch = former
        while epoch == former { epoch = Int64.random(in: 1...Int64(UInt32.max)) }
        try self.setMeta("epoch", epoch)
        try self.nameLog()
        return epoch
    }

    /// - Returns: the floor of sequences and revisions.
    fileprivate func jumpAhead(epoch: Int64, at wall: Int64) throws(StoreError) -> Int64 {
        let highest = try self.first(
            """
            SELECT max(coalesce((SELECT max(head) FROM conversation), 0), coalesce((SELECT max(revision) FROM conversation), 0),
                coalesce((SELECT max(floor) FROM sequence_jump), 0))
            """
        ) { row throws(StoreError) in row.int64(0) }
        let floor = (highest ?? 0) + RestoreJump.numbers
        try self.run("INSERT INTO sequence_jump (floor, epoch, at) VALUES (?, ?, ?)", floor, epoch, wall)
        // What an import has brought and nobody has changed since goes on following its source.
        try self.run(
            """
            UPDATE import_conversation SET revision = ?
            WHERE revision = (SELECT c.revision FROM conversation c WHERE c.id = conversation_id)
            """, floor)
        try self.run("UPDATE conversation SET revision = ?", floor)
        try self.setMeta("changes_until", try self.meta("changes_until") + RestoreJump.changes)
        let first = MessageID.first(ofMillisecond: wall + RestoreJump.milliseconds, node: try self.meta("node_id"))
        let newest = max(first, try self.meta("ids_until"), try self.meta("position"))
        try self.setMeta("ids_until", newest)
        try self.setMeta("position", newest)
        try self.setMeta("moments_until", max(wall + RestoreJump.milliseconds, try self.meta("moments_until")))
        // Rows whose numbers are told; the audit log's are a chain without a gap.
        let tables = try self.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%' AND name <> 'audit'"
        ) { row throws(StoreError) in row.text(0) }
        for table in tables {
            try self.run("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ?", RestoreJump.numbers, table)
            if self.changes > 0 { continue }
            try self.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, RestoreJump.numbers)
        }
        return floor
    }

    /// Also of what was signed in after the backup: a session token says how often the person's were taken back.
    fileprivate func endAllSessions() throws(StoreError) {
        try self.run("DELETE FROM device_token")
        try self.run(
            """
            INSERT INTO session_revocation (user_id, count) SELECT id, ?1 FROM user WHERE true
            ON CONFLICT (user_id) DO UPDATE SET count = count + ?1
            """, RestoreJump.numbers)
    }
}
