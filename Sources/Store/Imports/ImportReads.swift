package import ChatModel

extension ReadTransaction {
    /// Reads of imports.
    package var imports: ImportReads { ImportReads(transaction: self) }
}

/// Reads of imports. Valid as long as its transaction.
package struct ImportReads {
    let transaction: ReadTransaction

    /// The newest imports, the latest first.
    ///
    /// - Parameter limit: 1...1000.
    package func list(before number: Int64 = .max, limit: Int) throws(StoreError) -> [ImportRecord] {
        try self.transaction.connection.query(
            """
            SELECT number, source, origin, state, operator, begun_at, changed_at, counts FROM import
            WHERE number < ? ORDER BY number DESC LIMIT ?
            """, number, try ReadTransaction.page(limit), read: Self.record)
    }

    /// Reads one import; `nil` when there is none of this number.
    package func one(_ number: Int64) throws(StoreError) -> ImportRecord? {
        try self.transaction.connection.first(
            """
            SELECT number, source, origin, state, operator, begun_at, changed_at, counts FROM import WHERE number = ?
            """, number, read: Self.record)
    }

    /// Reads the import of a source that is under way; `nil` when there is none.
    package func underWay(_ source: String, _ origin: String) throws(StoreError) -> ImportRecord? {
        try self.transaction.connection.first(
            """
            SELECT number, source, origin, state, operator, begun_at, changed_at, counts FROM import
            WHERE source = ? AND origin = ? AND state = ? ORDER BY number DESC LIMIT 1
            """, source, origin, ImportRecord.State.underWay.rawValue, read: Self.record)
    }

    private static func record(_ row: Row) throws(StoreError) -> ImportRecord {
        guard let state = ImportRecord.State(rawValue: row.int64(3)) else { throw Row.damaged("state of an import") }
        return ImportRecord(
            number: row.int64(0), source: row.text(1), origin: row.text(2), state: state, asker: row.text(4),
            begunAtMilliseconds: row.int64(5), changedAtMilliseconds: row.int64(6), counts: row.text(7))
    }

    /// True when a message with this id at its source is here.
    package func hasMessage(_ foreignID: String) throws(StoreError) -> Bool {
        try self.transaction.messages.imported(foreignID) != nil
    }

    /// Conversations of an import, a page by their numbers; at most 1000.
    package func conversations(
        of number: Int64, after id: ConversationID = ConversationID(rawValue: 0), limit: Int
    ) throws(StoreError) -> [ConversationID] {
        try self.transaction.connection.query(
            """
            SELECT conversation_id FROM import_conversation WHERE import = ? AND conversation_id > ?
            ORDER BY conversation_id LIMIT ?
            """, number, id, try ReadTransaction.page(limit)
        ) { row throws(StoreError) in row.conversationID(0) }
    }
}
