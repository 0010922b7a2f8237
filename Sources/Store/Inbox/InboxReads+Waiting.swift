package import ChatModel

/// A conversation that a person has not read to its end.
package struct UnreadConversation: Sendable {
    package var conversation: Conversation
    /// Messages of others that count; 0 when another device has read them.
    package var unread: Int64
    /// One of them calls the person by name.
    package var isMentioned: Bool
    /// The newest message; `nil` when there is none that the person may see.
    package var newest: StandingMessage?
}

/// Messages of a conversation that none of a person's devices has acknowledged.
package struct Backlog: Sendable {
    package var conversation: Conversation
    /// The newest ones, oldest first.
    package var messages: [StandingMessage]
    /// There were more before these.
    package var hasMore: Bool
}

/// A message that was changed, with where it is.
package struct ChangedPlace: Sendable {
    package var conversation: Conversation
    package var message: StandingMessage

    package init(conversation: Conversation, message: StandingMessage) {
        self.conversation = conversation
        self.message = message
    }
}

/// A page of messages that were edited or taken back.
package struct PatchPage: Sendable {
    /// In the order of their moments, which all differ.
    package var changes: [ChangedPlace]
    /// Ask for those after this moment next, UTC milliseconds; `nil` when these were all.
    package var moreAfter: Int64?

    package init(changes: [ChangedPlace] = [], moreAfter: Int64? = nil) {
        self.changes = changes
        self.moreAfter = moreAfter
    }
}

// What waits for a person who comes back. Rooms and channels of machines wait for nobody.
extension InboxReads {
    private static let unreadListSQL = SQL(
        """
        SELECT c.id FROM member m JOIN conversation c ON c.id = m.conversation_id
        WHERE m.user_id = ?1 AND \(SQLText.waitsForPeople)
            AND (c.head_countable > m.read_countable + m.own_countable_since_read OR (?2 > 0 AND m.read_at >= ?2)
                OR c.id IN (SELECT conversation_id FROM shown_count WHERE user_id = ?1))
        ORDER BY c.active_at DESC, c.id DESC LIMIT ?3
        """)

    /// The conversations with unread messages, the one that was active last first.
    ///
    /// - Parameters:
    ///   - moment: also those without any that were read at it or later, UTC milliseconds; 0 for none of these. Several
    ///     conversations may have been read in one moment, and who knows one of them need not know the others.
    ///   - limit: 1...1000.
    package func unreadList(
        of user: UserID, readAfter moment: Int64 = 0, limit: Int
    ) throws(StoreError) -> [UnreadConversation] {
        let ids = try self.transaction.connection.query(
            Self.unreadListSQL, user, moment, try ReadTransaction.page(limit)
        ) {
            row throws(StoreError) in
            row.conversationID(0)
        }
        var list: [UnreadConversation] = []
        for id in ids {
            guard let found = try self.unreadState(of: user, in: id) else { continue }
            if found.unread > 0 || moment > 0 { list.append(found) }
        }
        return list
    }

    /// How one conversation stands for a member; `nil` for who is none, and where nothing is counted.
    package func unreadState(of user: UserID, in id: ConversationID) throws(StoreError) -> UnreadConversation? {
        guard let conversation = try self.transaction.conversations.one(id), conversation.kind != .room,
            conversation.kind != .data,
            let member = try self.transaction.conversations.member(user, in: id)
        else { return nil }
        let hidden = try self.hiddenCount(user, in: id, after: member.readSequence)
        let unread = max(0, member.unread(headCountable: conversation.headCountable) - hidden)
        let view = try self.transaction.messages.view(of: id, for: .member(user))
        var page = StandingPage(in: id, view, limit: 1)
        page.low = view.start
        return UnreadConversation(
            conversation: conversation, unread: unread,
            isMentioned: unread > 0 ? try self.isMentioned(user, in: id, after: member.readSequence) : false,
            newest: try self.transaction.messages.standing(page).last)
    }

    /// When a person's reading position moved last, wherever; 0 for never.
    package func lastReadMoment(of user: UserID) throws(StoreError) -> Int64 {
        try self.transaction.connection.first("SELECT max(read_at) FROM member WHERE user_id = ?", user) {
            row throws(StoreError) in row.optionalInt64(0) ?? 0
        } ?? 0
    }

    private func isMentioned(
        _ user: UserID, in id: ConversationID, after sequence: Int64
    ) throws(StoreError) -> Bool {
        let sql: StaticString = """
            SELECT EXISTS (
                SELECT 1 FROM reminder
                WHERE conversation_id = ? AND sequence > ? AND user_id = ? AND kind = ? AND done = 0)
            """
        return try self.transaction.connection.first(sql, id, sequence, user, ReminderKind.mention.rawValue) {
            row throws(StoreError) in row.int64(0) != 0
        } ?? false
    }

    private static let backlogSQL = SQL(
        """
        SELECT c.id, max(m.acked_sequence, m.read_sequence, m.joined_sequence)
        FROM member m JOIN conversation c ON c.id = m.conversation_id
        WHERE m.user_id = ?1 AND \(SQLText.waitsForPeople)
            AND c.head > max(m.acked_sequence, m.read_sequence, m.joined_sequence)
        ORDER BY c.active_at DESC, c.id DESC LIMIT ?2
        """)

    /// Messages of others that no device of the person has acknowledged and the person has not read; the conversation
    /// that was active last first.
    ///
    /// - Parameters:
    ///   - perConversation: 1...1000 messages of each: the newest.
    ///   - limit: 1...1000 conversations.
    ///   - maximumBytes: of bodies, over all of them, about. Beyond it there is the newest message of each alone.
    package func backlog(
        of user: UserID, perConversation: Int, limit: Int, maximumBytes: Int = ReadBounds.pageBytes
    ) throws(StoreError) -> [Backlog] {
        let places = try self.transaction.connection.query(Self.backlogSQL, user, try ReadTransaction.page(limit)) {
            row throws(StoreError) in
            (id: row.conversationID(0), after: row.int64(1))
        }
        var backlogs: [Backlog] = []
        var room = PageRoom(bytes: maximumBytes)
        for place in places {
            guard let conversation = try self.transaction.conversations.one(place.id) else { continue }
            // One more tells whether there are more.
            let view = try self.transaction.messages.view(of: place.id, for: .member(user))
            var page = StandingPage(in: place.id, view, limit: try ReadTransaction.page(perConversation) + 1)
            page.low = max(place.after + 1, view.start)
            page.notFrom = user
            page.maximumBytes = max(1, room.bytes)
            let found = try self.transaction.messages.standingPage(page)
            var messages = found.messages
            let isOver = messages.count > perConversation
            if isOver { messages.removeFirst() }
            let hasMore = isOver || found.isCut
            for standing in messages { room.takeMessage(standing.message) }
            guard !messages.isEmpty else { continue }
            backlogs.append(Backlog(conversation: conversation, messages: messages, hasMore: hasMore))
        }
        return backlogs
    }

    private static let placeSQL = SQL(
        """
        SELECT c.id FROM member m JOIN conversation c ON c.id = m.conversation_id
        WHERE m.user_id = ? AND \(SQLText.waitsForPeople) AND c.head > m.acked_sequence
        ORDER BY c.active_at DESC, c.id DESC LIMIT 50
        """)

    /// Where a message is that no device of a person has said that it got; `nil` when it is none of these.
    ///
    /// Looked for in the 50 conversations that were active last, as many as a client is told of at its sign-in.
    package func place(of message: MessageID, waitingFor user: UserID) throws(StoreError) -> MessagePlace? {
        let ids = try self.transaction.connection.query(Self.placeSQL, user) { row throws(StoreError) in
            row.conversationID(0)
        }
        for id in ids {
            if let place = try self.transaction.messages.place(of: message, in: id) { return place }
        }
        return nil
    }

    /// When a message was edited or taken back last, wherever; UTC milliseconds, 0 for never.
    package func newestPatchMoment() throws(StoreError) -> Int64 {
        try self.transaction.connection.first("SELECT max(patched_at) FROM message_extra WHERE patched_at > 0") {
            row throws(StoreError) in row.optionalInt64(0) ?? 0
        } ?? 0
    }

    /// Messages of a person's conversations that were edited or taken back after a moment, in the order of that;
    /// `limit` is 1...1000 that are looked at: those that the person does not see are left out.
    ///
    /// - Parameter moment: UTC milliseconds.
    package func patches(for user: UserID, after moment: Int64, limit: Int) throws(StoreError) -> PatchPage {
        let sql: StaticString = """
            SELECT e.conversation_id, e.sequence, e.patched_at
            FROM member m JOIN message_extra e
                ON e.conversation_id = m.conversation_id AND e.patched_at > ?2 AND e.patched_at > 0
            WHERE m.user_id = ?1 ORDER BY e.patched_at, e.conversation_id, e.sequence LIMIT ?3
            """
        let places = try self.transaction.connection.query(sql, user, moment, try ReadTransaction.page(limit)) {
            row throws(StoreError) in
            (place: MessagePlace(row.conversationID(0), row.int64(1)), moment: row.int64(2))
        }
        var conversations: [ConversationID: Conversation] = [:]
        var changed: [ChangedPlace] = []
        for (place, _) in places {
            if conversations[place.conversation] == nil {
                conversations[place.conversation] = try self.transaction.conversations.one(place.conversation)
            }
            guard let conversation = conversations[place.conversation] else { continue }
            guard let message = try self.transaction.messages.standing(place, as: .member(user)) else { continue }
            // For whom it is not, what stands in its place stays the same.
            if message.message.isStandIn, try !self.isFor(user, place) { continue }
            changed.append(ChangedPlace(conversation: conversation, message: message))
        }
        return PatchPage(changes: changed, moreAfter: places.count == limit ? places.last?.moment : nil)
    }

    private func isFor(_ user: UserID, _ place: MessagePlace) throws(StoreError) -> Bool {
        let message = try self.transaction.connection.message(
            in: place.conversation, sequence: place.sequence, senderName: self.transaction.name)
        return try message?.isFor(self.transaction.name(of: user)) ?? false
    }
}
