import Glibc

/// The newest schema this build understands; an older database is brought to it by the next start.
package let newestSchemaVersion = Schema.version

/// When a server last used the data folder and believed its clock, UTC milliseconds. Changes nothing.
///
/// - Returns: `nil` when there is no database, or one that does not know.
/// - Throws: `fatal` when it cannot be read.
package func lastBelievedTime(ofDatabaseIn folder: String) throws(StoreError) -> Int64? {
    let path = DataFolder.databasePath(in: folder)
    guard access(path, F_OK) == 0 else { return nil }
    let connection = try Connection(path: path, role: .reader)
    guard try connection.schemaVersion() > 0 else { return nil }
    let kept = try connection.meta("clock_believed")
    return kept > 0 ? kept : nil
}

/// The schema version of the database in a data folder, also while a server uses it. Changes nothing.
///
/// - Returns: `nil` when there is no database.
/// - Throws: `fatal` when it cannot be read.
package func schemaVersion(ofDatabaseIn folder: String) throws(StoreError) -> Int? {
    let path = DataFolder.databasePath(in: folder)
    guard access(path, F_OK) == 0 else { return nil }
    return try Connection(path: path, role: .reader).schemaVersion()
}
