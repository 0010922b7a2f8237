import ByteCodec
import ChatModel
import Execution
import Glibc

/// Deletes what the rules of retention say: the oldest messages of each conversation, and attachments of messages that
/// stay. A slice at a time, in quiet moments; nothing goes while the wall clock is in doubt, while the database is being
/// copied for a backup, or where a legal hold keeps it, which each slice asks in its own transaction.
///
/// A run goes through all conversations by their ids. Its counts are kept with what it deletes and become one entry of the
/// audit log at its end; after a restart it goes on. Confined to the writer's thread.
struct RetentionRun {
    /// Messages deleted, or attachments looked at, in one slice.
    static let sliceMessages = 200
    /// Bytes of bodies deleted in one slice, or one message that has more.
    static let sliceBytes: Int64 = 4 * 1_024 * 1_024
    /// Rows of who has read which message that are deleted in one slice, or those of one message that has more.
    static let sliceReads = 5_000
    /// Members whose reading positions move in one slice.
    static let sliceMembers = 500
    /// Sequences over which reading positions move at once: not with each slice of messages.
    static let stageSequences: Int64 = 10_000
    /// Conversations that one slice looks at.
    static let sliceConversations = 50
    /// Between the begin of a run and that of the next one.
    static let intervalMilliseconds: Int64 = 6 * 3_600_000

    private let rules: RetentionRules
    private var nextRun: Instant
    /// The last conversation that this run is done with; `nil` between two runs.
    private var place: ConversationID?
    /// The conversation whose attachments are being looked at, and the last one of them.
    private var attachments: (conversation: ConversationID, after: AttachmentPlace)?
    /// Conversations that a hold was found to keep while this run was in them.
    private var kept: ConversationID?

    /// Place of a reference in the order of its conversation.
    private struct AttachmentPlace {
        var sequence: Int64 = 0
        var file = FileID(rawValue: 0)
        var link: Int64 = 0
    }

    init(_ options: StoreOptions) {
        self.rules = options.retention
        self.nextRun = options.clock.now()
    }

    /// Parts of the writer that a slice works with.
    struct Tools {
        let connection: Connection
        let memory: WriterMemory
        let tokens: TokenIndex
        let clock: Clock
    }

    /// - Parameter mayRun: false while ages are in doubt or a snapshot is held.
    /// - Returns: whether there is more to do, and whether messages were deleted.
    mutating func slice(_ tools: Tools, mayRun: Bool) throws(StoreError) -> (hasMore: Bool, hasDeleted: Bool) {
        guard mayRun, let place = try self.placeToGoOn(tools) else { return (false, false) }
        let wall = tools.clock.wallMilliseconds()
        // A run that rules of before have begun has nothing left but its end.
        let page =
            self.rules.keepsAll
            ? [] : try tools.connection.retainedConversations(after: place, limit: Self.sliceConversations)
        for conversation in page {
            let rule = self.rules[conversation.retention]
            if !rule.keepsAll {
                let outcome = try self.purge(conversation, rule, tools, at: wall)
                if outcome.hasMore || outcome.hasDeleted { return (true, outcome.hasDeleted) }
            }
            self.place = conversation.id
            self.attachments = nil
        }
        guard page.isEmpty else { return (true, false) }
        try self.end(tools, at: wall)
        self.place = nil
        return (false, false)
    }

    /// Place behind which the run goes on; `nil` while none is due.
    private mutating func placeToGoOn(_ tools: Tools) throws(StoreError) -> ConversationID? {
        if let place = self.place { return place }
        let now = tools.clock.now()
        guard now >= self.nextRun else { return nil }
        self.nextRun = now.advanced(byMilliseconds: Self.intervalMilliseconds)
        // The conversation that was counted last may not be through.
        let last = try tools.connection.retentionRun()?.conversation.rawValue ?? 1
        let place = ConversationID(rawValue: last - 1)
        self.place = place
        return place
    }

    // MARK: One conversation

    private mutating func purge(
        _ conversation: RetainedConversation, _ rule: RetentionRule, _ tools: Tools, at wall: Int64
    ) throws(StoreError) -> (hasMore: Bool, hasDeleted: Bool) {
        let last = try tools.connection.lastToGo(of: conversation, rule, at: wall)
        if last > 0, self.kept != conversation.id {
            let outcome = try self.deleteMessages(of: conversation, through: last, tools, at: wall)
            if outcome != .kept { return (true, outcome == .deleted) }
            // The rest of this run passes it over: what a hold keeps would be found again by every slice.
            self.kept = conversation.id
        }
        let lastAttachment = try tools.connection.lastAttachmentToGo(of: conversation, rule, at: wall)
        guard lastAttachment > 0 else { return (false, false) }
        return (try self.releaseAttachments(of: conversation, through: lastAttachment, tools, at: wall), false)
    }

    private enum Outcome {
        case deleted
        /// Reading positions have moved, and more of them have to before a message goes.
        case moved
        /// A hold keeps the oldest message.
        case kept
    }

    /// Deletes the oldest messages of a conversation in one transaction.
    private func deleteMessages(
        of conversation: RetainedConversation, through last: Int64, _ tools: Tools, at wall: Int64
    ) throws(StoreError) -> Outcome {
        let connection = tools.connection
        // Bytes of what is deleted do not stay in the pages that are free then.
        try connection.script("PRAGMA secure_delete = ON")
        defer { try? connection.script("PRAGMA secure_delete = OFF") }
        try connection.run("BEGIN IMMEDIATE")
        let outcome = try self.deleteMessages(in: conversation, through: last, tools, at: wall)
        try connection.run("COMMIT")
        return outcome
    }

    private func deleteMessages(
        in conversation: RetainedConversation, through last: Int64, _ tools: Tools, at wall: Int64
    ) throws(StoreError) -> Outcome {
        let connection = tools.connection
        let id = conversation.id
        if try Self.isHeld(conversation, tools) { return .kept }
        let held = try connection.heldPeople()
        let oldest = try connection.oldestMessages(in: id, through: last, limit: Self.sliceMessages)
        // Whoever has left before departures were recorded is met by their messages: what comes after stays with them.
        let free = oldest.prefix { !held.contains($0.sender) }
        guard !free.isEmpty else { return .kept }
        let going = try Self.slice(of: free, in: id, connection)
        guard let first = going.first, let newest = going.last else { return .kept }
        if try connection.hasReader(in: id, before: newest.sequence) {
            let end = min(last, first.sequence + Self.stageSequences - 1)
            let stage = try connection.lastGoing(in: id, first.sequence...max(end, newest.sequence))
            let moved = try connection.moveReaders(
                in: id, over: first.sequence...stage.sequence, countable: stage.countable, limit: Self.sliceMembers)
            if moved == Self.sliceMembers { return .moved }
        }
        let count = try connection.deleteOldestMessages(
            in: id, through: newest.sequence, limit: going.count, tools.tokens, at: wall)
        precondition(count == going.count, "other messages were deleted than were looked at")
        try connection.run(
            "DELETE FROM flagged WHERE conversation_id = ? AND sequence BETWEEN 1 AND ?", id, newest.sequence)
        try connection.run(
            """
            INSERT INTO purged_history (conversation_id, sequence, countable, messages) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET sequence = excluded.sequence, countable = excluded.countable,
                messages = messages + excluded.messages
            """, id, newest.sequence, newest.countable, Int64(count))
        var counts = RetentionCounts()
        counts.messages = Int64(count)
        counts.messageBytes = going.reduce(0) { $0 + $1.bytes }
        try connection.addToRetentionRun(counts, in: id, at: wall)
        return .deleted
    }

    /// The oldest of some messages, as many as one transaction deletes; one in any case.
    private static func slice(
        of free: ArraySlice<Connection.GoingMessage>, in id: ConversationID, _ connection: Connection
    ) throws(StoreError) -> ArraySlice<Connection.GoingMessage> {
        var bytes: Int64 = 0
        let fitting = free.prefix { message in
            bytes += message.bytes
            return bytes <= Self.sliceBytes
        }
        guard let first = fitting.first, let last = fitting.last else { return free.prefix(1) }
        guard let end = try connection.sequence(ofRead: Self.sliceReads, in: id, first.sequence...last.sequence) else {
            return fitting
        }
        let readByFew = fitting.prefix { $0.sequence < end }
        return readByFew.isEmpty ? free.prefix(1) : readByFew
    }

    /// True when a hold keeps a conversation or, of a topic whose members are those of its community, the community.
    private static func isHeld(_ conversation: RetainedConversation, _ tools: Tools) throws(StoreError) -> Bool {
        if try tools.connection.isHeld(conversation.id) { return true }
        guard conversation.kind == .communityTopic, let state = try tools.memory.conversation(conversation.id) else {
            return false
        }
        return try tools.connection.isHeld(try tools.memory.home(of: state).id)
    }

    // MARK: Attachments

    /// Takes the references away by which old messages name their attachments: what nothing else names is collected as
    /// any other file that nothing refers to.
    ///
    /// - Returns: whether there may be more.
    private mutating func releaseAttachments(
        of conversation: RetainedConversation, through last: Int64, _ tools: Tools, at wall: Int64
    ) throws(StoreError) -> Bool {
        let connection = tools.connection
        let id = conversation.id
        let after = self.attachments?.conversation == id ? self.attachments?.after : nil
        let from = after ?? AttachmentPlace()
        let found = try connection.query(
            Self.attachmentsSQL, id, from.sequence, from.file, from.link, last, Self.sliceMessages
        ) { row throws(StoreError) in
            Attachment(
                place: AttachmentPlace(
                    sequence: row.int64(0), file: FileID(rawValue: row.int64(1)), link: row.int64(2)),
                size: row.int64(3), references: row.int64(4), isHeld: row.int64(5) != 0)
        }
        guard let newest = found.last else { return false }
        self.attachments = (id, newest.place)
        let large = found.filter { $0.size >= self.rules.attachmentBytes && !$0.isHeld }
        guard !large.isEmpty else { return true }
        try connection.run("BEGIN IMMEDIATE")
        try self.release(large, of: conversation, tools, at: wall)
        try connection.run("COMMIT")
        return true
    }

    private struct Attachment {
        let place: AttachmentPlace
        let size: Int64
        /// References to the file, this one included.
        let references: Int64
        let isHeld: Bool
    }

    private static let attachmentsSQL = SQL(
        """
        SELECT r.sequence, r.file_id, r.link_id, f.size, f.refs, f.is_held OR \(SQLText.fileIsHeld)
        FROM file_reference r JOIN file f ON f.id = r.file_id
        WHERE r.conversation_id = ?1 AND (r.sequence, r.file_id, r.link_id) > (?2, ?3, ?4) AND r.sequence <= ?5
        ORDER BY r.sequence, r.file_id, r.link_id LIMIT ?6
        """)

    private func release(
        _ attachments: [Attachment], of conversation: RetainedConversation, _ tools: Tools, at wall: Int64
    ) throws(StoreError) {
        let connection = tools.connection
        let id = conversation.id
        if try Self.isHeld(conversation, tools) { return }
        let held = try connection.heldPeople()
        var counts = RetentionCounts()
        for attachment in attachments {
            let place = attachment.place
            if !held.isEmpty, let sender = try connection.sender(in: id, sequence: place.sequence),
                held.contains(sender)
            {
                continue
            }
            try connection.run(
                """
                DELETE FROM file_reference
                WHERE conversation_id = ? AND sequence = ? AND file_id = ? AND link_id = ?
                """, id, place.sequence, place.file, place.link)
            try FileReferences(connection: connection).release(place.file, at: wall)
            counts.attachments += 1
            if attachment.references == 1 { counts.attachmentBytes += attachment.size }
        }
        if counts.attachments > 0 { try connection.addToRetentionRun(counts, in: id, at: wall) }
    }

    // MARK: Its end

    /// Makes what the run has deleted an entry of the audit log.
    private mutating func end(_ tools: Tools, at wall: Int64) throws(StoreError) {
        self.kept = nil
        self.attachments = nil
        let connection = tools.connection
        guard let run = try connection.retentionRun() else { return }
        let note = AuditNote(
            actor: AuditActor(uid: getuid(), source: .server), word: "retention.run", subject: nil, asked: "{}")
        try connection.run("BEGIN IMMEDIATE")
        try connection.addAudit(note, .done, before: nil, after: run.json, at: wall)
        try connection.run("DELETE FROM retention_run")
        try connection.run("COMMIT")
    }
}

/// Counts of what retention has deleted.
struct RetentionCounts {
    var messages: Int64 = 0
    var messageBytes: Int64 = 0
    var attachments: Int64 = 0
    /// Bytes of files that nothing refers to any more.
    var attachmentBytes: Int64 = 0
}

/// The run that is under way.
struct RetentionRunRow {
    var begunAt: Int64
    var conversation: ConversationID
    var conversations: Int64
    var counts: RetentionCounts

    /// JSON text of an object with the counts, for the audit log.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [
            ("begunAt", self.begunAt), ("conversations", self.conversations), ("messages", self.counts.messages),
            ("messageBytes", self.counts.messageBytes), ("attachments", self.counts.attachments),
            ("attachmentBytes", self.counts.attachmentBytes),
        ] {
            writer.key(name)
            writer.integer(value)
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Connection {
    /// Reads the run that has deleted something and has not ended; `nil` for none.
    func retentionRun() throws(StoreError) -> RetentionRunRow? {
        try self.first(
            """
            SELECT begun_at, conversation_id, conversations, messages, message_bytes, attachments, attachment_bytes
            FROM retention_run
            """
        ) { row throws(StoreError) in
            RetentionRunRow(
                begunAt: row.int64(0), conversation: row.conversationID(1), conversations: row.int64(2),
                counts: RetentionCounts(
                    messages: row.int64(3), messageBytes: row.int64(4), attachments: row.int64(5),
                    attachmentBytes: row.int64(6)))
        }
    }

    /// Adds what was deleted of one conversation, in the transaction that deletes it. Conversations come by their ids.
    func addToRetentionRun(_ counts: RetentionCounts, in id: ConversationID, at wall: Int64) throws(StoreError) {
        try self.run(
            """
            INSERT INTO retention_run VALUES (1, ?1, ?2, 1, ?3, ?4, ?5, ?6)
            ON CONFLICT DO UPDATE SET conversations = conversations + (conversation_id <> ?2), conversation_id = ?2,
                messages = messages + ?3, message_bytes = message_bytes + ?4, attachments = attachments + ?5,
                attachment_bytes = attachment_bytes + ?6
            """, wall, id, counts.messages, counts.messageBytes, counts.attachments, counts.attachmentBytes)
    }

    /// True when a member has not read all messages before one.
    func hasReader(in id: ConversationID, before sequence: Int64) throws(StoreError) -> Bool {
        let sql: StaticString = "SELECT 1 FROM member WHERE conversation_id = ? AND read_sequence < ? LIMIT 1"
        return try self.first(sql, id, sequence) { (_) throws(StoreError) in true } ?? false
    }

    /// Moves the reading positions of members up who have not read messages that go, as if they had: what is gone cannot be
    /// unread. Those of the later slices move as well, so that each member moves once for many of them. Nothing stands before
    /// the range: every earlier message has gone the same way.
    ///
    /// - Parameters:
    ///   - countable: how many messages count up to the end of the range.
    ///   - limit: most members at once.
    /// - Returns: how many were moved.
    func moveReaders(
        in id: ConversationID, over range: ClosedRange<Int64>, countable: Int64, limit: Int
    ) throws(StoreError) -> Int {
        let readers = try self.query(
            """
            SELECT user_id, own_countable_since_read FROM member WHERE conversation_id = ? AND read_sequence < ? LIMIT ?
            """, id, range.upperBound, limit
        ) { row throws(StoreError) in (user: row.userID(0), own: row.int64(1)) }
        let gone = readers.contains { $0.own > 0 } ? try self.ownUnread(in: id, range) : [:]
        for reader in readers {
            try self.run(
                """
                UPDATE member SET read_sequence = ?, read_countable = ?, own_countable_since_read = ?
                WHERE conversation_id = ? AND user_id = ?
                """, range.upperBound, countable, reader.own - gone[reader.user, default: 0], id, reader.user)
        }
        return readers.count
    }
}
