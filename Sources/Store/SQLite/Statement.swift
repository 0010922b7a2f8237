import CSQLite

/// One prepared statement of one connection. Confined to its thread.
final class Statement {
    let handle: OpaquePointer
    private unowned let connection: Connection

    init(_ sql: StaticString, connection: Connection) throws(StoreError) {
        var prepared: OpaquePointer?
        let code = sql.withUTF8Buffer { text in
            text.withMemoryRebound(to: CChar.self) { text in
                sqlite3_prepare_v3(
                    connection.handle, text.baseAddress, Int32(text.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &prepared, nil)
            }
        }
        guard code == SQLITE_OK, let prepared else { throw connection.failure(code) }
        self.handle = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(self.handle) }

    /// Goes to the next row.
    ///
    /// - Returns: false when there is none.
    func step() throws(StoreError) -> Bool {
        switch sqlite3_step(self.handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw self.connection.failure(code)
        }
    }

    /// Makes the statement ready for its next use. Parameters keep their values.
    func reset() { sqlite3_reset(self.handle) }

    /// Runs a statement that returns no rows.
    func run() throws(StoreError) {
        defer { self.reset() }
        _ = try self.step()
    }

    var row: Row { Row(handle: self.handle) }

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(self.handle, index, value) }

    func bind(_ index: Int32, _ value: [UInt8]) {
        _ = value.withUnsafeBufferPointer { csqlite_bind_blob(self.handle, index, $0.baseAddress, Int32($0.count)) }
    }

    func bind(_ index: Int32, _ value: String) {
        var value = value
        _ = value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                csqlite_bind_text(self.handle, index, $0.baseAddress, Int32($0.count))
            }
        }
    }

    func bindNull(_ index: Int32) { sqlite3_bind_null(self.handle, index) }
}

/// The row a statement stands on; valid until its next step. Columns count from 0.
struct Row {
    fileprivate let handle: OpaquePointer

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(self.handle, column) == SQLITE_NULL }

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(self.handle, column) }

    func optionalInt64(_ column: Int32) -> Int64? { self.isNull(column) ? nil : self.int64(column) }

    /// Empty for NULL.
    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(self.handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(self.handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { self.isNull(column) ? nil : self.text(column) }

    /// Empty for NULL.
    func blob(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(self.handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(self.handle, column))))
    }

    func optionalBlob(_ column: Int32) -> [UInt8]? { self.isNull(column) ? nil : self.blob(column) }
}
