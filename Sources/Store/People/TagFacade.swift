extension WriteTransaction {
    /// Changes of devices that hold a tag.
    package var tags: TagWrites { TagWrites(transaction: self) }
}

/// Changes of devices that hold a tag. Valid as long as its transaction.
package struct TagWrites {
    let transaction: WriteTransaction
}
