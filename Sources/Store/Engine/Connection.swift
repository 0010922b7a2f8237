import SQLite

/// The row a statement stands on.
typealias Row = SQLite.Row
/// A value that can stand for a `?` in a statement.
typealias Bindable = SQLite.Bindable
/// The text of one statement in which constants of the code have their names.
typealias SQL = SQLite.SQL
/// A part of a statement, such as a list of columns.
typealias SQLText = SQLite.SQLText

// The store's view of SQLite: the same calls, whose failures are those of the store. The one place that maps them.

/// A connection of the store with its prepared statements. Confined to the thread that opened it.
struct Connection {
    typealias Role = SQLite.Connection.Role

    private let base: SQLite.Connection

    /// Opens the database file; a writer makes it when it is missing.
    ///
    /// - Throws: `fatal` when SQLite cannot open it or it is no database.
    init(path: String, role: Role) throws(StoreError) {
        do { self.base = try SQLite.Connection(path: path, role: role) } catch { throw StoreError(error) }
    }

    /// The monotonic time, in nanoseconds, at which a statement of a reading connection is broken off.
    var breaksOffAt: Int64 {
        get { self.base.breaksOffAt }
        nonmutating set { self.base.breaksOffAt = newValue }
    }

    /// Breaks off statements of a connection that writes once `isWanted` says no; see `SQLite.Connection`.
    func breakOff(unless isWanted: @escaping () -> Bool) { self.base.breakOff(unless: isWanted) }

    /// Bytes of the write-ahead log that hold pages since it was last restarted.
    var logBytes: Int64 { self.base.logBytes }

    /// True while a transaction is open.
    var isInTransaction: Bool { self.base.isInTransaction }

    /// Rows changed since the connection was opened; it grows with every change.
    var totalChanges: Int64 { self.base.totalChanges }

    /// Rows changed by the last statement.
    var changes: Int64 { self.base.changes }

    /// The row id of the last insert.
    var lastInsertedID: Int64 { self.base.lastInsertedID }

    /// Runs statements that return nothing, one after the other.
    func script(_ sql: String) throws(StoreError) {
        do { try self.base.script(sql) } catch { throw StoreError(error) }
    }

    /// The prepared statement for `sql`, made at its first use and kept.
    func statement(_ sql: StaticString) throws(StoreError) -> Statement {
        do { return Statement(try self.base.statement(sql)) } catch { throw StoreError(error) }
    }

    /// The prepared statement for `sql`, made at its first use and kept.
    func statement(_ sql: SQL) throws(StoreError) -> Statement {
        do { return Statement(try self.base.statement(sql)) } catch { throw StoreError(error) }
    }

    /// Copies the log into the database file.
    ///
    /// - Returns: false when a reader was in the way and part of the log remains.
    @discardableResult
    func checkpoint(truncating: Bool) throws(StoreError) -> Bool {
        do { return try self.base.checkpoint(truncating: truncating) } catch { throw StoreError(error) }
    }

    /// Copies the database as the open read transaction sees it; see `SQLite.Connection`.
    func copySnapshot(
        to path: String, pages: Int32, goesOn: (_ done: Int64, _ all: Int64) -> Bool
    ) throws(StoreError) -> Bool {
        do { return try self.base.copySnapshot(to: path, pages: pages, goesOn: goesOn) } catch {
            throw StoreError(error)
        }
    }

    /// Checks that SQLite could sync the folder of each log that it made.
    ///
    /// - Throws: `fatal` once the folder could not be synced: the log's name, and with it what was committed, may be gone
    ///   after a power cut.
    static func checkFolderSync() throws(StoreError) {
        do { try SQLite.Connection.checkFolderSync() } catch { throw StoreError(error) }
    }

    /// Closing the connection will not copy the log: after a failure nothing may be written any more.
    func leaveLogAlone() { self.base.leaveLogAlone() }
}

extension Connection {
    /// Runs a statement that returns no rows.
    func run<each Value: Bindable>(_ sql: StaticString, _ values: repeat each Value) throws(StoreError) {
        let statement = try self.statement(sql)
        statement.bindAll(repeat each values)
        try statement.run()
    }

    func run<each Value: Bindable>(_ sql: SQL, _ values: repeat each Value) throws(StoreError) {
        let statement = try self.statement(sql)
        statement.bindAll(repeat each values)
        try statement.run()
    }

    /// Runs a query and reads its rows. `read` must not use the same statement again.
    func query<each Value: Bindable, Output>(
        _ sql: StaticString, _ values: repeat each Value, read: (Row) throws(StoreError) -> Output
    ) throws(StoreError) -> [Output] {
        try self.statement(sql).rows(repeat each values, read: read)
    }

    func query<each Value: Bindable, Output>(
        _ sql: SQL, _ values: repeat each Value, read: (Row) throws(StoreError) -> Output
    ) throws(StoreError) -> [Output] {
        try self.statement(sql).rows(repeat each values, read: read)
    }

    /// Runs a query and reads its first row.
    func first<each Value: Bindable, Output>(
        _ sql: StaticString, _ values: repeat each Value, read: (Row) throws(StoreError) -> Output
    ) throws(StoreError) -> Output? {
        try self.statement(sql).firstRow(repeat each values, read: read)
    }

    func first<each Value: Bindable, Output>(
        _ sql: SQL, _ values: repeat each Value, read: (Row) throws(StoreError) -> Output
    ) throws(StoreError) -> Output? {
        try self.statement(sql).firstRow(repeat each values, read: read)
    }
}

extension Statement {
    /// Runs the query and reads its rows.
    @inline(__always)
    func rows<each Value: Bindable, Output>(
        _ values: repeat each Value, read: (Row) throws(StoreError) -> Output
    ) throws(StoreError) -> [Output] {
        self.bindAll(repeat each values)
        defer { self.reset() }
        var rows: [Output] = []
        while try self.step() { rows.append(try read(self.row)) }
        return rows
    }

    /// Runs the query and reads its first row.
    @inline(__always)
    func firstRow<each Value: Bindable, Output>(
        _ values: repeat each Value, read: (Row) throws(StoreError) -> Output
    ) throws(StoreError) -> Output? {
        self.bindAll(repeat each values)
        defer { self.reset() }
        return try self.step() ? try read(self.row) : nil
    }
}

/// One prepared statement of one connection. Confined to its thread.
struct Statement {
    private let base: SQLite.Statement

    init(_ base: SQLite.Statement) { self.base = base }

    /// Goes to the next row.
    ///
    /// - Returns: false when there is none.
    func step() throws(StoreError) -> Bool {
        do { return try self.base.step() } catch { throw StoreError(error) }
    }

    /// Runs a statement that returns no rows.
    func run() throws(StoreError) {
        defer { self.reset() }
        _ = try self.step()
    }

    /// Makes the statement ready for its next use. Parameters keep their values.
    func reset() { self.base.reset() }

    /// The row that the statement stands on.
    var row: Row { self.base.row }

    func bind(_ index: Int32, _ value: Int64) { self.base.bind(index, value) }

    func bind(_ index: Int32, _ value: [UInt8]) { self.base.bind(index, value) }

    func bind(_ index: Int32, _ value: String) { self.base.bind(index, value) }

    func bindNull(_ index: Int32) { self.base.bindNull(index) }

    /// Gives each `?` its value, from the first one on.
    @inline(__always)
    func bindAll<each Value: Bindable>(_ values: repeat each Value) {
        var index: Int32 = 1
        for value in repeat each values {
            value.bind(to: self.base, at: index)
            index += 1
        }
    }
}

extension StoreError {
    /// The meaning of a failure of SQLite for who asked the store.
    init(_ error: SQLiteError) {
        switch error {
        case .cannotOpen(let path, let reason):
            self = .fatal("cannot open \(path): \(reason); check that the file belongs to teahouse's user")
        case .full:
            self = .full
        case .busy:
            self = .busy
        case .interrupted:
            self = .invalid("it takes more than \(ReadBounds.milliseconds) ms to look that up: ask for less")
        case .broken(let text, let code, let systemError):
            self = .fatal(
                "\(text) (SQLite \(code), errno \(systemError)): check the disk, then run teahouse verify")
        case .refused(let text, let code):
            self = .invalid("the database refused it: \(text) (SQLite \(code))")
        case .folderNotSynced(let systemError):
            self = .fatal("the folder of the database cannot be synced: errno \(systemError); check the disk")
        }
    }
}

/// The version of the SQLite inside.
package var sqliteVersion: String { SQLite.Connection.libraryVersion }
