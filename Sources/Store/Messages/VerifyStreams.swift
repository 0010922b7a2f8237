// Messages that are written step by step.
extension Verifier {
    func checkStreams() throws(StoreError) {
        let rows = try self.connection.query(
            """
            SELECT conversation_id, sequence FROM message_stream s
            WHERE NOT EXISTS (
                SELECT 1 FROM message m WHERE m.conversation_id = s.conversation_id AND m.sequence = s.sequence)
            OR status NOT BETWEEN 0 AND 3 OR visibility NOT BETWEEN 0 AND 2
            OR (snapshot IS NOT NULL AND NOT json_valid(CAST(snapshot AS TEXT)))
            UNION SELECT conversation_id, sequence FROM message_stream GROUP BY conversation_id, sequence, number
                HAVING count(*) > 1
            """
        ) { row throws(StoreError) in (conversation: row.int64(0), sequence: row.int64(1)) }
        for row in rows {
            self.notes.add(
                .messageChange,
                "Conversation number \(row.conversation), message \(row.sequence): what was written into it step by "
                    + "step is damaged. Keep the folder and report it.")
        }
    }
}
