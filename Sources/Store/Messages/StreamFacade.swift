extension ReadTransaction {
    /// Reads of streamed messages.
    package var streams: StreamReads { StreamReads(transaction: self) }
}

/// Reads of streamed messages. Valid as long as its transaction.
package struct StreamReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of streamed messages.
    package var streams: StreamWrites { StreamWrites(transaction: self) }
}

/// Changes of streamed messages. Valid as long as its transaction.
package struct StreamWrites {
    let transaction: WriteTransaction
}
