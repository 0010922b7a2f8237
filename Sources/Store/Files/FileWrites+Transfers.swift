import ByteCodec
package import ChatModel

/// Bounds of what is written about a file.
package enum FileTextLimits {
    /// Unicode scalars.
    package static let nameScalars = 255
    /// Maximum length of a media type, bytes.
    package static let mediaTypeBytes = 127
    /// Maximum length of the metadata, bytes.
    package static let metadataBytes = 16_384
}

extension Connection {
    private static let haltTransfersSQL = SQL(
        """
        UPDATE transfer SET state = \(TransferState.waiting) WHERE state = \(TransferState.progressing)
        """)

    /// Halts transfers that ran when the last server ended, until a client resumes them. A full disk does not stop the
    /// start.
    func haltTransfers() throws(StoreError) {
        do throws(StoreError) {
            try self.run(Self.haltTransfersSQL)
        } catch .full {
            return
        }
    }
}

// MARK: Uploads and downloads

extension FileWrites {
    private static let hourMilliseconds: Int64 = 3_600_000
    /// How long what is over stays listed.
    private static let keptMilliseconds: Int64 = 7 * 24 * 3_600_000

    // MARK: Uploads

    /// Makes an upload and the file it is to become; what it declares is taken from the bounds now.
    ///
    /// - Throws: `notFound` for the owner; `refused` with `fileTooLong`, `quotaReached`, `tooManyUploads`,
    ///   `uploadsTooFast`, `noSuchConversation` or `notMember`; `invalid` for texts that are too long.
    package func createUpload(_ draft: UploadDraft) throws(StoreError) -> TransferRecord {
        _ = try self.transaction.knownUser(draft.owner)
        guard draft.actor.isPrivileged || draft.actor.user == draft.owner else { throw .refused(.noSuchUser) }
        try Self.check(draft)
        if let conversation = draft.conversation {
            _ = try self.transaction.messages.conversation(conversation, for: draft.actor)
        }
        try self.checkBounds(draft)
        let now = self.transaction.wallMilliseconds
        try self.transaction.connection.run(
            """
            INSERT INTO file (key, owner_id, name, media_type, size, metadata, conversation_id, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, draft.file, draft.owner, draft.name, draft.mediaType, draft.size ?? 0,
            draft.metadata.map { String(decoding: $0, as: UTF8.self) }, draft.conversation, now)
        return try self.insertTransfer(
            draft.key, .upload, draft.transferClass, owner: draft.owner, file: draft.file, name: draft.name,
            mediaType: draft.mediaType, size: draft.size, provider: draft.provider)
    }

    private static func check(_ draft: UploadDraft) throws(StoreError) {
        guard draft.name.unicodeScalars.count <= FileTextLimits.nameScalars else {
            throw .invalid("the name of a file has at most \(FileTextLimits.nameScalars) characters")
        }
        guard draft.mediaType.utf8.count <= FileTextLimits.mediaTypeBytes else {
            throw .invalid("a media type has at most \(FileTextLimits.mediaTypeBytes) bytes")
        }
        if let metadata = draft.metadata {
            guard metadata.count <= FileTextLimits.metadataBytes,
                (try? JSONValue(parsing: metadata))?.object != nil
            else {
                throw .invalid(
                    "what is known of a file is a JSON object of at most \(FileTextLimits.metadataBytes) bytes")
            }
        }
        guard draft.size ?? 0 >= 0 else { throw .invalid("a file has no fewer than 0 bytes") }
    }

    private func checkBounds(_ draft: UploadDraft) throws(StoreError) {
        let limits = self.transaction.options.files
        let size = draft.size ?? 0
        if limits.fileBytes > 0, size > limits.fileBytes {
            throw .refused(.fileTooLong(limitBytes: limits.fileBytes))
        }
        if limits.allBytes > 0, try self.bytesOfAll() + size > limits.allBytes {
            throw .refused(.quotaReached(limitBytes: limits.allBytes))
        }
        guard !draft.actor.isPrivileged else { return }
        let use = try self.transaction.reading.files.quotaUse(of: draft.owner)
        if use.openUploads >= limits.openUploads { throw .refused(.tooManyUploads(limit: limits.openUploads)) }
        if limits.personBytes > 0, use.bytes + use.reservedBytes + size > limits.personBytes {
            throw .refused(.quotaReached(limitBytes: limits.personBytes))
        }
        let begun = try self.begun(by: draft.owner)
        if limits.hourUploads > 0, begun.uploadsInHour >= limits.hourUploads {
            throw .refused(.uploadsTooFast(limit: limits.hourUploads))
        }
        if limits.dayBytes > 0, begun.bytesInDay + size > limits.dayBytes {
            throw .refused(.uploadsTooFast(limit: limits.dayBytes))
        }
    }

    private static let bytesOfAllSQL = SQL(
        """
        SELECT (SELECT coalesce(sum(size), 0) FROM file WHERE state = \(FileState.complete))
            + (SELECT coalesce(sum(max(coalesce(size, 0), offset)), 0) FROM transfer
                WHERE direction = \(TransferDirection.upload) AND state < \(TransferState.succeeded))
        """)

    private func bytesOfAll() throws(StoreError) -> Int64 {
        return try self.transaction.connection.first(Self.bytesOfAllSQL) { row throws(StoreError) in row.int64(0) } ?? 0
    }

    private static let begunSQL = SQL(
        """
        SELECT coalesce(sum(created_at > ?2), 0),
            coalesce(sum(CASE WHEN state < \(TransferState.succeeded) THEN max(coalesce(size, 0), offset) ELSE offset END), 0)
        FROM transfer
        WHERE owner_id = ?1 AND direction = \(TransferDirection.upload) AND created_at > ?3
        """)

    private func begun(by owner: UserID) throws(StoreError) -> (uploadsInHour: Int64, bytesInDay: Int64) {
        return try self.transaction.connection.first(
            Self.begunSQL, owner, self.transaction.wallMilliseconds - Self.hourMilliseconds,
            self.transaction.wallMilliseconds - 24 * Self.hourMilliseconds
        ) { row throws(StoreError) in (row.int64(0), row.int64(1)) } ?? (0, 0)
    }

    private static let completeFileSQL = SQL(
        """
        UPDATE file SET object_id = ?, size = ?, state = \(FileState.complete), unreferenced_at = ?
        WHERE key = ? AND state = \(FileState.uploading)
        """)

    private static let completeTransferSQL = SQL(
        """
        UPDATE transfer SET state = \(TransferState.succeeded), size = ?, offset = ?, error = NULL,
            updated_at = ?, expires_at = NULL
        WHERE id = ?
        """)

    /// The content is on the disk under its name: the file is complete, and links to it may be made.
    ///
    /// - Throws: `refused(.transferOver)`; `refused` with `quotaReached` or `fileTooLong` for one that did not declare
    ///   its size.
    package func completeUpload(_ id: TransferID, object: StoredObject) throws(StoreError) -> FileRecord {
        guard let transfer = try self.transaction.reading.files.transfer(id), !transfer.state.isOver else {
            throw .refused(.transferOver)
        }
        try self.checkArrived(object.size, transfer)
        let object = try self.keep(object)
        try self.transaction.connection.run(
            Self.completeFileSQL, object.id, object.size, self.transaction.wallMilliseconds, transfer.file)
        try self.transaction.connection.run(
            Self.completeTransferSQL, object.size, object.size, self.transaction.wallMilliseconds, id)
        guard let file = try self.transaction.reading.files.file(transfer.file) else { throw .refused(.noSuchFile) }
        return file
    }

    private func checkArrived(_ size: Int64, _ transfer: TransferRecord) throws(StoreError) {
        let limits = self.transaction.options.files
        if let declared = transfer.size, size > declared { throw .refused(.fileTooLong(limitBytes: declared)) }
        guard transfer.size == nil, transfer.transferClass != .operator else { return }
        if limits.fileBytes > 0, size > limits.fileBytes {
            throw .refused(.fileTooLong(limitBytes: limits.fileBytes))
        }
        let use = try self.transaction.reading.files.quotaUse(of: transfer.owner)
        // What was reserved for it is the larger of nothing and its last noted offset.
        if limits.personBytes > 0, use.bytes + use.reservedBytes - transfer.offset + size > limits.personBytes {
            throw .refused(.quotaReached(limitBytes: limits.personBytes))
        }
    }

    private static let keepSQL = SQL(
        """
        INSERT INTO object (hash, provider, size, stored_size, codec, refs, checked_at, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?6)
        ON CONFLICT (hash) DO UPDATE SET refs = refs + 1,
            checked_at = CASE state WHEN \(ObjectState.ready) THEN checked_at ELSE ?6 END,
            provider = CASE state WHEN \(ObjectState.ready) THEN provider ELSE ?2 END,
            stored_size = CASE state WHEN \(ObjectState.ready) THEN stored_size ELSE ?4 END,
            codec = CASE state WHEN \(ObjectState.ready) THEN codec ELSE ?5 END,
            state = \(ObjectState.ready)
        """)

    /// The row of a content, with one more that has it. One that was being removed or was damaged is back: the caller
    /// has just put it there.
    private func keep(_ object: StoredObject) throws(StoreError) -> (id: Int64, size: Int64) {
        try self.transaction.connection.run(
            Self.keepSQL, object.hash, object.provider, object.size, object.storedSize, object.codec.rawValue,
            self.transaction.wallMilliseconds)
        let id = try self.transaction.connection.first("SELECT id FROM object WHERE hash = ?", object.hash) {
            row throws(StoreError) in row.int64(0)
        }
        return (id ?? 0, object.size)
    }

    // MARK: Downloads

    private static let noteDownloadSQL = SQL(
        """
        SELECT id FROM transfer WHERE owner_id = ? AND direction = \(TransferDirection.download)
            AND state < \(TransferState.succeeded) AND file_key = ?
        ORDER BY id DESC LIMIT 1
        """)

    /// A download as a task: the unfinished one of the same person for the same file goes on.
    package func noteDownload(
        of file: FileRecord, by owner: UserID, _ transferClass: TransferClass, key: TransferKey
    ) throws(StoreError) -> TransferRecord {
        let known = try self.transaction.connection.first(
            Self.noteDownloadSQL, owner, file.key
        ) { row throws(StoreError) in TransferID(rawValue: row.int64(0)) }
        if let known, let transfer = try self.transaction.reading.files.transfer(known) { return transfer }
        return try self.insertTransfer(
            key, .download, transferClass, owner: owner, file: file.key, name: file.name, mediaType: file.mediaType,
            size: file.size, provider: file.object?.provider ?? "")
    }

    // MARK: Both

    private func insertTransfer(
        _ key: TransferKey, _ direction: TransferDirection, _ transferClass: TransferClass, owner: UserID,
        file: FileKey, name: String, mediaType: String, size: Int64?, provider: String
    ) throws(StoreError) -> TransferRecord {
        let now = self.transaction.wallMilliseconds
        try self.transaction.connection.run(
            """
            INSERT INTO transfer (key, direction, class, state, owner_id, file_key, file_name, media_type, size, provider,
                created_at, updated_at, expires_at)
            VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?10, ?10, ?11)
            """, key, direction.rawValue, transferClass.rawValue, owner, file, name, mediaType, size, provider, now,
            now + self.transaction.options.files.idleHours * Self.hourMilliseconds)
        guard let transfer = try self.transaction.reading.files.transfer(key) else { throw .notFound("the transfer") }
        return transfer
    }

    private static let noteTransferSQL = SQL(
        """
        UPDATE transfer SET state = ?, offset = ?, error = ?, updated_at = ?, expires_at = ? WHERE id = ?
            AND state < \(TransferState.succeeded)
        """)

    /// Where a transfer stands. One that is over stays as it is.
    package func noteTransfer(
        _ id: TransferID, state: TransferState, offset: Int64, error: String? = nil
    ) throws(StoreError) {
        try self.transaction.connection.run(
            Self.noteTransferSQL, state.rawValue, offset, error, self.transaction.wallMilliseconds,
            self.transaction.wallMilliseconds + self.transaction.options.files.idleHours * Self.hourMilliseconds, id)
    }

    private static let endTransferSQL = SQL(
        """
        DELETE FROM file WHERE key = ? AND state = \(FileState.uploading)
        """)

    /// Ends a transfer otherwise than by completing an upload; what it was to become is gone.
    package func endTransfer(_ id: TransferID, state: TransferState, error: String?) throws(StoreError) {
        precondition(state.isOver)
        guard let transfer = try self.transaction.reading.files.transfer(id), !transfer.state.isOver else { return }
        try self.transaction.connection.run(
            "UPDATE transfer SET state = ?, error = ?, updated_at = ?, expires_at = NULL WHERE id = ?", state.rawValue,
            error, self.transaction.wallMilliseconds, id)
        guard transfer.direction == .upload else { return }
        try self.transaction.connection.run(Self.endTransferSQL, transfer.file)
    }

    private static let expireTransfersSQL = SQL(
        """
        SELECT id FROM transfer WHERE state < \(TransferState.succeeded) AND expires_at < ?
        """)

    private static let forgetTransfersSQL = SQL(
        """
        DELETE FROM transfer WHERE state >= \(TransferState.succeeded) AND updated_at < ?
        """)

    /// Gives up what nobody went on with, and forgets what was over long ago.
    ///
    /// - Returns: those that were given up.
    package func expireTransfers() throws(StoreError) -> [TransferRecord] {
        guard !self.transaction.memory.clock.isInDoubt else { return [] }
        let expired = try self.transaction.connection.query(
            Self.expireTransfersSQL, self.transaction.wallMilliseconds
        ) { row throws(StoreError) in TransferID(rawValue: row.int64(0)) }
        var given: [TransferRecord] = []
        for id in expired {
            try self.endTransfer(id, state: .failed, error: "nobody went on with it")
            if let transfer = try self.transaction.reading.files.transfer(id) { given.append(transfer) }
        }
        try self.transaction.connection.run(
            Self.forgetTransfersSQL, self.transaction.wallMilliseconds - Self.keptMilliseconds)
        return given
    }
}
