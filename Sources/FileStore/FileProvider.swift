package import ChatModel

/// Errors of contents on a disk.
package enum FileStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No room; nothing of what was there is lost.
    case full
    /// Bytes on the disk differ from the stored ones.
    case damaged(ContentHash)
    case missing(ContentHash)
    /// More bytes than the upload may have.
    case tooLong(limit: Int64)
    case io(action: String, errno: Int32)

    package var description: String {
        switch self {
        case .full: "no space left for files: free some room, uploads go on by themselves"
        case .damaged(let hash):
            "the content \(hash) is damaged on the disk: upload the file again, or restore a backup"
        case .missing(let hash):
            "the content \(hash) is missing on the disk: upload the file again, or restore a backup"
        case .tooLong(let limit): "more than the \(limit) bytes that were declared"
        case .io(let action, let errno): "cannot \(action): errno \(errno)"
        }
    }
}

/// Where contents are kept. All methods may be called from any thread, and block.
package protocol FileProvider: AnyObject, Sendable {
    /// Stored with each object: it finds the provider again.
    var name: String { get }

    /// Begins an upload; what is left of one by this key is discarded.
    func newUpload(_ key: TransferKey) throws(FileStoreError) -> any UploadSink
    /// Goes on with an upload at the offset that is on the disk.
    ///
    /// - Returns: `nil` when nothing of it is there.
    func resumeUpload(_ key: TransferKey) throws(FileStoreError) -> (any UploadSink)?
    /// Removes what is there of an upload.
    func discardUpload(_ key: TransferKey)
    /// The uploads of which something is on the disk.
    func unfinishedUploads() -> [UnfinishedUpload]

    /// - Throws: `missing`; `damaged` when that shows already.
    func open(_ object: StoredObject) throws(FileStoreError) -> any ObjectReader
    /// An object that is not there is gone already.
    func remove(_ object: StoredObject) throws(FileStoreError)
    /// Reads and checks all of an object.
    ///
    /// - Parameter pace: called with the bytes of each piece; false ends the check early, without an error.
    func check(_ object: StoredObject, pace: (Int) -> Bool) throws(FileStoreError)
    /// Contents that nobody knows of and that are older than this.
    func orphans(olderThanMilliseconds: Int64, isKnown: (ContentHash) -> Bool) -> [ContentHash]
    /// Bytes that may still be written, and of the whole file system; `nil` when the system does not say.
    func room() -> DiskRoom?
}

/// Upload of which a part is on the disk.
package struct UnfinishedUpload: Hashable, Sendable {
    /// Identifies the upload.
    package var key: TransferKey
    /// Time of the last write, UTC milliseconds.
    package var modifiedAtMilliseconds: Int64

    package init(key: TransferKey, modifiedAtMilliseconds: Int64) {
        self.key = key
        self.modifiedAtMilliseconds = modifiedAtMilliseconds
    }
}

/// How full a file system is.
package struct DiskRoom: Hashable, Sendable {
    /// 0 also when no more files can be made.
    package var freeBytes: Int64
    /// Bytes of the file system that holds the folder.
    package var totalBytes: Int64

    package init(freeBytes: Int64, totalBytes: Int64) {
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
    }
}

/// One upload's content while it comes. Confined to one thread at a time.
package protocol UploadSink: AnyObject {
    /// Plain bytes that were taken.
    var offset: Int64 { get }
    func write(_ bytes: UnsafeRawBufferPointer) throws(FileStoreError)
    /// Makes everything taken so far durable before it returns.
    func sync() throws(FileStoreError)
    /// Remembers this offset for `rollback`.
    func mark()
    /// Goes back to the offset of `mark`.
    func rollback() throws(FileStoreError)
    /// The content is complete: all of it is on the disk, not yet under its name.
    func finish() throws(FileStoreError) -> StoredObject
    /// Puts the finished content under its name; what was there by that name and is whole stays.
    func place() throws(FileStoreError)
    /// Removes what is only needed until the object is known. After it the sink is done.
    func cleanUp()
}

/// Reads one object. Every byte it gives was checked. Confined to one thread at a time.
package protocol ObjectReader: AnyObject {
    var object: StoredObject { get }
    /// Plain bytes from an offset: at least one and at most `maximum`, or none at the end.
    func read(at offset: Int64, atMost maximum: Int) throws(FileStoreError) -> [UInt8]
    /// Stored bytes from an offset in the same way: of a `gzip` object a part of its gzip stream.
    func readStored(at offset: Int64, atMost maximum: Int) throws(FileStoreError) -> [UInt8]
}
