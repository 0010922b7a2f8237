package import ChatModel

extension ReadTransaction {
    /// Reads of legal holds.
    package var holds: HoldReads { HoldReads(transaction: self) }
}

extension WriteTransaction {
    /// Changes of legal holds.
    package var holds: HoldWrites { HoldWrites(transaction: self) }
}

/// Subject of a legal hold.
package enum HoldSubject: Hashable, Sendable {
    /// A person: their conversations, also those that they have left, every conversation in which a message of theirs is
    /// met, and their files.
    case person(UserID)
    case conversation(ConversationID)
}

/// A legal hold: nothing of its subject goes for its age, its number or its conversation's end.
package struct LegalHold: Hashable, Sendable {
    /// Number of the hold; 0 for one that is not stored.
    package var number: Int64
    /// Subject of the hold.
    package var subject: HoldSubject
    /// Reason, 1...`maximumReasonBytes` bytes.
    package var reason: String
    /// Operator who asked for it.
    package var asker: String
    /// When it was set, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    /// Most holds of a server.
    package static let maximumHolds = 1_000
    /// Most bytes of a reason.
    package static let maximumReasonBytes = 500

    package init(
        number: Int64 = 0, subject: HoldSubject, reason: String, asker: String, createdAtMilliseconds: Int64 = 0
    ) {
        self.number = number
        self.subject = subject
        self.reason = reason
        self.asker = asker
        self.createdAtMilliseconds = createdAtMilliseconds
    }
}

/// Reads of legal holds. Valid as long as its transaction.
package struct HoldReads {
    let transaction: ReadTransaction

    /// Holds by number, behind one; `limit` is 1...1000.
    package func list(after number: Int64 = 0, limit: Int) throws(StoreError) -> [LegalHold] {
        try self.transaction.connection.query(
            """
            SELECT number, user_id, conversation_id, reason, operator, created_at FROM legal_hold
            WHERE number > ? ORDER BY number LIMIT ?
            """, number, try ReadTransaction.page(limit), read: Self.hold)
    }

    /// Reads one hold; `nil` when there is none of this number.
    package func one(_ number: Int64) throws(StoreError) -> LegalHold? {
        try self.transaction.connection.first(
            """
            SELECT number, user_id, conversation_id, reason, operator, created_at FROM legal_hold WHERE number = ?
            """, number, read: Self.hold)
    }

    private static func hold(_ row: Row) throws(StoreError) -> LegalHold {
        let subject: HoldSubject
        if let user = row.optionalInt64(1) {
            subject = .person(UserID(rawValue: user))
        } else {
            subject = .conversation(row.conversationID(2))
        }
        return LegalHold(
            number: row.int64(0), subject: subject, reason: row.text(3), asker: row.text(4),
            createdAtMilliseconds: row.int64(5))
    }
}

/// Changes of legal holds. Valid as long as its transaction.
package struct HoldWrites {
    let transaction: WriteTransaction

    /// Sets a hold, from this commit on. One subject may have several: it is held until the last one is removed.
    ///
    /// - Returns: the hold with its number.
    /// - Throws: `notFound` without the person or conversation; `invalid` for the reason; `refused(.tooMany)`.
    package func add(_ hold: LegalHold) throws(StoreError) -> LegalHold {
        guard (1...LegalHold.maximumReasonBytes).contains(hold.reason.utf8.count) else {
            throw .invalid("a hold has a reason of 1 to \(LegalHold.maximumReasonBytes) bytes")
        }
        let connection = self.transaction.connection
        let count = try connection.first("SELECT count(*) FROM legal_hold") { row throws(StoreError) in row.int64(0) }
        guard count ?? 0 < Int64(LegalHold.maximumHolds) else {
            throw .refused(.tooMany(limit: LegalHold.maximumHolds))
        }
        var (user, conversation): (Int64?, Int64?)
        switch hold.subject {
        case .person(let id):
            guard try self.transaction.memory.user(id) != nil else { throw .notFound("the person") }
            user = id.rawValue
        case .conversation(let id):
            guard try self.transaction.memory.conversation(id) != nil else { throw .notFound("the conversation") }
            conversation = id.rawValue
        }
        try connection.run(
            """
            INSERT INTO legal_hold (user_id, conversation_id, reason, operator, created_at) VALUES (?, ?, ?, ?, ?)
            """, user, conversation, hold.reason, hold.asker, self.transaction.wallMilliseconds)
        var stored = hold
        stored.number = connection.lastInsertedID
        stored.createdAtMilliseconds = self.transaction.wallMilliseconds
        return stored
    }

    /// Removes a hold.
    ///
    /// - Returns: the hold as it was.
    /// - Throws: `notFound` for an unknown number.
    package func remove(_ number: Int64) throws(StoreError) -> LegalHold {
        guard let hold = try self.transaction.reading.holds.one(number) else {
            throw .notFound("a hold of number \(number)")
        }
        try self.transaction.connection.run("DELETE FROM legal_hold WHERE number = ?", number)
        return hold
    }
}

extension SQLText {
    /// True when a hold is on a conversation `c`, or on somebody who is in it, was in it, listens there, or is one of its two
    /// people.
    static let conversationIsHeld: SQLText = """
        EXISTS (
            SELECT 1 FROM legal_hold h WHERE h.conversation_id = c.id OR (h.user_id IS NOT NULL AND (
                h.user_id IN (c.direct_low, c.direct_high)
                OR EXISTS (SELECT 1 FROM member m WHERE m.conversation_id = c.id AND m.user_id = h.user_id)
                OR EXISTS (SELECT 1 FROM former_member f WHERE f.conversation_id = c.id AND f.user_id = h.user_id)
                OR EXISTS (SELECT 1 FROM listener l WHERE l.conversation_id = c.id AND l.user_id = h.user_id))))
        """
    /// True when a hold keeps a conversation `c` from its end: also where somebody has written who was no more than a
    /// listener. The messages are looked through once, and only while a person is held.
    static let conversationEndIsHeld: SQLText = """
        (\(Self.conversationIsHeld) OR (EXISTS (SELECT 1 FROM legal_hold WHERE user_id IS NOT NULL)
            AND \(Self.heldPersonHasWritten)))
        """
    /// True when a hold is on the owner of a file `f`, or on the conversation that it was uploaded for.
    static let fileIsHeld: SQLText = """
        EXISTS (SELECT 1 FROM legal_hold h WHERE h.user_id = f.owner_id OR h.conversation_id = f.conversation_id)
        """
}

extension Connection {
    private static let isHeldSQL = SQL("SELECT \(SQLText.conversationIsHeld) FROM conversation c WHERE c.id = ?")

    /// True when a hold keeps a conversation, by itself or for somebody who is in it or was.
    func isHeld(_ id: ConversationID) throws(StoreError) -> Bool {
        try self.first(Self.isHeldSQL, id) { row throws(StoreError) in row.int64(0) != 0 } ?? false
    }

    /// True when a hold keeps a person.
    func isHeld(_ user: UserID) throws(StoreError) -> Bool {
        try self.first("SELECT 1 FROM legal_hold WHERE user_id = ? LIMIT 1", user) { (_) throws(StoreError) in true }
            ?? false
    }

    /// People with a hold.
    func heldPeople() throws(StoreError) -> Set<UserID> {
        Set(
            try self.query("SELECT DISTINCT user_id FROM legal_hold WHERE user_id IS NOT NULL") {
                row throws(StoreError) in row.userID(0)
            })
    }
}
