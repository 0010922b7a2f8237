import ByteCodec
package import ChatModel

extension ReadTransaction {
    /// Reads of files, uploads and downloads.
    package var files: FileReads { FileReads(transaction: self) }
}

/// Reads of files, uploads and downloads. Valid as long as its transaction.
package struct FileReads {
    let transaction: ReadTransaction
}

// MARK: Files

extension FileReads {
    private static let fileByKeySQL = SQL(
        """
        \(Row.selectFile) WHERE f.key = ?
        """)

    /// - Returns: `nil` when there is none. Says nothing about who may know.
    package func file(_ key: FileKey) throws(StoreError) -> FileRecord? {
        return try self.transaction.connection.first(Self.fileByKeySQL, key) { row throws(StoreError) in
            try row.fileRecord()
        }
    }

    private static let fileByNumberSQL = SQL(
        """
        \(Row.selectFile) WHERE f.id = ?
        """)

    func file(_ id: FileID) throws(StoreError) -> FileRecord? {
        return try self.transaction.connection.first(Self.fileByNumberSQL, id) { row throws(StoreError) in
            try row.fileRecord()
        }
    }

    private static let fileOfLinkSQL = SQL(
        """
        SELECT l.file_id FROM file_link l WHERE l.key = ? AND l.kind = \(LinkKind.read) AND l.file_id IS NOT NULL
            AND (l.used_at IS NULL OR EXISTS (SELECT 1 FROM file_reference r WHERE r.link_id = l.id)
                OR EXISTS (SELECT 1 FROM field_file d WHERE d.file_id = l.file_id))
        """)

    /// The complete file behind a link that is good now: a message has it in its text, or none has had it yet.
    package func file(link key: FileLinkKey) throws(StoreError) -> FileRecord? {
        let id = try self.transaction.connection.first(Self.fileOfLinkSQL, key) { row throws(StoreError) in
            FileID(rawValue: row.int64(0))
        }
        guard let id, let file = try self.file(id), file.state == .complete else { return nil }
        return file
    }

    private static let linkSQL = SQL(
        """
        SELECT l.key FROM file_link l WHERE l.file_id = ? AND l.kind = \(LinkKind.read)
            AND (l.used_at IS NULL OR EXISTS (SELECT 1 FROM file_reference r WHERE r.link_id = l.id)
                OR EXISTS (SELECT 1 FROM field_file d WHERE d.file_id = l.file_id))
        ORDER BY l.id DESC LIMIT 1
        """)

    /// The newest link to read a file that is good now; `nil` when there is none.
    package func link(to file: FileID) throws(StoreError) -> FileLinkKey? {
        return try self.transaction.connection.first(Self.linkSQL, file) { row throws(StoreError) in
            FileLinkKey(row.text(0))
        }
            ?? nil
    }

    private static let uploadLinkSQL = SQL(
        """
        SELECT l.owner_id, l.class, l.conversation_id, l.purpose, a.name, a.media_type, a.metadata
        FROM file_link l LEFT JOIN app_file a ON a.link_id = l.id
        WHERE l.key = ? AND l.kind = \(LinkKind.upload) AND l.used_at IS NULL
        """)

    /// A place to upload that was not used yet.
    package func uploadLink(_ key: FileLinkKey) throws(StoreError) -> UploadLink? {
        return try self.transaction.connection.first(Self.uploadLinkSQL, key) { row throws(StoreError) in
            guard let transferClass = TransferClass(rawValue: row.int64(1)) else { throw Row.damaged("link") }
            var link = UploadLink(
                key: key, owner: row.userID(0), transferClass: transferClass,
                conversation: row.optionalInt64(2).map { ConversationID(rawValue: $0) }, purpose: row.optionalText(3))
            if let name = row.optionalText(4) {
                link.announced = UploadLink.Announced(
                    name: name, mediaType: row.text(5), metadata: row.optionalText(6).map { Array($0.utf8) })
            }
            return link
        }
    }

    /// The picture of a person or conversation.
    package func picture(of holder: PictureHolder) throws(StoreError) -> FileRecord? {
        let sql: StaticString = "SELECT file_id FROM file_holder WHERE kind = ? AND holder_id = ?"
        let id = try self.transaction.connection.first(sql, holder.kind.rawValue, holder.id) { row throws(StoreError) in
            FileID(rawValue: row.int64(0))
        }
        return try id.flatMap { (id) throws(StoreError) in try self.file(id) }
    }

    // MARK: Who may read

    /// True when a person may read a file now. A file without references is its owner's; a picture is everybody's; a
    /// file in a conversation's own fields is its members'; any other belongs to the people who can see a message that
    /// names it.
    package func canRead(_ file: FileRecord, _ asker: Actor) throws(StoreError) -> Bool {
        if asker.isPrivileged || (file.owner == asker.user && file.references == 0) { return true }
        guard file.state == .complete else { return file.owner == asker.user }
        if try self.isPicture(file.id) { return true }
        if try self.isNamed(file.id, inFrontOf: asker.user) { return true }
        return try self.seesMessage(with: file, asker.user)
    }

    private func isPicture(_ file: FileID) throws(StoreError) -> Bool {
        try self.transaction.connection.first("SELECT 1 FROM file_holder WHERE file_id = ? LIMIT 1", file) {
            row throws(StoreError) in true
        } ?? false
    }

    private static let namedSQL = SQL(
        """
        SELECT 1 FROM field_file d WHERE d.file_id = ?1 AND ((d.kind = \(FieldHolderKind.person) AND d.holder_id = ?2)
            OR (d.kind = \(FieldHolderKind.conversation) AND EXISTS (
                SELECT 1 FROM member m WHERE m.conversation_id = d.holder_id AND m.user_id = ?2))) LIMIT 1
        """)

    /// In a person's own fields, or in those of a conversation they are in.
    private func isNamed(_ file: FileID, inFrontOf user: UserID) throws(StoreError) -> Bool {
        try self.transaction.connection.first(Self.namedSQL, file, user) { (_) throws(StoreError) in true } ?? false
    }

    /// Bound of newest messages with a file to look at in one conversation.
    private static let messagesToLookAt = 256
    /// With more references than this the conversations of the person are gone through instead of those of the file, so
    /// that neither a file that went everywhere nor a person who is everywhere costs much.
    private static let manyReferences: Int64 = 64

    private func seesMessage(with file: FileRecord, _ user: UserID) throws(StoreError) -> Bool {
        let conversations =
            file.references <= Self.manyReferences
            ? try self.conversations(with: file.id) : try self.conversations(with: file.id, of: user)
        let name = try self.transaction.name(of: user)
        for conversation in conversations {
            guard let view = try self.visibleView(of: conversation, for: user) else { continue }
            let sql: StaticString = """
                SELECT DISTINCT r.sequence FROM file_reference r LEFT JOIN message_mark k
                    ON k.user_id = ?3 AND k.conversation_id = r.conversation_id AND k.sequence = r.sequence
                WHERE r.file_id = ?1 AND r.conversation_id = ?2 AND r.sequence >= ?4 AND coalesce(k.hidden, 0) = 0
                ORDER BY r.sequence DESC LIMIT ?5
                """
            let sequences = try self.transaction.connection.query(
                sql, file.id, conversation, user, view.start, Self.messagesToLookAt
            ) { row throws(StoreError) in row.int64(0) }
            for sequence in sequences {
                let message = try self.transaction.connection.message(
                    in: conversation, sequence: sequence, senderName: self.transaction.name)
                guard let message, Self.shows(message, to: name) else { continue }
                if try self.transaction.messages.seen(message, view)?.isStandIn == false { return true }
            }
        }
        return false
    }

    private func conversations(with file: FileID) throws(StoreError) -> [ConversationID] {
        let sql: StaticString = "SELECT DISTINCT conversation_id FROM file_reference WHERE file_id = ?"
        return try self.transaction.connection.query(sql, file) { row throws(StoreError) in row.conversationID(0) }
    }

    /// Conversations of a person: as a member or listener, and the topics of their communities.
    private func conversations(with file: FileID, of user: UserID) throws(StoreError) -> [ConversationID] {
        let sql: StaticString = """
            SELECT conversation_id FROM (
                SELECT conversation_id FROM member WHERE user_id = ?2
                UNION SELECT conversation_id FROM listener WHERE user_id = ?2
                UNION SELECT t.id FROM member m JOIN conversation c ON c.id = m.conversation_id AND c.kind = ?3
                    JOIN conversation t ON t.channel > c.channel || '@' AND t.channel < c.channel || 'A' AND t.kind = ?4
                    WHERE m.user_id = ?2) mine
            WHERE EXISTS (
                SELECT 1 FROM file_reference r WHERE r.file_id = ?1 AND r.conversation_id = mine.conversation_id)
            """
        return try self.transaction.connection.query(
            sql, file, user, ConversationKind.community.rawValue, ConversationKind.communityTopic.rawValue
        ) { row throws(StoreError) in row.conversationID(0) }
    }

    /// A person's view of a conversation; `nil` for a person who is not in it.
    private func visibleView(of id: ConversationID, for user: UserID) throws(StoreError) -> HistoryView? {
        do throws(StoreError) {
            return try self.transaction.messages.view(of: id, for: .member(user))
        } catch .notFound {
            return nil
        }
    }

    /// A payload may say who is to see it. Source: TangSengDaoDao server, `visibles`.
    package static func shows(_ message: Message, to name: UserName) -> Bool {
        guard message.content.flags.contains(.bodyIsJSONObject),
            let names = (try? JSONValue(parsing: message.content.body))?["visibles"]?.array, !names.isEmpty
        else { return true }
        return names.contains { $0.string == name.text }
    }

    // MARK: Lists

    /// Messages that name a file, newest first; at most 1,000.
    package func references(of file: FileID) throws(StoreError) -> [FileReference] {
        let sql: StaticString = """
            SELECT conversation_id, sequence, link_id FROM file_reference WHERE file_id = ?
            ORDER BY conversation_id DESC, sequence DESC LIMIT 1000
            """
        return try self.transaction.connection.query(sql, file) { row throws(StoreError) in
            FileReference(place: MessagePlace(row.conversationID(0), row.int64(1)), isLink: row.int64(2) != 0)
        }
    }

    private static let filesWanted: SQLText = """
        \(Row.selectFile)
        WHERE f.state = \(FileState.complete) AND (?1 IS NULL OR f.owner_id = ?1)
            AND (?2 IS NULL OR EXISTS (SELECT 1 FROM file_reference r
                WHERE r.file_id = f.id AND r.conversation_id = ?2))
            AND (?3 = 0 OR f.refs = 0) AND (?4 = 0 OR o.state = \(ObjectState.damaged))
        """
    private static let newestFiles = SQL("\(filesWanted) ORDER BY f.id DESC LIMIT ?5")
    private static let largestFiles = SQL("\(filesWanted) ORDER BY f.size DESC, f.id DESC LIMIT ?5")
    private static let filesByRatio = SQL(
        "\(filesWanted) ORDER BY CAST(o.stored_size AS REAL) / max(o.size, 1), f.id DESC LIMIT ?5")

    /// Files by their owner, conversation and state, in the order that was asked for; `limit` is 1...1,000.
    package func files(_ query: FileQuery) throws(StoreError) -> [FileRecord] {
        guard (1...1000).contains(query.limit) else { throw .invalid("a page has 1 to 1000 files") }
        let sql =
            switch query.order {
            case .newest: Self.newestFiles
            case .largest: Self.largestFiles
            case .ratio: Self.filesByRatio
            }
        return try self.transaction.connection.query(
            sql, query.owner, query.conversation, query.onlyUnreferenced, query.onlyDamaged, query.limit
        ) { row throws(StoreError) in try row.fileRecord() }
    }

    private static let filesOfSQL = SQL(
        """
        \(Row.selectFile) WHERE f.owner_id = ?1 AND f.state = \(FileState.complete) AND f.id > ?2
        ORDER BY f.id LIMIT ?3
        """)

    /// Complete files of a person behind one, oldest first; `limit` is 1...1,000.
    package func files(of owner: UserID, after: FileID, limit: Int) throws(StoreError) -> [FileRecord] {
        try self.transaction.connection.query(
            Self.filesOfSQL, owner, after, try ReadTransaction.page(limit)
        ) { row throws(StoreError) in try row.fileRecord() }
    }

    private static let fileTotalsSQL = SQL(
        """
        SELECT (SELECT count(*) FROM file WHERE state = \(FileState.complete)), (SELECT coalesce(sum(size), 0)
        FROM file WHERE state = \(FileState.complete)),
            (SELECT count(*) FROM file WHERE state = \(FileState.complete) AND unreferenced_at IS NOT NULL), count(*),
            coalesce(sum(size), 0), coalesce(sum(stored_size), 0), coalesce(sum(state = \(ObjectState.damaged)), 0)
        FROM object
        """)

    /// All files together. Counts rows: for screens.
    package func fileTotals() throws(StoreError) -> FileTotals {
        return try self.transaction.connection.first(Self.fileTotalsSQL) { row throws(StoreError) in
            var totals = FileTotals()
            totals.files = row.int64(0)
            totals.fileBytes = row.int64(1)
            totals.unreferencedFiles = row.int64(2)
            totals.objects = row.int64(3)
            totals.plainBytes = row.int64(4)
            totals.storedBytes = row.int64(5)
            totals.damagedObjects = row.int64(6)
            return totals
        } ?? FileTotals()
    }

    private static let quotaUseSQL = SQL(
        """
        SELECT (SELECT coalesce(sum(size), 0) FROM file WHERE owner_id = ?1 AND state = \(FileState.complete)),
            coalesce(sum(max(coalesce(size, 0), offset)), 0), count(*)
        FROM transfer WHERE owner_id = ?1 AND direction = \(TransferDirection.upload)
            AND state < \(TransferState.succeeded)
        """)

    /// Usage of a person's file quota.
    package func quotaUse(of user: UserID) throws(StoreError) -> QuotaUse {
        return try self.transaction.connection.first(Self.quotaUseSQL, user) { row throws(StoreError) in
            QuotaUse(bytes: row.int64(0), reservedBytes: row.int64(1), openUploads: row.int64(2))
        } ?? QuotaUse()
    }

    // MARK: Contents

    /// A content that is ready, being removed or damaged; `nil` when there is none.
    package func object(_ hash: ContentHash) throws(StoreError) -> ObjectRecord? {
        let sql: StaticString =
            "SELECT hash, size, stored_size, codec, provider, state, refs FROM object WHERE hash = ?"
        return try self.transaction.connection.first(sql, hash) { row throws(StoreError) in
            guard let state = ObjectState(rawValue: row.int64(5)) else { throw Row.damaged("object") }
            return ObjectRecord(object: try row.storedObject(0), state: state, references: row.int64(6))
        }
    }

    private static let objectsToCheckSQL = SQL(
        """
        SELECT hash, size, stored_size, codec, provider FROM object WHERE state = \(ObjectState.ready)
            AND checked_at < ?
        ORDER BY checked_at LIMIT ?
        """)

    /// Contents that were not checked since, the longest ago first.
    package func objectsToCheck(before: Int64, limit: Int) throws(StoreError) -> [StoredObject] {
        return try self.transaction.connection.query(Self.objectsToCheckSQL, before, limit) { row throws(StoreError) in
            try row.storedObject(0)
        }
    }

    private static let allObjectsSQL = SQL(
        """
        SELECT hash, size, stored_size, codec, provider, state, refs FROM object
        WHERE hash > coalesce(?, x'') AND state <> \(ObjectState.going) ORDER BY hash LIMIT ?
        """)

    /// Every content that is not being removed, for checking a stopped folder.
    package func allObjects(after hash: ContentHash?, limit: Int) throws(StoreError) -> [ObjectRecord] {
        return try self.transaction.connection.query(Self.allObjectsSQL, hash, limit) { row throws(StoreError) in
            guard let state = ObjectState(rawValue: row.int64(5)) else { throw Row.damaged("object") }
            return ObjectRecord(object: try row.storedObject(0), state: state, references: row.int64(6))
        }
    }

    // MARK: Transfers

    /// Reads a transfer; `nil` for an unknown key.
    package func transfer(_ key: TransferKey) throws(StoreError) -> TransferRecord? {
        let sql: StaticString = """
            SELECT t.id, t.key, t.direction, t.class, t.state, t.owner_id, u.name, t.file_key, t.file_name, t.media_type,
                t.size, t.offset, t.provider, t.error, t.created_at, t.updated_at, t.expires_at
            FROM transfer t JOIN user u ON u.id = t.owner_id WHERE t.key = ?
            """
        return try self.transaction.connection.first(sql, key) { row throws(StoreError) in try row.transferRecord() }
    }

    func transfer(_ id: TransferID) throws(StoreError) -> TransferRecord? {
        let sql: StaticString = """
            SELECT t.id, t.key, t.direction, t.class, t.state, t.owner_id, u.name, t.file_key, t.file_name, t.media_type,
                t.size, t.offset, t.provider, t.error, t.created_at, t.updated_at, t.expires_at
            FROM transfer t JOIN user u ON u.id = t.owner_id WHERE t.id = ?
            """
        return try self.transaction.connection.first(sql, id) { row throws(StoreError) in try row.transferRecord() }
    }

    private static let transfersSQL = SQL(
        """
        SELECT t.id, t.key, t.direction, t.class, t.state, t.owner_id, u.name, t.file_key, t.file_name, t.media_type,
            t.size, t.offset, t.provider, t.error, t.created_at, t.updated_at, t.expires_at
        FROM transfer t JOIN user u ON u.id = t.owner_id
        WHERE (?1 IS NULL OR t.owner_id = ?1) AND (?2 IS NULL OR t.direction = ?2)
            AND (?3 OR t.state < \(TransferState.succeeded))
        ORDER BY t.id DESC LIMIT ?4
        """)

    /// Newest first; `limit` is 1...1,000.
    package func transfers(_ query: TransferQuery) throws(StoreError) -> [TransferRecord] {
        guard (1...1000).contains(query.limit) else { throw .invalid("a page has 1 to 1000 transfers") }
        return try self.transaction.connection.query(
            Self.transfersSQL, query.owner, query.direction?.rawValue, query.includesOver, query.limit
        ) { row throws(StoreError) in try row.transferRecord() }
    }
}

/// Where a content stands; the numbers are stored.
package enum ObjectState: Int64, Sendable, CaseIterable {
    case ready = 0
    /// Nothing has it any more, and it is being removed.
    case going = 1
    case damaged = 2
}

/// A content and who has it.
package struct ObjectRecord: Hashable, Sendable {
    package var object: StoredObject
    package var state: ObjectState
    /// Files that have it.
    package var references: Int64

    package init(object: StoredObject, state: ObjectState, references: Int64) {
        self.object = object
        self.state = state
        self.references = references
    }
}

/// Kinds of `file_holder`; the numbers are stored.
enum FileHolderKind: Int64 {
    case person = 1
    case smallOfPerson = 2
    case conversation = 3
    case smallOfConversation = 4
}

extension PictureHolder {
    var kind: FileHolderKind {
        switch self {
        case .person(_, let isSmall): isSmall ? .smallOfPerson : .person
        case .conversation(_, let isSmall): isSmall ? .smallOfConversation : .conversation
        }
    }

    var id: Int64 {
        switch self {
        case .person(let user, _): user.rawValue
        case .conversation(let id, _): id.rawValue
        }
    }
}
