import CSQLite

extension Connection {
    /// Copies the database, as this connection's open read transaction sees it, into a new file.
    ///
    /// SQLite's backup interface copies pages in steps and begins again when the source has changed between two of them; an open
    /// read transaction keeps the source as it was, so that it never does. Source: sqlite3.h, `sqlite3_backup_step`; backup.c,
    /// which begins a transaction of its own only where there is none.
    ///
    /// - Parameters:
    ///   - path: a file that is not there, or is empty.
    ///   - pages: pages of one step.
    ///   - goesOn: called after each step with the pages that are copied and all of them; false ends the copy.
    /// - Returns: false when it was ended early; then what is in the file is of no use.
    /// - Throws: `full`, `broken`; and `refused` outside of a transaction.
    package func copySnapshot(
        to path: String, pages: Int32, goesOn: (_ done: Int64, _ all: Int64) -> Bool
    ) throws(SQLiteError) -> Bool {
        guard self.isInTransaction else { throw .refused(text: "a copy needs a read transaction", code: SQLITE_MISUSE) }
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        defer { sqlite3_close_v2(opened) }
        guard code == SQLITE_OK, let opened else {
            throw .cannotOpen(path: path, reason: String(cString: sqlite3_errstr(code)))
        }
        sqlite3_extended_result_codes(opened, 1)
        guard let copy = sqlite3_backup_init(opened, "main", self.handle, "main") else {
            throw SQLiteError(sqlite3_extended_errcode(opened), of: opened)
        }
        while true {
            let step = sqlite3_backup_step(copy, pages)
            let all = Int64(sqlite3_backup_pagecount(copy))
            let done = all - Int64(sqlite3_backup_remaining(copy))
            switch step {
            case SQLITE_DONE:
                let end = sqlite3_backup_finish(copy)
                guard end == SQLITE_OK else { throw SQLiteError(end, of: opened) }
                _ = goesOn(all, all)
                return true
            case SQLITE_OK:
                guard goesOn(done, all) else {
                    sqlite3_backup_finish(copy)
                    return false
                }
            default:
                let error = SQLiteError(step, of: opened)
                sqlite3_backup_finish(copy)
                throw error
            }
        }
    }
}
