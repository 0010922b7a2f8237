import ChatModel

// What the operator set for conversations, the word list and the message kinds.
extension Verifier {
    func checkSettings() throws(StoreError) {
        try self.checkSessionSettings()
        try self.checkConversationSettings()
        try self.checkWordRules()
        try self.checkMessageKinds()
    }

    private func checkSessionSettings() throws(StoreError) {
        let rows = try self.connection.query("SELECT name, kind, role, value FROM session_setting") {
            row throws(StoreError) in
            (name: row.text(0), kind: row.int64(1), role: row.int64(2), value: row.text(3))
        }
        for row in rows {
            guard let setting = SessionSetting.named(row.name) else {
                self.noteFinding("There is no setting of conversations \(row.name): it holds nothing.")
                continue
            }
            if SessionScope(kind: row.kind, role: row.role) == nil {
                self.noteFinding(
                    "The setting \(row.name) is set for a kind or role of conversations that there is not.")
            }
            if setting.value(row.value) == nil {
                self.noteFinding("The setting \(row.name) is set to what it cannot be: it is \(setting.bounds).")
            }
        }
    }

    private func checkConversationSettings() throws(StoreError) {
        let rows = try self.connection.query("SELECT conversation_id, name, value FROM conversation_setting") {
            row throws(StoreError) in
            (id: row.int64(0), name: row.text(1), value: row.text(2))
        }
        for row in rows {
            guard let setting = SessionSetting.named(row.name) else {
                self.noteFinding("There is no setting \(row.name), which conversation \(row.id) has: it holds nothing.")
                continue
            }
            if setting.value(row.value) == nil {
                let place = "The setting \(row.name) of conversation \(row.id)"
                self.noteFinding("\(place) is set to what it cannot be: it is \(setting.bounds).")
            }
        }
        if rows.count > ConversationSettings.maximumValues {
            self.noteFinding(
                "Conversations have \(rows.count) settings of their own: more than \(ConversationSettings.maximumValues)."
            )
        }
    }

    private func checkWordRules() throws(StoreError) {
        let rows = try self.connection.query("SELECT folded, word, action FROM word_rule") { row throws(StoreError) in
            (folded: row.text(0), word: row.text(1), action: row.text(2))
        }
        for row in rows {
            guard let action = WordAction(rawValue: row.action) else {
                self.noteFinding("The rule of the word \(row.word) says to do what there is not.")
                continue
            }
            let rule = WordRule(row.word, action)
            if rule.problem != nil || rule.key != row.folded {
                self.noteFinding("The rule of the word \(row.word) is none that teahouse writes.")
            }
        }
    }

    private func checkMessageKinds() throws(StoreError) {
        let numbers = try self.connection.query("SELECT number FROM message_kind ORDER BY number") {
            row throws(StoreError) in row.int64(0)
        }
        for number in numbers {
            guard let problem = try self.problem(ofKind: number) else { continue }
            self.noteFinding("The message kind \(number) is none that teahouse writes: \(problem).")
        }
    }

    /// `nil` for a kind that could be registered as it is.
    private func problem(ofKind number: Int64) throws(StoreError) -> String? {
        let sql: StaticString = """
            SELECT number, name, version, required, files, degrade, type_title, summary, digest, disabled, renderer
            FROM message_kind WHERE number = ?
            """
        guard Int32(exactly: number) != nil else { return "its number is too large" }
        let entries = try self.connection.query(sql, number) { row throws(StoreError) -> MessageKindEntry? in
            guard row.isNames(3), row.isNames(4), (0...1).contains(row.int64(9)) else { return nil }
            return try row.messageKindEntry
        }
        guard let entry = entries.first ?? nil else { return "its fields or its switch cannot be read" }
        return entry.problem ?? KindRenderer.problem(entry.renderer)
    }

    private func noteFinding(_ text: String) {
        self.notes.add(.setting, text + " Set it anew, or restore the last backup.")
    }
}
