import Glibc

/// A database that a start is about to give a newer schema. Nothing of it has been changed yet, all of it but what the log of
/// the server holds is in its file, and nobody has the file open.
package struct SchemaUpgrade: Hashable, Sendable {
    /// The data folder, which the start holds.
    package var folder: String
    /// Path of the database.
    package var databasePath: String
    /// Version of its schema.
    package var from: Int64
    /// Version that it is about to get.
    package var to: Int64
    /// Epoch of the database.
    package var epoch: Int64
    /// Position of the newest change in it; 0 for a schema that knows none.
    package var position: Int64
    /// Number of messages in it.
    package var messages: Int64
    /// ID of the newest message in it; 0 for none.
    package var newestMessage: Int64
    /// The schema knows that sequences may be passed over, so that it can go on above numbers that were given out later.
    package var canJump: Bool
    /// Folder of the server's log where the last run was killed and left messages there that the database has not; `nil` after a
    /// clean end.
    package var logPath: String?
}

extension SchemaUpgrade {
    /// - Returns: `nil` when the database of a folder has the newest schema, or there is none.
    /// - Throws: `fatal` when it cannot be read; `full`.
    init?(_ folder: DataFolder) throws(StoreError) {
        let found = try schemaVersion(ofDatabaseIn: folder.path) ?? 0
        guard found > 0, found < Schema.version else { return nil }
        let connection = try Connection(path: folder.databasePath, role: .writer(synchronous: "FULL"))
        guard try connection.checkpoint(truncating: true) else { throw .busy }
        self.folder = folder.path
        self.databasePath = folder.databasePath
        self.from = Int64(found)
        self.to = Int64(Schema.version)
        self.epoch = try connection.meta("epoch")
        self.position = try connection.meta("position")
        self.messages = try connection.messageCount()
        self.newestMessage = try connection.newestMessageID()
        self.canJump = try connection.knowsJumps()
        self.logPath = try connection.meta("log_segments") > 0 ? LogStart.path(in: folder.path) : nil
    }
}

/// The lock of a data folder whose server does not run; let go of when nobody has the value any more.
package final class StoppedFolder {
    private let folder: DataFolder

    /// - Throws: `alreadyRunning`; `notFound` where there is no database; `invalid` when others may write to the folder.
    package init(_ path: String) throws(StoreError) {
        guard access(DataFolder.databasePath(in: path), F_OK) == 0 else {
            throw .notFound("a database in \(path): name the folder that holds teahouse.db")
        }
        self.folder = try DataFolder(path)
    }
}
