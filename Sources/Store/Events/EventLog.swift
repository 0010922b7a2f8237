package import ChatModel

/// Something that happened while a device was away.
package struct LoggedEvent: Hashable, Sendable {
    /// Counted over the whole store; of events since version 22, their `StorePosition`.
    package var number: Int64
    /// Conversation the event is about.
    package var conversation: ConversationID
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Object ID of the conversation, for LeanCloud's apps.
    package var objectID: ObjectID
    /// Name of the actor.
    package var actor: UserName
    /// UTC milliseconds.
    package var atMilliseconds: Int64
    /// Change that the event reports.
    package var change: ChangeEvent.Change
    /// It happened to the person who asks, not only to a conversation of theirs.
    package var isPersonal: Bool

    package init(
        number: Int64, conversation: ConversationID, kind: ConversationKind, objectID: ObjectID, actor: UserName,
        atMilliseconds: Int64, change: ChangeEvent.Change, isPersonal: Bool
    ) {
        self.number = number
        self.conversation = conversation
        self.kind = kind
        self.objectID = objectID
        self.actor = actor
        self.atMilliseconds = atMilliseconds
        self.change = change
        self.isPersonal = isPersonal
    }
}

/// Bounds of the log.
package enum EventLogBounds {
    /// Maximum age of an event, days.
    package static let days: Int64 = 7
    /// Maximum number of events.
    package static let events = 100_000
    /// In one answer.
    package static let page = 1_000
}

extension Connection {
    /// Keeps an event. What devices catch up with in another way (messages, edits, reading) is not kept.
    func log(_ event: ChangeEvent) throws(StoreError) {
        guard let place = event.place else { return }
        let concerned: [UserID]
        switch event.change {
        case .receipt: concerned = event.receivers
        // A role is told to everybody alike.
        case .role: concerned = []
        case .created, .joined, .left, .muted, .unmuted, .blocked, .unblocked, .card, .nickname, .settings, .edited,
            .recalled, .annotated, .read, .own, .ended, .person:
            concerned = event.subjects
        }
        try self.log(
            event.change, event.position, in: place.conversation, by: event.actorID, at: event.atMilliseconds,
            concerning: concerned)
    }

    /// Keeps a change that is told of, at a position and a moment, which no other event has.
    func log(
        _ change: ChangeEvent.Change, _ position: StorePosition, in conversation: ConversationID, by actor: UserID,
        at moment: Int64, concerning people: [UserID]
    ) throws(StoreError) {
        guard change.isLogged, let row = EventEncoding(change) else { return }
        try self.run(
            """
            INSERT INTO conversation_event (number, conversation_id, at, actor_id, kind, payload) VALUES (?, ?, ?, ?, ?, ?)
            """, position.rawValue, conversation, moment, actor, row.kind, row.payload)
        for user in people {
            try self.run(
                "INSERT INTO conversation_event_person (user_id, at, number) VALUES (?, ?, ?)", user, moment,
                position.rawValue)
        }
    }

    /// Forgets what is older than the log goes back, a bounded number at a time.
    func pruneEvents(before moment: Int64) throws(StoreError) {
        try self.run(
            """
            DELETE FROM conversation_event WHERE number IN (
                SELECT number FROM conversation_event
                WHERE at < ?1 OR number <= (SELECT number FROM conversation_event ORDER BY number DESC LIMIT 1 OFFSET ?2)
                ORDER BY number LIMIT 1000)
            """, moment, EventLogBounds.events)
    }
}

extension ChangeEvent.Change {
    /// True for events kept for devices that are away. Settings, nicknames and what people have between them are found
    /// by the versions of their rows.
    var isLogged: Bool {
        switch self {
        case .edited, .recalled, .read, .annotated, .settings, .nickname, .own, .ended, .person: false
        case .created, .joined, .left, .card, .role, .muted, .unmuted, .blocked, .unblocked, .receipt: true
        }
    }
}

extension FeedReads {
    /// When something was logged last; UTC milliseconds, 0 for never.
    package func newestEventMoment() throws(StoreError) -> Int64 {
        try self.transaction.connection.first("SELECT max(at) FROM conversation_event") { row throws(StoreError) in
            row.optionalInt64(0) ?? 0
        } ?? 0
    }

    private static let eventsSQL = SQL(
        """
        SELECT e.number, e.conversation_id, c.kind, c.foreign_id, e.actor_id, e.at, e.kind, e.payload, found.personal
        FROM (
            SELECT number, max(personal) AS personal FROM (
                SELECT number, 1 AS personal FROM conversation_event_person WHERE user_id = ?1 AND at > ?2
                UNION ALL
                SELECT v.number, 0 FROM member m JOIN conversation_event v ON v.conversation_id = m.conversation_id
                WHERE m.user_id = ?1 AND v.at > ?2 AND v.kind <> \(EventEncoding.Kind.receipt))
            GROUP BY number ORDER BY number LIMIT ?3) AS found
        JOIN conversation_event e ON e.number = found.number
        JOIN conversation c ON c.id = e.conversation_id ORDER BY e.number
        """)

    /// Events after a moment that concern a person or their present conversations; oldest first, at most
    /// `EventLogBounds.page`.
    ///
    /// - Parameter moment: UTC milliseconds; earlier than the log goes back is the whole log.
    /// - Throws: `unreadableEvent` for a row of a version or kind that is not known, or that is damaged.
    package func events(for user: UserID, after moment: Int64) throws(StoreError) -> [LoggedEvent] {
        try self.transaction.connection.query(Self.eventsSQL, user, moment, EventLogBounds.page) {
            row throws(StoreError) in
            let change = try Self.change(of: row.int64(0), row.int64(6), row.text(7), at: row.int64(5))
            return LoggedEvent(
                number: row.int64(0), conversation: row.conversationID(1), kind: try row.conversationKind(2),
                objectID: try row.objectID(3), actor: try self.transaction.name(of: row.userID(4)),
                atMilliseconds: row.int64(5),
                change: change, isPersonal: row.int64(8) != 0)
        }
    }

    private static func change(
        of number: Int64, _ kind: Int64, _ payload: String, at moment: Int64
    ) throws(StoreError) -> ChangeEvent.Change {
        do throws(EventRowFault) {
            return try EventEncoding.change(ofKind: kind, payload, at: moment)
        } catch {
            throw .unreadableEvent(number: number, error)
        }
    }
}
