extension ReadTransaction {
    /// Reads of what the operator set.
    package var sessionSettings: SettingsReads { SettingsReads(transaction: self) }
}

/// Reads of what the operator set. Valid as long as its transaction.
package struct SettingsReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of what the operator set.
    package var sessionSettings: SettingsWrites { SettingsWrites(transaction: self) }
}

/// Changes of what the operator set. Valid as long as its transaction.
package struct SettingsWrites {
    let transaction: WriteTransaction
}
