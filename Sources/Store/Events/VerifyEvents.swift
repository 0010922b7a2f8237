import ChatModel

// Log of what happened to conversations.
extension Verifier {
    func checkEvents() throws(StoreError) {
        let events = try self.connection.statement(
            "SELECT number, at, kind, payload FROM conversation_event ORDER BY number")
        defer { events.reset() }
        while try events.step() {
            let row = events.row
            do throws(EventRowFault) {
                _ = try EventEncoding.change(ofKind: row.int64(2), row.text(3), at: row.int64(1))
            } catch {
                self.notes.add(
                    .command,
                    """
                    Event number \(row.int64(0)) of a conversation is none that teahouse writes: \(error). Restore the \
                    last backup.
                    """)
            }
        }
    }
}
