/// A file that belongs into a backup.
package struct BackupItem: Hashable, Sendable {
    /// Path in the backup.
    package var path: String
    /// Bytes of the file.
    package var bytes: Int64
    /// True for a file whose bytes never change under its name: one that is in the backup before is not read again.
    package var isContent: Bool

    package init(path: String, bytes: Int64, isContent: Bool) {
        self.path = path
        self.bytes = bytes
        self.isContent = isContent
    }
}

/// A page of the files that belong into a backup.
package struct BackupPage: Hashable, Sendable {
    /// Files, in the order of their paths.
    package var items: [BackupItem]
    /// Asks for the page after this one; `nil` on the last.
    package var next: String?

    package init(items: [BackupItem], next: String?) {
        self.items = items
        self.next = next
    }
}

/// A server that a backup is made of: one in this process, or the one behind the admin socket. Confined to one thread.
package protocol BackupSource: AnyObject {
    /// Makes the snapshot; everything that is asked for later is of it.
    func begin(progress: (_ done: Int64, _ all: Int64) -> Void) throws(BackupError) -> BackupFacts
    /// Lists the files, a page at a time; `after` is the `next` of the page before.
    func items(after: String?) throws(BackupError) -> BackupPage
    /// The bytes of a file from an offset on; none at its end.
    func read(_ path: String, at offset: Int64) throws(BackupError) -> [UInt8]
}
