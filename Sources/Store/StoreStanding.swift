package import ChatModel

/// How far the store has come: the same numbers for the log and for the database, because they are taken where the database
/// holds everything that the log does.
///
/// `Store.drain` says that of a running store; `ReadTransaction.standing` says that of what one read sees, so that a copy made
/// inside one read knows exactly what it holds.
package struct StoreStanding: Hashable, Sendable {
    /// Number of the database that no restored copy shares; positions of two epochs have nothing in common.
    package let epoch: Int64
    /// Position of the newest message, event or commit. Everything up to it is in the database, and nothing in the database
    /// is above it.
    package let position: StorePosition
    /// Records of the log that the database holds, over all runs: the position in the log of the newest of them.
    package let records: UInt64

    package init(epoch: Int64, position: StorePosition, records: UInt64) {
        self.epoch = epoch
        self.position = position
        self.records = records
    }

    init(_ connection: Connection) throws(StoreError) {
        self.epoch = try connection.meta("epoch")
        self.position = StorePosition(rawValue: try connection.meta("position"))
        self.records = UInt64(clamping: try connection.meta("log_applied"))
    }
}

extension ReadTransaction {
    /// How far the store had come when this read began. A read of `ReadScope.everything` sees all that was acknowledged when
    /// it was asked for.
    package var standing: StoreStanding { get throws(StoreError) { try StoreStanding(self.connection) } }
}

// For what has to see everything in the database: retention, and tools.
extension Store {
    /// Brings everything that was asked for before into the database: decided, on the disk, told, applied and committed.
    /// Others go on writing meanwhile and afterwards.
    ///
    /// - Parameters:
    ///   - erasing: also overwrites the log's files, so that nothing is left in them of what was recalled or deleted before.
    ///     It writes up to 32 MiB and syncs them while the writer waits: for what promises that something is gone, once
    ///     at its end.
    ///   - then: how far the store has come; on the writer's thread, so it must be short, or on the caller's with
    ///     `unavailable`. Fails as `full` while the disk has no room to apply what was acknowledged, and as `fatal`.
    package func drain(
        erasing: Bool = false, then: @escaping @Sendable (Result<StoreStanding, StoreError>) -> Void
    ) {
        if !self.queue.postDrain(DrainRequest(isErasing: erasing, then: then)) { then(.failure(.unavailable)) }
    }

    /// `drain`, waiting for its end. For tools and tests; never on a thread that must not block.
    @discardableResult
    package func drainAndWait(erasing: Bool = false) throws(StoreError) -> StoreStanding {
        let answer = Answer<StoreStanding>()
        self.drain(erasing: erasing, then: answer.set)
        return try answer.get()
    }
}

/// Lets a copy of the database stand alone: a start on it expects no files of a log.
///
/// For a copy that holds everything: one made inside a read, by SQLite's own means, or after `Store.drain`. The log's folder of
/// the store that it was copied from must not be put beside it: its records belong on top of changes that the copy has not.
/// What is made of the copy for good gets another epoch, by which such a log is refused.
///
/// - Parameter path: the file of the copy, which nobody else has open.
/// - Throws: `fatal` when it is no database of ours; `full`.
package func detachFromLog(databaseAt path: String) throws(StoreError) {
    let connection = try Connection(path: path, role: .writer(synchronous: "FULL"))
    guard try connection.schemaVersion() > 0 else { throw .fatal("\(path) is no database of teahouse's") }
    try connection.setMeta("log_segments", 0)
    try connection.checkpoint(truncating: true)
}
