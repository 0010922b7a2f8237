extension ReadTransaction {
    /// Reads of people, their lists and their tokens.
    package var people: PeopleReads { PeopleReads(transaction: self) }
}

/// Reads of people, their lists and their tokens. Valid as long as its transaction.
package struct PeopleReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of people, their lists and their tokens.
    package var people: PeopleWrites { PeopleWrites(transaction: self) }
}

/// Changes of people, their lists and their tokens. Valid as long as its transaction.
package struct PeopleWrites {
    let transaction: WriteTransaction
}
