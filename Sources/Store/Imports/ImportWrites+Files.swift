import ByteCodec
package import ChatModel

/// A file of an app as another server kept it.
package struct ImportedFile: Hashable, Sendable {
    /// Object ID.
    package var objectID: ObjectID
    /// Name, at most `FileTextLimits.nameScalars`.
    package var name: String
    /// Media type; empty for an unknown one.
    package var mediaType: String
    /// The text of a JSON object, at most `FileTextLimits.metadataBytes`; `nil` for nothing.
    package var metadata: [UInt8]?
    /// When it was made, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Address that apps have put into messages.
    package var address: String
    /// True for a file that the source did not keep either: its address stays what it is.
    package var isElsewhere = false
    /// Link by which another teahouse gave it, and by which it is given here too.
    package var link: FileLinkKey?

    package init(
        objectID: ObjectID, name: String, mediaType: String, metadata: [UInt8]?, createdAtMilliseconds: Int64,
        address: String
    ) {
        self.objectID = objectID
        self.name = name
        self.mediaType = mediaType
        self.metadata = metadata
        self.createdAtMilliseconds = createdAtMilliseconds
        self.address = address
    }
}

/// Outcome of importing one file.
package enum ImportedFileOutcome: Hashable, Sendable {
    case made
    /// It was imported before, and follows its source.
    case updated
    /// Nothing is new.
    case unchanged
    /// It was made here, and stays as it is.
    case kept
    /// Its content has to come first.
    case wanted
    /// It cannot be here: the reason for the operator.
    case refused(String)
}

// Files of an app, and where they were before.
extension ImportReads {
    /// Address here of a file that was at another one before; `nil` for none.
    package func address(before former: FormerAddress) throws(StoreError) -> String? {
        try self.transaction.connection.first(
            "SELECT here FROM former_file WHERE address = ?", former.text
        ) { row throws(StoreError) in row.optionalText(0) } ?? nil
    }

    private static let formerPathSQL = SQL(
        """
        SELECT f.id FROM former_file m JOIN app_file a ON a.object_id = m.object_id
            JOIN file_link l ON l.id = a.link_id AND l.kind = \(LinkKind.read) JOIN file f ON f.id = l.file_id
        WHERE m.path = ? AND f.state = \(FileState.complete) ORDER BY m.address LIMIT 1
        """)

    /// File that was at this path of another server, for whoever knows it.
    ///
    /// - Parameter path: as it stands in a request.
    package func file(formerPath path: String) throws(StoreError) -> FileRecord? {
        let id = try self.transaction.connection.first(
            Self.formerPathSQL, FormerAddress.path(ofRequest: path)
        ) { row throws(StoreError) in FileID(rawValue: row.int64(0)) }
        return try id.flatMap { (id) throws(StoreError) in try self.transaction.files.file(id) }
    }

    /// Number of the import that brought a file; `nil` for a file that was made here, and for none.
    package func number(ofFile objectID: ObjectID) throws(StoreError) -> Int64? {
        try self.transaction.connection.first(
            "SELECT import FROM app_file WHERE object_id = ?", objectID.text
        ) { row throws(StoreError) in row.optionalInt64(0) } ?? nil
    }
}

extension ImportWrites {
    /// Brings a file of an app. Its content counts against nobody, and is kept for as long as the file is.
    ///
    /// - Parameters:
    ///   - content: complete file with its content; `nil` for one that has not come, which a file that is new waits for.
    ///   - link: of nobody yet, for a file without one.
    ///   - address: gives the address that messages get for a link; `nil` leaves theirs.
    /// - Throws: `notFound` for an import that is not under way; `refused(.noSuchFile)` for a content that is not there.
    package func addFile(
        _ row: ImportedFile, content: FileKey?, link: FileLinkKey, address: (FileLinkKey) -> String?, to number: Int64
    ) throws(StoreError) -> ImportedFileOutcome {
        _ = try self.underWay(number)
        if let known = try self.transaction.reading.apps.appFile(row.objectID) {
            return try self.update(known, to: row, address)
        }
        if row.isElsewhere {
            try self.insert(row, link: nil, of: number)
            return .made
        }
        guard self.transaction.options.files.makesLinks else {
            return .refused("files.sdk_links is off, so that nobody could read it: switch it on, and import again")
        }
        guard let content else { return .wanted }
        guard let file = try self.transaction.reading.files.file(content), file.state == .complete else {
            throw .refused(.noSuchFile)
        }
        let key = try row.link.flatMap { (own) throws(StoreError) in try self.isFree(own) ? own : nil } ?? link
        try self.connection.run(
            "INSERT INTO file_link (key, kind, file_id, owner_id, created_at) VALUES (?, ?, ?, ?, ?)", key,
            LinkKind.read.rawValue, file.id, UserID.system, self.transaction.wallMilliseconds)
        try self.insert(row, link: self.connection.lastInsertedID, of: number)
        try self.connection.run(
            "INSERT INTO field_file (kind, holder_id, file_id) VALUES (?, ?, ?)", FieldHolderKind.imported.rawValue,
            number, file.id)
        try self.connection.run("UPDATE file SET refs = refs + 1, unreferenced_at = NULL WHERE id = ?", file.id)
        if let former = FormerAddress(row.address) {
            // Of two rows with one address the first has it.
            try self.connection.run(
                "INSERT OR IGNORE INTO former_file (address, path, object_id, here) VALUES (?, ?, ?, ?)", former.text,
                former.path, row.objectID.text, address(key))
        }
        return .made
    }

    private func insert(_ row: ImportedFile, link: Int64?, of number: Int64) throws(StoreError) {
        try self.connection.run(
            """
            INSERT INTO app_file (object_id, owner_id, link_id, url, name, media_type, metadata, created_at, import)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, row.objectID.text, UserID.system, link, link == nil ? row.address : nil, row.name, row.mediaType,
            row.metadata.map { String(decoding: $0, as: UTF8.self) }, row.createdAtMilliseconds, number)
    }

    private func isFree(_ key: FileLinkKey) throws(StoreError) -> Bool {
        try self.connection.first("SELECT 1 FROM file_link WHERE key = ?", key) { (_) throws(StoreError) in true }
            == nil
    }

    /// A file that is here: its row follows the source, its content stays.
    private func update(
        _ known: AppFile, to row: ImportedFile, _ address: (FileLinkKey) -> String?
    ) throws(StoreError) -> ImportedFileOutcome {
        guard try self.transaction.reading.imports.number(ofFile: row.objectID) != nil else { return .kept }
        var isChanged = false
        if known.name != row.name || known.mediaType != row.mediaType || known.metadata != row.metadata {
            try self.connection.run(
                "UPDATE app_file SET name = ?, media_type = ?, metadata = ? WHERE object_id = ?", row.name,
                row.mediaType, row.metadata.map { String(decoding: $0, as: UTF8.self) }, row.objectID.text)
            isChanged = true
        }
        // An address that messages have got stays the same, whatever the server is called later.
        if case .link(let key, _) = known.place, let here = address(key) {
            try self.connection.run(
                "UPDATE former_file SET here = ? WHERE object_id = ? AND here IS NULL", here, row.objectID.text)
            isChanged = isChanged || self.connection.changes > 0
        }
        return isChanged ? .updated : .unchanged
    }

    /// Rows that `settleFiles` looks at in one transaction.
    private static let settledFiles = 500

    /// Gives imported files to the people whom their metadata names, who have come after them.
    ///
    /// - Parameter objectID: last one of the slice before; empty for the first.
    /// - Returns: last one of this slice; `nil` at the end.
    package func settleFiles(_ number: Int64, after objectID: String) throws(StoreError) -> String? {
        _ = try self.underWay(number)
        let files = try self.transaction.reading.apps.appFiles(after: objectID, limit: Self.settledFiles)
        for file in files where file.owner == .system {
            guard let text = file.metadata.flatMap({ try? JSONValue(parsing: $0) })?["owner"]?.string,
                let name = UserName(text), let user = try self.memory.user(named: name), !user.isDeleted,
                try self.transaction.reading.imports.number(ofFile: file.objectID) != nil
            else { continue }
            try self.connection.run(
                "UPDATE app_file SET owner_id = ? WHERE object_id = ?", user.id, file.objectID.text)
            guard case .link(let key, _) = file.place else { continue }
            try self.connection.run("UPDATE file_link SET owner_id = ? WHERE key = ?", user.id, key)
        }
        return files.count == Self.settledFiles ? files.last?.objectID.text : nil
    }
}
