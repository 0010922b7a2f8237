package import ChatModel

extension WriteTransaction {
    /// Changes of devices that hold a tag.
    package var tags: TagWrites { TagWrites(transaction: self) }
}

/// Changes of devices that hold a tag. Valid as long as its transaction.
package struct TagWrites {
    let transaction: WriteTransaction
}

/// Result of a device's claim to a tag.
package enum TagClaim: Hashable, Sendable {
    /// Later claims of one person are larger.
    case held(claim: Int64)
    /// Another device holds it.
    case conflict
}

extension TagWrites {
    /// Gives a tag of a person to a device. One that does not insist gets it only when no other device holds it: so a
    /// device that was signed out by another one does not come back by itself.
    ///
    /// - Parameter device: what the device calls itself; an unknown one holds nothing and gets only what is free.
    package func claimTag(
        _ tag: String, of user: UserID, device: String, insists: Bool
    ) throws(StoreError) -> TagClaim {
        _ = try self.transaction.knownUser(user)
        let holder = try self.transaction.connection.first(
            "SELECT device_id FROM tag_holder WHERE user_id = ? AND tag = ?", user, tag
        ) { row throws(StoreError) in row.text(0) }
        if let holder, holder != device, !insists { return .conflict }
        if holder != device {
            try self.transaction.connection.run(
                "INSERT OR REPLACE INTO tag_holder (user_id, tag, device_id, changed_at) VALUES (?, ?, ?, ?)", user,
                tag,
                device, self.transaction.wallMilliseconds)
        }
        return .held(claim: self.transaction.nextChange())
    }

    /// A device lets go of its tag; nothing happens when another one holds it.
    package func releaseTag(_ tag: String, of user: UserID, device: String) throws(StoreError) {
        try self.transaction.connection.run(
            "DELETE FROM tag_holder WHERE user_id = ? AND tag = ? AND device_id = ?", user, tag, device)
    }

    /// A device goes by another name from now on, and keeps its tags.
    package func renameDevice(_ device: String, to name: String, of user: UserID) throws(StoreError) {
        try self.transaction.connection.run(
            "UPDATE tag_holder SET device_id = ? WHERE user_id = ? AND device_id = ?", name, user, device)
    }
}
