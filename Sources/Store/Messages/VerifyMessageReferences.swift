import ChatModel

// What names messages from other tables: counts of what is unread, files.
extension Verifier {
    /// A message withheld from a person's count is one that counts for them.
    func checkHiddenCounts() throws(StoreError) {
        try self.each(
            """
            SELECT h.conversation_id, h.user_id FROM hidden_count h
            LEFT JOIN message m ON m.conversation_id = h.conversation_id AND m.sequence = h.sequence
            LEFT JOIN member p ON p.conversation_id = h.conversation_id AND p.user_id = h.user_id
            JOIN user u ON u.id = h.user_id
            WHERE p.user_id IS NULL OR m.sequence IS NULL OR m.sender_id = h.user_id
                OR m.flags & \(MessageFlags.countsAsUnread) = 0
                OR (m.flags & \(MessageFlags.restricted) AND NOT EXISTS (
                    SELECT 1 FROM json_each(m.envelope, '$.visible') v WHERE v.value = u.name))
            """, .unread, "has a message withheld that does not count for them")
    }

    /// A message for some counts for each member among them who has not read it, and for nobody else.
    func checkShownCounts() throws(StoreError) {
        try self.each(
            """
            SELECT s.conversation_id, s.user_id FROM shown_count s
            LEFT JOIN message m ON m.conversation_id = s.conversation_id AND m.sequence = s.sequence
            LEFT JOIN member p ON p.conversation_id = s.conversation_id AND p.user_id = s.user_id
            JOIN user u ON u.id = s.user_id
            WHERE p.user_id IS NULL OR m.sequence IS NULL OR m.sender_id = s.user_id
                OR m.flags & \(MessageFlags.countedForSome) <> \(MessageFlags.countedForSome)
                OR s.sequence <= p.read_sequence OR s.sequence <= p.joined_sequence
                OR NOT EXISTS (SELECT 1 FROM json_each(m.envelope, '$.visible') v WHERE v.value = u.name)
            """, .unread, "has a message for some counted that is not for them, or that they have read")
        try self.each(
            """
            SELECT m.conversation_id, p.user_id FROM message m
            JOIN json_each(m.envelope, '$.visible') v JOIN user u ON u.name = v.value
            JOIN member p ON p.conversation_id = m.conversation_id AND p.user_id = u.id
            WHERE m.flags & \(MessageFlags.countedForSome) = \(MessageFlags.countedForSome)
                AND m.sender_id <> u.id AND m.sequence > p.read_sequence AND m.sequence > p.joined_sequence
                AND NOT EXISTS (
                    SELECT 1 FROM shown_count s WHERE s.user_id = u.id AND s.conversation_id = m.conversation_id
                        AND s.sequence = m.sequence)
            """, .unread, "has a message for some that is not counted for them")
    }

    /// A file that a message names is complete, and the message is there.
    func checkFileReferences() throws(StoreError) {
        try self.noteFile(
            """
            SELECT f.key FROM file_reference r JOIN file f ON f.id = r.file_id
            LEFT JOIN message m ON m.conversation_id = r.conversation_id AND m.sequence = r.sequence
            LEFT JOIN file_link l ON l.id = r.link_id
            LEFT JOIN message_extra e ON e.conversation_id = r.conversation_id AND e.sequence = r.sequence
            WHERE m.sequence IS NULL OR coalesce(e.withdrawn, 0) <> 0 OR f.state <> \(FileState.complete)
                OR (r.link_id > 0 AND (l.id IS NULL OR l.file_id <> r.file_id OR l.used_at IS NULL))
            """
        ) { "The file \($0) is named by a message that is not there: keep the folder and report it." }
    }
}
