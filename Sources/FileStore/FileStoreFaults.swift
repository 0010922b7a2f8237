/// The steps of an upload on the disk, in their order. Tests stop at each of them.
package enum FileStoreStep: String, Sendable, CaseIterable {
    case openPart, writePiece, writeState, syncPart, nameState
    case finishPart, writeIndex, makeFolders, nameIndex, nameObject, syncFolders, cleanUp
}

/// Called before each step; what it throws is what the disk said. For tests; nothing happens otherwise.
package struct FileStoreFaults: Sendable {
    package var before: @Sendable (FileStoreStep) throws(FileStoreError) -> Void

    package init(before: @escaping @Sendable (FileStoreStep) throws(FileStoreError) -> Void = { _ in }) {
        self.before = before
    }
}
