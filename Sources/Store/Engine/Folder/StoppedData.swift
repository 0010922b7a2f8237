import Glibc
import MessageLog

/// The data of a server that does not run, as a start would find it. Nothing is changed, but SQLite recovers the write-ahead
/// log as it would at a start. Confined to its thread.
package final class StoppedData {
    /// Held so that nobody starts a server meanwhile; `nil` for a folder that no server has used.
    private let folder: DataFolder?
    private let transaction: ReadTransaction

    /// Opens a folder; one without a database is read as a new one, and is not made.
    ///
    /// - Throws: `alreadyRunning` while a server holds the folder; `invalid` for a database of another version.
    package init(_ path: String) throws(StoreError) {
        let connection: Connection
        if try isNewFolder(path) {
            self.folder = nil
            connection = try Connection(path: ":memory:", role: .writer(synchronous: "OFF"))
            try connection.migrate(clock: 0, epoch: 0)
            try connection.run("BEGIN IMMEDIATE")
        } else {
            let folder = try DataFolder(path)
            self.folder = folder
            if let damage = try folder.logDamage() { throw .fatal("\(damage)") }
            connection = try Connection(path: folder.databasePath, role: .writer(synchronous: "FULL"))
            let found = try connection.schemaVersion()
            guard found <= Schema.version else { throw .schemaTooNew(found: found, supported: Schema.version) }
            guard found == Schema.version else {
                throw .invalid(
                    "the database has schema \(found), this teahouse \(Schema.version): start it once to upgrade it")
            }
            // Never committed: what was acknowledged and is in the log alone is seen, and undone at the end.
            try connection.run("BEGIN IMMEDIATE")
            try connection.applyLog(in: LogStart.path(in: path))
        }
        self.transaction = ReadTransaction(connection, UserNames())
    }

    /// Reads.
    package func read<Value>(
        _ body: (ReadTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try body(self.transaction)
    }
}

extension Connection {
    fileprivate func applyLog(in path: String) throws(StoreError) {
        let segments = try self.meta("log_segments")
        guard access(path, F_OK) == 0 || segments > 0 else { return }
        let disk: FolderDisk
        do throws(LogError) { disk = try FolderDisk(path) } catch { throw StoreError(error) }
        let start = try LogStart(disk, self, acceptsDamage: false)
        var sequencer = try Sequencer(self)
        try start.apply(try MessageRows(self), self, &sequencer)
    }
}
