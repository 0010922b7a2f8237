extension ReadTransaction {
    /// Reads of what LeanCloud's apps keep.
    package var apps: AppReads { AppReads(transaction: self) }
}

/// Reads of what LeanCloud's apps keep. Valid as long as its transaction.
package struct AppReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of what LeanCloud's apps keep.
    package var apps: AppWrites { AppWrites(transaction: self) }
}

/// Changes of what LeanCloud's apps keep. Valid as long as its transaction.
package struct AppWrites {
    let transaction: WriteTransaction
}
