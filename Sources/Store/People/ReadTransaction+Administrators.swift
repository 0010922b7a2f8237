extension ReadTransaction {
    /// Whether anybody but the system itself is an administrator; a disabled one counts.
    package func hasAdministrator() throws(StoreError) -> Bool {
        let sql: StaticString = "SELECT 1 FROM user WHERE role = 1 AND id <> 0 LIMIT 1"
        return try self.connection.first(sql) { row throws(StoreError) in row.int64(0) == 1 } ?? false
    }
}
