import ByteCodec
package import ChatModel

// Files as storage SDKs know them.
extension AppReads {
    /// Reads an app's file; `nil` for an unknown object ID.
    package func appFile(_ objectID: ObjectID) throws(StoreError) -> AppFile? {
        let sql: StaticString = """
            SELECT a.object_id, a.owner_id, l.key, coalesce(l.kind, 1), a.url, a.name, a.media_type, a.metadata, a.created_at
            FROM app_file a LEFT JOIN file_link l ON l.id = a.link_id WHERE a.object_id = ?
            """
        return try self.transaction.connection.first(sql, objectID.text, read: Self.appFile)
    }

    /// All files, by object id; `limit` is 1...1000.
    package func appFiles(after: String, limit: Int) throws(StoreError) -> [AppFile] {
        let sql: StaticString = """
            SELECT a.object_id, a.owner_id, l.key, coalesce(l.kind, 1), a.url, a.name, a.media_type, a.metadata, a.created_at
            FROM app_file a LEFT JOIN file_link l ON l.id = a.link_id WHERE a.object_id > ? ORDER BY a.object_id LIMIT ?
            """
        return try self.transaction.connection.query(sql, after, try ReadTransaction.page(limit), read: Self.appFile)
    }

    /// The one whose content comes or came by this link.
    package func appFile(link: FileLinkKey) throws(StoreError) -> AppFile? {
        let sql: StaticString = """
            SELECT a.object_id, a.owner_id, l.key, l.kind, a.url, a.name, a.media_type, a.metadata, a.created_at
            FROM file_link l JOIN app_file a ON a.link_id = l.id WHERE l.key = ?
            """
        return try self.transaction.connection.first(sql, link, read: Self.appFile)
    }

    private static func appFile(_ row: Row) throws(StoreError) -> AppFile {
        guard let objectID = ObjectID(row.text(0)) else { throw Row.damaged("file of an app") }
        let place: AppFile.Place
        if let link = row.optionalText(2).flatMap({ FileLinkKey($0) }) {
            place = .link(link, isComplete: row.int64(3) == 0)
        } else {
            place = .address(row.text(4))
        }
        return AppFile(
            objectID: objectID, owner: row.userID(1), place: place, name: row.text(5), mediaType: row.text(6),
            metadata: row.optionalText(7).map { Array($0.utf8) }, createdAtMilliseconds: row.int64(8))
    }

    /// The content of a file of an app, once it is complete.
    fileprivate func content(of file: AppFile) throws(StoreError) -> FileRecord? {
        guard case .link(let key, isComplete: true) = file.place else { return nil }
        let id = try self.transaction.connection.first("SELECT file_id FROM file_link WHERE key = ?", key) {
            row throws(StoreError) in row.optionalInt64(0).map { FileID(rawValue: $0) }
        }
        return try (id ?? nil).flatMap { (id) throws(StoreError) in try self.transaction.files.file(id) }
    }

    /// The key of its content, once it is complete.
    package func contentKey(of file: AppFile) throws(StoreError) -> FileKey? { try self.content(of: file)?.key }
}

extension AppWrites {
    /// Makes a file of an app: with a place for its content, or with its address elsewhere.
    ///
    /// - Throws: `refused(.switchedOff)` when no links are made; `invalid` for texts that are too long; `notFound` for
    ///   the owner.
    package func makeAppFile(_ file: AppFile) throws(StoreError) {
        if file.owner != .system { _ = try self.transaction.knownUser(file.owner) }
        try Self.check(file)
        var link: Int64?
        var address: String?
        switch file.place {
        case .address(let text): address = text
        case .link(let key, _): link = try self.makePlace(key, owner: file.owner)
        }
        try self.transaction.connection.run(
            """
            INSERT INTO app_file (object_id, owner_id, link_id, url, name, media_type, metadata, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, file.objectID.text, file.owner, link, address, file.name, file.mediaType,
            file.metadata.map { String(decoding: $0, as: UTF8.self) }, self.transaction.wallMilliseconds)
        guard address != nil else { return }
        try self.transaction.connection.run(
            """
            DELETE FROM app_file WHERE object_id IN (
                SELECT object_id FROM app_file WHERE owner_id = ? AND url IS NOT NULL AND import IS NULL
                ORDER BY created_at DESC LIMIT -1 OFFSET ?)
            """, file.owner, AppLimits.filesElsewhere)
    }

    private static let makePlaceSQL = SQL(
        """
        DELETE FROM file_link WHERE kind = \(LinkKind.upload) AND used_at IS NULL AND owner_id = ?1 AND id IN (
            SELECT id FROM file_link WHERE kind = \(LinkKind.upload) AND used_at IS NULL AND owner_id = ?1
            ORDER BY id DESC LIMIT -1 OFFSET ?2)
        """)

    private func makePlace(_ key: FileLinkKey, owner: UserID) throws(StoreError) -> Int64 {
        guard self.transaction.options.files.makesLinks else { throw .refused(.switchedOff) }
        let most = owner == .system ? AppLimits.openUploadsOfNobody : AppLimits.openUploadsOfPerson
        try self.transaction.connection.run(
            Self.makePlaceSQL, owner, most - 1)
        try self.transaction.connection.run(
            "INSERT INTO file_link (key, kind, class, owner_id, created_at) VALUES (?, 1, ?, ?, ?)", key,
            TransferClass.attachment.rawValue, owner, self.transaction.wallMilliseconds)
        return self.transaction.connection.lastInsertedID
    }

    private static func check(_ file: AppFile) throws(StoreError) {
        guard file.name.unicodeScalars.count <= FileTextLimits.nameScalars else {
            throw .invalid("the name of a file has at most \(FileTextLimits.nameScalars) characters")
        }
        guard file.mediaType.utf8.count <= FileTextLimits.mediaTypeBytes else {
            throw .invalid("a media type has at most \(FileTextLimits.mediaTypeBytes) bytes")
        }
        if let metadata = file.metadata {
            guard metadata.count <= FileTextLimits.metadataBytes,
                (try? JSONValue(parsing: metadata))?.object != nil
            else {
                throw .invalid("metaData is a JSON object of at most \(FileTextLimits.metadataBytes) bytes")
            }
        }
        if case .address(let text) = file.place {
            guard (1...AppLimits.addressBytes).contains(text.utf8.count) else {
                throw .invalid("the address of a file has 1 to \(AppLimits.addressBytes) bytes")
            }
        }
    }

    private static let isUploadOfApp: SQLText = """
        key = ? AND kind = \(LinkKind.upload) AND EXISTS (SELECT 1 FROM app_file a WHERE a.link_id = file_link.id)
        """
    private static let completeSQL = SQL(
        """
        UPDATE file_link SET kind = \(LinkKind.read), file_id = ?, used_at = NULL, created_at = ? WHERE \(isUploadOfApp)
        """)
    private static let reopenSQL = SQL("UPDATE file_link SET used_at = NULL WHERE \(isUploadOfApp)")

    /// The content that came by a link of an app's file is complete: from now on the link gives it.
    ///
    /// - Throws: `refused(.noSuchFile)`.
    package func completeAppFile(_ link: FileLinkKey, with file: FileKey) throws(StoreError) {
        guard let file = try self.transaction.reading.files.file(file), file.state == .complete else {
            throw .refused(.noSuchFile)
        }
        try self.transaction.connection.run(
            Self.completeSQL, file.id, self.transaction.wallMilliseconds, link)
        guard self.transaction.connection.changes > 0 else { throw .refused(.noSuchFile) }
        try self.transaction.connection.run(
            """
            UPDATE app_file SET media_type = ?
            WHERE media_type = '' AND link_id = (SELECT l.id FROM file_link l WHERE l.key = ?)
            """, file.mediaType, link)
    }

    /// An upload by a link of an app's file came to nothing: the same link may be tried again.
    package func reopenAppFile(_ link: FileLinkKey) throws(StoreError) {
        try self.transaction.connection.run(
            Self.reopenSQL, link)
    }

    /// Removes a file of an app with its content.
    ///
    /// - Throws: `refused(.noSuchFile)`, also for what is somebody else's; `refused(.fileInUse)` for what something
    ///   refers to, unless by the operator.
    package func deleteAppFile(_ objectID: ObjectID, by actor: Actor) throws(StoreError) {
        guard let file = try self.transaction.reading.apps.appFile(objectID),
            actor.isPrivileged || file.owner == actor.user
        else {
            throw .refused(.noSuchFile)
        }
        if let content = try self.transaction.reading.apps.content(of: file) {
            var actor = actor
            // The content of one that was imported belongs to nobody, and the row itself refers to it.
            if !actor.isPrivileged, try self.transaction.reading.imports.number(ofFile: objectID) != nil {
                guard content.references == 1, try !self.transaction.connection.isHeld(file.owner) else {
                    throw .refused(.fileInUse)
                }
                actor = .application
            }
            // Its links go with it, and the row with them.
            return try self.transaction.files.deleteFile(content.key, by: actor)
        }
        try self.transaction.connection.run(
            "DELETE FROM file_link WHERE id = (SELECT link_id FROM app_file WHERE object_id = ?)", objectID.text)
        try self.transaction.connection.run("DELETE FROM app_file WHERE object_id = ?", objectID.text)
    }
}
