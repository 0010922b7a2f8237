package import ChatModel

/// Counts of what was taken back of an import.
package struct ImportUndoCounts: Hashable, Sendable {
    /// Conversations that it had made.
    package var conversations: Int64 = 0
    /// Messages that it had brought.
    package var messages: Int64 = 0
    /// People whom it had made.
    package var people: Int64 = 0
    /// Devices that it had brought.
    package var devices: Int64 = 0
    /// Conversations in which people have written meanwhile, people who are in other conversations or have friends, and what
    /// is held.
    package var kept: Int64 = 0

    package init() {}

    /// Adds counts of another slice.
    package static func += (left: inout ImportUndoCounts, right: ImportUndoCounts) {
        left.conversations += right.conversations
        left.messages += right.messages
        left.people += right.people
        left.devices += right.devices
        left.kept += right.kept
    }

    /// JSON text of an object, as it stands in the audit log.
    package var json: String {
        """
        {"conversations":\(self.conversations),"messages":\(self.messages),"people":\(self.people),\
        "devices":\(self.devices),"kept":\(self.kept)}
        """
    }
}

/// Place at which taking an import back goes on.
package enum ImportUndoPlace: Hashable, Sendable {
    case conversations(after: ConversationID)
    /// Messages of a conversation that is deleted already.
    case messages(of: ConversationID)
    case people(after: Int64)
    case devices

    /// Where it begins.
    package static let start = ImportUndoPlace.conversations(after: ConversationID(rawValue: 0))
}

/// Outcome of one slice.
package struct ImportUndoSlice: Sendable {
    /// Counts of the slice.
    package var counts = ImportUndoCounts()
    /// People whose accounts are gone: after the commit their sessions end.
    package var people: [UserID] = []
    /// Place of the next slice; `nil` when everything is taken back.
    package var next: ImportUndoPlace?
}

/// Conversations in which somebody has written.
package struct WrittenConversations: Hashable, Sendable {
    /// Number of them.
    package var count: Int64 = 0
    /// Name of the first one.
    package var first: ObjectID?
    /// Where to go on; `nil` when all were looked at.
    package var next: ConversationID?

    package init() {}

    /// Adds a later page.
    package static func += (left: inout WrittenConversations, right: WrittenConversations) {
        left.count += right.count
        left.first = left.first ?? right.first
        left.next = right.next
    }

    /// Why the import cannot be taken back; `nil` when nobody has written.
    package func refusal(of number: Int64) -> StoreError? {
        guard self.count > 0 else { return nil }
        return .invalid(
            """
            people have written in \(self.count) conversations that import \(number) brought, the first is \
            \(self.first?.text ?? "-"): it cannot be taken back any more
            """)
    }
}

extension ImportReads {
    /// Conversations that one look of `written` passes.
    private static let lookedConversations = 1_000

    /// True where people have written among or behind what the row of an import says that it has brought.
    fileprivate static let isWritten: SQLText = """
        CASE WHEN i.last_sequence > 0 THEN c.head <> i.last_sequence WHEN i.last_sequence < 0 THEN 1
            ELSE i.is_new AND c.head > 0 END
        """

    private static let writtenSQL = SQL(
        """
        SELECT i.conversation_id, \(Self.isWritten), c.foreign_id FROM (
            SELECT * FROM import_conversation WHERE import = ? AND conversation_id > ? ORDER BY conversation_id LIMIT ?) i
        JOIN conversation c ON c.id = i.conversation_id ORDER BY i.conversation_id
        """)

    /// Counts the conversations of an import in which somebody has written since, a page after the other.
    package func written(in number: Int64, after id: ConversationID) throws(StoreError) -> WrittenConversations {
        var written = WrittenConversations()
        let limit = Self.lookedConversations
        let rows = try self.transaction.connection.query(Self.writtenSQL, number, id, limit) { row throws(StoreError) in
            (id: row.conversationID(0), isWritten: row.int64(1) != 0, name: row.optionalText(2))
        }
        for row in rows where row.isWritten {
            written.count += 1
            if written.first == nil { written.first = row.name.flatMap { ObjectID($0) } }
        }
        if rows.count == limit { written.next = rows.last?.id }
        return written
    }

    /// Number of an import that is being taken back; `nil` when there is none.
    func undoing() throws(StoreError) -> Int64? {
        try self.transaction.connection.first(
            "SELECT number FROM import WHERE state = ? LIMIT 1", ImportRecord.State.undoing.rawValue
        ) { row throws(StoreError) in row.int64(0) }
    }

    /// Newest import after another one that has brought anything which is still here.
    fileprivate func later(than number: Int64) throws(StoreError) -> Int64? {
        try self.transaction.connection.first(
            """
            SELECT i.number FROM import i WHERE i.number > ? AND i.state <> ?
                AND (EXISTS (SELECT 1 FROM import_conversation c WHERE c.import = i.number)
                    OR EXISTS (SELECT 1 FROM import_row r WHERE r.import = i.number))
            ORDER BY i.number DESC LIMIT 1
            """, number, ImportRecord.State.undone.rawValue
        ) { row throws(StoreError) in row.int64(0) }
    }
}

// Taking an import back: conversations and messages, then people, then devices, a slice in each transaction. Killed in the
// middle, it begins again and finds less.
extension ImportWrites {
    /// Conversations without messages, people and devices of one slice.
    private static let undoneRows = 20
    /// Messages, and members of one conversation, of one slice.
    private static let undoneMessages: Int64 = 500

    /// Begins to take an import back, or goes on. Nobody is asked here if people have written: see `ImportReads.written`.
    ///
    /// - Parameter note: kept in the audit log when it begins.
    /// - Throws: `notFound`; `invalid` with the reason when it cannot be taken back.
    package func beginUndo(_ number: Int64, auditing note: AuditNote?) throws(StoreError) {
        guard let found = try self.transaction.reading.imports.one(number) else { throw .notFound("import \(number)") }
        switch found.state {
        case .undoing: return
        case .undone: throw .invalid("import \(number) was taken back already")
        case .underWay, .whole: break
        }
        if let later = try self.transaction.reading.imports.later(than: number) {
            throw .invalid("import \(later) came after import \(number): take that back first")
        }
        try self.setState(.undoing, of: number)
        if let note { try self.transaction.audit.noteAsked(note) }
    }

    /// Takes a part of an import back.
    ///
    /// - Throws: `notFound` for one that is not being taken back.
    package func undo(_ number: Int64, at place: ImportUndoPlace) throws(StoreError) -> ImportUndoSlice {
        try self.checkUndoing(number)
        switch place {
        case .conversations(let after): return try self.undoConversations(of: number, after: after)
        case .messages(let id): return try self.undoMessages(of: id)
        case .people(let after): return try self.undoPeople(of: number, after: after)
        case .devices: return try self.undoDevices(of: number)
        }
    }

    /// Ends taking an import back: every device fetches its lists anew.
    ///
    /// - Throws: `notFound` for one that is not being taken back.
    package func finishUndo(
        _ number: Int64, counts: ImportUndoCounts, auditing note: AuditNote?
    ) throws(StoreError) {
        try self.checkUndoing(number)
        try self.setState(.undone, of: number)
        if let note { try self.transaction.audit.noteDone(note, after: counts.json) }
        try self.makeDevicesBeginAnew()
    }

    private func checkUndoing(_ number: Int64) throws(StoreError) {
        guard try self.transaction.reading.imports.one(number)?.state == .undoing else {
            throw .notFound("an import of number \(number) that is being taken back")
        }
    }

    private func setState(_ state: ImportRecord.State, of number: Int64) throws(StoreError) {
        try self.connection.run(
            "UPDATE import SET state = ?, changed_at = ? WHERE number = ?", state.rawValue,
            self.transaction.wallMilliseconds, number)
    }

    // MARK: Conversations

    /// Row of a conversation that an import has brought something of.
    private struct BroughtConversation {
        let id: ConversationID
        let isNew: Bool
        /// True where it stays: people have written, it is held, or nothing would be left of it since retention has deleted
        /// all that was before.
        let stays: Bool
        let first: Int64
        let last: Int64
    }

    private static let broughtSQL = SQL(
        """
        SELECT i.conversation_id, i.is_new,
            \(ImportReads.isWritten) OR \(SQLText.conversationEndIsHeld) OR (\(SQLText.isLastOfPurged)),
            i.first_sequence, i.last_sequence
        FROM import_conversation i JOIN conversation c ON c.id = i.conversation_id
        WHERE i.import = ? AND i.conversation_id > ? ORDER BY i.conversation_id LIMIT 1
        """)

    private func undoConversations(of number: Int64, after: ConversationID) throws(StoreError) -> ImportUndoSlice {
        var slice = ImportUndoSlice()
        var last = after
        for _ in 0..<Self.undoneRows {
            let row = try self.connection.first(Self.broughtSQL, number, last) { row throws(StoreError) in
                BroughtConversation(
                    id: row.conversationID(0), isNew: row.int64(1) != 0, stays: row.int64(2) != 0,
                    first: row.int64(3), last: row.int64(4))
            }
            guard let row else {
                slice.next = .people(after: 0)
                return slice
            }
            if row.stays {
                slice.counts.kept += 1
            } else if row.isNew {
                let place = try self.undo(made: row.id)
                if place != nil { slice.counts.conversations += 1 }
                slice.next = place ?? .conversations(after: last)
                return slice
            } else if row.first > 0 {
                slice.counts.messages += try self.undoNewest(of: row, number)
                slice.next = .conversations(after: last)
                return slice
            } else {
                try self.forget(row.id, of: number)
            }
            last = row.id
        }
        slice.next = .conversations(after: last)
        return slice
    }

    /// Removes some members of a conversation that the import has made, or all of it but its messages.
    ///
    /// - Returns: where its messages go; `nil` while there are members left.
    private func undo(made id: ConversationID) throws(StoreError) -> ImportUndoPlace? {
        guard var conversation = try self.memory.conversation(id) else {
            throw .notFound("conversation number \(id.rawValue)")
        }
        if conversation.kind != .direct, conversation.roles.count > Self.undoneMessages {
            conversation = try self.endTime(of: conversation)
            let leaving = try self.connection.query(
                "SELECT user_id FROM member WHERE conversation_id = ? ORDER BY user_id LIMIT ?", id, Self.undoneMessages
            ) { row throws(StoreError) in row.userID(0) }
            for person in leaving {
                for table in Self.ofMembers { try self.connection.run(table, id, person) }
            }
            self.memory.remove(Set(leaving), from: conversation)
            try self.connection.run(
                "UPDATE conversation SET member_count = ?, change = ? WHERE id = ?", conversation.roles.count,
                self.transaction.nextChange(), id)
            return nil
        }
        try ConversationExpiry.delete(id, self.connection, at: self.transaction.wallMilliseconds)
        self.memory.forget(id)
        self.transaction.noteProfile(.team(id, .existence))
        return .messages(of: id)
    }

    /// Lets the time of a conversation be over before the first of its members goes: with a message that somebody writes
    /// meanwhile it would stay, and stay without them.
    private func endTime(of conversation: ConversationState) throws(StoreError) -> ConversationState {
        let wall = self.transaction.wallMilliseconds
        guard !conversation.isOver(at: wall) else { return conversation }
        try self.connection.run("UPDATE conversation SET expires_at = ? WHERE id = ?", wall, conversation.id)
        self.memory.forget(conversation)
        guard let loaded = try self.memory.conversation(conversation.id) else { throw Row.damaged("conversation") }
        return loaded
    }

    private func undoMessages(of id: ConversationID) throws(StoreError) -> ImportUndoSlice {
        var slice = ImportUndoSlice()
        slice.counts.messages = try self.connection.deleteMessagesOfGone(
            id, limit: Self.undoneMessages, at: self.transaction.wallMilliseconds)
        // Conversations in front of it were kept, and are not counted again.
        slice.next = slice.counts.messages < Self.undoneMessages ? .conversations(after: id) : .messages(of: id)
        return slice
    }

    /// Removes the newest messages of a conversation that was here before the import; with the last ones of them the import
    /// forgets it, and it has its former name.
    private func undoNewest(of row: BroughtConversation, _ number: Int64) throws(StoreError) -> Int64 {
        let first = max(row.first, row.last - Self.undoneMessages + 1)
        let deleted = try self.connection.deleteMessages(
            in: row.id, first...row.last, at: self.transaction.wallMilliseconds)
        let newest = try self.connection.message(before: first, in: row.id)
        let head = newest?.sequence ?? 0
        try self.connection.run(
            "DELETE FROM sequence_gap WHERE conversation_id = ? AND first > ?", row.id, head)
        try self.connection.run(
            """
            UPDATE conversation SET head = ?, active_at = coalesce(?, created_at), change = ? WHERE id = ?
            """, head, newest?.sentAt, self.transaction.nextChange(), row.id)
        try self.lowerPositions(in: row.id, to: head)
        // Where the source had a gap the head falls by more than what was deleted.
        if head < row.first {
            try self.giveFormerName(to: row.id)
            try self.forget(row.id, of: number)
        } else {
            try self.connection.run(
                "UPDATE import_conversation SET last_sequence = ? WHERE conversation_id = ? AND import = ?", head,
                row.id, number)
        }
        self.memory.forget(row.id)
        return deleted
    }

    private static let lowered: [StaticString] = [
        """
        UPDATE member SET read_sequence = min(read_sequence, ?2), read_from = min(read_from, ?2),
            acked_sequence = min(acked_sequence, ?2), acked_from = min(acked_from, ?2),
            joined_sequence = min(joined_sequence, ?2)
        WHERE conversation_id = ?1 AND max(read_sequence, read_from, acked_sequence, acked_from, joined_sequence) > ?2
        """,
        """
        UPDATE delivered SET sequence = min(sequence, ?2), from_sequence = min(from_sequence, ?2)
        WHERE conversation_id = ?1 AND sequence > ?2
        """,
        """
        UPDATE preference SET browse_to = min(browse_to, ?2), keep_sequence = min(keep_sequence, ?2),
            marked_at = min(marked_at, ?2), hidden_through = min(hidden_through, ?2),
            cleared_through = min(cleared_through, ?2)
        WHERE conversation_id = ?1
        """,
    ]

    /// Takes what members have read, have received and have sent back to the head.
    private func lowerPositions(in id: ConversationID, to head: Int64) throws(StoreError) {
        for sql in Self.lowered { try self.connection.run(sql, id, head) }
        let writers = try self.connection.query(
            "SELECT user_id, joined_sequence FROM member WHERE conversation_id = ? AND own_last_sequence > ?", id, head
        ) { row throws(StoreError) in (user: row.userID(0), joined: row.int64(1)) }
        for writer in writers {
            let own = try self.connection.newestOwn(of: writer.user, in: id, after: writer.joined, through: head)
            try self.connection.run(
                """
                UPDATE member SET own_last_sequence = ?, own_last_countable = ? WHERE conversation_id = ? AND user_id = ?
                """, own.sequence, own.countable, id, writer.user)
        }
    }

    /// A pair that got the name of the source has the one that it had before.
    private func giveFormerName(to id: ConversationID) throws(StoreError) {
        let former = try self.connection.first(
            "SELECT foreign_id FROM conversation_alias WHERE conversation_id = ? ORDER BY foreign_id LIMIT 1", id
        ) { row throws(StoreError) in row.text(0) }
        guard let former else { return }
        try self.connection.run("DELETE FROM conversation_alias WHERE foreign_id = ?", former)
        try self.connection.run("UPDATE conversation SET foreign_id = ? WHERE id = ?", former, id)
    }

    /// The import has brought nothing of a conversation any more; one before it knows its state.
    private func forget(_ id: ConversationID, of number: Int64) throws(StoreError) {
        try self.connection.run(
            """
            UPDATE import_conversation SET revision = coalesce((
                SELECT i.revision FROM import_conversation i
                WHERE i.conversation_id = ?1 AND i.import = ?2 AND i.digest IS NOT NULL), revision)
            WHERE conversation_id = ?1 AND import < ?2
            """, id, number)
        try self.connection.run(
            "DELETE FROM import_conversation WHERE conversation_id = ? AND import = ?", id, number)
    }

    // MARK: People

    /// Name of an account that was taken back: its own is free for the next import.
    private static func tombstone(_ id: UserID) -> UserName? { UserName("____undone_\(id.rawValue)") }

    private func undoPeople(of number: Int64, after: Int64) throws(StoreError) -> ImportUndoSlice {
        var slice = ImportUndoSlice()
        let ids = try self.connection.query(
            "SELECT id FROM import_row WHERE import = ? AND kind = ? AND id > ? ORDER BY id LIMIT ?", number,
            ImportedRowKind.person.rawValue, after, Self.undoneRows
        ) { row throws(StoreError) in row.int64(0) }
        for id in ids {
            let user = UserID(rawValue: id)
            if let state = try self.memory.user(user), !state.isDeleted {
                if try self.isNeeded(user) {
                    slice.counts.kept += 1
                    continue
                }
                try self.remove(state)
                slice.people.append(user)
                slice.counts.people += 1
            }
            try self.connection.run(
                "DELETE FROM import_row WHERE kind = ? AND id = ?", ImportedRowKind.person.rawValue, id)
        }
        slice.next = ids.count == Self.undoneRows ? .people(after: ids.last ?? after) : .devices
        return slice
    }

    private static let neededSQL = SQL(
        """
        SELECT EXISTS (SELECT 1 FROM member WHERE user_id = ?1)
            OR EXISTS (SELECT 1 FROM friend WHERE owner_id = ?1 AND is_removed = 0)
            OR EXISTS (SELECT 1 FROM legal_hold WHERE user_id = ?1)
            OR EXISTS (SELECT 1 FROM user WHERE id = ?1 AND (role <> \(UserRole.member) OR is_system <> 0))
        """)

    /// True for a person who is in a conversation, has friends, is held, or may do more than others.
    private func isNeeded(_ user: UserID) throws(StoreError) -> Bool {
        try self.connection.first(Self.neededSQL, user) { row throws(StoreError) in row.int64(0) != 0 } ?? true
    }

    private func remove(_ state: UserState) throws(StoreError) {
        _ = try self.transaction.people.deleteUser(state.id)
        guard let name = Self.tombstone(state.id) else { return }
        try self.connection.run(
            "UPDATE user SET name = ?, sort_key = ? WHERE id = ?", name, name.sortKey(shownAs: nil), state.id)
        self.memory.forget(state)
        self.transaction.hasRenamed = true
    }

    // MARK: Devices

    private func undoDevices(of number: Int64) throws(StoreError) -> ImportUndoSlice {
        var slice = ImportUndoSlice()
        let ids = try self.connection.query(
            "SELECT id FROM import_row WHERE import = ? AND kind = ? ORDER BY id LIMIT ?", number,
            ImportedRowKind.device.rawValue, Self.undoneMessages
        ) { row throws(StoreError) in row.int64(0) }
        for id in ids {
            try self.connection.run("DELETE FROM installation WHERE id = ?", id)
            slice.counts.devices += self.connection.changes
            try self.connection.run(
                "DELETE FROM import_row WHERE kind = ? AND id = ?", ImportedRowKind.device.rawValue, id)
        }
        if Int64(ids.count) == Self.undoneMessages { slice.next = .devices }
        return slice
    }
}
