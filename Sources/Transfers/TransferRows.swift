import ChatModel
import Store

/// Rows of transfers in the store. Methods with `then` never wait; the others are for threads that may.
struct TransferRows: Sendable {
    typealias Done = @Sendable (Result<Void, StoreError>) -> Void

    private let store: Store

    init(_ store: Store) { self.store = store }

    // MARK: Uploads

    func create(_ draft: UploadDraft, then: @escaping @Sendable (Result<TransferRecord, StoreError>) -> Void) {
        self.store.write(
            { transaction throws(StoreError) in try transaction.files.createUpload(draft) }, then: then)
    }

    func complete(_ id: TransferID, _ object: StoredObject) throws(StoreError) -> FileRecord {
        try self.store.writeAndWait { transaction throws(StoreError) in
            try transaction.files.completeUpload(id, object: object)
        }
    }

    /// True when the clock allows removal by age.
    var clockIsPlausible: Bool {
        if case .doubted = self.store.metrics.clock { return false }
        return true
    }

    /// Gives up uploads that are idle for too long, and returns them.
    func expire() throws(StoreError) -> [TransferRecord] {
        try self.store.writeAndWait { transaction throws(StoreError) in try transaction.files.expireTransfers() }
    }

    // MARK: Downloads

    func beginDownload(
        _ draft: DownloadDraft, then: @escaping @Sendable (Result<TransferRecord, StoreError>) -> Void
    ) {
        self.store.write(
            { transaction throws(StoreError) in
                try transaction.files.noteDownload(
                    of: draft.file, by: draft.actor.user, draft.transferClass, key: draft.key)
            }, then: then)
    }

    // MARK: Both

    func noteTransfer(_ id: TransferID, _ state: TransferState, offset: Int64, then: @escaping Done) {
        self.store.write(
            { transaction throws(StoreError) in try transaction.files.noteTransfer(id, state: state, offset: offset) },
            then: then)
    }

    func end(_ id: TransferID, _ state: TransferState, _ reason: String?) throws(StoreError) {
        try self.store.writeAndWait { transaction throws(StoreError) in
            try transaction.files.endTransfer(id, state: state, error: reason)
        }
    }

    func end(_ id: TransferID, _ state: TransferState, _ reason: String?, then: @escaping Done) {
        self.store.write(
            { transaction throws(StoreError) in try transaction.files.endTransfer(id, state: state, error: reason) },
            then: then)
    }

    /// With the file of one that succeeded.
    func find(_ key: TransferKey, then: @escaping @Sendable (Result<TransferView?, StoreError>) -> Void) {
        self.store.read(
            { transaction throws(StoreError) in
                guard let record = try transaction.files.transfer(key) else { return nil }
                return TransferView(record: record, file: try Self.file(of: record, transaction))
            }, then: then)
    }

    func list(
        _ query: TransferQuery, then: @escaping @Sendable (Result<[TransferView], StoreError>) -> Void
    ) {
        self.store.read(
            { transaction throws(StoreError) in
                var views: [TransferView] = []
                for record in try transaction.files.transfers(query) {
                    views.append(TransferView(record: record, file: try Self.file(of: record, transaction)))
                }
                return views
            }, then: then)
    }

    private static func file(
        of record: TransferRecord, _ transaction: ReadTransaction
    ) throws(StoreError) -> FileRecord? {
        guard record.direction == .upload, record.state == .succeeded else { return nil }
        return try transaction.files.file(record.file)
    }

    /// `nil` for one that no row knows of.
    func state(_ key: TransferKey) throws(StoreError) -> TransferState? {
        try self.store.readAndWait { transaction throws(StoreError) in try transaction.files.transfer(key)?.state }
    }

    // MARK: Contents

    /// Contents that nothing has any more.
    func sweep(limit: Int) throws(StoreError) -> [StoredObject] {
        try self.store.writeAndWait { transaction throws(StoreError) in try transaction.files.sweepFiles(limit: limit) }
    }

    /// `nil` for a content that no row knows of.
    func object(_ hash: ContentHash) throws(StoreError) -> ObjectRecord? {
        try self.store.readAndWait { transaction throws(StoreError) in try transaction.files.object(hash) }
    }

    func gone(_ hash: ContentHash) throws(StoreError) {
        try self.store.writeAndWait { transaction throws(StoreError) in try transaction.files.objectGone(hash) }
    }

    func damaged(_ hash: ContentHash) throws(StoreError) {
        try self.store.writeAndWait { transaction throws(StoreError) in try transaction.files.objectDamaged(hash) }
    }

    func damaged(_ hash: ContentHash, then: @escaping Done) {
        self.store.write({ transaction throws(StoreError) in try transaction.files.objectDamaged(hash) }, then: then)
    }

    func checked(_ hash: ContentHash) throws(StoreError) {
        try self.store.writeAndWait { transaction throws(StoreError) in try transaction.files.objectChecked(hash) }
    }

    func objectsToCheck(before: Int64, limit: Int) throws(StoreError) -> [StoredObject] {
        try self.store.readAndWait { transaction throws(StoreError) in
            try transaction.files.objectsToCheck(before: before, limit: limit)
        }
    }

    /// How many contents there are, and their bytes on the disk.
    func contents() throws(StoreError) -> (objects: Int64, storedBytes: Int64) {
        let totals = try self.store.readAndWait { transaction throws(StoreError) in try transaction.files.fileTotals() }
        return (totals.objects, totals.storedBytes)
    }

    /// A page of all contents that are not being removed, by hash.
    func contents(after hash: ContentHash?, limit: Int) throws(StoreError) -> [StoredObject] {
        try self.store.readAndWait { transaction throws(StoreError) in
            try transaction.files.allObjects(after: hash, limit: limit).map(\.object)
        }
    }
}
