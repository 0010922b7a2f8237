extension ReadTransaction {
    /// Reads of teams and requests to join them.
    package var teams: TeamReads { TeamReads(transaction: self) }
}

/// Reads of teams and requests to join them. Valid as long as its transaction.
package struct TeamReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of teams and requests to join them.
    package var teams: TeamWrites { TeamWrites(transaction: self) }
}

/// Changes of teams and requests to join them. Valid as long as its transaction.
package struct TeamWrites {
    let transaction: WriteTransaction
}
