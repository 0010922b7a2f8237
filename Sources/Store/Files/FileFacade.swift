extension ReadTransaction {
    /// Reads of files, uploads and downloads.
    package var files: FileReads { FileReads(transaction: self) }
}

/// Reads of files, uploads and downloads. Valid as long as its transaction.
package struct FileReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of files, uploads and downloads.
    package var files: FileWrites { FileWrites(transaction: self) }
}

/// Changes of files, uploads and downloads. Valid as long as its transaction.
package struct FileWrites {
    let transaction: WriteTransaction
}
