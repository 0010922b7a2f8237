import ChatModel

// What LeanCloud's apps keep with conversations, counted again.
extension Verifier {
    func checkObjects() throws(StoreError) {
        try self.checkMemberSets()
        try self.noteFindings(
            .preference,
            """
            SELECT 'conversation ' || c.foreign_id FROM conversation c
            WHERE c.fields IS NOT NULL
                AND CASE WHEN json_valid(c.fields) THEN json_type(c.fields) <> 'object' ELSE 1 END
            """
        ) { "The own fields that apps keep with \($0) are not a JSON object: have the app write them again." }
        try self.noteFindings(
            .people,
            """
            SELECT u.name FROM tag_holder t JOIN user u ON u.id = t.user_id
            WHERE t.tag = '' OR t.device_id = '' OR t.changed_at < 0
            """
        ) { "\($0) has a tag that no device holds: it is set right when the person signs in again." }
        try self.checkEvents()
    }

    /// A conversation that is the only one of its people is found by them: by others it must not be.
    private func checkMemberSets() throws(StoreError) {
        let unique = try self.connection.query(
            "SELECT id, foreign_id, kind, member_set FROM conversation WHERE member_set IS NOT NULL ORDER BY id"
        ) { row throws(StoreError) in
            (row.conversationID(0), row.text(1), row.int64(2), row.optionalBlob(3))
        }
        for (id, name, kind, set) in unique {
            let people = try self.connection.query(
                "SELECT u.name FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = ?", id
            ) { row throws(StoreError) in row.text(0) }
            let isTemporary = kind == ConversationKind.temporary.rawValue
            let key = try MemberSet.key(of: people.compactMap { UserName($0) }, isTemporary: isTemporary)
            guard !isTemporary && kind != ConversationKind.group.rawValue || set != key else { continue }
            self.notes.add(
                .member,
                """
                Conversation \(name) is found by people who are not those in it. Keep the folder and report it; adding \
                and removing somebody sets it right.
                """)
        }
    }

    private func noteFindings(
        _ kind: VerifyFinding.Kind, _ sql: StaticString, _ text: (String) -> String
    ) throws(StoreError) {
        for what in try self.connection.query(sql, read: { row throws(StoreError) in row.text(0) }) {
            self.notes.add(kind, text(what))
        }
    }
}
