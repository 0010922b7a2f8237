import ByteCodec
package import ChatModel

extension WriteTransaction {
    /// Changes of the word list, message kinds and receive filters.
    package var moderation: ModerationWrites { ModerationWrites(transaction: self) }
}

/// Changes of the word list, message kinds and receive filters. Valid as long as its transaction.
package struct ModerationWrites {
    let transaction: WriteTransaction
}

// The word list and message kinds.
extension ModerationWrites {
    /// Adds rules; a word that is there gets the new spelling and action.
    ///
    /// - Returns: how many were new or changed.
    /// - Throws: `invalid` for a word that cannot be looked for, and when there would be more than
    ///   `WordRule.maximumRules`.
    package func addWordRules(_ rules: [WordRule]) throws(StoreError) -> Int {
        for rule in rules {
            if let problem = rule.problem { throw .invalid("\(problem): \(rule.word)") }
        }
        var changed = 0
        for rule in rules {
            try self.transaction.connection.run(
                """
                INSERT INTO word_rule (folded, word, action) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET word = excluded.word, action = excluded.action
                    WHERE word <> excluded.word OR action <> excluded.action
                """, rule.key, rule.word, rule.action.rawValue)
            changed += Int(self.transaction.connection.changes)
        }
        guard try self.transaction.reading.moderation.wordRuleCount() <= WordRule.maximumRules else {
            throw .invalid("the word list has at most \(WordRule.maximumRules) rules: remove some first")
        }
        return changed
    }

    /// Removes rules by their words, in any spelling that is compared alike.
    ///
    /// - Returns: how many there were.
    package func removeWordRules(_ words: [String]) throws(StoreError) -> Int {
        var removed = 0
        for word in words {
            try self.transaction.connection.run("DELETE FROM word_rule WHERE folded = ?", WordFolding.fold(word))
            removed += Int(self.transaction.connection.changes)
        }
        return removed
    }

    /// Keeps in the log that a message, or the edit of one, has watched words.
    package func addFlagged(_ words: [String], at place: MessagePlace, by sender: UserID) throws(StoreError) {
        try self.transaction.connection.addFlagged(
            words, at: place, by: sender, wall: self.transaction.wallMilliseconds)
    }

    /// Registers a message kind, or changes all of a registered one. Whether a protocol has the number is the caller's to
    /// know.
    ///
    /// - Throws: `invalid` with the field's name; `exists` when another kind has the name.
    package func setMessageKind(_ entry: MessageKindEntry) throws(StoreError) {
        if let problem = entry.problem ?? KindRenderer.problem(entry.renderer) { throw .invalid(problem) }
        let kinds = try self.transaction.reading.moderation.messageKinds()
        if kinds.contains(where: { $0.name == entry.name && $0.kind != entry.kind }) {
            throw .exists("a message kind with the name \(entry.name)")
        }
        guard kinds.count < MessageKindEntry.maximumKinds || kinds.contains(where: { $0.kind == entry.kind }) else {
            throw .invalid("there are at most \(MessageKindEntry.maximumKinds) message kinds: remove one first")
        }
        try self.transaction.connection.run(
            """
            INSERT OR REPLACE INTO message_kind (number, name, version, required, files, degrade, type_title, summary,
                digest, disabled, renderer)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, Int64(entry.kind.rawValue), entry.name, entry.version, Self.list(entry.requiredFields),
            Self.list(entry.fileFields), entry.degrade, entry.typeTitle, entry.summary, entry.digest, entry.isDisabled,
            entry.renderer)
        self.transaction.memory.forgetMessageKinds()
    }

    private static func list(_ names: [String]) -> String {
        String(decoding: JSONValue.array(names.map { .string($0) }).serialized(), as: UTF8.self)
    }

    /// - Returns: the kind as it is now.
    /// - Throws: `notFound`.
    @discardableResult
    package func setMessageKindDisabled(
        _ kind: MessageKind, _ isDisabled: Bool
    ) throws(StoreError) -> MessageKindEntry {
        var entry = try self.transaction.reading.moderation.existingMessageKind(kind)
        entry.isDisabled = isDisabled
        try self.setMessageKind(entry)
        return entry
    }

    /// - Throws: `notFound`.
    package func removeMessageKind(_ kind: MessageKind) throws(StoreError) {
        _ = try self.transaction.reading.moderation.existingMessageKind(kind)
        try self.transaction.connection.run("DELETE FROM message_kind WHERE number = ?", Int64(kind.rawValue))
        self.transaction.memory.forgetMessageKinds()
    }
}

extension Connection {
    /// Adds to the log of watched words, and forgets what is too old for it.
    func addFlagged(_ words: [String], at place: MessagePlace, by sender: UserID, wall: Int64) throws(StoreError) {
        for word in words {
            try self.run(
                "INSERT INTO flagged (at, conversation_id, sequence, sender_id, word) VALUES (?, ?, ?, ?, ?)", wall,
                place.conversation, place.sequence, sender, word)
        }
        try self.run(
            "DELETE FROM flagged WHERE number <= (SELECT max(number) FROM flagged) - ?", FlaggedMessage.maximumKept)
    }
}
