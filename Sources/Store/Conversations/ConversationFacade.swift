extension ReadTransaction {
    /// Reads of conversations and their members.
    package var conversations: ConversationReads { ConversationReads(transaction: self) }
}

/// Reads of conversations and their members. Valid as long as its transaction.
package struct ConversationReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of conversations and their members.
    package var conversations: ConversationWrites { ConversationWrites(transaction: self) }
}

/// Changes of conversations and their members. Valid as long as its transaction.
package struct ConversationWrites {
    let transaction: WriteTransaction
}
