import ChatModel

// What stands beside conversations and their messages: who left, who listens, people's views, commands.
extension Verifier {
    func checkViews() throws(StoreError) {
        try self.checkMembership()
        try self.checkPreferences()
        try self.checkHiddenCounts()
        try self.checkShownCounts()
        try self.checkFilterRules()
        try self.checkCards()
        try self.checkCommands()
    }

    private func checkMembership() throws(StoreError) {
        try self.each(
            """
            SELECT m.conversation_id, m.user_id FROM member m JOIN former_member f
                ON f.conversation_id = m.conversation_id AND f.user_id = m.user_id
            """, .member, "is a member and has left"
        )
        try self.each(
            """
            SELECT m.conversation_id, m.user_id FROM member m JOIN conversation c ON c.id = m.conversation_id
            WHERE m.revision > c.revision OR c.kind = \(ConversationKind.room)
            """, .member, "is a member of a room, or has changed after the conversation's last change")
        try self.each(
            """
            SELECT f.conversation_id, f.user_id FROM former_member f JOIN conversation c ON c.id = f.conversation_id
            WHERE f.revision > c.revision
            """, .member, "has left after the conversation's last change")
        try self.each(
            """
            SELECT conversation_id, max(user_id) FROM member WHERE role = \(MemberRole.owner)
            GROUP BY conversation_id HAVING count(*) > 1
            """, .member, "is not the only owner")
        try self.each(
            """
            SELECT l.conversation_id, l.user_id FROM listener l JOIN conversation c ON c.id = l.conversation_id
            WHERE c.kind = \(ConversationKind.direct)
            """, .member, "listens to a direct conversation")
        try self.each(
            """
            SELECT l.conversation_id, l.user_id FROM listener l JOIN conversation c ON c.id = l.conversation_id
            WHERE l.is_visit = 1 AND c.kind <> \(ConversationKind.room) OR l.is_visit = 0 AND l.visit_until IS NOT NULL
            """, .member, "visits what is no room, or is to leave without being a visitor")
    }

    private func checkPreferences() throws(StoreError) {
        try self.each(
            "SELECT conversation_id, user_id FROM preference WHERE muted NOT IN (0, 1, 2)", .preference,
            "has a choice of alerts that there is not")
        try self.each(
            """
            SELECT p.conversation_id, p.user_id FROM preference p JOIN conversation c ON c.id = p.conversation_id
            WHERE p.browse_to > c.head OR p.keep_sequence > c.head OR p.marked_at > c.head OR p.hidden_through > c.head
                OR p.cleared_through > c.head OR p.extra_version > p.change
            """, .preference, "has a place that the conversation has not reached")
        try self.each(
            """
            SELECT p.conversation_id, p.user_id FROM preference p
            JOIN member m ON m.conversation_id = p.conversation_id AND m.user_id = p.user_id
            WHERE p.cleared_through > m.read_sequence OR p.hidden_through > m.read_sequence
            """, .preference, "has cleared or put away what they have not read")
        try self.each(
            """
            SELECT conversation_id, user_id FROM preference
            WHERE settings IS NOT NULL AND (NOT json_valid(settings) OR json_type(settings) <> 'object')
            """, .preference, "has settings that are no JSON object")
    }

    /// The rules for what people are shown can be obeyed.
    private func checkFilterRules() throws(StoreError) {
        for rule in try ReadTransaction(self.connection, UserNames()).moderation.filterRules() {
            guard let problem = rule.problem else { continue }
            self.notes.add(
                .setting,
                "Filter rule \(rule.number) cannot be obeyed (\(problem)). Remove it: teahouse ctl filter remove.")
        }
    }

    private func checkCards() throws(StoreError) {
        let rows = try self.connection.query(
            """
            SELECT id FROM conversation
            WHERE attributes IS NOT NULL AND (NOT json_valid(attributes) OR json_type(attributes) <> 'object')
            """
        ) { row throws(StoreError) in row.int64(0) }
        for id in rows {
            self.notes.add(
                .preference, "Conversation number \(id) has attributes that are no JSON object. Set them again.")
        }
    }

    private func checkCommands() throws(StoreError) {
        let sql: StaticString = """
            SELECT c.sequence FROM command c
            WHERE c.audience_id IS NULL AND NOT EXISTS (SELECT 1 FROM command_receiver r WHERE r.sequence = c.sequence)
                OR (c.audience_id IS NULL) <> (c.conversation_id IS NULL)
            """
        for sequence in try self.connection.query(sql, read: { row throws(StoreError) in row.int64(0) }) {
            self.notes.add(.command, "Command \(sequence) is for nobody. Keep the folder and report it.")
        }
        let ahead: StaticString = """
            SELECT p.user_id, p.sequence FROM command_position p
            WHERE p.sequence > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'command'), 0)
            """
        let people = try self.connection.query(ahead) { row throws(StoreError) in (row.int64(0), row.int64(1)) }
        for (user, sequence) in people {
            self.notes.add(
                .command,
                "User number \(user) acknowledged command \(sequence), which does not exist: they will miss commands.")
        }
    }

    /// Reports each conversation and user a query finds.
    func each(
        _ sql: SQLText, _ kind: VerifyFinding.Kind, _ what: String
    ) throws(StoreError) {
        let rows = try self.connection.query(SQL(sql)) { row throws(StoreError) in (row.int64(0), row.int64(1)) }
        for (conversation, user) in rows {
            self.notes.add(
                kind,
                "Conversation number \(conversation): user number \(user) \(what). Keep the folder and report it.")
        }
    }
}
