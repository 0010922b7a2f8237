import ChatModel

// What the operator announced to people.
extension Verifier {
    func checkAnnouncements() throws(StoreError) {
        let wrong = try self.connection.query(
            """
            SELECT n.number FROM notice n
            WHERE n.receivers <> (SELECT count(*) FROM notice_receiver r WHERE r.number = n.number)
                OR n.confirmed <> (SELECT count(r.confirmed_at) FROM notice_receiver r WHERE r.number = n.number)
                OR n.body = '' OR n.through_id > n.last_id
            """
        ) { row throws(StoreError) in row.int64(0) }
        for number in wrong {
            self.notes.add(
                .notice, "Announcement \(number) says wrongly who got it or confirmed it: restore the last backup.")
        }
    }
}
