extension ReadTransaction {
    /// Reads of messages and what people add to them.
    package var messages: MessageReads { MessageReads(transaction: self) }
}

/// Reads of messages and what people add to them. Valid as long as its transaction.
package struct MessageReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of messages and what people add to them.
    package var messages: MessageWrites { MessageWrites(transaction: self) }
}

/// Changes of messages and what people add to them. Valid as long as its transaction.
package struct MessageWrites {
    let transaction: WriteTransaction
}
