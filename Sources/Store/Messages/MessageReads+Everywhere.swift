package import ChatModel

/// A message with the conversation it was said in.
package struct PlacedMessage: Sendable {
    /// Conversation that the message was said in.
    package var conversation: Conversation
    /// The message as it stands now.
    package var message: StandingMessage
}

/// Query over the messages of all conversations.
package struct EverywhereQuery: Hashable, Sendable {
    /// Only what comes after one of these and before the other, neither included.
    package var after = Mark(atMilliseconds: -1, id: 0)
    package var before = Mark(atMilliseconds: .max, id: .max)
    /// Only what this person has said.
    package var sender: UserID?
    /// The earliest first; else the latest first.
    package var isForward = false
    /// 1...1000.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }

    /// A place in time: messages of one millisecond are told apart by their ids.
    package struct Mark: Hashable, Sendable {
        /// UTC milliseconds.
        package var atMilliseconds: Int64
        package var id: Int64

        package init(atMilliseconds: Int64, id: Int64) {
            self.atMilliseconds = atMilliseconds
            self.id = id
        }
    }
}

/// Bounds of looking at all conversations.
package enum EverywhereBounds {
    /// Conversations that one page looks at.
    package static let conversations = 20_000
}

extension MessageReads {
    /// A page of the messages of all conversations, in the order of the query. What was deleted for everyone is not there.
    ///
    /// - Throws: `invalid` when more conversations would have to be looked at than `EverywhereBounds` allow.
    package func everywhere(_ query: EverywhereQuery) throws(StoreError) -> [PlacedMessage] {
        let limit = Int(try ReadTransaction.page(query.limit))
        var found: [Found] = []
        let comes: (Int64, Int64) -> Bool = { query.isForward ? $0 < $1 : $0 > $1 }
        let precedes: (Found, Found) -> Bool = { left, right in
            left.sentAt == right.sentAt ? comes(left.id, right.id) : comes(left.sentAt, right.sentAt)
        }
        for candidate in try self.candidates(query) {
            // Those that follow have nothing that comes before the end of a full page.
            if found.count >= limit, comes(found[limit - 1].sentAt, candidate.edge) { break }
            found += try self.rows(of: candidate.id, query, limit)
            found.sort(by: precedes)
            if found.count > limit { found.removeLast(found.count - limit) }
        }
        var conversations: [ConversationID: Conversation] = [:]
        var messages: [PlacedMessage] = []
        for row in found {
            var known = conversations[row.place.conversation]
            if known == nil { known = try self.transaction.conversations.one(row.place.conversation) }
            guard let conversation = known,
                let message = try self.standing(row.place, as: .unrestricted)
            else { continue }
            conversations[conversation.id] = conversation
            messages.append(PlacedMessage(conversation: conversation, message: message))
        }
        return messages
    }

    private typealias Found = (place: MessagePlace, id: Int64, sentAt: Int64)

    /// The conversations that can have such messages, with the time of their outermost one at most: by the last message,
    /// or by when they were made.
    private func candidates(
        _ query: EverywhereQuery
    ) throws(StoreError) -> [(id: ConversationID, edge: Int64)] {
        let backward: StaticString = """
            SELECT id, active_at FROM conversation WHERE head > 0 AND active_at >= ? AND created_at <= ?
            ORDER BY active_at DESC LIMIT ?
            """
        let forward: StaticString = """
            SELECT id, created_at FROM conversation WHERE head > 0 AND active_at >= ? AND created_at <= ?
            ORDER BY created_at LIMIT ?
            """
        let found = try self.transaction.connection.query(
            query.isForward ? forward : backward, query.after.atMilliseconds, query.before.atMilliseconds,
            EverywhereBounds.conversations + 1
        ) { row throws(StoreError) in (id: row.conversationID(0), edge: row.int64(1)) }
        guard found.count <= EverywhereBounds.conversations else {
            throw .invalid(
                """
                more than \(EverywhereBounds.conversations) conversations have messages in that time: narrow it down, or \
                ask for one conversation
                """)
        }
        return found
    }

    private static let range: SQLText = """
        SELECT sequence, id, sent_at FROM message AS m WHERE conversation_id = ?1 AND sequence BETWEEN ?2 AND ?3
            AND (sent_at, id) > (?4, ?5) AND (sent_at, id) < (?6, ?7) AND (?8 IS NULL OR sender_id = ?8)
            AND NOT EXISTS (
                SELECT 1 FROM message_extra e
                WHERE e.conversation_id = ?1 AND e.sequence = m.sequence AND e.withdrawn & \(Withdrawal.deleted) <> 0)
        """
    private static let rowsForward = SQL("\(range) ORDER BY sequence LIMIT ?9")
    private static let rowsBackward = SQL("\(range) ORDER BY sequence DESC LIMIT ?9")

    private func rows(
        of id: ConversationID, _ query: EverywhereQuery, _ limit: Int
    ) throws(StoreError) -> [Found] {
        let low = try self.lastSequence(in: id, notAfter: query.after.atMilliseconds - 1) + 1
        let high = try self.lastSequence(in: id, notAfter: query.before.atMilliseconds)
        return try self.transaction.connection.query(
            query.isForward ? Self.rowsForward : Self.rowsBackward, id, low, high, query.after.atMilliseconds,
            query.after.id, query.before.atMilliseconds, query.before.id, query.sender, Int64(limit)
        ) { row throws(StoreError) in (place: MessagePlace(id, row.int64(0)), id: row.int64(1), sentAt: row.int64(2)) }
    }
}
