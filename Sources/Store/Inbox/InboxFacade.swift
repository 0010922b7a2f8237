extension ReadTransaction {
    /// Reads of one person's view of conversations.
    package var inbox: InboxReads { InboxReads(transaction: self) }
}

/// Reads of one person's view of conversations. Valid as long as its transaction.
package struct InboxReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of one person's view of conversations.
    package var inbox: InboxWrites { InboxWrites(transaction: self) }
}

/// Changes of one person's view of conversations. Valid as long as its transaction.
package struct InboxWrites {
    let transaction: WriteTransaction
}
