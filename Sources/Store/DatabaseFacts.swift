import CSQLite
import Glibc

/// The newest schema this build understands; an older database is brought to it by the next start.
package let newestSchemaVersion = Schema.version

/// The version of the SQLite inside.
package var sqliteVersion: String { String(cString: sqlite3_libversion()) }

/// The schema version of the database in a data folder, also while a server uses it. Changes nothing.
///
/// - Returns: `nil` when there is no database.
/// - Throws: `fatal` when it cannot be read.
package func schemaVersion(ofDatabaseIn folder: String) throws(StoreError) -> Int? {
    let path = DataFolder.databasePath(in: folder)
    guard access(path, F_OK) == 0 else { return nil }
    return try Connection(path: path, role: .reader).schemaVersion()
}
