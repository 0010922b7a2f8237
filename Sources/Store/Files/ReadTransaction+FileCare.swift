package import ChatModel

/// A link to read a file, for the operator.
package struct FileLinkRecord: Hashable, Sendable {
    package var key: FileLinkKey
    /// What it was made for; `nil` for nothing in particular.
    package var conversation: ConversationID?
    package var createdAtMilliseconds: Int64
}

/// What a collection removes.
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

extension ReadTransaction {
    /// The links to read a file that are good now, newest first.
    package func links(to file: FileID, limit: Int) throws(StoreError) -> [FileLinkRecord] {
        let sql: StaticString = """
            SELECT l.key, l.conversation_id, l.created_at FROM file_link l WHERE l.file_id = ? AND l.kind = 0
                AND (l.used_at IS NULL OR EXISTS (SELECT 1 FROM file_reference r WHERE r.link_id = l.id)
                    OR EXISTS (SELECT 1 FROM field_file d WHERE d.file_id = l.file_id))
            ORDER BY l.id DESC LIMIT ?
            """
        return try self.connection.query(sql, file, limit) { row throws(StoreError) in
            guard let key = FileLinkKey(row.text(0)) else { throw Row.damaged("link") }
            return FileLinkRecord(
                key: key, conversation: row.optionalInt64(1).map { ConversationID(rawValue: $0) },
                createdAtMilliseconds: row.int64(2))
        }
    }

    /// Whose picture a file is.
    package func holders(of file: FileID, limit: Int) throws(StoreError) -> [PictureHolder] {
        let sql: StaticString = "SELECT kind, holder_id FROM file_holder WHERE file_id = ? LIMIT ?"
        return try self.connection.query(sql, file, limit) { row throws(StoreError) in
            let id = row.int64(1)
            switch row.int64(0) {
            case 1, 2: return .person(UserID(rawValue: id), isSmall: row.int64(0) == 2)
            case 3, 4: return .conversation(ConversationID(rawValue: id), isSmall: row.int64(0) == 4)
            default: throw Row.damaged("picture")
            }
        }
    }

    /// Files that the next sweep would remove, the longest unreferenced first.
    ///
    /// - Parameter moment: UTC milliseconds; those that nothing has referred to since before are removed.
    package func filesToSweep(before moment: Int64, limit: Int) throws(StoreError) -> [FileRecord] {
        let sql: StaticString = """
            SELECT f.id, f.key, f.owner_id, u.name, f.name, f.media_type, f.size, f.metadata, f.state, f.refs,
                f.created_at, o.hash, o.size, o.stored_size, o.codec, o.provider, coalesce(o.state, 0)
            FROM file f JOIN user u ON u.id = f.owner_id LEFT JOIN object o ON o.id = f.object_id
            WHERE f.unreferenced_at < ? AND f.state = 1 AND f.refs = 0 AND f.is_held = 0
            ORDER BY f.unreferenced_at LIMIT ?
            """
        return try self.connection.query(sql, moment, limit) { row throws(StoreError) in try row.fileRecord() }
    }

    /// What the next sweep would remove. Counts rows: for screens.
    ///
    /// - Parameters:
    ///   - moment: as for `filesToSweep`.
    ///   - now: uploads that expired before are given up.
    package func sweepTotals(before moment: Int64, now: Int64) throws(StoreError) -> SweepTotals {
        var totals = SweepTotals()
        let files: StaticString = """
            SELECT count(*) FROM file WHERE unreferenced_at < ? AND state = 1 AND refs = 0 AND is_held = 0
            """
        totals.files = try self.connection.first(files, moment) { row throws(StoreError) in row.int64(0) } ?? 0
        let objects: StaticString = """
            SELECT count(*), coalesce(sum(stored_size), 0) FROM object o WHERE NOT EXISTS (
                SELECT 1 FROM file f WHERE f.object_id = o.id
                    AND NOT (coalesce(f.unreferenced_at < ?, 0) AND f.state = 1 AND f.refs = 0 AND f.is_held = 0))
            """
        let unused = try self.connection.first(objects, moment) { row throws(StoreError) in
            (count: row.int64(0), bytes: row.int64(1))
        }
        if let unused { (totals.objects, totals.storedBytes) = unused }
        let uploads: StaticString =
            "SELECT count(*) FROM transfer WHERE direction = 0 AND state < 3 AND expires_at < ?"
        totals.uploads = try self.connection.first(uploads, now) { row throws(StoreError) in row.int64(0) } ?? 0
        return totals
    }
}
