import ByteCodec
package import ChatModel

extension ReadTransaction {
    /// Reads of the word list, message kinds and receive filters.
    package var moderation: ModerationReads { ModerationReads(transaction: self) }
}

/// Reads of the word list, message kinds and receive filters. Valid as long as its transaction.
package struct ModerationReads {
    let transaction: ReadTransaction
}

// The word list and message kinds.
extension ModerationReads {
    /// All rules, in the order of their folded words.
    package func wordRules() throws(StoreError) -> [WordRule] {
        try self.transaction.connection.query("SELECT word, action FROM word_rule ORDER BY folded", read: Row.wordRule)
    }

    /// A page of rules in the order of their folded words; `after` is the word of one before it.
    ///
    /// - Throws: `invalid` when the limit is not 1...1000.
    package func wordRules(after word: String?, limit: Int) throws(StoreError) -> [WordRule] {
        try self.transaction.connection.query(
            "SELECT word, action FROM word_rule WHERE folded > ? ORDER BY folded LIMIT ?",
            WordFolding.fold(word ?? ""), try ReadTransaction.page(limit), read: Row.wordRule)
    }

    /// The rule of a word; `nil` when there is none.
    package func wordRule(_ word: String) throws(StoreError) -> WordRule? {
        try self.transaction.connection.first(
            "SELECT word, action FROM word_rule WHERE folded = ?", WordFolding.fold(word), read: Row.wordRule)
    }

    /// Counts the rules of the word list.
    package func wordRuleCount() throws(StoreError) -> Int {
        Int(
            try self.transaction.connection.first("SELECT count(*) FROM word_rule") { row throws(StoreError) in
                row.int64(0)
            } ?? 0)
    }

    /// Messages with watched words, the newest first; of one with several words there are several entries.
    ///
    /// - Parameter before: entries with smaller numbers; `nil` for the newest.
    /// - Throws: `invalid` when the limit is not 1...1000.
    package func flaggedMessages(before: Int64?, limit: Int) throws(StoreError) -> [FlaggedMessage] {
        let sql: StaticString = """
            SELECT number, at, conversation_id, sequence, sender_id, word FROM flagged
            WHERE number < ? ORDER BY number DESC LIMIT ?
            """
        let rows = try self.transaction.connection.query(sql, before ?? .max, try ReadTransaction.page(limit)) {
            row throws(StoreError) in
            (row.int64(0), row.int64(1), row.int64(2), row.int64(3), row.int64(4), row.text(5))
        }
        var messages: [FlaggedMessage] = []
        for (number, at, conversation, sequence, sender, word) in rows {
            messages.append(
                FlaggedMessage(
                    number: number, atMilliseconds: at, conversation: ConversationID(rawValue: conversation),
                    sequence: sequence, sender: try self.transaction.name(of: UserID(rawValue: sender)), word: word))
        }
        return messages
    }

    /// All registered kinds, by number.
    package func messageKinds() throws(StoreError) -> [MessageKindEntry] {
        let sql: StaticString = """
            SELECT number, name, version, required, files, degrade, type_title, summary, digest, disabled, renderer
            FROM message_kind ORDER BY number
            """
        return try self.transaction.connection.query(sql) { row throws(StoreError) in try row.messageKindEntry }
    }

    /// One registered kind; `nil` when there is none of this number.
    package func messageKind(_ kind: MessageKind) throws(StoreError) -> MessageKindEntry? {
        try self.messageKinds().first { $0.kind == kind }
    }

    /// - Throws: `notFound`.
    func existingMessageKind(_ kind: MessageKind) throws(StoreError) -> MessageKindEntry {
        guard let entry = try self.messageKind(kind) else { throw .notFound("the message kind \(kind.rawValue)") }
        return entry
    }
}

extension Row {
    fileprivate static func wordRule(_ row: Row) throws(StoreError) -> WordRule {
        guard let action = WordAction(rawValue: row.text(1)) else { throw Row.damaged("word rule") }
        return WordRule(row.text(0), action)
    }

    /// Number, name, version, required, files, degrade, type_title, summary, digest, disabled and renderer of a message kind.
    var messageKindEntry: MessageKindEntry {
        get throws(StoreError) {
            MessageKindEntry(
                kind: MessageKind(rawValue: Int32(truncatingIfNeeded: self.int64(0))), name: self.text(1),
                version: self.int64(2), requiredFields: try self.names(3), fileFields: try self.names(4),
                degrade: self.text(5), typeTitle: self.text(6), summary: self.text(7), digest: self.text(8),
                isDisabled: self.int64(9) != 0, renderer: self.text(10))
        }
    }

    /// Names as a JSON array.
    private func names(_ column: Int32) throws(StoreError) -> [String] {
        guard let names = try? JSONValue(parsing: self.text(column)).array else { throw Row.damaged("message kind") }
        return names.compactMap(\.string)
    }

    /// True when a column holds names, and nothing else.
    func isNames(_ column: Int32) -> Bool {
        guard let names = try? JSONValue(parsing: self.text(column)).array else { return false }
        return names.allSatisfy { $0.string != nil }
    }
}
