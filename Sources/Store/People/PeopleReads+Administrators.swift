import ChatModel

extension PeopleReads {
    private static let hasAdministratorSQL = SQL(
        """
        SELECT 1 FROM user WHERE role = \(UserRole.administrator) AND id <> 0 LIMIT 1
        """)

    /// True when anybody but the system itself is an administrator; a disabled one counts.
    package func hasAdministrator() throws(StoreError) -> Bool {
        return try self.transaction.connection.first(Self.hasAdministratorSQL) { row throws(StoreError) in
            row.int64(0) == 1
        }
            ?? false
    }
}
