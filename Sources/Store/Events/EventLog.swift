import ByteCodec
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

/// Kinds of logged events; the numbers are stored.
private enum LoggedKind: Int64 {
    case created = 1
    case joined = 2
    case left = 3
    case card = 4
    case role = 5
    case muted = 6
    case unmuted = 7
    case blocked = 8
    case unblocked = 9
    case receipt = 10
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
        guard let place = event.place, event.change.isLogged, let (kind, payload) = event.change.logged else { return }
        try self.run(
            """
            INSERT INTO conversation_event (number, conversation_id, at, actor_id, kind, payload) VALUES (?, ?, ?, ?, ?, ?)
            """, event.position.rawValue, place.conversation, event.atMilliseconds, event.actorID, kind.rawValue,
            payload)
        let number = event.position.rawValue
        let concerned: [UserID]
        switch event.change {
        case .receipt: concerned = event.receivers
        // A role is told to everybody alike.
        case .role: concerned = []
        case .created, .joined, .left, .muted, .unmuted, .blocked, .unblocked, .card, .nickname, .settings, .edited,
            .recalled, .annotated, .read, .own, .person:
            concerned = event.subjects
        }
        for user in concerned {
            try self.run(
                "INSERT INTO conversation_event_person (user_id, at, number) VALUES (?, ?, ?)", user,
                event.atMilliseconds, number)
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
        case .edited, .recalled, .read, .annotated, .settings, .nickname, .own, .person: false
        case .created, .joined, .left, .card, .role, .muted, .unmuted, .blocked, .unblocked, .receipt: true
        }
    }

    /// The kind and the rest of what is kept.
    fileprivate var logged: (LoggedKind, String)? {
        switch self {
        case .created(let people, let asTeam):
            (
                .created,
                Self.text(people) { json in
                    guard asTeam else { return }
                    json.key("team")
                    json.boolean(true)
                }
            )
        case .joined(let people, let arrival):
            (.joined, Self.text(people) { json in Self.add(arrival, to: &json) })
        case .left(let people, let departure):
            (
                .left,
                Self.text(people) { json in
                    json.key("as")
                    json.string(departure.word)
                }
            )
        case .card(let modified, let asked): (.card, Self.text(modified, asked))
        case .role(let person, let role, let was):
            (
                .role,
                Self.text { json in
                    json.key("m")
                    json.string(person.text)
                    json.key("role")
                    json.integer(role.rawValue)
                    if let was {
                        json.key("was")
                        json.integer(was.rawValue)
                    }
                }
            )
        case .muted(let people): (.muted, Self.text(people))
        case .unmuted(let people): (.unmuted, Self.text(people))
        case .blocked(let people): (.blocked, Self.text(people))
        case .unblocked(let people): (.unblocked, Self.text(people))
        case .receipt(let receipt): (.receipt, Self.text(receipt))
        case .nickname, .settings, .edited, .recalled, .annotated, .read, .own, .person: nil
        }
    }

    private static func text(_ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.beginObject()
        body(&json)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func text(_ people: [UserName], _ rest: (inout JSONWriter) -> Void = { _ in }) -> String {
        self.text { json in
            json.key("m")
            json.beginArray()
            for person in people { json.string(person.text) }
            json.endArray()
            rest(&json)
        }
    }

    private static func add(_ arrival: MemberArrival, to json: inout JSONWriter) {
        json.key("as")
        json.string(arrival.word)
        guard case .invitationAccepted(let inviter?) = arrival else { return }
        json.key("by")
        json.integer(inviter.rawValue)
    }

    private static func text(_ modified: [UInt8], _ asked: [UInt8]?) -> String {
        self.text { json in
            json.key("modified")
            json.raw(modified)
            if let asked {
                json.key("asked")
                json.raw(asked)
            }
        }
    }

    private static func text(_ receipt: MessageReceipt) -> String {
        self.text { json in
            json.key("id")
            json.integer(receipt.message.rawValue)
            json.key("sequence")
            json.integer(receipt.sequence)
            json.key("m")
            json.string(receipt.receiver.text)
            json.key("read")
            json.boolean(receipt.isRead)
        }
    }

    /// - Throws: `fatal` for what no teahouse writes.
    init(logged number: Int64, _ payload: String, at moment: Int64) throws(StoreError) {
        guard let kind = LoggedKind(rawValue: number), let value = try? JSONValue(parsing: payload) else {
            throw Row.damaged("event")
        }
        let people = (value["m"]?.array ?? []).compactMap { $0.string.flatMap(UserName.init) }
        switch kind {
        case .created: self = .created(people, asTeam: value["team"]?.boolean == true)
        case .joined:
            let inviter = value["by"]?.integer.map { UserID(rawValue: $0) }
            self = .joined(people, as: try MemberArrival(logged: value["as"]?.string, by: inviter))
        case .left: self = .left(people, as: try MemberDeparture(logged: value["as"]?.string))
        case .card:
            guard let modified = value["modified"] else { throw Row.damaged("event") }
            self = .card(modified: modified.serialized(), asked: value["asked"]?.serialized())
        case .role:
            guard let person = value["m"]?.string.flatMap(UserName.init),
                let role = value["role"]?.integer.flatMap(MemberRole.init)
            else { throw Row.damaged("event") }
            self = .role(person, role, was: value["was"]?.integer.flatMap(MemberRole.init))
        case .muted: self = .muted(people)
        case .unmuted: self = .unmuted(people)
        case .blocked: self = .blocked(people)
        case .unblocked: self = .unblocked(people)
        case .receipt:
            guard let id = value["id"]?.integer, let sequence = value["sequence"]?.integer,
                let receiver = value["m"]?.string.flatMap(UserName.init), let isRead = value["read"]?.boolean
            else { throw Row.damaged("event") }
            self = .receipt(
                MessageReceipt(
                    message: MessageID(rawValue: id), sequence: sequence, receiver: receiver, isRead: isRead,
                    atMilliseconds: moment))
        }
    }
}

// Rows of before have no such word.
extension MemberArrival {
    fileprivate var word: String {
        switch self {
        case .invited: "invited"
        case .joined: "joined"
        case .applicationAccepted: "application"
        case .invitationAccepted: "invitation"
        }
    }

    fileprivate init(logged word: String?, by inviter: UserID?) throws(StoreError) {
        switch word {
        case nil, "invited": self = .invited
        case "joined": self = .joined
        case "application": self = .applicationAccepted
        case "invitation": self = .invitationAccepted(by: inviter)
        default: throw Row.damaged("event")
        }
    }
}

extension MemberDeparture {
    fileprivate var word: String {
        switch self {
        case .removed: "removed"
        case .left: "left"
        }
    }

    fileprivate init(logged word: String?) throws(StoreError) {
        switch word {
        case nil, "removed": self = .removed
        case "left": self = .left
        default: throw Row.damaged("event")
        }
    }
}

extension ReadTransaction {
    /// When something was logged last; UTC milliseconds, 0 for never.
    package func newestEventMoment() throws(StoreError) -> Int64 {
        try self.connection.first("SELECT max(at) FROM conversation_event") { row throws(StoreError) in
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
                WHERE m.user_id = ?1 AND v.at > ?2 AND v.kind <> \(LoggedKind.receipt))
            GROUP BY number ORDER BY number LIMIT ?3) AS found
        JOIN conversation_event e ON e.number = found.number
        JOIN conversation c ON c.id = e.conversation_id ORDER BY e.number
        """)

    /// Events after a moment that concern a person or their present conversations; oldest first, at most
    /// `EventLogBounds.page`.
    ///
    /// - Parameter moment: UTC milliseconds; earlier than the log goes back is the whole log.
    package func events(for user: UserID, after moment: Int64) throws(StoreError) -> [LoggedEvent] {
        try self.connection.query(Self.eventsSQL, user, moment, EventLogBounds.page) { row throws(StoreError) in
            LoggedEvent(
                number: row.int64(0), conversation: row.conversationID(1), kind: try row.conversationKind(2),
                objectID: try row.objectID(3), actor: try self.name(of: row.userID(4)), atMilliseconds: row.int64(5),
                change: try ChangeEvent.Change(logged: row.int64(6), row.text(7), at: row.int64(5)),
                isPersonal: row.int64(8) != 0)
        }
    }
}
