package import ChatModel
package import FileStore

/// How far a check of contents is, or what it found.
package struct ContentCheck: Hashable, Sendable {
    /// What is wrong with one content.
    package struct Damage: Hashable, Sendable {
        package var hash: ContentHash
        package var problem: FileStoreError
    }

    /// The most damages that are named.
    package static let named = 100

    /// Contents that were read, and their bytes on the disk.
    package var objects: Int64 = 0
    package var bytes: Int64 = 0
    /// Those that are to be read.
    package var allObjects: Int64 = 0
    package var allBytes: Int64 = 0
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
