import ChatModel
import SQLite

// Stored numbers and names of files as the types of the model.
extension Row {
    func contentHash(_ column: Int32) throws(StoreError) -> ContentHash {
        guard let hash = ContentHash(self.blob(column)) else { throw Self.damaged("hash of a content") }
        return hash
    }

    /// hash, size, stored_size, codec, provider.
    func storedObject(_ column: Int32) throws(StoreError) -> StoredObject {
        guard let codec = FileCodec(rawValue: self.int64(column + 3)) else { throw Self.damaged("codec") }
        return StoredObject(
            hash: try self.contentHash(column), size: self.int64(column + 1), storedSize: self.int64(column + 2),
            codec: codec, provider: self.text(column + 4))
    }

    /// The beginning of a query that `fileRecord` reads: a file `f`, its owner `u`, its object `o`.
    static let selectFile: SQLText = """
        SELECT f.id, f.key, f.owner_id, u.name, f.name, f.media_type, f.size, f.metadata, f.state, f.refs,
            f.created_at, o.hash, o.size, o.stored_size, o.codec, o.provider, coalesce(o.state, 0)
        FROM file f JOIN user u ON u.id = f.owner_id LEFT JOIN object o ON o.id = f.object_id
        """

    /// A file from `selectFile`.
    func fileRecord() throws(StoreError) -> FileRecord {
        guard let key = FileKey(self.text(1)), let state = FileState(rawValue: self.int64(8)) else {
            throw Self.damaged("file")
        }
        let hasObject = state == .complete
        return FileRecord(
            id: FileID(rawValue: self.int64(0)), key: key, owner: self.userID(2), ownerName: try self.userName(3),
            name: self.text(4), mediaType: self.text(5), size: self.int64(6),
            metadata: self.optionalText(7).map { Array($0.utf8) }, state: state,
            object: hasObject ? try self.storedObject(11) : nil, isDamaged: self.int64(16) == 2,
            references: self.int64(9), createdAtMilliseconds: self.int64(10))
    }

    /// id, key, direction, class, state, owner_id, its name, file_key, file_name, media_type, size, offset, provider,
    /// error, created_at, updated_at, expires_at.
    func transferRecord() throws(StoreError) -> TransferRecord {
        guard let key = TransferKey(self.text(1)), let direction = TransferDirection(rawValue: self.int64(2)),
            let transferClass = TransferClass(rawValue: self.int64(3)),
            let state = TransferState(rawValue: self.int64(4)), let file = FileKey(self.text(7))
        else { throw Self.damaged("transfer") }
        return TransferRecord(
            id: TransferID(rawValue: self.int64(0)), key: key, direction: direction, transferClass: transferClass,
            state: state, owner: self.userID(5), ownerName: try self.userName(6), file: file, fileName: self.text(8),
            mediaType: self.text(9), size: self.optionalInt64(10), offset: self.int64(11), provider: self.text(12),
            error: self.optionalText(13), createdAtMilliseconds: self.int64(14),
            updatedAtMilliseconds: self.int64(15), expiresAtMilliseconds: self.optionalInt64(16))
    }
}

extension FileID: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.rawValue) }
}

extension TransferID: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.rawValue) }
}

extension FileKey: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.text) }
}

extension FileLinkKey: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.text) }
}

extension TransferKey: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.text) }
}

extension ContentHash: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.bytes) }
}
