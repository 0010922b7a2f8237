package import ChatModel

/// Contents in a folder: the built-in provider, which compresses them, or a folder elsewhere, such as a mounted share, that
/// takes them as they are.
package final class ObjectFolder: FileProvider {
    /// Kind of object, which chooses the folder below the root.
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

    /// Names of an object's files below the folder: the object and, where there is one, its index.
    package static func names(of hash: ContentHash, _ codec: FileCodec) -> (object: String, index: String) {
        let hex = hash.hex
        let folder = "objects/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))"
        return ("\(folder)/\(hex)\(codec == .gzip ? ".gz" : "")", "\(folder)/\(hex).idx")
    }

    /// Name for logs and `doctor`.
    package var name: String { self.folder.name }

    // MARK: Uploads

    /// Starts an upload with an empty `.part` file.
    package func newUpload(_ key: TransferKey) throws(FileStoreError) -> any UploadSink {
        try self.folder.newUpload(key)
    }

    /// Opens an unfinished upload at its durable offset; `nil` when nothing of it is on the disk.
    package func resumeUpload(_ key: TransferKey) throws(FileStoreError) -> (any UploadSink)? {
        try self.folder.resumeUpload(key)
    }

    /// Deletes what an unfinished upload has on the disk.
    package func discardUpload(_ key: TransferKey) { self.folder.discardUpload(key) }

    /// Uploads of which a part is on the disk.
    package func unfinishedUploads() -> [UnfinishedUpload] { self.folder.unfinishedUploads() }

    // MARK: Objects

    /// Opens an object for reading.
    package func open(_ object: StoredObject) throws(FileStoreError) -> any ObjectReader {
        try self.folder.open(object)
    }

    /// Deletes an object's file and index.
    package func remove(_ object: StoredObject) throws(FileStoreError) { try self.folder.remove(object.hash) }

    /// Reads a whole object against its checksums; `pace` gets the bytes read and returns false to stop.
    package func check(_ object: StoredObject, pace: (Int) -> Bool) throws(FileStoreError) {
        _ = try self.folder.open(object).check(pace: pace)
    }

    /// Objects on the disk that `isKnown` does not know and that are older than this.
    package func orphans(olderThanMilliseconds: Int64, isKnown: (ContentHash) -> Bool) -> [ContentHash] {
        var found: [ContentHash] = []
        let now = self.folder.wallMilliseconds()
        self.folder.eachContent { hash, modified in
            if now - modified > olderThanMilliseconds, !isKnown(hash) { found.append(hash) }
        }
        return found
    }

    /// Room of the file system; `nil` when it cannot be asked.
    package func room() -> DiskRoom? { self.folder.room() }
}
