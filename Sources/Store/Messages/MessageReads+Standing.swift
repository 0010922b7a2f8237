package import ChatModel

/// A message as it stands now: the newest edit is in the place of what was sent.
package struct StandingMessage: Sendable {
    package var message: Message
    /// When it was edited or taken back last, UTC milliseconds; 0 for neither.
    package var patchedAtMilliseconds: Int64
    /// Where two people talk: when the one who did not write it got it, UTC milliseconds; `nil` for not yet.
    package var receivedAtMilliseconds: Int64?
    /// The same for reading.
    package var readAtMilliseconds: Int64?

    package init(_ message: Message, patchedAtMilliseconds: Int64 = 0) {
        self.message = message
        self.patchedAtMilliseconds = patchedAtMilliseconds
    }
}

extension StandingMessage {
    init(_ message: Message, _ extra: MessageExtra?) {
        guard let extra else {
            self.init(message)
            return
        }
        self.init(message.edited(extra) ?? message, patchedAtMilliseconds: extra.patchedAtMilliseconds)
    }
}

/// Where a page of history begins or ends: at a message, or at a time where the message is not known.
package struct HistoryEdge: Hashable, Sendable {
    /// UTC milliseconds.
    package var atMilliseconds: Int64?
    /// The message at the edge; `nil` where its time or another name of it is given.
    package var message: MessageID?
    /// The name of a message that has another than one of ours; looked for at the time.
    package var shownID: String?
    /// True when the message at the edge belongs to the page.
    package var isIncluded: Bool

    /// Where a message is named that is not there, others of its millisecond may be missing at the asker: they belong to
    /// the page.
    var namesMessage: Bool { self.message != nil || self.shownID != nil }

    package init(
        atMilliseconds: Int64? = nil, message: MessageID? = nil, shownID: String? = nil, isIncluded: Bool = false
    ) {
        self.atMilliseconds = atMilliseconds
        self.message = message
        self.shownID = shownID
        self.isIncluded = isIncluded
    }
}

/// A page of history as apps ask for it who know messages by time and name.
package struct HistoryQuery: Hashable, Sendable {
    /// Edge that the page is counted from.
    package var start = HistoryEdge()
    /// Edge beyond which the page does not go.
    package var end = HistoryEdge()
    /// From `start` to later ones; else to earlier ones.
    package var isForward = false
    /// Only messages of this kind that were not taken back.
    package var kind: MessageKind?
    /// Only messages that were taken back.
    package var onlyWithdrawn = false
    /// 0...1000.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }
}

// Reading messages as they stand now.
extension MessageReads {
    /// A page of history, oldest first whatever the direction; it ends where `PageRoom()` does, with one message at least,
    /// and is gone on with from its outermost message. Without what the asker deleted for themselves, and without
    /// what was deleted for everyone; what was recalled is there, empty.
    ///
    /// - Throws: `notFound` without access; `invalid` for the limit.
    package func history(
        in id: ConversationID, _ query: HistoryQuery, as access: HistoryAccess
    ) throws(StoreError) -> [StandingMessage] {
        let view = try self.view(of: id, for: access)
        guard query.limit != 0 else { return [] }
        let (later, earlier) = query.isForward ? (query.end, query.start) : (query.start, query.end)
        var page = StandingPage(in: id, view, limit: try ReadTransaction.page(query.limit))
        page.low = max(view.start, try self.lowest(earlier, in: id))
        page.high = try self.highest(later, in: id)
        page.isForward = query.isForward
        page.kind = query.kind
        page.onlyWithdrawn = query.onlyWithdrawn
        return try self.withReceipts(try self.standing(page), in: id)
    }

    /// A message as it stands now; `nil` when there is none, or the asker may not see it.
    package func standing(_ place: MessagePlace, as access: HistoryAccess) throws(StoreError) -> StandingMessage? {
        let view = try self.view(of: place.conversation, for: access)
        guard place.sequence >= view.start else { return nil }
        var page = StandingPage(in: place.conversation, view, limit: 1)
        page.low = place.sequence
        page.high = place.sequence
        return try self.standing(page).first
    }

    /// Name of who sent a message, also of one that was deleted for everybody; `nil` when there is none.
    package func sender(of place: MessagePlace) throws(StoreError) -> UserName? {
        let sender = try self.transaction.connection.first(
            "SELECT sender_id FROM message WHERE conversation_id = ? AND sequence = ?", place.conversation,
            place.sequence
        ) { row throws(StoreError) in row.userID(0) }
        guard let sender else { return nil }
        return try self.transaction.name(of: sender)
    }

    /// The message with one of our ids, or the name and time of one that has another.
    package func place(of edge: HistoryEdge, in id: ConversationID) throws(StoreError) -> MessagePlace? {
        if let message = edge.message { return try self.place(of: message, in: id) }
        guard let name = edge.shownID, let time = edge.atMilliseconds else { return nil }
        let first = try self.firstSequence(in: id, atOrAfter: time)
        let last = try self.lastSequence(in: id, notAfter: time)
        let sql: StaticString = """
            SELECT sequence FROM message
            WHERE conversation_id = ? AND sequence BETWEEN ? AND ? AND json_extract(envelope, '$.id') = ?
            ORDER BY sequence LIMIT 1
            """
        return try self.transaction.connection.first(sql, id, first, last, name) { row throws(StoreError) in
            MessagePlace(id, row.int64(0))
        }
    }

    /// The last sequence that was sent at a time or before; 0 when all came later.
    package func lastSequence(in id: ConversationID, notAfter time: Int64) throws(StoreError) -> Int64 {
        time == .max ? .max : try self.firstSequence(in: id, atOrAfter: time + 1) - 1
    }

    private func lowest(_ edge: HistoryEdge, in id: ConversationID) throws(StoreError) -> Int64 {
        if let place = try self.place(of: edge, in: id) { return edge.isIncluded ? place.sequence : place.sequence + 1 }
        guard let time = edge.atMilliseconds else { return 1 }
        if edge.isIncluded || edge.namesMessage { return try self.firstSequence(in: id, atOrAfter: time) }
        return time == .max ? .max : try self.firstSequence(in: id, atOrAfter: time + 1)
    }

    private func highest(_ edge: HistoryEdge, in id: ConversationID) throws(StoreError) -> Int64 {
        if let place = try self.place(of: edge, in: id) { return edge.isIncluded ? place.sequence : place.sequence - 1 }
        guard let time = edge.atMilliseconds else { return .max }
        return edge.isIncluded || edge.namesMessage
            ? try self.lastSequence(in: id, notAfter: time) : try self.firstSequence(in: id, atOrAfter: time) - 1
    }

    // MARK: Pages

    /// Messages looked at for one page: where most of them are not for who asks, a page may stay short.
    private static let mostLookedAt = 20_000
    /// Rows that are read at once after a page that was not full.
    private static let furtherRows: Int64 = 200

    /// Reads a page. Messages hidden from the viewer do not fill it.
    func standing(_ wanted: StandingPage) throws(StoreError) -> [StandingMessage] {
        try self.standingPage(wanted).messages
    }

    /// The same, and whether it ended before it was full and with more in the range.
    func standingPage(
        _ wanted: StandingPage
    ) throws(StoreError) -> (messages: [StandingMessage], isCut: Bool) {
        var page = wanted
        var found: [StandingMessage] = []
        var lookedAt = 0
        var isCut = false
        while page.low <= page.high, found.count < wanted.limit, lookedAt < Self.mostLookedAt {
            var room = PageRoom(bytes: page.maximumBytes)
            let messages = try self.rows(of: page, &room)
            let shown = try self.shown(messages, page)
            found = page.isForward ? found + shown : shown + found
            lookedAt += messages.count
            guard messages.count == Int(page.limit) || room.isFull, let first = messages.first, let last = messages.last
            else { break }
            let hasMore = page.isForward ? last.sequence < page.high : first.sequence > page.low
            isCut = hasMore && !found.isEmpty && (room.isFull || self.transaction.isOverTime)
            if isCut { break }
            if page.isForward { page.low = last.sequence + 1 } else { page.high = first.sequence - 1 }
            // Where something was not for the viewer there may be more of it.
            page.limit = max(page.limit, Self.furtherRows)
        }
        let limit = Int(wanted.limit)
        return (Array(page.isForward ? found.prefix(limit) : found.suffix(limit)), isCut)
    }

    private func shown(_ messages: [Message], _ page: StandingPage) throws(StoreError) -> [StandingMessage] {
        let extras = try self.loadExtras(of: messages.map(\.sequence), in: page.conversation, for: nil)
        var shown: [StandingMessage] = []
        for message in messages {
            var standing = StandingMessage(message, extras[message.sequence])
            guard let seen = try self.seen(standing.message, page.view), !seen.isUnseen else { continue }
            // What stands in its place may be of another kind than the one that is asked for.
            guard page.kind ?? seen.content.kind == seen.content.kind else { continue }
            standing.message = seen
            shown.append(standing)
        }
        return shown
    }

    private func rows(of page: StandingPage, _ room: inout PageRoom) throws(StoreError) -> [Message] {
        let kind = page.kind.map { Int64($0.rawValue) }
        let messages = try self.transaction.connection.messages(
            page.isForward ? Self.forward : Self.backward, page.conversation, page.low, page.high, kind,
            page.onlyWithdrawn, page.notFrom, page.view.viewer?.user, page.limit, room: &room,
            senderName: self.transaction.name)
        return page.isForward ? messages : messages.reversed()
    }

    private static let pageSQL: SQLText = """
        SELECT \(Row.messageColumns)
        FROM message AS m WHERE conversation_id = ?1 AND sequence BETWEEN ?2 AND ?3
            AND (?4 IS NULL OR (kind = ?4 AND flags & \(MessageFlags.withdrawn) = 0))
            AND (NOT ?5 OR flags & \(MessageFlags.withdrawn) <> 0)
            AND (?6 IS NULL OR sender_id <> ?6)
            AND NOT EXISTS (
                SELECT 1 FROM message_mark k
                WHERE k.user_id = ?7 AND k.conversation_id = ?1 AND k.sequence = m.sequence AND k.hidden = 1)
            AND NOT EXISTS (
                SELECT 1 FROM message_extra e
                WHERE e.conversation_id = ?1 AND e.sequence = m.sequence AND e.withdrawn & \(Withdrawal.deleted) <> 0)
        """
    // The two differ in their order alone, which only a text of its own makes that of the key.
    private static let forward = SQL("\(pageSQL) ORDER BY sequence LIMIT ?8")
    private static let backward = SQL("\(pageSQL) ORDER BY sequence DESC LIMIT ?8")

    /// When the other one of two got and read each message.
    private func withReceipts(
        _ messages: [StandingMessage], in id: ConversationID
    ) throws(StoreError) -> [StandingMessage] {
        guard !messages.isEmpty else { return messages }
        let sql: StaticString = """
            SELECT user_id, acked_sequence, acked_at, read_sequence, read_at FROM member
            WHERE conversation_id = ? LIMIT 3
            """
        let people = try self.transaction.connection.query(sql, id) { row throws(StoreError) in
            (user: row.userID(0), acked: row.int64(1), ackedAt: row.int64(2), read: row.int64(3), readAt: row.int64(4))
        }
        guard people.count == 2 else { return messages }
        return messages.map { standing in
            var standing = standing
            let message = standing.message
            guard people.contains(where: { $0.user == message.sender }),
                let other = people.first(where: { $0.user != message.sender })
            else { return standing }
            if other.ackedAt > 0, message.sequence <= other.acked { standing.receivedAtMilliseconds = other.ackedAt }
            if other.readAt > 0, message.sequence <= other.read {
                standing.readAtMilliseconds = other.readAt
                // Who has read it has got it, and before.
                standing.receivedAtMilliseconds = min(standing.receivedAtMilliseconds ?? .max, other.readAt)
            }
            return standing
        }
    }
}

/// Bounds of the messages to read.
struct StandingPage {
    let conversation: ConversationID
    var low: Int64 = 1
    var high: Int64 = .max
    /// The first ones of the range; else the last ones.
    var isForward = false
    var kind: MessageKind?
    var onlyWithdrawn = false
    /// Without the messages of this person.
    var notFrom: UserID?
    /// As who asks sees it, without what they deleted for themselves.
    let view: HistoryView
    var limit: Int64
    /// Maximum bytes of bodies, about; `nil` for the bound of a page of history.
    var maximumBytes: Int?

    init(in conversation: ConversationID, _ view: HistoryView, limit: Int64) {
        self.conversation = conversation
        self.view = view
        self.limit = limit
    }
}
