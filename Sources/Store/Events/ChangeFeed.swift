package import ChatModel

/// Kinds of rows of the feed; the numbers are stored.
private enum FeedKind: Int64 {
    /// A message was edited, recalled, deleted for everybody, or rows about it have changed.
    case message = 1
    /// A member came or went; in rows from before `memberState` also what that says.
    case member = 2
    /// The conversation is new, or its card, settings or list of those who may not come back have changed.
    case conversation = 3
    /// Somebody got or read a message.
    case receipt = 4
    /// Messages are gone for one person.
    case history = 5
    /// A member has another role, name or mute.
    case memberState = 6
}

/// Bounds of the feed. Whoever is farther behind begins anew.
package enum FeedBounds {
    /// Maximum age of a row, days.
    package static let days: Int64 = 7
    /// Maximum number of rows.
    package static let rows: Int64 = 200_000
    /// Rows that one slice of the upkeep removes.
    static let sliceRows = 1_000
    /// Maximum number of changes on one page.
    package static let page = 1_000
    /// Maximum number of new messages and changes of one conversation.
    package static let changesOfConversation = 100
    /// Maximum number of conversations of one person that have changed.
    package static let conversations = 1_000
    /// Maximum number of changes after a position, over all conversations of a person.
    package static let changes = 5_000
    /// Maximum number of people who have changed after a position.
    package static let people = 500
    /// Maximum number of requests to join teams, anybody's, that one read looks at; the next one goes on after them.
    package static let requests = 500
}

/// Something that changed after a position and concerns a person. It names rows; what they hold, and whether the person
/// may see it, is what the same snapshot says.
package struct FeedChange: Hashable, Sendable {
    /// Thing that changed.
    package enum Subject: Hashable, Sendable {
        /// A new message.
        case message(sequence: Int64)
        /// A message was edited, recalled or deleted, its reactions, pin or attributes have changed, or the person has
        /// heard it.
        case changedMessage(sequence: Int64)
        /// Somebody got or read a message of the person's.
        case receipt(sequence: Int64)
        /// A member came or went; the person's own coming and leaving too.
        case member(UserID)
        /// A member has another role, name or mute; the person too.
        case memberState(UserID)
        /// The conversation is new, or its card, settings or list of those who may not come back have changed.
        case conversation
        /// The person's own switches, remark, draft or place in the list.
        case own
        /// The person's own reading position or badge.
        case read
        /// Messages are gone for the person: deleted, or their history was cleared.
        case history
        /// More than `FeedBounds.changesOfConversation` things: read the conversation anew.
        case gap
        /// The conversation was deleted.
        case ended
        /// A person is shown otherwise, or the reader's own remark about them, friendship or list has changed.
        case person(UserID)
        /// More than `FeedBounds.people` people have changed, acquainted or not: read anew who people are.
        case gapOfPeople
        /// A request to join a team is new, was answered or taken back, or has ended.
        case request(Int64)
        /// An announcement of the operator is new for the person, or they have confirmed it.
        case announcement(Int64)
    }

    /// Place among all messages and events.
    package var position: StorePosition
    /// Conversation concerned; `nil` for a change of a person, a request or an announcement. The reader may have left
    /// it since.
    package var conversation: ConversationID?
    /// Thing that changed.
    package var subject: Subject

    package init(position: StorePosition, conversation: ConversationID?, subject: Subject) {
        self.position = position
        self.conversation = conversation
        self.subject = subject
    }
}

/// A page of what changed, in order.
package struct FeedPage: Hashable, Sendable {
    /// Changes by rising position, no two of which have the same; of several changes of one thing the last.
    package var changes: [FeedChange]
    /// Position to go on after: everything up to it is on this page or one before.
    package var through: StorePosition
    /// True when there is more up to the position that was asked for.
    package var isCut: Bool

    package init(changes: [FeedChange], through: StorePosition, isCut: Bool) {
        self.changes = changes
        self.through = through
        self.isCut = isCut
    }
}

// The rows are written with the event.
extension FeedWrites {
    /// Notes where to look for a change. Its first row has the position of the event, each further one takes the next.
    ///
    /// - Parameter messages: the messages that it is about, each with its sender.
    func addToFeed(_ event: ChangeEvent, about messages: [(sequence: Int64, sender: UserID)]) throws(StoreError) {
        guard let place = event.place else { return }
        var rows = FeedRows(event: event, conversation: place.conversation)
        switch event.change {
        case .read:
            try self.transaction.connection.setReadPosition(event.actorID, in: place.conversation, event.position)
        case .own(.settings), .own(.place), .own(.hidden):
            try self.transaction.connection.run(
                Self.setOwnPosition, event.position.rawValue, place.conversation, event.actorID)
        case .own(.cleared), .own(.deleted): rows.add(.history, for: event.actorID)
        case .own(.heard): for message in messages { rows.add(.message, for: event.actorID, message.sequence) }
        // Everybody's feed names a message that only some may see: their rights decide.
        case .edited, .recalled, .annotated(.reactions), .annotated(.pins), .annotated(.attributes):
            for message in messages { rows.add(.message, for: nil, message.sequence) }
        case .annotated(.readers), .receipt:
            for message in messages { rows.add(.receipt, for: message.sender, message.sequence) }
        case .created, .card, .settings, .blocked, .unblocked:
            if event.isForMembers { rows.add(.conversation, for: nil) }
            for person in event.others { rows.add(.conversation, for: person) }
        case .joined, .left:
            let others = Set(event.others)
            for person in event.subjects {
                if event.isForMembers { rows.add(.member, for: nil, about: person) }
                if others.contains(person) { rows.add(.member, for: person, about: person) }
            }
        case .role, .nickname, .muted, .unmuted:
            for person in event.subjects { rows.add(.memberState, for: nil, about: person) }
        case .ended: try self.transaction.connection.run(Self.addGone, event.position.rawValue, place.conversation)
        // In no conversation: see `addToPersonFeed`.
        case .person: return
        }
        try self.insert(rows)
    }

    // With those who are out already and may not know it: the row that says so goes with the conversation.
    private static let addGone = SQL(
        """
        INSERT INTO gone_feed (user_id, position, conversation_id)
        SELECT user_id, ?1, ?2 FROM (
            SELECT user_id FROM member WHERE conversation_id = ?2
            UNION SELECT user_id FROM change_feed WHERE conversation_id = ?2 AND user_id IS NOT NULL)
        """)
    private static let setOwnPosition = SQL(
        "UPDATE member SET own_position = ? WHERE conversation_id = ? AND user_id = ?")

    private func insert(_ rows: FeedRows) throws(StoreError) {
        var position = rows.event.position
        var lastForAll: StorePosition?
        for (index, row) in rows.rows.enumerated() {
            if index > 0 { position = StorePosition(self.transaction.nextMessageID()) }
            try self.transaction.connection.insert(row, at: position, in: rows.conversation)
            if row.receiver == nil { lastForAll = position }
        }
        guard let lastForAll else { return }
        try self.transaction.connection.run(
            "UPDATE conversation SET position = ? WHERE id = ?", lastForAll.rawValue, rows.conversation)
    }
}

/// A row of the feed.
private struct FeedRow {
    let kind: FeedKind
    /// The one person whom it is for; `nil` for everybody in the conversation.
    let receiver: UserID?
    let sequence: Int64?
    let person: UserID?
}

extension Connection {
    fileprivate func insert(
        _ row: FeedRow, at position: StorePosition, in conversation: ConversationID
    ) throws(StoreError) {
        try self.run(
            """
            INSERT INTO change_feed (position, conversation_id, user_id, kind, sequence, person_id)
            VALUES (?, ?, ?, ?, ?, ?)
            """, position.rawValue, conversation, row.receiver, row.kind.rawValue, row.sequence, row.person)
    }

    /// Notes that somebody got or read a message, for its sender.
    func addReceiptToFeed(
        at position: StorePosition, in conversation: ConversationID, sequence: Int64, sender: UserID
    ) throws(StoreError) {
        let row = FeedRow(kind: .receipt, receiver: sender, sequence: sequence, person: nil)
        try self.insert(row, at: position, in: conversation)
    }
}

/// Rows that one event adds to the feed.
private struct FeedRows {
    let event: ChangeEvent
    let conversation: ConversationID
    private(set) var rows: [FeedRow] = []

    init(event: ChangeEvent, conversation: ConversationID) {
        self.event = event
        self.conversation = conversation
    }

    /// - Parameter receiver: `nil` for everybody in the conversation.
    mutating func add(
        _ kind: FeedKind, for receiver: UserID?, _ sequence: Int64? = nil, about person: UserID? = nil
    ) { self.rows.append(FeedRow(kind: kind, receiver: receiver, sequence: sequence, person: person)) }
}

extension ChangeEvent {
    /// True when everybody in the conversation is told.
    fileprivate var isForMembers: Bool {
        switch self.audience {
        case .members, .membersAnd: true
        case .people, .watchers: false
        }
    }

    /// People who are told one by one.
    fileprivate var others: [UserID] {
        switch self.audience {
        case .members, .watchers: []
        case .membersAnd(let people), .people(let people): people
        }
    }
}

extension Connection {
    private static let oldestInFeed = SQL(
        """
        SELECT max(position) FROM (SELECT position FROM change_feed ORDER BY position LIMIT ?1)
        WHERE position < ?2
            OR position <= (SELECT position FROM change_feed ORDER BY position DESC LIMIT 1 OFFSET ?3)
        """)
    private static let oldestInPersonFeed = SQL(
        """
        SELECT max(position) FROM (SELECT position FROM person_feed ORDER BY position LIMIT ?1)
        WHERE position < ?2
            OR position <= (SELECT position FROM person_feed ORDER BY position DESC LIMIT 1 OFFSET ?3)
        """)
    private static let oldestInGoneFeed = SQL(
        """
        SELECT max(position) FROM (SELECT position FROM gone_feed ORDER BY position LIMIT ?1)
        WHERE position < ?2
            OR position <= (SELECT position FROM gone_feed ORDER BY position DESC LIMIT 1 OFFSET ?3)
        """)

    /// Forgets the oldest rows of the feed that are too old or too many, a slice at a time, and notes how far.
    ///
    /// - Parameter moment: UTC milliseconds; rows from before go.
    /// - Returns: whether there may be more.
    func pruneFeed(before moment: Int64) throws(StoreError) -> Bool {
        let changes = try self.forget(Self.oldestInFeed, "DELETE FROM change_feed WHERE position <= ?", before: moment)
        let people = try self.forget(
            Self.oldestInPersonFeed, "DELETE FROM person_feed WHERE position <= ?", before: moment)
        let gone = try self.forget(Self.oldestInGoneFeed, "DELETE FROM gone_feed WHERE position <= ?", before: moment)
        return changes || people || gone
    }

    private func forget(
        _ oldest: SQL, _ delete: StaticString, before moment: Int64
    ) throws(StoreError) -> Bool {
        let last = try self.first(
            oldest, FeedBounds.sliceRows, MessageID.first(ofMillisecond: moment, node: 0), FeedBounds.rows
        ) { row throws(StoreError) in row.optionalInt64(0) }
        guard let position = last ?? nil else { return false }
        // First how far: a kill in between makes somebody begin anew, and hides nothing.
        try self.run("UPDATE meta SET value = max(value, ?) WHERE key = 'feed_from'", position)
        try self.run(delete, position)
        return self.changes >= Int64(FeedBounds.sliceRows)
    }
}

extension FeedReads {
    /// Position of the newest commit in this snapshot: everything stored up to it is in the snapshot, and nothing after
    /// it. In a write transaction, that of the commit before.
    package var position: StorePosition {
        get throws(StoreError) { StorePosition(rawValue: try self.transaction.connection.meta("position")) }
    }

    /// Number of the database that no restored copy shares; positions of two epochs have nothing in common.
    package var epoch: Int64 { get throws(StoreError) { try self.transaction.connection.meta("epoch") } }

    /// Position up to which the feed was forgotten: whoever knows less begins anew.
    package var start: StorePosition {
        get throws(StoreError) { StorePosition(rawValue: try self.transaction.connection.meta("feed_from")) }
    }

    /// Changes after a position that concern a person, in order: of the conversations that they are a member of, of people
    /// who share a conversation or a friendship with them, and what was for them alone, such as that they were taken out.
    /// New messages have no row for each person: they are found by their ids, conversation by conversation, so who is
    /// away costs nothing.
    ///
    /// - Parameters:
    ///   - position: of a snapshot, a change or a page before.
    ///   - last: where to end; `nil` for the newest commit in this snapshot.
    ///   - some: the conversations to look at; `nil` for all of the person's. What is for the person alone, and changes
    ///     of people, come anyhow.
    ///   - limit: 1...`FeedBounds.page`.
    /// - Returns: `nil` when the person has to begin anew: the position is before `start` or after the snapshot, or
    ///   more has changed than `FeedBounds` allow.
    package func changes(
        for user: UserID, after position: StorePosition, through last: StorePosition? = nil,
        in some: [ConversationID]? = nil, limit: Int
    ) throws(StoreError) -> FeedPage? {
        guard (1...FeedBounds.page).contains(limit) else {
            throw .invalid("1 to \(FeedBounds.page) changes can be read at once, not \(limit)")
        }
        let newest = try self.position
        guard position >= (try self.start), position <= newest else { return nil }
        let end = min(last ?? newest, newest)
        guard position < end else { return FeedPage(changes: [], through: max(position, end), isCut: false) }
        let span = FeedSpan(user: user, after: position, through: end)
        guard let changed = try self.changedConversations(span, in: some) else { return nil }
        let personal = try self.feedRows(Self.personalRows, user.rawValue, span, limit: limit + 1)
        let gone = try self.goneConversations(span, limit: limit + 1)
        let concerns = [try self.changedRequests(span), try self.changedAnnouncements(span, limit: limit)]
        var found = personal + gone + concerns.flatMap(\.changes)
        found += try self.changedPeople(span)
        for conversation in changed {
            found += try self.changes(of: conversation, span)
            guard found.count <= FeedBounds.changes else { return nil }
        }
        // Of what is for the person alone there may be more after the last one read.
        let cuts = [personal, gone].compactMap { $0.count > limit ? $0[limit].position : nil }
        let last = (cuts + concerns.compactMap(\.cut)).min()
        return FeedPage(found, through: last ?? end, limit: limit, isCut: last != nil)
    }

    private static let goneRows = SQL(
        """
        SELECT position, conversation_id FROM gone_feed WHERE user_id = ?1 AND position > ?2 AND position <= ?3
        ORDER BY position LIMIT ?4
        """)

    private func goneConversations(_ span: FeedSpan, limit: Int) throws(StoreError) -> [FeedChange] {
        try self.transaction.connection.query(
            Self.goneRows, span.user, span.after.rawValue, span.through.rawValue, limit
        ) { row throws(StoreError) in
            FeedChange(
                position: StorePosition(rawValue: row.int64(0)), conversation: row.conversationID(1), subject: .ended)
        }
    }

    private typealias ChangedConversation = (
        id: ConversationID, all: StorePosition, read: StorePosition, own: StorePosition
    )

    private static let changedColumns: SQLText = """
        SELECT c.id, c.position, m.read_position, m.own_position
        FROM member m JOIN conversation c ON c.id = m.conversation_id
        """
    private static let anyChanged: SQLText = "(c.position > ?2 OR m.read_position > ?2 OR m.own_position > ?2)"
    private static let allChanged = SQL("\(changedColumns) WHERE m.user_id = ?1 AND \(anyChanged) LIMIT ?3")
    private static let oneChanged = SQL(
        "\(changedColumns) WHERE m.user_id = ?1 AND \(anyChanged) AND m.conversation_id = ?3")

    /// - Returns: `nil` for too many.
    private func changedConversations(
        _ span: FeedSpan, in some: [ConversationID]?
    ) throws(StoreError) -> [ChangedConversation]? {
        guard let some else {
            let found = try self.transaction.connection.query(
                Self.allChanged, span.user, span.after.rawValue, FeedBounds.conversations + 1, read: Self.changed)
            return found.count <= FeedBounds.conversations ? found : nil
        }
        guard some.count <= FeedBounds.conversations else { return nil }
        var found: [ChangedConversation] = []
        for id in some {
            found += try self.transaction.connection.query(
                Self.oneChanged, span.user, span.after.rawValue, id, read: Self.changed)
        }
        return found
    }

    private static func changed(_ row: Row) throws(StoreError) -> ChangedConversation {
        (
            row.conversationID(0), StorePosition(rawValue: row.int64(1)), StorePosition(rawValue: row.int64(2)),
            StorePosition(rawValue: row.int64(3))
        )
    }

    private func changes(of conversation: ChangedConversation, _ span: FeedSpan) throws(StoreError) -> [FeedChange] {
        let id = conversation.id
        var found: [FeedChange] = []
        if span.contains(conversation.read) {
            found.append(FeedChange(position: conversation.read, conversation: id, subject: .read))
        }
        if span.contains(conversation.own) {
            found.append(FeedChange(position: conversation.own, conversation: id, subject: .own))
        }
        guard conversation.all > span.after else { return found }
        let most = FeedBounds.changesOfConversation
        let rows = try self.feedRows(Self.rowsForAll, id.rawValue, span, limit: most + 1)
        let messages = try self.transaction.messages.page(
            in: id, after: span.after, through: span.through, limit: most + 1)
        guard rows.count + messages.count <= most else {
            let last = max(rows.last?.position ?? .zero, messages.last.map { StorePosition($0.id) } ?? .zero)
            return found + [FeedChange(position: last, conversation: id, subject: .gap)]
        }
        return found + rows
            + messages.map { message in
                FeedChange(
                    position: StorePosition(message.id), conversation: id, subject: .message(sequence: message.sequence)
                )
            }
    }

    private static let rowColumns: SQLText =
        "SELECT position, conversation_id, kind, sequence, person_id FROM change_feed"
    private static let personalRows = SQL(
        "\(rowColumns) WHERE user_id = ?1 AND position > ?2 AND position <= ?3 ORDER BY position LIMIT ?4")
    private static let rowsForAll = SQL(
        """
        \(rowColumns) WHERE conversation_id = ?1 AND user_id IS NULL AND position > ?2 AND position <= ?3
        ORDER BY position LIMIT ?4
        """)

    private func feedRows(
        _ sql: SQL, _ whose: Int64, _ span: FeedSpan, limit: Int
    ) throws(StoreError) -> [FeedChange] {
        try self.transaction.connection.query(sql, whose, span.after.rawValue, span.through.rawValue, limit) {
            row throws(StoreError) in
            FeedChange(
                position: StorePosition(rawValue: row.int64(0)), conversation: row.conversationID(1),
                subject: try Self.subject(row))
        }
    }

    private static func subject(_ row: Row) throws(StoreError) -> FeedChange.Subject {
        guard let kind = FeedKind(rawValue: row.int64(2)) else { throw Row.damaged("change") }
        switch (kind, row.optionalInt64(3), row.optionalInt64(4)) {
        case (.message, let sequence?, _): return .changedMessage(sequence: sequence)
        case (.receipt, let sequence?, _): return .receipt(sequence: sequence)
        case (.member, _, let person?): return .member(UserID(rawValue: person))
        case (.memberState, _, let person?): return .memberState(UserID(rawValue: person))
        case (.conversation, _, _): return .conversation
        case (.history, _, _): return .history
        case (.message, nil, _), (.receipt, nil, _), (.member, _, nil), (.memberState, _, nil):
            throw Row.damaged("change")
        }
    }
}

/// Positions that a read of the feed looks at, and for whom.
struct FeedSpan {
    let user: UserID
    /// Not included.
    let after: StorePosition
    /// Included.
    let through: StorePosition

    func contains(_ position: StorePosition) -> Bool { position > self.after && position <= self.through }
}

extension FeedPage {
    /// - Parameters:
    ///   - found: changes in any order, whole up to `last`.
    ///   - isCut: there is more after `last`.
    fileprivate init(_ found: [FeedChange], through last: StorePosition, limit: Int, isCut: Bool) {
        var newest: [FeedThing: FeedChange] = [:]
        for change in found where change.position <= last {
            let thing = FeedThing(conversation: change.conversation, subject: change.subject)
            if let known = newest[thing], known.position >= change.position { continue }
            newest[thing] = change
        }
        let sorted = newest.values.sorted { $0.position < $1.position }
        self.changes = Array(sorted.prefix(limit))
        self.isCut = isCut || sorted.count > limit
        self.through = sorted.count > limit ? sorted[limit - 1].position : last
    }
}

/// Something of which only the last change counts.
private struct FeedThing: Hashable {
    let conversation: ConversationID?
    let subject: FeedChange.Subject
}

extension ReadTransaction {
    /// Reads of changes and events, in the order of one cursor.
    package var feed: FeedReads { FeedReads(transaction: self) }
}

/// Reads of changes and events, in the order of one cursor. Valid as long as its transaction.
package struct FeedReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of changes and events, in the order of one cursor.
    package var feed: FeedWrites { FeedWrites(transaction: self) }
}

/// Changes of changes and events, in the order of one cursor. Valid as long as its transaction.
package struct FeedWrites {
    let transaction: WriteTransaction
}
