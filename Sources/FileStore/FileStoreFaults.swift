/// The steps of an upload on the disk, in their order. Tests stop at each of them.
package enum FileStoreStep: String, Sendable, CaseIterable {
    case openPart, writePiece, writeState, syncPart, nameState
    case finishPart, writeIndex, makeFolders, nameIndex, nameObject, syncFolders, cleanUp
}

/// Faults that tests inject; none otherwise.
package struct FileStoreFaults: Sendable {
    /// Called before each step; what it throws is what the disk said.
    package var before: @Sendable (FileStoreStep) throws(FileStoreError) -> Void
    /// Steps of `finishPart` and `syncFolders` that do not wait for the disk, which the crash proof must notice.
    package var unsynced: Set<FileStoreStep> = []

    package init(before: @escaping @Sendable (FileStoreStep) throws(FileStoreError) -> Void = { _ in }) {
        self.before = before
    }
}
