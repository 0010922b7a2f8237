package import ChatModel

extension ReadTransaction {
    /// Reads of what retention has deleted and will delete.
    package var retention: RetentionReads { RetentionReads(transaction: self) }
}

/// Reads of what retention has deleted and will delete. Valid as long as its transaction.
package struct RetentionReads {
    let transaction: ReadTransaction

    /// Most conversations of one page of a forecast.
    package static let maximumConversations = 500
    /// Most attachments of one conversation that a forecast counts.
    private static let countedAttachments = 10_000
    /// Bytes that a message takes beside its body, about.
    private static let overheadBytes: Int64 = 120

    /// Sequence of the newest message of a conversation that has gone for its age or number; 0 for none.
    package func purged(in id: ConversationID) throws(StoreError) -> Int64 {
        try self.transaction.connection.first("SELECT sequence FROM purged_history WHERE conversation_id = ?", id) {
            row throws(StoreError) in row.int64(0)
        } ?? 0
    }

    /// Says what rules would delete of the next conversations, by their ids, at a moment and at a later one. Counts of
    /// messages are found by halving and bytes by samples, so that a page is a matter of milliseconds.
    ///
    /// - Parameters:
    ///   - id: the last conversation of the page before; 0 for the first page.
    ///   - now: moment of the first amounts, UTC milliseconds.
    ///   - soon: moment of the later ones, UTC milliseconds.
    package func forecast(
        _ rules: RetentionRules, after id: ConversationID, limit: Int, now: Int64, soon: Int64
    ) throws(StoreError) -> RetentionForecast {
        let connection = self.transaction.connection
        let rows = try connection.retainedConversations(after: id, limit: min(limit, Self.maximumConversations))
        var forecast = RetentionForecast()
        forecast.next = rows.count == min(limit, Self.maximumConversations) ? rows.last?.id : nil
        for conversation in rows {
            let rule = rules[conversation.retention]
            guard !rule.keepsAll else { continue }
            let first = try self.amount(of: conversation, rule, rules, at: now)
            let later = try self.amount(of: conversation, rule, rules, at: soon)
            guard !later.isNothing else { continue }
            if try connection.isHeld(conversation.id) {
                forecast.held += 1
                continue
            }
            forecast.now[conversation.retention, default: RetentionAmount()].add(first)
            forecast.soon[conversation.retention, default: RetentionAmount()].add(later)
        }
        return forecast
    }

    private func amount(
        of conversation: RetainedConversation, _ rule: RetentionRule, _ rules: RetentionRules, at wall: Int64
    ) throws(StoreError) -> RetentionAmount {
        let connection = self.transaction.connection
        var amount = RetentionAmount()
        let last = try connection.lastToGo(of: conversation, rule, at: wall)
        if last > 0 {
            let passedOver = try connection.passedOver(in: conversation.id, conversation.purged + 1...last)
            amount.messages = last - conversation.purged - passedOver
            let bytes = try connection.sampledBytes(in: conversation.id, conversation.purged + 1...last)
            amount.bytes = amount.messages * (bytes + Self.overheadBytes)
        }
        // Attachments of the messages that go, whatever their size, and large ones of messages that stay.
        let lastAttachment = try connection.lastAttachmentToGo(of: conversation, rule, at: wall)
        guard max(last, lastAttachment) > 0 else { return amount }
        let found = try connection.first(
            Self.attachmentsSQL, conversation.id, last, lastAttachment, rules.attachmentBytes, Self.countedAttachments
        ) { row throws(StoreError) in (count: row.int64(0), bytes: row.int64(1)) }
        amount.attachments = found?.count ?? 0
        amount.attachmentBytes = found?.bytes ?? 0
        amount.conversations = amount.messages + amount.attachments > 0 ? 1 : 0
        return amount
    }

    private static let attachmentsSQL = SQL(
        """
        SELECT count(*), coalesce(sum(size), 0) FROM (
            SELECT CASE WHEN f.refs = 1 AND f.is_held = 0 THEN f.size ELSE 0 END AS size
            FROM file_reference r JOIN file f ON f.id = r.file_id
            WHERE r.conversation_id = ?1 AND (r.sequence <= ?2 OR (r.sequence <= ?3 AND f.size >= ?4))
                AND NOT \(SQLText.fileIsHeld)
            LIMIT ?5)
        """)
}

/// Amount of what rules delete.
package struct RetentionAmount: Hashable, Sendable {
    /// Conversations that lose something.
    package var conversations: Int64 = 0
    /// Messages that go.
    package var messages: Int64 = 0
    /// Bytes of these messages in the database, about.
    package var bytes: Int64 = 0
    /// Attachments that go, at most 10,000 of each conversation.
    package var attachments: Int64 = 0
    /// Bytes of those that nothing else names.
    package var attachmentBytes: Int64 = 0

    package init() {}

    /// True when nothing goes.
    package var isNothing: Bool { self.conversations == 0 }

    package mutating func add(_ other: RetentionAmount) {
        self.conversations += other.conversations
        self.messages += other.messages
        self.bytes += other.bytes
        self.attachments += other.attachments
        self.attachmentBytes += other.attachmentBytes
    }
}

/// A page of what rules would delete.
package struct RetentionForecast: Sendable {
    /// Amounts that the next run deletes, by class.
    package var now: [RetentionClass: RetentionAmount] = [:]
    /// Amounts until the later moment, those of now included.
    package var soon: [RetentionClass: RetentionAmount] = [:]
    /// Conversations of which something would go, and which a hold keeps.
    package var held: Int64 = 0
    /// The last conversation of the page; `nil` on the last page.
    package var next: ConversationID?

    package init() {}

    /// Adds the amounts of another page.
    package mutating func add(_ page: RetentionForecast) {
        for (kind, amount) in page.now { self.now[kind, default: RetentionAmount()].add(amount) }
        for (kind, amount) in page.soon { self.soon[kind, default: RetentionAmount()].add(amount) }
        self.held += page.held
    }
}
