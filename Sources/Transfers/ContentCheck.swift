package import ChatModel
package import FileStore

/// How far a check of contents is, or what it found.
package struct ContentCheck: Hashable, Sendable {
    /// Damage of one content.
    package struct Damage: Hashable, Sendable {
        /// Hash of the content.
        package var hash: ContentHash
        /// Reason that the check found.
        package var problem: FileStoreError
    }

    /// The most damages that are named.
    package static let named = 100

    /// Contents that were read, and their bytes on the disk.
    package var objects: Int64 = 0
    /// Bytes read so far.
    package var bytes: Int64 = 0
    /// Contents to read.
    package var allObjects: Int64 = 0
    /// Bytes to read.
    package var allBytes: Int64 = 0
    /// Contents found damaged.
    package var damagedCount: Int64 = 0
    /// The first `named` of them.
    package var damaged: [Damage] = []

    package init() {}

    mutating func add(_ hash: ContentHash, _ problem: FileStoreError) {
        self.damagedCount += 1
        if self.damaged.count < Self.named { self.damaged.append(Damage(hash: hash, problem: problem)) }
    }
}

/// A check that somebody asked for.
struct ContentCheckOrder: Sendable {
    /// One content; `nil` for all.
    var only: StoredObject?
    /// Asked after each piece; false ends the check.
    var isWanted: @Sendable () -> Bool
    var progress: @Sendable (ContentCheck) -> Void
    /// `nil` when it could not begin.
    var then: @Sendable (ContentCheck?) -> Void
}
