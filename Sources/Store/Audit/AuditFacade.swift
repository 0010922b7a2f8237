extension ReadTransaction {
    /// Reads of the audit log.
    package var audit: AuditReads { AuditReads(transaction: self) }
}

/// Reads of the audit log. Valid as long as its transaction.
package struct AuditReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of the audit log.
    package var audit: AuditWrites { AuditWrites(transaction: self) }
}

/// Changes of the audit log. Valid as long as its transaction.
package struct AuditWrites {
    let transaction: WriteTransaction
}
