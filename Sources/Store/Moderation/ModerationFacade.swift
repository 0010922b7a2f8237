extension ReadTransaction {
    /// Reads of the word list, message kinds and receive filters.
    package var moderation: ModerationReads { ModerationReads(transaction: self) }
}

/// Reads of the word list, message kinds and receive filters. Valid as long as its transaction.
package struct ModerationReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of the word list, message kinds and receive filters.
    package var moderation: ModerationWrites { ModerationWrites(transaction: self) }
}

/// Changes of the word list, message kinds and receive filters. Valid as long as its transaction.
package struct ModerationWrites {
    let transaction: WriteTransaction
}
