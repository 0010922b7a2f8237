extension ReadTransaction {
    /// Reads of how people and conversations are shown.
    package var profiles: ProfileReads { ProfileReads(transaction: self) }
}

/// Reads of how people and conversations are shown. Valid as long as its transaction.
package struct ProfileReads {
    let transaction: ReadTransaction
}
