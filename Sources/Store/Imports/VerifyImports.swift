// What imports have brought, looked at again.
extension Verifier {
    func checkImports() throws(StoreError) {
        let rows = try self.connection.query(
            """
            SELECT 'import ' || i.import || ' names conversation number ' || i.conversation_id FROM import_conversation i
            WHERE NOT EXISTS (SELECT 1 FROM conversation c WHERE c.id = i.conversation_id)
            UNION ALL
            SELECT 'the name ' || a.foreign_id || ' leads to conversation number ' || a.conversation_id
            FROM conversation_alias a WHERE NOT EXISTS (SELECT 1 FROM conversation c WHERE c.id = a.conversation_id)
            """
        ) { row throws(StoreError) in row.text(0) }
        for row in rows {
            self.notes.add(.danglingRow, "\(row), which does not exist. Keep the folder and report it.")
        }
        let beyond = try self.connection.query(
            """
            SELECT i.import, i.conversation_id FROM import_conversation i JOIN conversation c ON c.id = i.conversation_id
            WHERE i.last_sequence > c.head OR i.first_sequence > i.last_sequence
            """
        ) { row throws(StoreError) in (number: row.int64(0), conversation: row.int64(1)) }
        for row in beyond {
            self.notes.add(
                .sequence,
                """
                Import \(row.number) says that it has brought messages of conversation number \(row.conversation) which \
                are not there. Restore the last backup.
                """)
        }
    }
}
