extension ReadTransaction {
    /// Reads of people and groups that the trial mode makes.
    package var trial: TrialReads { TrialReads(transaction: self) }
}

/// Reads of people and groups that the trial mode makes. Valid as long as its transaction.
package struct TrialReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of people and groups that the trial mode makes.
    package var trial: TrialWrites { TrialWrites(transaction: self) }
}

/// Changes of people and groups that the trial mode makes. Valid as long as its transaction.
package struct TrialWrites {
    let transaction: WriteTransaction
}
