import CLinux
import CSQLite
import Glibc

/// One SQLite connection with its prepared statements. Confined to the thread that opened it.
package final class Connection {
    /// The use of a connection.
    package enum Role {
        /// The only one that writes and checkpoints.
        case writer(synchronous: String)
        /// Reads committed data alone; its statements are broken off at `breaksOffAt`.
        case reader
    }

    let handle: OpaquePointer
    private var statements: [UnsafeRawPointer: Statement] = [:]
    /// Texts whose addresses are keys of `statements`.
    private var texts: [SQL] = []
    /// Pages in the write-ahead log after the last commit of this connection, counted from its last restart.
    private let logPageCount: UnsafeMutablePointer<Int32>
    /// `breaksOffAt` of a reading connection, where the progress handler sees it.
    private let breakingOff: UnsafeMutablePointer<Int64>

    /// The monotonic time, in nanoseconds, at which a statement of a reading connection is broken off.
    package var breaksOffAt: Int64 {
        get { self.breakingOff.pointee }
        set { self.breakingOff.pointee = newValue }
    }

    /// Settings of the process, made once before the first connection.
    private static let processIsConfigured: Bool = csqlite_configure_process() == SQLITE_OK

    /// Page cache of the writing connection.
    package static let writerCacheKibibytes = 16 * 1024
    /// Page cache of each reading connection.
    package static let readerCacheKibibytes = 4 * 1024
    /// Operations of SQLite's machine between two looks at the clock: some tens of microseconds.
    private static let operationsBetweenLooks: Int32 = 2_000
    /// How long a statement waits for a lock that a foreign process (an `sqlite3` shell) holds.
    package static let busyMilliseconds: Int32 = 5_000

    /// The version of the SQLite that is linked.
    package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

    /// Opens the database file; a writer makes it when it is missing.
    ///
    /// - Throws: `cannotOpen`, or `broken` when the file is no database.
    package init(path: String, role: Role) throws(SQLiteError) {
        _ = Self.processIsConfigured
        let access: Int32
        switch role {
        case .writer: access = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .reader: access = SQLITE_OPEN_READONLY
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, nil)
        guard code == SQLITE_OK, let opened else {
            let reason = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(opened)
            throw .cannotOpen(path: path, reason: reason)
        }
        self.handle = opened
        self.logPageCount = .allocate(capacity: 1)
        self.logPageCount.initialize(to: 0)
        self.breakingOff = .allocate(capacity: 1)
        self.breakingOff.initialize(to: .max)
        sqlite3_extended_result_codes(opened, 1)
        sqlite3_busy_timeout(opened, Self.busyMilliseconds)
        try self.configure(role)
    }

    deinit {
        self.statements.removeAll()
        sqlite3_close_v2(self.handle)
        self.logPageCount.deallocate()
        self.breakingOff.deallocate()
    }

    /// Question of `breakOff`, kept for the progress handler.
    private var question: Question?

    /// Breaks off the statements of a connection that writes once `isWanted` says no; it is asked every some tens of
    /// microseconds while one runs. They fail as `interrupted`.
    package func breakOff(unless isWanted: @escaping () -> Bool) {
        let question = Question(isWanted)
        self.question = question
        sqlite3_progress_handler(
            self.handle, Self.operationsBetweenLooks,
            { question in
                guard let question else { return 0 }
                // SAFETY: the connection keeps the question as long as SQLite has its address.
                return Unmanaged<Question>.fromOpaque(question).takeUnretainedValue().isWanted() ? 0 : 1
            }, Unmanaged.passUnretained(question).toOpaque())
    }

    /// Closure with an address.
    private final class Question {
        let isWanted: () -> Bool

        init(_ isWanted: @escaping () -> Bool) { self.isWanted = isWanted }
    }

    /// Bytes of the write-ahead log that hold pages since it was last restarted.
    package var logBytes: Int64 { Int64(self.logPageCount.pointee) * 4096 }

    private func configure(_ role: Role) throws(SQLiteError) {
        csqlite_configure(self.handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        csqlite_configure(self.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        csqlite_configure(self.handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
        let common = "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;"
        switch role {
        case .writer(let synchronous):
            try self.script(
                """
                \(common) PRAGMA foreign_keys = ON; PRAGMA cache_size = -\(Self.writerCacheKibibytes);
                PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous); PRAGMA wal_autocheckpoint = 0;
                """)
            csqlite_watch_log(self.handle, self.logPageCount)
        case .reader:
            self.leaveLogAlone()
            try self.script(
                "\(common) PRAGMA query_only = ON; PRAGMA cache_size = -\(Self.readerCacheKibibytes);")
            sqlite3_progress_handler(
                self.handle, Self.operationsBetweenLooks,
                { time in
                    guard let time = time?.assumingMemoryBound(to: Int64.self) else { return 0 }
                    return clinux_monotonic_nanoseconds() >= time.pointee ? 1 : 0
                }, self.breakingOff)
        }
    }

    /// Runs statements that return nothing, one after the other.
    package func script(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(self.handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code, of: self.handle) }
    }

    /// The prepared statement for `sql`, made at its first use and kept.
    ///
    /// The address of the literal is the key: it costs less than hashing the text, and a literal never moves.
    package func statement(_ sql: StaticString) throws(SQLiteError) -> Statement {
        let key = UnsafeRawPointer(sql.utf8Start)
        if let known = self.statements[key] { return known }
        let text = UnsafeBufferPointer(start: sql.utf8Start, count: sql.utf8CodeUnitCount)
        let made = try Statement(text, database: self.handle)
        self.statements[key] = made
        return made
    }

    /// The prepared statement for `sql`, made at its first use and kept. Keeps `sql` too, so that its address stays its own.
    package func statement(_ sql: SQL) throws(SQLiteError) -> Statement {
        let key = UnsafeRawPointer(Unmanaged.passUnretained(sql).toOpaque())
        if let known = self.statements[key] { return known }
        let made = try Array(sql.text.utf8).withUnsafeBufferPointer { bytes throws(SQLiteError) in
            try Statement(bytes, database: self.handle)
        }
        self.statements[key] = made
        self.texts.append(sql)
        return made
    }

    /// True while a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(self.handle) == 0 }

    /// Rows changed since the connection was opened; it grows with every change.
    package var totalChanges: Int64 { sqlite3_total_changes64(self.handle) }

    /// Rows changed by the last statement.
    package var changes: Int64 { sqlite3_changes64(self.handle) }

    /// The row id of the last insert.
    package var lastInsertedID: Int64 { sqlite3_last_insert_rowid(self.handle) }

    /// Copies the log into the database file.
    ///
    /// - Returns: false when a reader was in the way and part of the log remains.
    @discardableResult
    package func checkpoint(truncating: Bool) throws(SQLiteError) -> Bool {
        var pages: Int32 = 0
        var copied: Int32 = 0
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = sqlite3_wal_checkpoint_v2(self.handle, nil, mode, &pages, &copied)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw SQLiteError(code, of: self.handle) }
        if truncating { self.logPageCount.pointee = 0 }
        return pages == copied
    }

    /// Checks that SQLite could sync the folder of each log that it made.
    ///
    /// - Throws: `folderNotSynced` once the folder could not be synced in which SQLite made a log: the log's name, and with it what
    ///   was committed, may be gone after a power cut.
    package static func checkFolderSync() throws(SQLiteError) {
        let reason = csqlite_folder_sync_failure()
        guard reason != 0 else { return }
        throw .folderNotSynced(systemError: reason)
    }

    /// Closing the connection will not copy the log: after a failure nothing may be written any more.
    package func leaveLogAlone() { csqlite_configure(self.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }
}

extension SQLiteError {
    /// The meaning of a result code of SQLite.
    init(_ code: Int32, of database: OpaquePointer?) {
        switch code & 0xFF {
        case SQLITE_FULL:
            self = .full
        case SQLITE_BUSY, SQLITE_LOCKED:
            self = .busy
        case SQLITE_INTERRUPT:
            self = .interrupted
        case SQLITE_IOERR where Self.meansNoRoom(sqlite3_system_errno(database)):
            self = .full
        case SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_NOMEM:
            self = .broken(
                text: String(cString: sqlite3_errmsg(database)), code: code,
                systemError: sqlite3_system_errno(database))
        default:
            self = .refused(text: String(cString: sqlite3_errmsg(database)), code: code)
        }
    }

    private static func meansNoRoom(_ systemError: Int32) -> Bool { systemError == ENOSPC || systemError == EDQUOT }
}
