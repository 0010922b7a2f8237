import ByteCodec
package import ChatModel

extension WriteTransaction {
    /// Changes of files, uploads and downloads.
    package var files: FileWrites { FileWrites(transaction: self) }
}

/// Changes of files, uploads and downloads. Valid as long as its transaction.
package struct FileWrites {
    let transaction: WriteTransaction
}

// MARK: Files

extension FileWrites {
    private var fileReferences: FileReferences { FileReferences(connection: self.transaction.connection) }

    /// Sees to what a changed body names.
    ///
    /// - Throws: `refused(.noSuchFile)`, `refused(.fileIncomplete)`.
    func replaceFileReferences(of place: MessagePlace, body: [UInt8], by actor: Actor) throws(StoreError) {
        let found = try self.fileReferences.find(FileMention.scan(body), by: actor)
        switch found {
        case .refusal(.fileIncomplete): throw .refused(.fileIncomplete)
        case .refusal: throw .refused(.noSuchFile)
        case .named(let named):
            try self.fileReferences.removeAll(of: place, at: self.transaction.wallMilliseconds)
            try self.fileReferences.add(named, to: place, at: self.transaction.wallMilliseconds)
        }
    }

    /// A message that is withdrawn names nothing: its links are dead when this is committed.
    func removeFileReferences(of place: MessagePlace) throws(StoreError) {
        try self.fileReferences.removeAll(of: place, at: self.transaction.wallMilliseconds)
    }

    /// Removes a file: its owner when nothing refers to it and no legal hold keeps it, the operator in any case.
    ///
    /// - Throws: `refused(.noSuchFile)`, also for what is somebody else's; `refused(.fileInUse)`,
    ///   `refused(.fileIncomplete)`.
    package func deleteFile(_ key: FileKey, by actor: Actor) throws(StoreError) {
        guard let file = try self.transaction.reading.files.file(key), actor.isPrivileged || file.owner == actor.user
        else {
            throw .refused(.noSuchFile)
        }
        guard file.state == .complete else { throw .refused(.fileIncomplete) }
        if !actor.isPrivileged {
            guard file.references == 0, try !self.isHeld(file.id) else { throw .refused(.fileInUse) }
        }
        try self.transaction.connection.run("DELETE FROM file_reference WHERE file_id = ?", file.id)
        try self.transaction.connection.run("DELETE FROM file_holder WHERE file_id = ?", file.id)
        try self.transaction.connection.run("DELETE FROM field_file WHERE file_id = ?", file.id)
        try self.drop(file.id)
    }

    private static let isHeldSQL = SQL("SELECT \(SQLText.fileIsHeld) FROM file f WHERE f.id = ?")

    private func isHeld(_ file: FileID) throws(StoreError) -> Bool {
        try self.transaction.connection.first(Self.isHeldSQL, file) { row throws(StoreError) in row.int64(0) != 0 }
            ?? false
    }

    /// Removes a file that nothing refers to. Its content loses one that has it.
    private func drop(_ file: FileID) throws(StoreError) {
        try self.transaction.connection.run(
            "UPDATE object SET refs = refs - 1 WHERE id = (SELECT object_id FROM file WHERE id = ?)", file)
        try self.transaction.connection.run("DELETE FROM file_link WHERE file_id = ?", file)
        try self.transaction.connection.run("DELETE FROM file WHERE id = ?", file)
    }

    /// Keeps a file although nothing refers to it, or no longer: from then on its time runs as if it were new.
    ///
    /// - Throws: `refused(.noSuchFile)`.
    package func holdFile(_ key: FileKey, _ isHeld: Bool) throws(StoreError) {
        guard let file = try self.transaction.reading.files.file(key) else { throw .refused(.noSuchFile) }
        try self.transaction.connection.run(
            "UPDATE file SET is_held = ?, unreferenced_at = CASE WHEN unreferenced_at IS NOT NULL THEN ? END WHERE id = ?",
            isHeld, self.transaction.wallMilliseconds, file.id)
    }

    /// Says what a complete file is, of which that was not known when it came.
    ///
    /// - Throws: `refused(.noSuchFile)`, also for a file whose type is known.
    package func setMediaType(of key: FileKey, to type: String) throws(StoreError) {
        guard type.utf8.count <= FileTextLimits.mediaTypeBytes else {
            throw .invalid("a media type has at most \(FileTextLimits.mediaTypeBytes) bytes")
        }
        try self.transaction.connection.run(
            "UPDATE file SET media_type = ? WHERE key = ? AND media_type = ''", type, key)
        guard self.transaction.connection.changes > 0 else { throw .refused(.noSuchFile) }
    }

    // MARK: Links

    /// A link to read a file without a session.
    ///
    /// - Parameter conversation: what it is meant for; `nil` for nothing in particular.
    /// - Throws: `refused(.noSuchFile)`; `refused(.switchedOff)` when no links are made.
    package func makeLink(
        _ key: FileLinkKey, to file: FileKey, for conversation: ConversationID?
    ) throws(StoreError) {
        guard self.transaction.options.files.makesLinks else { throw .refused(.switchedOff) }
        guard let file = try self.transaction.reading.files.file(file), file.state == .complete else {
            throw .refused(.noSuchFile)
        }
        try self.transaction.connection.run(
            """
            INSERT INTO file_link (key, kind, file_id, conversation_id, owner_id, created_at) VALUES (?, 0, ?, ?, ?, ?)
            """, key, file.id, conversation, file.owner, self.transaction.wallMilliseconds)
    }

    /// Most unused places to upload that one person may have; the oldest go first.
    private static let uploadLinks: Int64 = 100

    private static let makeUploadLinkSQL = SQL(
        """
        DELETE FROM file_link WHERE kind = \(LinkKind.upload) AND used_at IS NULL AND owner_id = ?1 AND id IN (
            SELECT id FROM file_link WHERE kind = \(LinkKind.upload) AND used_at IS NULL AND owner_id = ?1
            ORDER BY id DESC LIMIT -1 OFFSET ?2)
        """)

    /// A place to upload one file without a session.
    ///
    /// - Throws: `refused(.switchedOff)` when no links are made, `notFound` for the owner.
    package func makeUploadLink(_ link: UploadLink) throws(StoreError) {
        guard self.transaction.options.files.makesLinks else { throw .refused(.switchedOff) }
        _ = try self.transaction.knownUser(link.owner)
        try self.transaction.connection.run(
            """
            INSERT INTO file_link (key, kind, class, conversation_id, owner_id, purpose, created_at)
            VALUES (?, 1, ?, ?, ?, ?, ?)
            """, link.key, link.transferClass.rawValue, link.conversation, link.owner, link.purpose,
            self.transaction.wallMilliseconds)
        try self.transaction.connection.run(
            Self.makeUploadLinkSQL, link.owner, Self.uploadLinks)
    }

    /// Takes a place to upload: it is good for once, and for as long as a file that nothing refers to.
    ///
    /// - Throws: `refused(.noSuchFile)` when it is not good any more.
    package func useUploadLink(_ key: FileLinkKey) throws(StoreError) -> UploadLink {
        guard self.transaction.options.files.makesLinks, let link = try self.transaction.reading.files.uploadLink(key)
        else {
            throw .refused(.noSuchFile)
        }
        try self.transaction.connection.run(
            "UPDATE file_link SET used_at = ? WHERE key = ? AND created_at > ?", self.transaction.wallMilliseconds, key,
            self.transaction.wallMilliseconds - self.unreferencedMilliseconds)
        guard self.transaction.connection.changes > 0 else { throw .refused(.noSuchFile) }
        return link
    }

    private var unreferencedMilliseconds: Int64 { self.transaction.options.files.unreferencedHours * 3_600_000 }

    // MARK: Pictures

    /// Gives a person or conversation a picture, or takes it away. The rules of who may change it are the caller's.
    ///
    /// - Throws: `notFound` for the holder; `refused(.noSuchFile)` for a file that is not complete or that the actor
    ///   cannot see.
    package func setPicture(of holder: PictureHolder, to key: FileKey?, by actor: Actor) throws(StoreError) {
        switch holder {
        case .person(let user, _): _ = try self.transaction.knownUser(user)
        case .conversation(let id, _): _ = try self.transaction.knownConversation(id)
        }
        var next: FileRecord?
        if let key {
            guard let file = try self.transaction.reading.files.file(key), file.state == .complete,
                try self.transaction.reading.files.canRead(file, actor)
            else { throw .refused(.noSuchFile) }
            next = file
        }
        let before = try self.transaction.reading.files.picture(of: holder)
        guard before?.id != next?.id else { return }
        if let next {
            try self.transaction.connection.run(
                """
                INSERT INTO file_holder (kind, holder_id, file_id) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET file_id = excluded.file_id
                """, holder.kind.rawValue, holder.id, next.id)
            try self.transaction.connection.run(
                "UPDATE file SET refs = refs + 1, unreferenced_at = NULL WHERE id = ?", next.id)
        } else {
            try self.transaction.connection.run(
                "DELETE FROM file_holder WHERE kind = ? AND holder_id = ?", holder.kind.rawValue, holder.id)
        }
        if let before { try self.fileReferences.release(before.id, at: self.transaction.wallMilliseconds) }
    }

    // MARK: Contents

    private static let unusedFilesSQL = SQL(
        """
        SELECT f.id FROM file f WHERE f.unreferenced_at < ? AND f.state = \(FileState.complete) AND f.refs = 0
            AND f.is_held = 0 AND NOT \(SQLText.fileIsHeld) LIMIT ?
        """)

    private static let forgetUsedLinksSQL = SQL(
        """
        DELETE FROM file_link WHERE kind = \(LinkKind.upload) AND used_at <= ?
        """)

    private static let markUnusedObjectsSQL = SQL(
        """
        UPDATE object SET state = \(ObjectState.going) WHERE refs = 0 AND state <> \(ObjectState.going)
        """)

    private static let unusedObjectsSQL = SQL(
        """
        SELECT hash, size, stored_size, codec, provider FROM object WHERE refs = 0
            AND state = \(ObjectState.going) LIMIT ?
        """)

    /// Removes files that nothing has referred to for long and links that nobody has used for as long, and names the
    /// contents that no file has any more: they are being removed from now on.
    ///
    /// Nothing while the clock is in doubt.
    ///
    /// - Parameter limit: of files and of contents.
    package func sweepFiles(limit: Int) throws(StoreError) -> [StoredObject] {
        guard !self.transaction.memory.clock.isInDoubt else { return [] }
        let files = try self.transaction.connection.query(
            Self.unusedFilesSQL, self.transaction.wallMilliseconds - self.unreferencedMilliseconds, limit
        ) { row throws(StoreError) in FileID(rawValue: row.int64(0)) }
        for file in files { try self.drop(file) }
        let cutoff = self.transaction.wallMilliseconds - self.unreferencedMilliseconds
        try self.transaction.connection.run(
            """
            DELETE FROM file_link WHERE used_at IS NULL AND created_at <= ?
                AND NOT EXISTS (SELECT 1 FROM field_file d WHERE d.file_id = file_link.file_id)
            """, cutoff)
        try self.transaction.connection.run(Self.forgetUsedLinksSQL, cutoff)
        try self.transaction.connection.run(Self.markUnusedObjectsSQL)
        return try self.transaction.connection.query(
            Self.unusedObjectsSQL, limit
        ) { row throws(StoreError) in try row.storedObject(0) }
    }

    private static let objectGoneSQL = SQL(
        """
        DELETE FROM object WHERE hash = ? AND state = \(ObjectState.going) AND refs = 0
        """)

    /// A content that was being removed is gone from the disk.
    package func objectGone(_ hash: ContentHash) throws(StoreError) {
        try self.transaction.connection.run(Self.objectGoneSQL, hash)
    }

    private static let objectDamagedSQL = SQL(
        """
        UPDATE object SET state = \(ObjectState.damaged) WHERE hash = ? AND state = \(ObjectState.ready)
        """)

    /// A content is not what it was, or not there: its files cannot be read until the same content is uploaded again.
    package func objectDamaged(_ hash: ContentHash) throws(StoreError) {
        try self.transaction.connection.run(Self.objectDamagedSQL, hash)
    }

    /// A content was read again and is what it was.
    package func objectChecked(_ hash: ContentHash) throws(StoreError) {
        try self.transaction.connection.run(
            "UPDATE object SET checked_at = ?, state = CASE state WHEN 2 THEN 0 ELSE state END WHERE hash = ?",
            self.transaction.wallMilliseconds, hash)
    }
}
