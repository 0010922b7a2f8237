/// A failed call of SQLite. Texts name the failure of the statement, never a bound value.
@usableFromInline
package enum SQLiteError: Error, Hashable, Sendable {
    /// The file cannot be opened; SQLite's reason.
    case cannotOpen(path: String, reason: String)
    /// The disk or its quota is full. The statement changed nothing.
    case full
    /// Another process held a lock for longer than `Connection.busyMilliseconds`.
    case busy
    /// The statement ran past `Connection.breaksOffAt`.
    case interrupted
    /// The file cannot be read or written, or is no sound database; with SQLite's extended result code and errno.
    case broken(text: String, code: Int32, systemError: Int32)
    /// Every other failure, such as a violated constraint or a mistake in the statement.
    case refused(text: String, code: Int32)
    /// The folder in which SQLite made a log could not be synced; with errno.
    case folderNotSynced(systemError: Int32)
}
