public import CSQLite

/// One prepared statement of one connection. Confined to its thread.
@usableFromInline
package final class Statement {
    /// Statement of SQLite's C interface.
    @usableFromInline
    package let handle: OpaquePointer

    init(_ sql: UnsafeBufferPointer<UInt8>, database: OpaquePointer) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let code = sql.withMemoryRebound(to: CChar.self) { text in
            sqlite3_prepare_v3(
                database, text.baseAddress, Int32(text.count), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        }
        guard code == SQLITE_OK, let prepared else { throw SQLiteError(code, of: database) }
        self.handle = prepared
    }

    deinit { sqlite3_finalize(self.handle) }

    /// Goes to the next row.
    ///
    /// - Returns: false when there is none.
    @inlinable
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(self.handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw self.failure(code)
        }
    }

    /// Error that a result code of this statement means, with SQLite's message.
    @usableFromInline
    package func failure(_ code: Int32) -> SQLiteError { SQLiteError(code, of: sqlite3_db_handle(self.handle)) }

    /// Makes the statement ready for its next use. Parameters keep their values.
    @inlinable
    package func reset() { sqlite3_reset(self.handle) }

    /// The row that the statement stands on.
    @inlinable
    package var row: Row { Row(handle: self.handle) }

    /// Binds an integer to the `?` at `index`, counted from 1.
    @inlinable
    package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(self.handle, index, value) }

    /// Binds bytes, which SQLite copies, to the `?` at `index`, counted from 1.
    @inlinable
    package func bind(_ index: Int32, _ value: [UInt8]) {
        _ = value.withUnsafeBufferPointer { csqlite_bind_blob(self.handle, index, $0.baseAddress, Int32($0.count)) }
    }

    /// Binds text, which SQLite copies, to the `?` at `index`, counted from 1.
    @inlinable
    package func bind(_ index: Int32, _ value: String) {
        var value = value
        _ = value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                csqlite_bind_text(self.handle, index, $0.baseAddress, Int32($0.count))
            }
        }
    }

    /// Binds NULL to the `?` at `index`, counted from 1.
    @inlinable
    package func bindNull(_ index: Int32) { sqlite3_bind_null(self.handle, index) }
}

/// The row a statement stands on; valid until its next step. Columns count from 0.
@usableFromInline
package struct Row {
    /// Statement of SQLite's C interface, stepped to a row.
    @usableFromInline
    package let handle: OpaquePointer

    /// Makes a row of a statement whose last step found one.
    @inlinable
    package init(handle: OpaquePointer) { self.handle = handle }

    /// True when the column is NULL.
    @inlinable
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(self.handle, column) == SQLITE_NULL }

    /// The number in a column; 0 for NULL.
    @inlinable
    package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(self.handle, column) }

    /// The number in a column; `nil` for NULL.
    @inlinable
    package func optionalInt64(_ column: Int32) -> Int64? { self.isNull(column) ? nil : self.int64(column) }

    /// The text of a column; empty for NULL.
    @inlinable
    package func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(self.handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(self.handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The text in a column; `nil` for NULL.
    @inlinable
    package func optionalText(_ column: Int32) -> String? { self.isNull(column) ? nil : self.text(column) }

    /// The bytes of a column; empty for NULL.
    @inlinable
    package func blob(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(self.handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(self.handle, column))))
    }

    /// The bytes in a column; `nil` for NULL.
    @inlinable
    package func optionalBlob(_ column: Int32) -> [UInt8]? { self.isNull(column) ? nil : self.blob(column) }
}
