package import ChatModel
import Execution

/// Rules that decide, besides the messages themselves, which history people are shown.
package struct ViewRules: Sendable {
    /// Filter of the operator's rules.
    package var filter = ReceiveFilter.none
    /// Members see what was said before they joined, and while they were away (F109).
    package var showsBeforeJoining = true

    package init() {}
}

extension ModerationReads {
    /// The operator's rules for what people are shown, by number.
    package func filterRules() throws(StoreError) -> [FilterRule] {
        let sql: StaticString = """
            SELECT number, receiver_id, sender_id, kind, word, replacement, as_kind FROM filter_rule ORDER BY number
            """
        return try self.transaction.connection.query(sql) { row throws(StoreError) in
            let text = row.optionalText(5)
            return FilterRule(
                number: row.int64(0), receiver: row.optionalInt64(1).map { UserID(rawValue: $0) },
                sender: row.optionalInt64(2).map { UserID(rawValue: $0) },
                kind: row.optionalInt64(3).map { MessageKind(rawValue: Int32(truncatingIfNeeded: $0)) },
                word: row.optionalText(4),
                action: text.map {
                    .replace(text: $0, kind: MessageKind(rawValue: Int32(truncatingIfNeeded: row.int64(6))))
                } ?? .drop)
        }
    }
}

extension ModerationWrites {
    /// Adds a rule; its number is given here. Of no effect before `Store.reloadFilter`.
    ///
    /// - Throws: `invalid` for a rule that says nothing, and when there would be more than `FilterRule.maximumRules`.
    package func addFilterRule(_ rule: FilterRule) throws(StoreError) -> FilterRule {
        if let problem = rule.problem { throw .invalid(problem) }
        let count = try self.transaction.reading.moderation.filterRules().count
        guard count < FilterRule.maximumRules else {
            throw .invalid("there are at most \(FilterRule.maximumRules) rules: remove one first")
        }
        var replacement: String?
        var kind: Int64?
        if case .replace(let text, let asKind) = rule.action {
            replacement = text
            kind = Int64(asKind.rawValue)
        }
        try self.transaction.connection.run(
            """
            INSERT INTO filter_rule (receiver_id, sender_id, kind, word, replacement, as_kind) VALUES (?, ?, ?, ?, ?, ?)
            """, rule.receiver, rule.sender, rule.kind.map { Int64($0.rawValue) }, rule.word, replacement, kind)
        var added = rule
        added.number = self.transaction.connection.lastInsertedID
        return added
    }

    /// Removes a rule. Of no effect before `Store.reloadFilter`.
    ///
    /// - Returns: what it was.
    /// - Throws: `notFound`.
    @discardableResult
    package func removeFilterRule(_ number: Int64) throws(StoreError) -> FilterRule {
        guard let rule = try self.transaction.reading.moderation.filterRules().first(where: { $0.number == number })
        else {
            throw .notFound("a rule with the number \(number)")
        }
        try self.transaction.connection.run("DELETE FROM filter_rule WHERE number = ?", number)
        return rule
    }
}

extension Store {
    /// The operator's rules in force.
    package var filter: ReceiveFilter { self.views.withLock { $0.filter } }

    /// Sets if members see messages from before they joined.
    package func setShowsBeforeJoining(_ shows: Bool) { self.views.withLock { $0.showsBeforeJoining = shows } }

    /// Has the rules that are stored now come into force, for what is read and sent after `then`.
    ///
    /// - Parameter then: runs once, on any thread.
    package func reloadFilter(then: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        // On the writer's thread, so that an older list never comes after a newer one.
        self.write { transaction throws(StoreError) in
            try transaction.moderation.takeFilter()
        } then: { result in
            then(result)
        }
    }
}

extension ModerationWrites {
    fileprivate func takeFilter() throws(StoreError) {
        let rules = try self.transaction.reading.moderation.filterRules()
        let filter =
            rules.isEmpty ? ReceiveFilter.none : ReceiveFilter(rules, texts: self.transaction.options.readableTexts)
        self.transaction.memory.views.withLock { $0.filter = filter }
    }
}
