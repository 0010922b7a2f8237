package import ChatModel

/// A link by which one person comes in, without its code.
package struct Invitation: Hashable, Sendable {
    /// Number of the invitation.
    package var number: Int64
    /// Person who invites; `UserID.system` for the operator.
    package var inviter: UserID
    /// Name of that person.
    package var inviterName: UserName
    /// Name that the new person gets; `nil` for one of their choice.
    package var name: UserName?
    /// Name to show, unless they say another; `nil` for none.
    package var displayName: String?
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Nobody comes in by it from then on, UTC milliseconds.
    package var endsAtMilliseconds: Int64
    /// Person who came in by it; `nil` while nobody has.
    package var usedBy: UserName?
}

extension SQLText {
    /// Columns of `invitation i` with its inviter `u` and who came in, `p`.
    fileprivate static let invitationColumns: SQLText = """
        i.number, i.inviter_id, u.name, i.name, i.display_name, i.created_at, i.ends_at, p.name
        """
}

extension InvitationReads {
    private static let byHashSQL = SQL(
        """
        SELECT \(SQLText.invitationColumns) FROM invitation i JOIN user u ON u.id = i.inviter_id LEFT JOIN user p ON p.id = i.used_by
        WHERE i.code_hash = ?
        """)

    /// The invitation whose code has this hash, open or not; `nil` for none.
    package func one(codeHash: [UInt8]) throws(StoreError) -> Invitation? {
        try self.transaction.connection.first(Self.byHashSQL, codeHash, read: Self.invitation)
    }

    private static let openSQL = SQL(
        """
        SELECT \(SQLText.invitationColumns) FROM invitation i JOIN user u ON u.id = i.inviter_id LEFT JOIN user p ON p.id = i.used_by
        WHERE i.number < ?1 AND i.used_by IS NULL AND i.ends_at > ?2 ORDER BY i.number DESC LIMIT ?3
        """)

    /// Invitations that nobody came in by and whose time is not over, the newest first; `limit` is 1...1000.
    ///
    /// - Parameters:
    ///   - before: the number that the page before ended with.
    ///   - now: UTC milliseconds.
    package func page(
        before: Int64 = .max, at now: Int64, limit: Int
    ) throws(StoreError) -> [Invitation] {
        try self.transaction.connection.query(
            Self.openSQL, before, now, try ReadTransaction.page(limit), read: Self.invitation)
    }

    private static let usableSQL = SQL(
        """
        SELECT 1 FROM invitation i JOIN user u ON u.id = i.inviter_id
        WHERE i.number = ?1 AND i.used_by IS NULL AND i.ends_at > ?2 AND u.role = \(UserRole.administrator)
            AND u.disabled = 0
        """)

    /// True while somebody may come in by it: nobody has, its time is not over, and who made it may invite people.
    package func isUsable(_ invitation: Invitation, at now: Int64) throws(StoreError) -> Bool {
        try self.transaction.connection.first(Self.usableSQL, invitation.number, now) { (_) throws(StoreError) in true }
            ?? false
    }

    private static func invitation(_ row: Row) throws(StoreError) -> Invitation {
        Invitation(
            number: row.int64(0), inviter: row.userID(1), inviterName: try row.userName(2),
            name: row.optionalText(3).flatMap(UserName.init), displayName: row.optionalText(4),
            createdAtMilliseconds: row.int64(5), endsAtMilliseconds: row.int64(6),
            usedBy: row.optionalText(7).flatMap(UserName.init))
    }
}

extension InvitationWrites {
    /// Makes an invitation. Those that ended long ago go.
    ///
    /// - Parameter hours: one of `InvitationBounds.hours`.
    /// - Throws: `refused(.tooMany)` when `InvitationBounds.open` are open; `exists` for a code that there is.
    package func add(
        codeHash: [UInt8], by inviter: UserID, name: UserName?, displayName: String?, hours: Int64
    ) throws(StoreError) -> Invitation {
        let now = self.transaction.wallMilliseconds
        try WriteTransaction.check(scalars: displayName, PeopleLimits.nameScalars, "display name")
        try self.transaction.connection.run(
            "DELETE FROM invitation WHERE ends_at < ?", now - InvitationBounds.keptDays * 86_400_000)
        let count: StaticString = "SELECT count(*) FROM invitation WHERE used_by IS NULL AND ends_at > ?"
        let open = try self.transaction.connection.first(count, now) { row throws(StoreError) in row.int64(0) } ?? 0
        guard open < InvitationBounds.open else { throw .refused(.tooMany(limit: InvitationBounds.open)) }
        guard try self.transaction.reading.invitations.one(codeHash: codeHash) == nil else {
            throw .exists("the invitation")
        }
        try self.transaction.connection.run(
            """
            INSERT INTO invitation (code_hash, inviter_id, name, display_name, created_at, ends_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, codeHash, inviter, name, displayName, now, now + hours * 3_600_000)
        guard let made = try self.transaction.reading.invitations.one(codeHash: codeHash) else {
            throw .notFound("the invitation")
        }
        return made
    }

    /// Notes who came in by an invitation.
    package func use(_ number: Int64, by user: UserID) throws(StoreError) {
        try self.transaction.connection.run(
            "UPDATE invitation SET used_by = ?, used_at = ? WHERE number = ? AND used_by IS NULL", user,
            self.transaction.wallMilliseconds, number)
    }

    /// Takes an invitation back that nobody came in by.
    ///
    /// - Returns: false when there is none with this number.
    package func remove(_ number: Int64) throws(StoreError) -> Bool {
        try self.transaction.connection.run("DELETE FROM invitation WHERE number = ? AND used_by IS NULL", number)
        return self.transaction.connection.changes > 0
    }
}

extension ReadTransaction {
    /// Reads of invitations.
    package var invitations: InvitationReads { InvitationReads(transaction: self) }
}

/// Reads of invitations. Valid as long as its transaction.
package struct InvitationReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of invitations.
    package var invitations: InvitationWrites { InvitationWrites(transaction: self) }
}

/// Changes of invitations. Valid as long as its transaction.
package struct InvitationWrites {
    let transaction: WriteTransaction
}
