import ByteCodec
package import ChatModel

extension WriteTransaction {
    /// Changes of messages and what people add to them.
    package var messages: MessageWrites { MessageWrites(transaction: self) }
}

/// Changes of messages and what people add to them. Valid as long as its transaction.
package struct MessageWrites {
    let transaction: WriteTransaction
}

// Changes of a message that everyone in the conversation sees.
extension MessageWrites {
    // MARK: Taking back

    /// Takes a message back; clients show that it was there and who took it back. Its body leaves the message and is kept
    /// as edit number 0, pins and reminders of it end.
    ///
    /// Whoever has recalled it may say so again, also when the time for it is over: the first answer may be lost. Nothing
    /// changes then.
    ///
    /// - Throws: `refused` (see `MessageRules.recallRefusal`).
    @discardableResult
    package func recall(_ place: MessagePlace, by actor: Actor) throws(StoreError) -> MessageChange {
        let target = try self.target(place, by: actor)
        if target.facts.isRecalled, target.withdrawnBy == actor.user { return target.repeated }
        if let refusal = self.transaction.memory.rules.recallRefusal(target.facts) { throw .refused(refusal) }
        return try self.withdraw(target, .recalled, by: actor)
    }

    /// Takes a message back so that nothing of it is shown. Otherwise like `recall`; a recalled one may still be deleted.
    /// Whoever has taken it back, or may delete it, may ask for a deleted one again: nothing changes then.
    ///
    /// - Throws: `refused` (see `MessageRules.deletionRefusal`).
    @discardableResult
    package func deleteForAll(_ place: MessagePlace, by actor: Actor) throws(StoreError) -> MessageChange {
        let target = try self.target(place, by: actor)
        if let refusal = self.transaction.memory.rules.deletionRefusal(target.facts) {
            guard target.facts.isDeletedForAll, refusal == .alreadyGone || target.withdrawnBy == actor.user else {
                throw .refused(refusal)
            }
            return target.repeated
        }
        return try self.withdraw(target, .deleted, by: actor)
    }

    private func withdraw(
        _ target: MessageTarget, _ how: Withdrawal, by actor: Actor
    ) throws(StoreError) -> MessageChange {
        let revision = try self.touchExtra(of: target)
        try self.transaction.connection.run(
            """
            UPDATE message_extra SET withdrawn = withdrawn | ?, withdrawn_by = coalesce(withdrawn_by, ?),
                withdrawn_at = coalesce(withdrawn_at, ?), pinned = 0
            WHERE conversation_id = ? AND sequence = ?
            """, how.rawValue, actor.user, self.transaction.wallMilliseconds, target.place.conversation,
            target.place.sequence)
        if !target.isWithdrawn {
            try self.moveBodyAway(target)
            try self.transaction.files.removeFileReferences(of: target.place)
            self.transaction.withdrawn.append(target.id)
        }
        if target.isPinned { try self.notePin(of: target, false, by: actor, revision: revision) }
        try self.finishReminders(of: target.place)
        let moment = try self.transaction.noteChanged(target, by: actor, isRecalled: true, isDeleted: how == .deleted) {
            content in
            content.body = []
        }
        return target.change(revision: revision, patchedAt: moment, for: target.receivers)
    }

    private func moveBodyAway(_ target: MessageTarget) throws(StoreError) {
        try self.transaction.connection.run(
            """
            INSERT INTO message_edit (conversation_id, sequence, number, editor_id, edited_at, is_json, body)
            SELECT conversation_id, sequence, 0, sender_id, sent_at, ?, body FROM message
            WHERE conversation_id = ? AND sequence = ?
            """, target.flags.contains(.bodyIsJSONObject), target.place.conversation, target.place.sequence)
        // What is empty is no JSON object either.
        let flags = target.flags.union(.withdrawn).subtracting(.bodyIsJSONObject)
        try self.transaction.connection.run(
            "UPDATE message SET body = x'', flags = ? WHERE conversation_id = ? AND sequence = ?", flags.rawValue,
            target.place.conversation, target.place.sequence)
    }

    // MARK: Editing

    /// Gives a message another body. The one it was sent with stays in the message, every edit is kept. The last edit asked
    /// for again by its author, whose answer may be lost, changes nothing.
    ///
    /// - Parameters:
    ///   - isJSONObject: the new body is one JSON object, like `MessageFlags.bodyIsJSONObject`.
    ///   - isBinary: it is no text, like `MessageFlags.binary`.
    ///   - wire: whose body it is; `nil` when it is of the protocol the message came from.
    ///   - envelope: what it carries beside the body from now on; `nil` for what it carried before. Whom the message is
    ///     for stays as it was sent.
    /// - Throws: `refused` (see `MessageRules.editRefusal`), `tooMany` after `MessageLimits.edits`; `invalid` when the
    ///   body is too long.
    @discardableResult
    package func edit(
        _ place: MessagePlace, newBody: [UInt8], isJSONObject: Bool, isBinary: Bool = false, wire: WireFormat? = nil,
        envelope: MessageEnvelope? = nil, by actor: Actor
    ) throws(StoreError) -> MessageChange {
        let target = try self.target(place, by: actor)
        let form: EditedBody = isJSONObject ? .jsonObject : isBinary ? .binary : .text
        let envelope = envelope?.visible(to: target.visibleTo)
        if !target.isWithdrawn, try self.isLastEdit(of: target, newBody, form, wire, envelope, by: actor) {
            return target.repeated
        }
        let facts = try self.factsWithPermission(target, actor)
        if let refusal = self.transaction.memory.rules.editRefusal(facts) { throw .refused(refusal) }
        guard newBody.count <= Appender.maximumBodyBytes else {
            throw .invalid("a message has at most \(Appender.maximumBodyBytes) bytes, not \(newBody.count)")
        }
        let content = MessageContent(kind: .none, flags: form.flags, wire: wire ?? .native, body: newBody)
        try self.transaction.sessionSettings.checkEdit(of: content, in: target.conversation, by: actor)
        guard target.editCount < MessageLimits.edits else { throw .refused(.tooMany(limit: MessageLimits.edits)) }
        try self.transaction.files.replaceFileReferences(of: place, body: newBody, by: actor)
        let revision = try self.touchExtra(of: target)
        let number = target.editCount + 1
        try self.transaction.connection.run(
            "UPDATE message_extra SET edit_count = ? WHERE conversation_id = ? AND sequence = ?", number,
            place.conversation, place.sequence)
        try self.transaction.connection.run(
            """
            INSERT INTO message_edit (conversation_id, sequence, number, editor_id, edited_at, is_json, body, wire,
                envelope, body_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, place.conversation, place.sequence, number, actor.user, self.transaction.wallMilliseconds,
            form.rawValue, newBody,
            wire?.rawValue, envelope?.stored, XXHash.of(newBody))
        let moment = try self.transaction.noteChanged(target, by: actor, isRecalled: false) { content in
            content.body = newBody
            content.flags.subtract([.bodyIsJSONObject, .binary])
            content.flags.formUnion(form.flags)
            if let wire { content.wire = wire }
            if let envelope { content.envelope = envelope }
        }
        return target.change(revision: revision, patchedAt: moment, for: target.receivers)
    }

    /// True when the newest edit of a message is this one, by the same person.
    private func isLastEdit(
        of target: MessageTarget, _ body: [UInt8], _ form: EditedBody, _ wire: WireFormat?,
        _ envelope: MessageEnvelope?, by actor: Actor
    ) throws(StoreError) -> Bool {
        guard target.editCount > 0 else { return false }
        let sql: StaticString = """
            SELECT 1 FROM message_edit WHERE conversation_id = ? AND sequence = ? AND number = ? AND editor_id = ?
                AND is_json = ? AND body = ? AND wire IS ? AND envelope IS ?
            """
        return try self.transaction.connection.first(
            sql, target.place.conversation, target.place.sequence, target.editCount, actor.user, form.rawValue, body,
            wire?.rawValue, envelope?.stored
        ) { row throws(StoreError) in row.int64(0) } != nil
    }

    // MARK: Attributes

    /// Changes a message's attributes (WuKongIM: its remote extension) by a JSON merge patch: `null` removes a key.
    ///
    /// - Parameters:
    ///   - mergePatch: a JSON object, at most `MessageLimits.attributeBytes`, like the result.
    ///   - replacesAll: it is no patch but all of the attributes from now on.
    ///   - ifRevision: the revision at which the caller knows the message; `nil` to change it in any case.
    /// - Throws: `refused` (see `MessageFacts.annotationRefusal`), `changedMeanwhile` when the attributes have changed
    ///   after `ifRevision`; `invalid` for the patch.
    @discardableResult
    package func setAttributes(
        of place: MessagePlace, mergePatch: [UInt8], replacesAll: Bool = false, ifRevision: Int64? = nil,
        by actor: Actor
    ) throws(StoreError) -> MessageChange {
        let target = try self.target(place, by: actor)
        let facts = try self.factsWithPermission(target, actor)
        if let refusal = facts.annotationRefusal() { throw .refused(refusal) }
        let patch = try Self.attributePatch(mergePatch)
        let known = try self.attributes(of: place)
        if let ifRevision, known.revision > ifRevision { throw .refused(.changedMeanwhile) }
        let merged = (replacesAll ? .object([]) : known.attributes).merging(patch: patch)
        let text = merged.serialized()
        guard text.count <= MessageLimits.attributeBytes else {
            throw .invalid(
                "the attributes of a message have at most \(MessageLimits.attributeBytes) bytes, not \(text.count)")
        }
        let revision = try self.touchExtra(of: target)
        let stored = merged == .object([]) ? nil : String(decoding: text, as: UTF8.self)
        try self.transaction.connection.run(
            """
            UPDATE message_extra SET attributes = ?, attributes_revision = ? WHERE conversation_id = ? AND sequence = ?
            """, stored, revision, place.conversation, place.sequence)
        try self.transaction.noteAnnotation(.attributes, of: target, by: actor.user)
        return target.change(revision: revision, for: target.receivers)
    }

    private static func attributePatch(_ text: [UInt8]) throws(StoreError) -> JSONValue {
        let limit = MessageLimits.attributeBytes
        guard text.count <= limit, let patch = try? JSONValue(parsing: text), patch.object != nil else {
            throw .invalid("a change of attributes is a JSON object of at most \(limit) bytes")
        }
        return patch
    }

    private func attributes(
        of place: MessagePlace
    ) throws(StoreError) -> (attributes: JSONValue, revision: Int64) {
        let sql: StaticString = """
            SELECT attributes, attributes_revision FROM message_extra WHERE conversation_id = ? AND sequence = ?
            """
        let known = try self.transaction.connection.first(sql, place.conversation, place.sequence) {
            row throws(StoreError) -> (JSONValue, Int64) in
            guard let text = row.optionalText(0) else { return (.object([]), row.int64(1)) }
            guard let attributes = try? JSONValue(parsing: text) else { throw Row.damaged("message attribute") }
            return (attributes, row.int64(1))
        }
        return known ?? (.object([]), 0)
    }

    // MARK: Pins

    /// Pins a message for everyone, or unpins it.
    ///
    /// - Throws: `refused` (see `MessageFacts.pinRefusal`), `tooMany` above `MessageLimits.pinned`.
    @discardableResult
    package func setPinned(_ place: MessagePlace, _ isPinned: Bool, by actor: Actor) throws(StoreError) -> MessageChange
    {
        let target = try self.target(place, by: actor)
        if let refusal = target.facts.pinRefusal() { throw .refused(refusal) }
        guard target.isPinned != isPinned else { return target.unchanged }
        if isPinned, try self.pinnedCount(in: place.conversation) >= MessageLimits.pinned {
            throw .refused(.tooMany(limit: MessageLimits.pinned))
        }
        let revision = try self.touchExtra(of: target)
        try self.transaction.connection.run(
            "UPDATE message_extra SET pinned = ? WHERE conversation_id = ? AND sequence = ?", isPinned,
            place.conversation, place.sequence)
        try self.notePin(of: target, isPinned, by: actor, revision: revision)
        return target.change(revision: revision, for: target.receivers)
    }

    private func pinnedCount(in id: ConversationID) throws(StoreError) -> Int {
        let sql: StaticString = "SELECT count(*) FROM message_pin WHERE conversation_id = ? AND pinned = 1"
        return Int(try self.transaction.connection.first(sql, id) { row throws(StoreError) in row.int64(0) } ?? 0)
    }

    private func notePin(
        of target: MessageTarget, _ isPinned: Bool, by actor: Actor, revision: Int64
    ) throws(StoreError) {
        try self.transaction.connection.run(
            """
            INSERT INTO message_pin (conversation_id, sequence, pinned, changed_by, changed_at, revision)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET pinned = excluded.pinned, changed_by = excluded.changed_by,
                changed_at = excluded.changed_at, revision = excluded.revision
            """, target.place.conversation, target.place.sequence, isPinned, actor.user,
            self.transaction.wallMilliseconds, revision
        )
        try self.transaction.noteAnnotation(.pins, of: target, by: actor.user)
    }

    // MARK: Pieces

    /// The facts, completed by whether the person could send a message now.
    func factsWithPermission(_ target: MessageTarget, _ actor: Actor) throws(StoreError) -> MessageFacts {
        var facts = target.facts
        if !actor.isPrivileged {
            facts.maySend = try self.transaction.maySend(actor.user, in: target.place.conversation)
        }
        return facts
    }

    /// Gives the row of what everyone sees the next revision, and makes it when it is the first change.
    func touchExtra(of target: MessageTarget) throws(StoreError) -> Int64 {
        let revision = try self.raiseRevision(of: target.conversation)
        try self.transaction.connection.run(
            """
            INSERT INTO message_extra (conversation_id, sequence, revision) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET revision = excluded.revision
            """, target.place.conversation, target.place.sequence, revision)
        return revision
    }
}

/// Form of an edit's body; the numbers are stored (`message_edit.is_json`).
enum EditedBody: Int64 {
    case text = 0
    case jsonObject = 1
    case binary = 2

    var flags: MessageFlags {
        switch self {
        case .text: []
        case .jsonObject: .bodyIsJSONObject
        case .binary: .binary
        }
    }
}
