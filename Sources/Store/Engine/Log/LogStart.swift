import Diagnostics
import MessageLog

/// The log that the last run has left behind, as a start finds it.
struct LogStart {
    let log: SegmentedLog
    /// Records that the database does not hold, in order.
    let entries: [LogEntry]
    /// Position up to which the database holds everything.
    let applied: UInt64
    /// Run that the database knows of.
    let run: UInt32

    /// Position of the newest record.
    var newest: UInt64 { self.applied + UInt64(self.entries.count) }

    static func path(in folder: String) -> String { "\(folder)/log" }

    /// Reads the log beside a database. Nothing is written to either.
    ///
    /// - Throws: `fatal` where it is damaged, or not of this database.
    init(_ disk: any LogDisk, _ connection: Connection, acceptsDamage: Bool) throws(StoreError) {
        let applied = UInt64(clamping: try connection.meta("log_applied"))
        let run = UInt32(truncatingIfNeeded: try connection.meta("log_run"))
        let segments = max(0, Int(try connection.meta("log_segments")))
        let storeID = UInt64(bitPattern: try connection.meta("log_store"))
        guard storeID != 0 else { throw .fatal("the database does not know its log: restore the last backup") }
        let owner = LogOwner(storeID: storeID, epoch: try connection.meta("epoch"), run: run)
        do throws(LogError) {
            self.log = try SegmentedLog(
                disk, owner: owner, applied: applied, expectedSegments: segments, acceptsDamage: acceptsDamage)
            var entries: [LogEntry] = []
            for record in self.log.recovered.records { entries.append(try LogEntry(record)) }
            self.entries = entries
        } catch {
            throw StoreError(error)
        }
        self.applied = applied
        self.run = run
    }

    /// Writes the records to the database, inside the open transaction.
    func apply(
        _ rows: MessageRows, _ connection: Connection, _ sequencer: inout Sequencer
    ) throws(StoreError) {
        guard !self.entries.isEmpty else { return }
        let tail = LogTail(applied: self.applied)
        for entry in self.entries { tail.add(entry, bytes: 0) }
        tail.noteSynced(through: tail.newest)
        let layers = tail.beginApplying()
        let newest = layers.reduce(0) { max($0, $1.newestNumber) }
        sequencer.begin(above: newest, moment: self.entries.newestMoment)
        var numbers = sequencer
        defer { sequencer = numbers }
        for layer in layers {
            var application = LayerApplication(layer)
            _ = try application.write(.everything, rows) { numbers.nextChange() }
        }
        if newest > 0 { try numbers.writeApplied(newest, connection) }
        try connection.setMeta("log_applied", Int64(self.newest))
    }

    /// Applies what was left behind, and begins another run.
    ///
    /// - Parameter makeRoom: gives up the reserve file.
    /// - Returns: the log, which takes records, and its run; `nil` where the disk is too full for a run, and nothing was
    ///   left behind.
    /// - Throws: `full` when there is no room for what was left behind.
    static func begin(
        _ disk: any LogDisk, _ connection: Connection, _ rows: MessageRows, _ sequencer: inout Sequencer,
        _ options: StoreOptions, makeRoom: () -> Void
    ) throws(StoreError) -> (log: SegmentedLog, run: UInt32)? {
        let start = try LogStart(disk, connection, acceptsDamage: options.acceptsDamagedLog)
        do throws(StoreError) {
            try start.commit(connection, rows, &sequencer)
        } catch {
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            sequencer.forgetReservations()
            guard case .full = error else { throw error }
            if start.entries.isEmpty { return nil }
            makeRoom()
            try start.commit(connection, rows, &sequencer)
        }
        if !start.entries.isEmpty {
            options.log.info("log_applied", ["records": .number(Int64(start.entries.count))])
        }
        if let damage = start.log.recovered.damage {
            options.log.error("log_damage_accepted", ["reason": .text(damage.description)])
        }
        do throws(LogError) {
            try start.log.beginRun(start.run + 1, after: start.newest)
            if options.usesLog { try start.log.prepareFirst() }
        } catch {
            throw StoreError(error)
        }
        return (start.log, start.run + 1)
    }

    private func commit(
        _ connection: Connection, _ rows: MessageRows, _ sequencer: inout Sequencer
    ) throws(StoreError) {
        try connection.run("BEGIN IMMEDIATE")
        try self.apply(rows, connection, &sequencer)
        try connection.setMeta("log_run", Int64(self.run) + 1)
        try connection.setMeta("log_segments", Int64(self.log.segmentCount))
        try sequencer.reserve(connection)
        try connection.run("COMMIT")
        try Connection.checkFolderSync()
    }
}
