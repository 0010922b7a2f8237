package import ChatModel

/// Contents in a folder: the built-in provider, which compresses them, or a folder elsewhere, such as a mounted share, that
/// takes them as they are.
package final class ObjectFolder: FileProvider {
    package enum Kind: String, Sendable {
        /// Compressed with gzip where that helps.
        case objects
        case directory
    }

    private let folder: ContentFolder

    /// Makes the folder when it is not there.
    ///
    /// - Throws: `io` when it cannot be made, or others may write to it; `full`.
    package init(
        _ path: String, _ kind: Kind = .objects, faults: FileStoreFaults = FileStoreFaults()
    ) throws(FileStoreError) {
        self.folder = try ContentFolder(path, name: kind.rawValue, compresses: kind == .objects, faults: faults)
    }

    package var name: String { self.folder.name }

    // MARK: Uploads

    package func newUpload(_ key: TransferKey) throws(FileStoreError) -> any UploadSink {
        try self.folder.newUpload(key)
    }

    package func resumeUpload(_ key: TransferKey) throws(FileStoreError) -> (any UploadSink)? {
        try self.folder.resumeUpload(key)
    }

    package func discardUpload(_ key: TransferKey) { self.folder.discardUpload(key) }

    package func unfinishedUploads() -> [UnfinishedUpload] { self.folder.unfinishedUploads() }

    // MARK: Objects

    package func open(_ object: StoredObject) throws(FileStoreError) -> any ObjectReader {
        try self.folder.open(object)
    }

    package func remove(_ object: StoredObject) throws(FileStoreError) { try self.folder.remove(object.hash) }

    package func check(_ object: StoredObject, pace: (Int) -> Bool) throws(FileStoreError) {
        _ = try self.folder.open(object).check(pace: pace)
    }

    package func orphans(olderThanMilliseconds: Int64, isKnown: (ContentHash) -> Bool) -> [ContentHash] {
        var found: [ContentHash] = []
        let now = self.folder.wallMilliseconds()
        self.folder.eachContent { hash, modified in
            if now - modified > olderThanMilliseconds, !isKnown(hash) { found.append(hash) }
        }
        return found
    }

    package func room() -> DiskRoom? { self.folder.room() }
}
