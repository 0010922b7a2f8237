package import ChatModel

extension MessageWrites {
    /// Adds a person's reaction to a message, or cancels it: the same person and the same name again.
    ///
    /// - Parameter name: see `Reaction.name`.
    /// - Throws: `refused` (see `MessageFacts`), `tooMany` above `MessageLimits.reactionsPerPerson`; `invalid` for the
    ///   name, which has to be allowed (`MessageRules.allowsReaction`) unless it is being cancelled.
    @discardableResult
    package func toggleReaction(
        _ place: MessagePlace, name: String, by user: UserID
    ) throws(StoreError) -> Reaction {
        guard Reaction.isAcceptable(name: name) else {
            throw .invalid(
                "the name of a reaction has 1 to \(Reaction.maximumNameBytes) bytes and no control characters")
        }
        let actor = Actor(user)
        let target = try self.target(place, by: actor)
        let known = try self.reactionIsOn(place, name, user)
        let isRemoval = known == true
        guard isRemoval || self.transaction.memory.rules.allowsReaction(name) else {
            throw .invalid("no reaction of this name is allowed: see messages.reactions; an emoji or a plain name is")
        }
        let refusal =
            isRemoval ? target.facts.cancelRefusal() : try self.factsWithPermission(target, actor).annotationRefusal()
        if let refusal { throw .refused(refusal) }
        if known == nil { try self.checkReactionCount(place, user) }
        let revision = try self.raiseRevision(of: target.conversation)
        try self.transaction.connection.run(
            """
            INSERT INTO message_reaction (conversation_id, sequence, user_id, name, removed, revision, changed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET removed = excluded.removed, revision = excluded.revision,
                changed_at = excluded.changed_at
            """, place.conversation, place.sequence, user, name, isRemoval, revision, self.transaction.wallMilliseconds)
        try self.transaction.noteAnnotation(.reactions, of: target, by: user)
        let sender = try self.transaction.reading.people.user(user)
        return Reaction(
            place: place, messageID: target.id, user: try self.transaction.knownUser(user).name,
            displayName: sender?.displayName,
            name: name, isRemoved: isRemoval, revision: revision,
            changedAtMilliseconds: self.transaction.wallMilliseconds)
    }

    /// `nil` when there never was one.
    private func reactionIsOn(_ place: MessagePlace, _ name: String, _ user: UserID) throws(StoreError) -> Bool? {
        let sql: StaticString = """
            SELECT removed FROM message_reaction
            WHERE conversation_id = ? AND sequence = ? AND user_id = ? AND name = ?
            """
        return try self.transaction.connection.first(sql, place.conversation, place.sequence, user, name) {
            row throws(StoreError) in row.int64(0) == 0
        }
    }

    private func checkReactionCount(_ place: MessagePlace, _ user: UserID) throws(StoreError) {
        let sql: StaticString = """
            SELECT count(*) FROM message_reaction WHERE conversation_id = ? AND sequence = ? AND user_id = ?
            """
        let count = try self.transaction.connection.first(sql, place.conversation, place.sequence, user) {
            row throws(StoreError) in row.int64(0)
        }
        guard count ?? 0 < MessageLimits.reactionsPerPerson else {
            throw .refused(.tooMany(limit: MessageLimits.reactionsPerPerson))
        }
    }
}
