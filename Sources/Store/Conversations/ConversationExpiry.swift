package import ChatModel
import Execution

/// Deletes conversations that are over: temporary ones at their end, and where the operator wants it those in which
/// nothing has happened for long. A slice at a time, in quiet moments; age waits for a wall clock that runs evenly.
///
/// First a conversation goes with everything that is about its people, in one transaction; then its messages, which nobody
/// reaches any more. Confined to the writer's thread.
struct ConversationExpiry {
    /// Messages deleted in one slice.
    static let sliceMessages = 500
    /// Between two looks.
    static let roundMilliseconds: Int64 = 60_000
    /// Kinds that end when nothing happens. Others are the app's own arrangement.
    static let kinds: [ConversationKind] = [.direct, .group, .room]

    /// 0 for never.
    private let inactiveDays: Int
    private var nextLook: Instant

    init(_ options: StoreOptions) {
        self.inactiveDays = options.inactiveDays
        self.nextLook = options.clock.now()
    }

    /// Result of one slice.
    enum Outcome {
        case nothing
        /// There is more to do.
        case more
        /// A conversation is gone.
        case deleted(ConversationID)
    }

    /// - Parameters:
    ///   - wallIsSteady: false while the age of a conversation is in doubt.
    ///   - noteEnd: tells those who are in it of the end of a conversation, in the transaction in which it is deleted, and
    ///     stores the position of the commit.
    mutating func slice(
        _ connection: Connection, _ tokens: TokenIndex, _ clock: Clock, wallIsSteady: Bool,
        noteEnd: (_ id: ConversationID, _ wall: Int64) throws(StoreError) -> Void
    ) throws(StoreError) -> Outcome {
        if try Self.deleteMessages(connection, tokens, at: clock.wallMilliseconds()) { return .more }
        let now = clock.now()
        guard now >= self.nextLook else { return .nothing }
        let wall = clock.wallMilliseconds()
        guard wallIsSteady, let id = try self.next(connection, at: wall) else {
            self.nextLook = now.advanced(byMilliseconds: Self.roundMilliseconds)
            return .nothing
        }
        try connection.run("BEGIN IMMEDIATE")
        try noteEnd(id, wall)
        try Self.delete(id, connection, at: wall)
        try connection.run("COMMIT")
        return .deleted(id)
    }

    private static let overSQL = SQL(
        """
        SELECT c.id FROM conversation c WHERE c.expires_at <= ? AND NOT \(SQLText.conversationEndIsHeld)
        ORDER BY c.expires_at LIMIT 1
        """)

    private func next(_ connection: Connection, at wall: Int64) throws(StoreError) -> ConversationID? {
        let over = try connection.first(Self.overSQL, wall) { row throws(StoreError) in row.conversationID(0) }
        if over != nil || self.inactiveDays == 0 { return over }
        let before = wall - Int64(self.inactiveDays) * 86_400_000
        return try ReadTransaction(connection, UserNames()).conversations.inactive(before: before, limit: 1).first?.id
    }

    // MARK: The conversation

    private static let pictures: SQLText = """
        kind IN (\(FileHolderKind.conversation), \(FileHolderKind.smallOfConversation)) AND holder_id = ?1
        """
    private static let fieldFiles: SQLText = "kind = \(FieldHolderKind.conversation) AND holder_id = ?1"
    private static let filesSQL = SQL(
        """
        SELECT file_id FROM file_holder WHERE \(pictures) UNION ALL SELECT file_id FROM field_file WHERE \(fieldFiles)
        """)
    private static let deletePicturesSQL = SQL("DELETE FROM file_holder WHERE \(pictures)")
    private static let deleteFieldFilesSQL = SQL("DELETE FROM field_file WHERE \(fieldFiles)")

    /// Removes a conversation with everything that is about its people. Its messages are left, and nobody reaches them.
    static func delete(_ id: ConversationID, _ connection: Connection, at wall: Int64) throws(StoreError) {
        let pictures = try connection.query(Self.filesSQL, id) { row throws(StoreError) in
            FileID(rawValue: row.int64(0))
        }
        try connection.run(Self.deletePicturesSQL, id)
        try connection.run(Self.deleteFieldFilesSQL, id)
        for file in pictures { try FileReferences(connection: connection).release(file, at: wall) }
        try connection.run("UPDATE file SET conversation_id = NULL WHERE conversation_id = ?", id)
        try connection.run("UPDATE file_link SET conversation_id = NULL WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM command WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM command WHERE audience_id = ?", id)
        try connection.run("DELETE FROM conversation_event WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM change_feed WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM reminder WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM notice_team WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM team_request WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM announcement WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM team WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM conversation_setting WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM preference WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM delivered WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM hidden_count WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM shown_count WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM conversation_list WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM listener WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM former_member WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM member WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM flagged WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM import_conversation WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM conversation_alias WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM sequence_gap WHERE conversation_id = ?", id)
        try connection.run("DELETE FROM purged_history WHERE conversation_id = ?", id)
        try connection.run("INSERT INTO gone_conversation (conversation_id) VALUES (?)", id)
        try connection.run("DELETE FROM conversation WHERE id = ?", id)
    }

    // MARK: Its messages

    /// - Returns: whether there was something to do.
    private static func deleteMessages(
        _ connection: Connection, _ tokens: TokenIndex, at wall: Int64
    ) throws(StoreError) -> Bool {
        let found = try connection.first("SELECT conversation_id FROM gone_conversation LIMIT 1") {
            row throws(StoreError) in row.conversationID(0)
        }
        guard let id = found else { return false }
        try connection.run("BEGIN IMMEDIATE")
        let deleted = try connection.deleteOldestMessages(in: id, limit: Self.sliceMessages, tokens, at: wall)
        if deleted < Self.sliceMessages {
            try connection.run("DELETE FROM gone_conversation WHERE conversation_id = ?", id)
        }
        try connection.run("COMMIT")
        return true
    }
}

extension ConversationReads {
    private static let inactiveSQL = SQL(
        """
        SELECT \(SQLText.conversationColumns) FROM conversation c
        WHERE c.kind = ?1 AND c.active_at < ?2 AND c.updated_at < ?2 AND NOT \(SQLText.conversationEndIsHeld)
        ORDER BY c.active_at, c.id LIMIT ?3
        """)

    /// Direct conversations, groups and rooms in which nothing was said and nothing changed since a moment, UTC
    /// milliseconds; the longest quiet first of each kind. Reading is nothing; those that a legal hold keeps are left out.
    /// `limit` is 1...1000.
    package func inactive(before moment: Int64, limit: Int) throws(StoreError) -> [Conversation] {
        let page = try ReadTransaction.page(limit)
        var found: [Conversation] = []
        for kind in ConversationExpiry.kinds where found.count < Int(page) {
            found += try self.transaction.connection.query(
                Self.inactiveSQL, kind.rawValue, moment, page - Int64(found.count), read: Self.conversation)
        }
        return found
    }
}
