import ChatModel

// What people did to messages after they were sent.
extension Verifier {
    /// Rows that break a promise: conversation and sequence of each, and what is wrong with it.
    private static let checks: [(kind: VerifyFinding.Kind, sql: SQLText, what: String)] = [
        (
            .messageChange,
            """
            SELECT conversation_id, sequence FROM message_extra e WHERE reader_count <> (
                SELECT count(*) FROM message_reader r
                WHERE r.conversation_id = e.conversation_id AND r.sequence = e.sequence)
            UNION SELECT conversation_id, sequence FROM message_reader r WHERE NOT EXISTS (
                SELECT 1 FROM message_extra e WHERE e.conversation_id = r.conversation_id AND e.sequence = r.sequence)
            """, "the number of its readers is not the one recounted"
        ),
        (
            .messageChange,
            """
            SELECT conversation_id, sequence FROM message_extra e WHERE edit_count <> (
                SELECT coalesce(max(number), 0) FROM message_edit d
                WHERE d.conversation_id = e.conversation_id AND d.sequence = e.sequence)
            OR edit_count <> (
                SELECT count(*) FROM message_edit d
                WHERE d.conversation_id = e.conversation_id AND d.sequence = e.sequence AND d.number > 0)
            UNION SELECT conversation_id, sequence FROM message_edit d WHERE NOT EXISTS (
                SELECT 1 FROM message_extra e WHERE e.conversation_id = d.conversation_id AND e.sequence = d.sequence)
            """, "an edit of it is missing, or nobody knows of one"
        ),
        (
            .messageChange,
            """
            SELECT e.conversation_id, e.sequence FROM message_extra e
            JOIN message m ON m.conversation_id = e.conversation_id AND m.sequence = e.sequence
            WHERE (e.withdrawn <> 0) <> (m.flags & \(MessageFlags.withdrawn) <> 0)
            UNION SELECT d.conversation_id, d.sequence FROM message_edit d
            JOIN message_extra e ON e.conversation_id = d.conversation_id AND e.sequence = d.sequence
            WHERE d.number = 0 AND e.withdrawn = 0
            """, "it is withdrawn in one place and not in another"
        ),
        (
            .messageChange,
            """
            SELECT e.conversation_id, e.sequence FROM message_extra e
            LEFT JOIN message_pin p ON p.conversation_id = e.conversation_id AND p.sequence = e.sequence
            WHERE e.pinned <> coalesce(p.pinned, 0)
            UNION SELECT p.conversation_id, p.sequence FROM message_pin p WHERE p.pinned = 1 AND NOT EXISTS (
                SELECT 1 FROM message_extra e WHERE e.conversation_id = p.conversation_id AND e.sequence = p.sequence)
            """, "it is pinned in one place and not in another"
        ),
        (
            .messageChange,
            """
            SELECT r.conversation_id, r.sequence FROM (
                SELECT conversation_id, sequence, revision FROM message_extra
                UNION ALL SELECT conversation_id, sequence, revision FROM message_mark
                UNION ALL SELECT conversation_id, sequence, revision FROM message_reaction
                UNION ALL SELECT conversation_id, sequence, revision FROM message_pin) r
            JOIN conversation c ON c.id = r.conversation_id WHERE r.revision NOT BETWEEN 1 AND c.revision
            """, "a change of it is newer than the conversation says its newest one is"
        ),
        (
            .unread,
            """
            SELECT h.conversation_id, h.sequence FROM hidden_count h
            LEFT JOIN member p ON p.conversation_id = h.conversation_id AND p.user_id = h.user_id
            LEFT JOIN message m ON m.conversation_id = h.conversation_id AND m.sequence = h.sequence
            WHERE p.user_id IS NULL OR m.id IS NULL
                OR m.flags & \(MessageFlags.countsAsUnread) = 0 OR m.sender_id = h.user_id
            """, "it is withheld from the unread count of somebody to whom it never counted"
        ),
        (
            .unread,
            """
            SELECT k.conversation_id, k.sequence FROM message_mark k
            JOIN member p ON p.conversation_id = k.conversation_id AND p.user_id = k.user_id
            JOIN message m ON m.conversation_id = k.conversation_id AND m.sequence = k.sequence
            WHERE k.hidden = 1 AND k.sequence > p.read_sequence
                AND m.flags & \(MessageFlags.countsAsUnread) AND m.sender_id <> k.user_id
                AND NOT EXISTS (
                    SELECT 1 FROM hidden_count h WHERE h.user_id = k.user_id
                        AND h.conversation_id = k.conversation_id AND h.sequence = k.sequence)
            """, "somebody deleted it for themselves, and it still counts as unread for them"
        ),
    ]

    func checkMessageChanges() throws(StoreError) {
        try self.checkStreams()
        try self.checkEdits()
        for check in Self.checks {
            let rows = try self.connection.query(SQL(check.sql)) { row throws(StoreError) in
                (conversation: row.int64(0), sequence: row.int64(1))
            }
            let advice =
                check.kind == .unread
                ? "Unread badges may be wrong; reading the conversation sets them right."
                : "Keep the folder and report it."
            for row in rows {
                self.notes.add(
                    check.kind,
                    "Conversation number \(row.conversation), message \(row.sequence): \(check.what). \(advice)")
            }
        }
    }

    private func checkEdits() throws(StoreError) {
        let edits = try self.connection.statement(
            "SELECT conversation_id, sequence, number, body, body_hash FROM message_edit WHERE body_hash IS NOT NULL")
        defer { edits.reset() }
        while try edits.step() {
            let row = edits.row
            guard XXHash.of(row.blob(3)) != row.int64(4) else { continue }
            self.notes.add(
                .body,
                "Conversation number \(row.int64(0)), message \(row.int64(1)): body \(row.int64(2)) of its edits is not "
                    + "the one that was stored. Restore the last backup.")
        }
    }

    /// The body a withdrawn message was stored with; `nil` when it was not kept.
    func originalBody(in conversation: Int64, sequence: Int64) throws(StoreError) -> [UInt8]? {
        let sql: StaticString = """
            SELECT body FROM message_edit WHERE conversation_id = ? AND sequence = ? AND number = 0
            """
        return try self.connection.first(sql, conversation, sequence) { row throws(StoreError) in row.blob(0) }
    }
}

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

// Bodies in pages, for the scrub of a running server.
extension Connection {
    /// Looks at messages behind a place.
    ///
    /// - Returns: number of messages, the last place, and the places whose body is not the one that was stored.
    func checkBodies(
        after place: MessagePlace, limit: Int64
    ) throws(StoreError) -> (count: Int, last: MessagePlace, damaged: [MessagePlace]) {
        let completedUntil = try self.meta("completed_until")
        let rows = try self.query(
            """
            SELECT conversation_id, sequence, id, flags, kind, body, body_hash FROM message
            WHERE (conversation_id, sequence) > (?, ?) ORDER BY conversation_id, sequence LIMIT ?
            """, place.conversation, place.sequence, limit
        ) { row throws(StoreError) in
            let body = row.blob(5)
            let isWithdrawn = MessageFlags(rawValue: row.int64(3)).contains(.withdrawn)
            let isUnproven = row.int64(4) > 0 && row.int64(2) <= completedUntil
            let isIntact = isWithdrawn ? body.isEmpty : XXHash.of(body) == row.int64(6) || isUnproven
            return (place: MessagePlace(row.conversationID(0), row.int64(1)), isIntact: isIntact)
        }
        return (rows.count, rows.last?.place ?? place, rows.filter { !$0.isIntact }.map(\.place))
    }

    /// Looks at bodies of edits behind a place; `number` is that of the edit there.
    func checkEdits(
        after place: MessagePlace, _ number: Int64, limit: Int64
    ) throws(StoreError) -> (count: Int, last: MessagePlace, number: Int64, damaged: [MessagePlace]) {
        let rows = try self.query(
            """
            SELECT conversation_id, sequence, number, body, body_hash FROM message_edit
            WHERE (conversation_id, sequence, number) > (?, ?, ?) ORDER BY conversation_id, sequence, number LIMIT ?
            """, place.conversation, place.sequence, number, limit
        ) { row throws(StoreError) in
            let isIntact = row.isNull(4) || XXHash.of(row.blob(3)) == row.int64(4)
            return (place: MessagePlace(row.conversationID(0), row.int64(1)), number: row.int64(2), isIntact: isIntact)
        }
        return (
            rows.count, rows.last?.place ?? place, rows.last?.number ?? number,
            rows.filter { !$0.isIntact }.map(\.place)
        )
    }
}
