extension ReadTransaction {
    /// Reads of commands for clients.
    package var commands: CommandReads { CommandReads(transaction: self) }
}

/// Reads of commands for clients. Valid as long as its transaction.
package struct CommandReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of commands for clients.
    package var commands: CommandWrites { CommandWrites(transaction: self) }
}

/// Changes of commands for clients. Valid as long as its transaction.
package struct CommandWrites {
    let transaction: WriteTransaction
}
