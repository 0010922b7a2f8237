extension WriteTransaction {
    /// Changes of friendships.
    package var friends: FriendWrites { FriendWrites(transaction: self) }
}

/// Changes of friendships. Valid as long as its transaction.
package struct FriendWrites {
    let transaction: WriteTransaction
}
