package import ChatModel

// What happened to messages after they were sent.
extension MessageReads {
    /// The messages of a conversation that changed after a revision, in the order of their changes; `limit` is 1...1000.
    /// Each is told as it is now, with the revision of the change that is listed: ask next for what is above the last
    /// one. A message that changed twice may be listed twice. Empty when there is no more; fewer than `limit` says
    /// nothing.
    ///
    /// - Parameter user: whose own marks are told too; they must be a member. `nil` for the operator and the server.
    /// - Throws: `notFound` without access; `invalid` for the limit.
    package func extras(
        in id: ConversationID, after revision: Int64, limit: Int, for user: UserID?
    ) throws(StoreError) -> [MessageExtra] {
        try self.check(Self.access(user), to: id)
        let page = try ReadTransaction.page(limit)
        var changes = try self.transaction.connection.query(
            """
            SELECT sequence, revision FROM message_extra WHERE conversation_id = ? AND revision > ?
            ORDER BY revision LIMIT ?
            """, id, revision, page
        ) { row throws(StoreError) in (sequence: row.int64(0), revision: row.int64(1)) }
        if let user {
            changes += try self.transaction.connection.query(
                """
                SELECT sequence, revision FROM message_mark WHERE user_id = ? AND conversation_id = ? AND revision > ?
                ORDER BY revision LIMIT ?
                """, user, id, revision, page
            ) { row throws(StoreError) in (sequence: row.int64(0), revision: row.int64(1)) }
            changes.sort { $0.revision < $1.revision }
        }
        // Of a message that stands twice on the page the later one is enough.
        let listed = Dictionary(changes.prefix(Int(page)).map { ($0.sequence, $0.revision) }) { _, later in later }
        let known = try self.loadExtras(of: Array(listed.keys), in: id, for: user)
        return listed.sorted { $0.value < $1.value }.compactMap { sequence, revision in
            var extra = known[sequence]
            extra?.revision = revision
            return extra
        }
    }

    /// The same for a page of history: nothing for messages that nobody changed. At most 1000 sequences.
    ///
    /// - Throws: `notFound` without access; `invalid` for too many.
    package func extras(
        of sequences: [Int64], in id: ConversationID, for user: UserID?
    ) throws(StoreError) -> [Int64: MessageExtra] {
        try self.check(Self.access(user), to: id)
        return try self.loadExtras(of: sequences, in: id, for: user)
    }

    private static func access(_ user: UserID?) -> HistoryAccess { user.map(HistoryAccess.member) ?? .unrestricted }

    /// A list of sequences as the statements take it.
    static func list(_ sequences: [Int64]) throws(StoreError) -> String {
        guard sequences.count <= 1_000 else { throw .invalid("at most 1000 messages at a time") }
        return "[\(sequences.map(String.init).joined(separator: ","))]"
    }

    private static let loadExtrasSQL = SQL(
        """
        SELECT j.value, g.id, e.revision, e.withdrawn, w.name, e.edit_count, d.body, d.is_json, d.edited_at, e.pinned,
            e.reader_count, e.attributes, k.revision, k.hidden, k.heard, r.read_at, c.member_count, s.user_id,
            d.wire, d.envelope, e.patched_at,
            CASE WHEN g.flags & \(MessageFlags.restricted) THEN (
                SELECT count(*) FROM json_each(g.envelope, '$.visible') v JOIN user vu ON vu.name = v.value
                JOIN member vm ON vm.conversation_id = ?4 AND vm.user_id = vu.id WHERE vu.id <> g.sender_id) END,
            g.foreign_id
        FROM json_each(?1) j
        JOIN conversation c ON c.id = ?4
        LEFT JOIN message_extra e ON e.conversation_id = ?2 AND e.sequence = j.value
        LEFT JOIN message_mark k ON k.user_id = ?3 AND k.conversation_id = ?2 AND k.sequence = j.value
        LEFT JOIN message_reader r ON r.conversation_id = ?2 AND r.sequence = j.value AND r.user_id = ?3
        LEFT JOIN message_edit d ON d.conversation_id = ?2 AND d.sequence = j.value AND d.number = e.edit_count
        LEFT JOIN user w ON w.id = e.withdrawn_by
        LEFT JOIN message g ON g.conversation_id = ?2 AND g.sequence = j.value
        LEFT JOIN member s ON s.conversation_id = ?4 AND s.user_id = g.sender_id
        WHERE e.revision IS NOT NULL OR k.revision IS NOT NULL
        """)

    func loadExtras(
        of sequences: [Int64], in id: ConversationID, for user: UserID?
    ) throws(StoreError) -> [Int64: MessageExtra] {
        guard !sequences.isEmpty else { return [:] }
        let home = try self.transaction.conversations.home(of: id)
        var extras = try self.transaction.connection.query(Self.loadExtrasSQL, try Self.list(sequences), id, user, home)
        {
            row throws(StoreError) in try Self.extra(row, in: id)
        }
        if let user { extras = try self.seen(extras, in: id, by: user) }
        return Dictionary(extras.map { ($0.place.sequence, $0) }) { first, _ in first }
    }

    /// Removes the edits and attributes of messages that the person does not see; the operator's rules apply to edited
    /// text, too.
    private func seen(
        _ extras: [MessageExtra], in id: ConversationID, by user: UserID
    ) throws(StoreError) -> [MessageExtra] {
        let filter = self.transaction.views.filter
        var view: HistoryView?
        var seen: [MessageExtra] = []
        for var extra in extras {
            defer { seen.append(extra) }
            guard extra.editedBody != nil || extra.attributes != nil else { continue }
            if view == nil { view = try self.view(of: id, for: .member(user)) }
            guard let view, let viewer = view.viewer,
                let message = try self.transaction.connection.message(
                    in: id, sequence: extra.place.sequence, senderName: self.transaction.name)
            else { continue }
            guard message.isFor(viewer.name), extra.place.sequence >= view.start else {
                extra.attributes = nil
                extra.editedBody = nil
                extra.editedEnvelope = nil
                extra.editedWire = nil
                extra.editedAtMilliseconds = nil
                extra.editCount = 0
                continue
            }
            if filter.isEmpty { continue }
            guard let edited = message.edited(extra) else {
                if try self.seen(message, view)?.isStandIn != false { extra.attributes = nil }
                continue
            }
            guard let shown = try self.seen(edited, view), shown.isStandIn else { continue }
            extra.attributes = nil
            extra.editedBody = shown.content.body
            extra.editedBodyIsJSONObject = true
            extra.editedWire = .native
            extra.editedEnvelope = nil
        }
        return seen
    }

    private static func extra(_ row: Row, in id: ConversationID) throws(StoreError) -> MessageExtra {
        var extra = MessageExtra(
            place: MessagePlace(id, row.int64(0)), id: MessageID(rawValue: row.int64(1)),
            revision: max(row.int64(2), row.int64(12)))
        extra.shownID = row.optionalText(22)
        let withdrawal = Withdrawal(rawValue: row.int64(3))
        extra.isRecalled = withdrawal.contains(.recalled)
        extra.isDeletedForAll = withdrawal.contains(.deleted)
        extra.recalledBy = row.isNull(4) ? nil : try row.userName(4)
        extra.isPinned = row.int64(9) != 0
        extra.readerCount = Int(row.int64(10))
        let isSenderMember = !row.isNull(17)
        let receivers = row.optionalInt64(21).map { Int($0) } ?? Int(row.int64(16)) - (isSenderMember ? 1 : 0)
        extra.unreadCount = max(0, receivers - extra.readerCount)
        extra.isHidden = row.int64(13) != 0
        extra.isHeard = row.int64(14) != 0
        extra.readAtMilliseconds = row.optionalInt64(15)
        extra.patchedAtMilliseconds = row.int64(20)
        // Nothing that was said stays to be read.
        guard withdrawal.isEmpty else { return extra }
        extra.editCount = Int(row.int64(5))
        extra.attributes = row.optionalText(11).map { Array($0.utf8) }
        if extra.editCount > 0 {
            extra.editedBody = row.blob(6)
            extra.editedBodyIsJSONObject = row.int64(7) == EditedBody.jsonObject.rawValue
            extra.editedBodyIsBinary = row.int64(7) == EditedBody.binary.rawValue
            extra.editedAtMilliseconds = row.optionalInt64(8)
            extra.editedWire = row.optionalInt64(18).flatMap(WireFormat.init)
            extra.editedEnvelope = try row.envelope(19)
        }
        return extra
    }

    // MARK: Edits

    /// Every body a message was given, oldest first, without the one in the message itself. Of a message that was taken
    /// back members get nothing; the operator gets the body it was sent with as number 0.
    ///
    /// - Throws: `notFound` without access.
    package func edits(of place: MessagePlace, as access: HistoryAccess) throws(StoreError) -> [MessageEdit] {
        let view = try self.view(of: place.conversation, for: access)
        if view.viewer != nil {
            // What stands in the place of a message has no edits; nor do the operator's rules let older words out.
            let filter = self.transaction.views.filter
            let message = try self.one(in: place.conversation, sequence: place.sequence, as: access)
            guard let message, !message.isStandIn, filter.isEmpty else { return [] }
        }
        let sql: StaticString = """
            SELECT d.number, u.name, d.body, d.is_json, d.edited_at, d.wire
            FROM message_edit d JOIN user u ON u.id = d.editor_id
            JOIN message_extra e ON e.conversation_id = d.conversation_id AND e.sequence = d.sequence
            WHERE d.conversation_id = ? AND d.sequence = ? AND (e.withdrawn = 0 OR ?) ORDER BY d.number
            """
        let isUnrestricted = access == .unrestricted
        return try self.transaction.connection.query(sql, place.conversation, place.sequence, isUnrestricted) {
            row throws(StoreError) in
            var edit = MessageEdit(
                number: Int(row.int64(0)), editor: try row.userName(1), body: row.blob(2),
                bodyIsJSONObject: row.int64(3) == EditedBody.jsonObject.rawValue, editedAtMilliseconds: row.int64(4))
            edit.bodyIsBinary = row.int64(3) == EditedBody.binary.rawValue
            edit.wire = row.optionalInt64(5).flatMap(WireFormat.init)
            return edit
        }
    }

    /// Every body that a message was given, as messages, the oldest first: the one it was stored with, and its edits, the
    /// last of which is what people see unless it was taken back. For operators only.
    ///
    /// What the word list or a hook changed was never stored as it was sent.
    package func versions(of message: Message) throws(StoreError) -> [MessageVersion] {
        let place = MessagePlace(message.conversation, message.sequence)
        let edits = try self.edits(of: place, as: .unrestricted)
        var versions: [MessageVersion] = []
        if !message.content.flags.contains(.withdrawn) {
            versions.append(
                MessageVersion(
                    number: 0, editor: message.senderName, atMilliseconds: message.sentAtMilliseconds,
                    content: message.content))
        }
        for edit in edits {
            var content = message.content
            content.body = edit.body
            content.flags.subtract([.bodyIsJSONObject, .binary, .withdrawn])
            if edit.bodyIsJSONObject { content.flags.insert(.bodyIsJSONObject) }
            if edit.bodyIsBinary { content.flags.insert(.binary) }
            if let wire = edit.wire { content.wire = wire }
            versions.append(
                MessageVersion(
                    number: edit.number, editor: edit.editor, atMilliseconds: edit.editedAtMilliseconds,
                    content: content))
        }
        return versions
    }

    // MARK: Readers

    /// People who reported a message as read, by number; `limit` is 1...1000.
    ///
    /// - Throws: `notFound` without access; `invalid` for the limit.
    package func readers(
        of place: MessagePlace, after: UserID? = nil, limit: Int, as access: HistoryAccess
    ) throws(StoreError) -> [MessageReader] {
        try self.check(access, to: place.conversation)
        let sql: StaticString = """
            SELECT r.user_id, u.name, u.display_name, r.read_at
            FROM message_reader r JOIN user u ON u.id = r.user_id
            WHERE r.conversation_id = ? AND r.sequence = ? AND r.user_id > ? ORDER BY r.user_id LIMIT ?
            """
        return try self.transaction.connection.query(
            sql, place.conversation, place.sequence, after?.rawValue ?? Int64.min, try ReadTransaction.page(limit),
            read: Self.reader)
    }

    private static let nonReadersSQL = SQL(
        """
        SELECT m.user_id, u.name, u.display_name, NULL
        FROM message g JOIN member m ON m.conversation_id = ? JOIN user u ON u.id = m.user_id
        WHERE g.conversation_id = ? AND g.sequence = ? AND m.user_id > ? AND m.user_id <> g.sender_id
            AND (g.flags & \(MessageFlags.restricted) = 0 OR EXISTS (
                SELECT 1 FROM json_each(g.envelope, '$.visible') v WHERE v.value = u.name))
            AND NOT EXISTS (
                SELECT 1 FROM message_reader r
                WHERE r.conversation_id = g.conversation_id AND r.sequence = g.sequence AND r.user_id = m.user_id)
        ORDER BY m.user_id LIMIT ?
        """)

    /// Members but the sender who have not, by number; `limit` is 1...1000.
    ///
    /// - Throws: `notFound` without access; `invalid` for the limit.
    package func nonReaders(
        of place: MessagePlace, after: UserID? = nil, limit: Int, as access: HistoryAccess
    ) throws(StoreError) -> [MessageReader] {
        try self.check(access, to: place.conversation)
        let home = try self.transaction.conversations.home(of: place.conversation)
        return try self.transaction.connection.query(
            Self.nonReadersSQL, home, place.conversation, place.sequence,
            after?.rawValue ?? Int64.min, try ReadTransaction.page(limit),
            read: Self.reader)
    }

    private static func reader(_ row: Row) throws(StoreError) -> MessageReader {
        MessageReader(
            id: row.userID(0), name: try row.userName(1), displayName: row.optionalText(2),
            readAtMilliseconds: row.optionalInt64(3))
    }

    // MARK: Pins

    /// Messages of a conversation that were pinned or unpinned after a revision, in that order; `limit` is 1...1000.
    ///
    /// - Throws: `notFound` without access; `invalid` for the limit.
    package func pinned(
        in id: ConversationID, after revision: Int64 = 0, limit: Int, as access: HistoryAccess
    ) throws(StoreError) -> [PinnedMessage] {
        try self.check(access, to: id)
        let sql: StaticString = """
            SELECT p.sequence, g.id, p.pinned, u.name, p.changed_at, p.revision
            FROM message_pin p JOIN user u ON u.id = p.changed_by
            JOIN message g ON g.conversation_id = p.conversation_id AND g.sequence = p.sequence
            WHERE p.conversation_id = ? AND p.revision > ? ORDER BY p.revision LIMIT ?
            """
        return try self.transaction.connection.query(sql, id, revision, try ReadTransaction.page(limit)) {
            row throws(StoreError) in
            PinnedMessage(
                place: MessagePlace(id, row.int64(0)), id: MessageID(rawValue: row.int64(1)),
                isPinned: row.int64(2) != 0, changedBy: try row.userName(3), changedAtMilliseconds: row.int64(4),
                revision: row.int64(5))
        }
    }
}
