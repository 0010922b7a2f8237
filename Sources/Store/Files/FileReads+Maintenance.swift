package import ChatModel

/// A link to read a file, for the operator.
package struct FileLinkRecord: Hashable, Sendable {
    package var key: FileLinkKey
    /// Conversation that the link was made for; `nil` for none.
    package var conversation: ConversationID?
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
}

/// Totals of a collection of unused files.
package struct SweepTotals: Hashable, Sendable {
    /// Files that nothing has referred to for long.
    package var files: Int64 = 0
    /// Contents that no other file has, and their bytes on the disk.
    package var objects: Int64 = 0
    package var storedBytes: Int64 = 0
    /// Uploads that nobody went on with for long.
    package var uploads: Int64 = 0

    package init() {}
}

// MARK: For the operator

extension FileReads {
    private static let linksSQL = SQL(
        """
        SELECT l.key, l.conversation_id, l.created_at FROM file_link l WHERE l.file_id = ? AND l.kind = \(LinkKind.read)
            AND (l.used_at IS NULL OR EXISTS (SELECT 1 FROM file_reference r WHERE r.link_id = l.id)
                OR EXISTS (SELECT 1 FROM field_file d WHERE d.file_id = l.file_id))
        ORDER BY l.id DESC LIMIT ?
        """)

    /// The links to read a file that are good now, newest first.
    package func links(to file: FileID, limit: Int) throws(StoreError) -> [FileLinkRecord] {
        return try self.transaction.connection.query(Self.linksSQL, file, limit) { row throws(StoreError) in
            guard let key = FileLinkKey(row.text(0)) else { throw Row.damaged("link") }
            return FileLinkRecord(
                key: key, conversation: row.optionalInt64(1).map { ConversationID(rawValue: $0) },
                createdAtMilliseconds: row.int64(2))
        }
    }

    /// Users and conversations that have a file as their picture.
    package func holders(of file: FileID, limit: Int) throws(StoreError) -> [PictureHolder] {
        let sql: StaticString = "SELECT kind, holder_id FROM file_holder WHERE file_id = ? LIMIT ?"
        return try self.transaction.connection.query(sql, file, limit) { row throws(StoreError) in
            let id = row.int64(1)
            switch FileHolderKind(rawValue: row.int64(0)) {
            case .person: return .person(UserID(rawValue: id), isSmall: false)
            case .smallOfPerson: return .person(UserID(rawValue: id), isSmall: true)
            case .conversation: return .conversation(ConversationID(rawValue: id), isSmall: false)
            case .smallOfConversation: return .conversation(ConversationID(rawValue: id), isSmall: true)
            case nil: throw Row.damaged("picture")
            }
        }
    }

    private static let filesToSweepSQL = SQL(
        """
        \(Row.selectFile)
        WHERE f.unreferenced_at < ? AND f.state = \(FileState.complete) AND f.refs = 0 AND f.is_held = 0
            AND NOT \(SQLText.fileIsHeld)
        ORDER BY f.unreferenced_at LIMIT ?
        """)

    /// Files that the next sweep would remove, the longest unreferenced first.
    ///
    /// - Parameter moment: UTC milliseconds; those that nothing has referred to since before are removed.
    package func filesToSweep(before moment: Int64, limit: Int) throws(StoreError) -> [FileRecord] {
        return try self.transaction.connection.query(Self.filesToSweepSQL, moment, limit) { row throws(StoreError) in
            try row.fileRecord()
        }
    }

    private static let sweepTotalsFilesSQL = SQL(
        """
        SELECT count(*) FROM file f WHERE f.unreferenced_at < ? AND f.state = \(FileState.complete) AND f.refs = 0
            AND f.is_held = 0 AND NOT \(SQLText.fileIsHeld)
        """)

    private static let sweepTotalsObjectsSQL = SQL(
        """
        SELECT count(*), coalesce(sum(stored_size), 0) FROM object o WHERE NOT EXISTS (
            SELECT 1 FROM file f WHERE f.object_id = o.id
                AND NOT (coalesce(f.unreferenced_at < ?, 0) AND f.state = \(FileState.complete) AND f.refs = 0
                AND f.is_held = 0 AND NOT \(SQLText.fileIsHeld)))
        """)

    private static let expiredUploadsSQL = SQL(
        """
        SELECT count(*) FROM transfer WHERE direction = \(TransferDirection.upload)
            AND state < \(TransferState.succeeded) AND expires_at < ?
        """)

    /// Counts the files that the next sweep would remove. Counts rows: for screens.
    ///
    /// - Parameters:
    ///   - moment: as for `filesToSweep`.
    ///   - now: uploads that expired before are given up.
    package func sweepTotals(before moment: Int64, now: Int64) throws(StoreError) -> SweepTotals {
        var totals = SweepTotals()
        totals.files =
            try self.transaction.connection.first(Self.sweepTotalsFilesSQL, moment) { row throws(StoreError) in
                row.int64(0)
            } ?? 0
        let unused = try self.transaction.connection.first(Self.sweepTotalsObjectsSQL, moment) {
            row throws(StoreError) in
            (count: row.int64(0), bytes: row.int64(1))
        }
        if let unused { (totals.objects, totals.storedBytes) = unused }
        totals.uploads =
            try self.transaction.connection.first(Self.expiredUploadsSQL, now) { row throws(StoreError) in row.int64(0)
            } ?? 0
        return totals
    }
}
